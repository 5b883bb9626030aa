/* settings - what of the configuration is about the service itself: where events go, and how often
 * to scan. What the command line says goes before it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SETTINGS_H
#define SUPERVISOR_SETTINGS_H

#include "conf.h"
#include "pipeline.h"
#include "sinkwords.h"

/* All zeros: nothing is said. */
struct settings {
	const struct conf_sinks *sinks; /* of a configuration; NULL: none was read */
	const char *runbook_url;        /* of it, too; NULL: not given */
	struct sinkwords words;         /* the same as emit's options */
	char interval[32];              /* as an option; "": not given */
	uint64_t interval_ns;
	struct conf *own; /* the configuration, if it belongs to the settings */
};

/* What of a configuration, which is kept, is about the service. NULL, or why it will not do. */
const char *settings_of(struct settings *settings, const struct conf *conf);

/* The same from a copy of the configuration, see confcopy.h. 0, or -1 with errno when it cannot be
 * read, or memory ran out. Free with settings_fini(). */
int settings_read(struct settings *settings, int fd);

/* Whether both name the same sinks; the same runbooks. */
bool settings_have_same_sinks(const struct settings *left, const struct settings *right);
bool settings_have_same_runbooks(const struct settings *left, const struct settings *right);

/* The options in force: those of the command line, and what these leave to the settings, which are
 * kept. */
struct service_options settings_apply(
	const struct settings *settings, const struct service_options *options);

void settings_fini(struct settings *settings);

#endif
