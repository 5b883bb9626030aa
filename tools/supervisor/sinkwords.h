/* sinkwords - emit's options about sinks, put together from the service's, NVSentinel's Platform
 * Connector among them. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_SINKWORDS_H
#define SUPERVISOR_SINKWORDS_H

#include "sinkkinds.h"

#include <limits.h>
#include <stddef.h>

/* Where the Platform Connector listens on a node. */
#define CONNECTOR_DEFAULT_TARGET "unix:///var/run/nvsentinel.sock"

/* Each sink and its value, and up to nine options with theirs. */
#define SINKWORDS_MAX ((size_t)20 * SINKS_MAX)

/* Room for what stands for a webhook whose address is in our environment, with a NUL. */
#define SINKWORDS_ELSEWHERE_SIZE sizeof "webhook:$NHM_WEBHOOK_99"

struct sinkwords {
	const char *words[SINKWORDS_MAX]; /* each option before its value, if it has one */
	size_t count, sinks;
	char elsewhere[SINKS_MAX][SINKWORDS_ELSEWHERE_SIZE];
	char connector[PATH_MAX];    /* "": the Platform Connector was not named */
	const char *connector_token; /* a file; NULL: none */
};

/* Each returns NULL, or why that will not do. Values are kept, not copied; what is wrong with them
 * emit says. */

/* Adds --sink and its value. */
const char *sinkwords_add_sink(struct sinkwords *sinkwords, const char *spec);

/* The same for a webhook whose address may be a secret, and is not a word for a command line:
 * `*variable` becomes the name of the variable in which emit is to find it. */
const char *sinkwords_add_secret(struct sinkwords *sinkwords, const char **variable);

/* Adds another option of emit's, which is about the sink before it, and its value; NULL: it has
 * none. */
const char *sinkwords_add(struct sinkwords *sinkwords, const char *option, const char *value);

/* Parses the value of --platform-connector-socket. */
const char *sinkwords_set_connector(struct sinkwords *sinkwords, const char *target);

/* When all options are known: the Platform Connector becomes the last sink, and at its default
 * place the only one if no other was named. */
const char *sinkwords_finish(struct sinkwords *sinkwords);

/* Writes emit's name for the sink that a gRPC target of the Platform Connector means: unix:///PATH,
 * unix:PATH, HOST:PORT, dns:///HOST:PORT, http://HOST:PORT and https://HOST:PORT. Whether host,
 * port and path will do, emit says. Returns NULL, or why it is not such a target. */
const char *sinkwords_format_connector(const char *target, char *sink, size_t size);

#endif
