/* overlap - rejects a file that has two uses: as a sink, an input, the spool or another file that
 * emit keeps. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "overlap.h"

#include "diag.h"
#include "out/sinkspec.h"
#include "store/database.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Most files that emit keeps: the spool and those beside it, the acks, the silences. */
#define OWNED_MAX 8

/* A file, apart from its name. One that does not exist is known by its directory and its name in
 * there, because the spool, the acks file and a sink are created later. */
struct place {
	bool is_file; /* false: nothing, or a device, pipe or socket, which may be used twice */
	dev_t device;
	ino_t inode;
	const char *name; /* "" if the file exists */
};

static struct place
place_of(const struct stat *status, const char *name)
{
	return (struct place){.is_file = S_ISREG(status->st_mode) || *name != '\0',
		.device = status->st_dev,
		.inode = status->st_ino,
		.name = name};
}

static struct place
place_of_fd(int fd)
{
	struct stat status;
	return fstat(fd, &status) == 0 ? place_of(&status, "") : (struct place){.is_file = false};
}

static struct place
place_of_path(const char *path)
{
	struct stat status;
	char directory[PATH_MAX] = ".";
	if (stat(path, &status) == 0)
		return place_of(&status, "");
	const char *slash = strrchr(path, '/');
	if (slash != NULL)
		snprintf(directory, sizeof directory, "%.*s", (int)(slash - path + 1), path);
	if (stat(directory, &status) == 0)
		return place_of(&status, slash != NULL ? slash + 1 : path);
	/* emit creates the directory of the spool. */
	return (struct place){.is_file = true, .name = path};
}

static struct place
place_of_sink(const struct sink_spec *spec)
{
	if (spec->kind == &sink_file)
		return place_of_path(spec->path);
	return spec->kind == &sink_stdout ? place_of_fd(STDOUT_FILENO)
					  : (struct place){.is_file = false};
}

static bool
is_same(const struct place *a, const struct place *b)
{
	return a->is_file && b->is_file && a->device == b->device && a->inode == b->inode &&
	       strcmp(a->name, b->name) == 0;
}

/* A file that emit keeps. */
struct owned {
	char *path; /* from malloc; `place` may point into it */
	struct place place;
	const char *use;
};

struct files {
	const struct run_options *options;
	struct place sinks[SINKS_MAX];
	struct owned owned[OWNED_MAX]; /* those checked so far */
	size_t owned_count;
};

/* Return 0, or the exit code after reporting that the file at `place` is a sink or has another use
 * than `use`. */
static int
check(const struct files *files, const struct place *place, const char *path, const char *use)
{
	for (size_t i = 0; i < files->options->spec_count; i++) {
		if (is_same(&files->sinks[i], place)) {
			char label[SINK_LABEL_SIZE];
			sink_spec_label(&files->options->specs[i], label);
			diag_error("sink %s: it is also %s", label, use);
			return EXIT_USAGE;
		}
	}
	for (size_t i = 0; i < files->owned_count; i++) {
		const struct owned *other = &files->owned[i];
		if (is_same(&other->place, place) && strcmp(other->use, use) != 0) {
			diag_error("%s: it is both %s and %s", path, other->use, use);
			return EXIT_USAGE;
		}
	}
	return 0;
}

/* As check(), for the file at `path` and `ending`, and remember it. A path that is NULL is none. */
static int
own(struct files *files, const char *path, const char *ending, const char *use)
{
	struct owned *owned = &files->owned[files->owned_count];
	if (path == NULL)
		return 0;
	if (asprintf(&owned->path, "%s%s", path, ending) < 0)
		return diag_no_memory();
	owned->place = place_of_path(owned->path);
	owned->use = use;
	int status = check(files, &owned->place, owned->path, use);
	files->owned_count++;
	return status;
}

/* As own(), for the spool and the files beside it. */
static int
own_spool(struct files *files, const char *path)
{
	static const char use[] = "the spool";
	int status = own(files, path, "", use);
	for (const char *const *ending = database_beside; *ending != NULL && status == 0; ending++)
		status = own(files, path, *ending, use);
	return status;
}

static int
check_all(struct files *files, const char *spool_path, char *const *inputs)
{
	const struct run_options *options = files->options;
	int status = own_spool(files, spool_path);
	if (status == 0)
		status = own(files, options->journal.acks_path, "", "the acks file");
	if (status == 0)
		status = own(files, options->silences_path, "", "the silences file");
	for (; *inputs != NULL && status == 0; inputs++) {
		struct place place = strcmp(*inputs, "-") == 0 ? place_of_fd(STDIN_FILENO)
							       : place_of_path(*inputs);
		status = check(files, &place, *inputs, "an input");
	}
	return status;
}

int
overlap_check(const struct run_options *options, const char *spool_path, char *const *inputs)
{
	struct files files = {.options = options};
	for (size_t i = 0; i < options->spec_count; i++)
		files.sinks[i] = place_of_sink(&options->specs[i]);
	int status = check_all(&files, spool_path, inputs);
	for (size_t i = 0; i < files.owned_count; i++)
		free(files.owned[i].path);
	return status;
}
