/* overlap - rejects a sink that writes to a file which emit reads or keeps. */
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

/* Return 0, or the exit code after reporting the sink at `place`; `use` is the other use of that
 * file. */
static int
check(const struct run_options *options, const struct place sinks[SINKS_MAX],
	const struct place *place, const char *use)
{
	for (size_t i = 0; i < options->spec_count; i++) {
		if (is_same(&sinks[i], place)) {
			char label[SINK_LABEL_SIZE];
			sink_spec_label(&options->specs[i], label);
			diag_error("sink %s: it is also %s", label, use);
			return EXIT_USAGE;
		}
	}
	return 0;
}

/* As check(), for the file at `path`. */
static int
check_path(const struct run_options *options, const struct place sinks[SINKS_MAX], const char *path,
	const char *use)
{
	struct place place = place_of_path(path);
	return check(options, sinks, &place, use);
}

/* As check(), for the spool and the files beside it. */
static int
check_spool(
	const struct run_options *options, const struct place sinks[SINKS_MAX], const char *path)
{
	int status = check_path(options, sinks, path, "the spool");
	for (const char *const *ending = database_beside; *ending != NULL && status == 0;
		ending++) {
		char *file;
		if (asprintf(&file, "%s%s", path, *ending) < 0)
			return diag_no_memory();
		status = check_path(options, sinks, file, "the spool");
		free(file);
	}
	return status;
}

int
overlap_check(const struct run_options *options, const char *spool_path, char *const *inputs)
{
	struct place sinks[SINKS_MAX], place;
	int status = 0;
	for (size_t i = 0; i < options->spec_count; i++)
		sinks[i] = place_of_sink(&options->specs[i]);
	if (spool_path != NULL)
		status = check_spool(options, sinks, spool_path);
	if (options->journal.acks_path != NULL && status == 0)
		status = check_path(options, sinks, options->journal.acks_path, "the acks file");
	if (options->silences_path != NULL && status == 0)
		status = check_path(options, sinks, options->silences_path, "the silences file");
	for (; *inputs != NULL && status == 0; inputs++) {
		place = strcmp(*inputs, "-") == 0 ? place_of_fd(STDIN_FILENO)
						  : place_of_path(*inputs);
		status = check(options, sinks, &place, "an input");
	}
	return status;
}
