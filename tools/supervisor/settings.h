/* settings - the part of the configuration that is about the service itself: sinks, runbooks and
 * scan interval. The command line takes precedence. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SETTINGS_H
#define SUPERVISOR_SETTINGS_H

#include "conf.h"
#include "pipeline.h"
#include "sinkwords.h"

/* All zeros: no settings. */
struct settings {
	const struct conf_sinks *sinks; /* of the configuration; NULL: none was read */
	const char *runbook_url;        /* of the configuration; NULL: not given */
	struct sinkwords words;         /* `sinks` as emit's options */
	char interval[32];              /* as an option's value; "": not given */
	uint64_t interval_ns;
	struct conf *own; /* the configuration, if the settings own it */
};

/* Extract the settings of `conf`, which must outlive them. Return NULL, or why they are not
 * usable. */
const char *settings_of(struct settings *settings, const struct conf *conf);

/* The same from a copy of the configuration, see confcopy.h. Return 0, or -1 with ENOMEM if the
 * copy cannot be read or memory runs out. Free with settings_fini(). */
int settings_read(struct settings *settings, int fd);

/* Return true if both name the same sinks, or the same runbooks. */
bool settings_have_same_sinks(const struct settings *left, const struct settings *right);
bool settings_have_same_runbooks(const struct settings *left, const struct settings *right);

/* Return the options in force: those of the command line, with the settings where it gives none.
 * The result points into `settings`. */
struct service_options settings_apply(
	const struct settings *settings, const struct service_options *options);

void settings_fini(struct settings *settings);

#endif
