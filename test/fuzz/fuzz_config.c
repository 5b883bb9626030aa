/* fuzz_config - any bytes as a configuration: what is accepted is printed as a configuration that is accepted and prints the same. */
#include "conf.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int
load(struct conf *conf, const void *bytes, size_t length)
{
	char path[40];
	int fd = memfd_create("config", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, bytes, length) == (ssize_t)length);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	int status = conf_load(conf, path);
	close(fd);
	return status;
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

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct conf first, second;

	if (load(&first, data, size) != 0)
		return 0;
	char *once = print_new(&first);
	assert(load(&second, once, strlen(once)) == 0);
	char *twice = print_new(&second);
	assert(strcmp(once, twice) == 0);
	assert(first.counters.count == second.counters.count);
	assert(first.exclusion.count == second.exclusion.count);
	assert(first.inclusion.count == second.inclusion.count);
	free(once);
	free(twice);
	conf_fini(&first);
	conf_fini(&second);
	return 0;
}
