/* sinkwords - makes emit's options about sinks from the service's options, including those for
 * NVSentinel's Platform Connector. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SINKWORDS_H
#define SUPERVISOR_SINKWORDS_H

#include "sinkkinds.h"

#include <limits.h>
#include <stddef.h>

/* Where the Platform Connector listens on a node. */
#define CONNECTOR_DEFAULT_TARGET "unix:///var/run/nvsentinel.sock"

/* Room for each --sink and up to nine options of a sink, with their values. */
#define SINKWORDS_MAX ((size_t)20 * SINKS_MAX)

/* Room for the word that replaces a webhook's address, which is then in the environment, with a
 * NUL. */
#define SINKWORDS_ELSEWHERE_SIZE sizeof "webhook:$NHM_WEBHOOK_99"

struct sinkwords {
	const char *words[SINKWORDS_MAX]; /* each option, followed by its value if it has one */
	size_t count, sinks;
	char elsewhere[SINKS_MAX][SINKWORDS_ELSEWHERE_SIZE];
	char connector[PATH_MAX];    /* emit's name for the sink; "": no Platform Connector */
	const char *connector_token; /* a file; NULL: none */
};

/* All return NULL, or the error. Values are kept, not copied; emit checks them. */

/* Add --sink and its value. */
const char *sinkwords_add_sink(struct sinkwords *sinkwords, const char *spec);

/* Add a webhook whose address may be a secret and so must not be on a command line: sets
 * `*variable` to the name of the environment variable in which emit will look for it. */
const char *sinkwords_add_secret(struct sinkwords *sinkwords, const char **variable);

/* Add another option of emit for the last sink, and its value; NULL: it has none. */
const char *sinkwords_add(struct sinkwords *sinkwords, const char *option, const char *value);

/* Parse the value of --platform-connector-socket. */
const char *sinkwords_set_connector(struct sinkwords *sinkwords, const char *target);

/* Call after all options: append the Platform Connector as the last sink; if no sink was named, it
 * is the only one, at its default address. */
const char *sinkwords_finish(struct sinkwords *sinkwords);

/* Convert a gRPC target of the Platform Connector to emit's name for the sink. Targets:
 * unix:///PATH, unix:PATH, HOST:PORT, dns:///HOST:PORT, http://HOST:PORT and https://HOST:PORT.
 * Host, port and path are left to emit to check. Return NULL, or the error. */
const char *sinkwords_format_connector(const char *target, char *sink, size_t size);

#endif
