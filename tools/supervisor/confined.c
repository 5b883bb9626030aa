/* confined - confines the service: gives up every right that it and its sinks do not need. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "confined.h"

#include "array.h"
#include "confine.h"
#include "diag.h"
#include "ownfile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prefixes of --sink for files, which emit creates, again after each rotation; and for programs,
 * which inherit the confinement. */
static const char file_scheme[] = "file:", program_scheme[] = "exec:";

/* Return the rest of the word after the scheme, or NULL. */
static const char *
behind(const char *word, const char *scheme)
{
	size_t length = strlen(scheme);
	return strncmp(word, scheme, length) == 0 ? word + length : NULL;
}

static bool
starts_programs(const struct service_options *options)
{
	for (size_t i = 0; i < options->sink_word_count; i++)
		if (behind(options->sink_words[i], program_scheme) != NULL)
			return true;
	return false;
}

static void
keep_directory(struct confined *confined, const char *path)
{
	char *directory = path != NULL ? ownfile_directory_new(path) : NULL;
	if (directory != NULL)
		arguments_add(&confined->directories, directory);
	free(directory);
}

/* The same for the directory of the file that a link leads to. */
static void
keep_target(struct confined *confined, const char *path)
{
	char *target = realpath(path, NULL);
	keep_directory(confined, target);
	free(target);
}

int
confined_enter(
	struct confined *confined, const char *programs, const struct service_options *options)
{
	const char *const kept[] = {options->state_path, options->log_state_path,
		options->pattern_state_path, options->acks_path, options->spool_path};
	struct confine confine;
	*confined = (struct confined){.everything = options->confine == CONFINE_OFF};
	if (starts_programs(options)) {
		confined->everything = true;
		diag_info("confinement: a sink is a program: only the stages are confined");
		return 0;
	}
	confine_init(&confine, "nic-health-monitor", options->confine);
	for (enum stage_id id = 0; id < STAGE_N; id++)
		confine_allow_starting(&confine, programs, pipeline_plan[id].program);
	for (size_t i = 0; i < ARRAY_COUNT(kept); i++) {
		confine_allow_beside(&confine, kept[i], LANDLOCK_KEEP);
		keep_directory(confined, kept[i]);
	}
	for (size_t i = 0; i < options->sink_word_count; i++) {
		const char *path = behind(options->sink_words[i], file_scheme);
		if (path == NULL)
			continue;
		confine_allow_beside(&confine, path, LANDLOCK_KEEP);
		keep_directory(confined, path);
		keep_target(confined, path);
	}
	confine_allow(&confine, "/dev/infiniband", LANDLOCK_DEVICE);
	/* Listening is retried later if the port is in use, so keep the right to it. */
	if (options->metrics_port >= 0)
		confine_allow_listening(&confine, (uint16_t)options->metrics_port);
	return confine_enter(&confine);
}

/* Return the directory without links and `..`, or itself if it does not exist; from malloc. */
static char *
resolved_new(const char *directory)
{
	char *real = realpath(directory, NULL);
	return real != NULL ? real : strdup(directory);
}

static bool
is_in(const char *directory, const char *kept)
{
	char *real = resolved_new(directory), *above = resolved_new(kept);
	const char *rest = real != NULL && above != NULL ? behind(real, above) : NULL;
	bool is_below = rest != NULL && (*rest == '\0' || *rest == '/');
	free(real);
	free(above);
	return is_below;
}

/* Return true if `path` is in one of the directories, or below it. */
static bool
is_kept(const struct confined *confined, const char *path)
{
	char *directory = ownfile_directory_new(path);
	bool found = false;
	for (size_t i = 0; i < confined->directories.count && directory != NULL && !found; i++)
		found = is_in(directory, confined->directories.words[i]);
	free(directory);
	return found;
}

/* Return true if the sink can write the file: neither it nor what it links to is elsewhere. */
static bool
can_write(const struct confined *confined, const char *path)
{
	char *target = realpath(path, NULL);
	bool can = is_kept(confined, path) && (target == NULL || is_kept(confined, target));
	free(target);
	return can;
}

bool
confined_has_kept(const struct confined *confined, const struct service_options *options)
{
	for (size_t i = 0; i < options->sink_word_count && !confined->everything; i++) {
		const char *word = options->sink_words[i], *path = behind(word, file_scheme);
		const char *what = NULL;
		if (behind(word, program_scheme) != NULL)
			what = "to start programs";
		else if (path != NULL && !can_write(confined, path))
			what = "to write there";
		if (what == NULL)
			continue;
		diag_error("sink %s: the service has dropped the privilege %s: restart it", word,
			what);
		return false;
	}
	return true;
}

void
confined_fini(struct confined *confined)
{
	arguments_fini(&confined->directories);
}
