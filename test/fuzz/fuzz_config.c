/* fuzz_config - parses arbitrary bytes as a configuration, in YAML and in TOML: what is accepted is
 * printed as a configuration that is accepted and printed the same. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "conf.h"
#include "confdoc.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Descriptor of the bytes in memory, and its paths with the name of a YAML and of a TOML file. */
#define BYTES_FD 200
static const char yaml_path[] = "/proc/self/fd/200";
static char toml_path[64];

static void
remove_name(void)
{
	unlink(toml_path);
}

/* The file name decides the format, and a memfd has none that ends in .toml: use a symlink. */
static const char *
toml_name(void)
{
	if (*toml_path != '\0')
		return toml_path;
	snprintf(toml_path, sizeof toml_path, "/tmp/fuzz_config.%d.toml", (int)getpid());
	assert(symlink(yaml_path, toml_path) == 0 && atexit(remove_name) == 0);
	return toml_path;
}

static int
load(struct conf *conf, const char *path, const void *bytes, size_t length)
{
	int fd = memfd_create("config", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	/* conf_load() rejects a file that others may write. */
	assert(fchmod(fd, 0600) == 0 && dup2(fd, BYTES_FD) == BYTES_FD);
	close(fd);
	return conf_load(conf, path);
}

static char *
print_new(const struct conf *conf)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	assert(out != NULL && conf_print(conf, out) == 0);
	fclose(out);
	return text;
}

static void
check(const char *path, const uint8_t *data, size_t size)
{
	struct conf first, second;

	if (load(&first, path, data, size) != 0)
		return;
	char *once = print_new(&first);
	/* Parse the text without a file, like a stage that gets it from the service. */
	assert(conf_parse(&second, "printed", once, strlen(once)) == 0);
	char *twice = print_new(&second);
	assert(strcmp(once, twice) == 0);
	assert(first.counters.count == second.counters.count);
	assert(first.exclusion.count == second.exclusion.count);
	assert(first.inclusion.count == second.inclusion.count);
	assert(conf_names_devices(&first) == conf_names_devices(&second));
	free(once);
	free(twice);
	conf_fini(&first);
	conf_fini(&second);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	check(yaml_path, data, size);
	check(toml_name(), data, size);
	/* Parse the bytes without a file. */
	struct confdoc doc;
	if (confdoc_parse(&doc, "text", (const char *)data, size) == CONFDOC_OK)
		confdoc_close(&doc);
	return 0;
}
