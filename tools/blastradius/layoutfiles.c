/* layoutfiles - reads the topology files. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "layoutfiles.h"

#include "atomfile.h"
#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "hash.h"
#include "layout.h"
#include "num.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longest path of a file in a directory, with its NUL. */
#define PATH_SIZE 4096

#define POLL_NS (5 * NUM_NS_PER_S)

/* --- the option --- */

const char *
layoutfiles_accept(void *target, const struct opt_given *given)
{
	struct layoutfiles *files = (struct layoutfiles *)((char *)target + given->spec->offset);
	if (*given->value == '\0')
		return "not a file's name";
	if (files->count == LAYOUTFILES_MAX)
		return "too many";
	files->paths[files->count++] = given->value;
	return NULL;
}

/* --- all files --- */

/* Called for each file. A nonzero result ends each_file(), which returns it. */
typedef int visit_fn(void *context, const char *path);

static int
is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Visit the files of a directory, sorted by name. Skip files whose path is too long. If the
 * directory cannot be read, visit the directory itself. */
static int
each_entry(const char *directory, visit_fn *visit, void *context)
{
	struct dirent **entries;
	char path[PATH_SIZE];
	int count = scandir(directory, &entries, is_shown, alphasort);
	int status = count < 0 ? visit(context, directory) : 0;
	for (int i = 0; i < count; i++) {
		int length = snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name);
		if (status == 0 && length > 0 && (size_t)length < sizeof path)
			status = visit(context, path);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return status;
}

static int
each_file(const struct layoutfiles *files, visit_fn *visit, void *context)
{
	int status = 0;
	for (size_t i = 0; i < files->count && status == 0; i++) {
		struct stat about;
		bool is_directory = stat(files->paths[i], &about) == 0 && S_ISDIR(about.st_mode);
		status = is_directory ? each_entry(files->paths[i], visit, context)
				      : visit(context, files->paths[i]);
	}
	return status;
}

/* --- changes --- */

static int
add_hash(void *context, const char *path)
{
	uint64_t *hash = context;
	struct stat about;
	*hash = hash_words(*hash, path, strlen(path));
	if (stat(path, &about) < 0)
		return 0;
	char facts[128];
	int length = snprintf(facts, sizeof facts, "%ju %jd %jd.%ld", (uintmax_t)about.st_ino,
		(intmax_t)about.st_size, (intmax_t)about.st_mtim.tv_sec, about.st_mtim.tv_nsec);
	*hash = hash_words(*hash, facts, (size_t)length);
	return 0;
}

static uint64_t
hash_files(const struct layoutfiles *files)
{
	uint64_t hash = HASH_START;
	each_file(files, add_hash, &hash);
	return hash;
}

bool
layoutfiles_poll(struct layoutfiles *files)
{
	uint64_t now_ns = clock_monotonic_ns();
	if (files->count == 0 || now_ns - files->polled_ns < POLL_NS)
		return false;
	files->polled_ns = now_ns;
	return hash_files(files) != files->seen;
}

uint64_t
layoutfiles_patience_ns(const struct layoutfiles *files)
{
	return files->count > 0 ? POLL_NS : UINT64_MAX;
}

/* --- contents --- */

/* Return 0, or -1 with errno as topology_add(). */
static int
read_text(struct topology *topology, const char *path, char *text, struct layout_trouble *trouble)
{
	char node[256];
	const char *name = strrchr(path, '/');
	name = name != NULL ? name + 1 : path;
	if (text[strspn(text, " \t\r\n")] == '{') {
		const char *end = strstr(name, ".json");
		int length = end != NULL ? (int)(end - name) : (int)strlen(name);
		snprintf(node, sizeof node, "%.*s", length, name);
		return layout_read_lldp(topology, node, text, trouble);
	}
	if (strcasestr(text, "SwitchName=") != NULL)
		return layout_read_slurm(topology, text, trouble);
	if (strncmp(text, "Switch\t", 7) == 0 || strstr(text, "\nSwitch\t") != NULL ||
		strstr(text, "\nCa\t") != NULL)
		return layout_read_ibnetdiscover(topology, text, trouble);
	layout_pass_over(trouble, 0,
		"unknown format: not ibnetdiscover, lldpcli -f json or Slurm's topology");
	return 0;
}

static void
say_trouble(const char *path, const struct layout_trouble *trouble)
{
	char place[32] = "";
	if (trouble->line > 0)
		snprintf(place, sizeof place, " line %zu:", trouble->line);
	if (trouble->count > 1)
		diag_warn("%s:%s %s: skipped, and %zu more", path, place, trouble->reason,
			trouble->count - 1);
	else if (trouble->count > 0)
		diag_warn("%s:%s %s: skipped", path, place, trouble->reason);
}

static int
read_file(void *context, const char *path)
{
	struct topology *topology = context;
	struct layout_trouble trouble = {0};
	size_t length;
	/* O_NONBLOCK: do not wait for the writer of a FIFO. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return diag_open_failure(path);
	char *text = atomfile_read_fd_new(fd, LAYOUTFILES_MAX_BYTES, &length);
	fd_close(fd);
	if (text == NULL)
		return diag_io_failure(path);
	int status = read_text(topology, path, text, &trouble);
	free(text);
	if (status < 0 && errno == ENOSPC) {
		diag_error("%s: more than %d ports or %d switches", path, TOPOLOGY_PORTS_MAX,
			TOPOLOGY_SWITCHES_MAX);
		return EXIT_DATA;
	}
	say_trouble(path, &trouble);
	return status < 0 ? diag_no_memory() : 0;
}

int
layoutfiles_read(struct layoutfiles *files, struct topology *topology)
{
	files->polled_ns = clock_monotonic_ns();
	files->seen = hash_files(files);
	return each_file(files, read_file, topology);
}

bool
layoutfiles_read_anew(struct layoutfiles *files, struct topology *topology)
{
	struct topology now = {0};
	if (layoutfiles_read(files, &now) != 0) {
		diag_warn("keeping the previous topology");
		topology_fini(&now);
		return false;
	}
	topology_fini(topology);
	*topology = now;
	diag_note("reloaded the topology: %zu ports on %zu switches", topology->entry_count,
		topology->switch_count);
	return true;
}
