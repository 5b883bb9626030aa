/* direct - parses the environment variables of NVSentinel's direct mode, in which events go over
 * the network to a Platform Connector that serves the whole cluster. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_DIRECT_H
#define SUPERVISOR_DIRECT_H

#include <limits.h>
#include <stdbool.h>

/* The parsed variables. All texts but `sink` belong to the environment. */
struct direct {
	char sink[PATH_MAX]; /* the value of emit's --sink; "": not in direct mode */
	const char *ca_file; /* NULL: no TLS */
	const char *token_file;
	const char *server_name; /* name in the server's certificate; NULL: its host */
	const char *unused;      /* a variable that is set but has no effect here; NULL: none */
};

/* Parse the variables, which `get`, a function like getenv(3), returns. Return NULL, or the error,
 * which names the variable. */
const char *direct_parse(struct direct *direct, const char *(*get)(const char *name));

struct sinkwords;

/* In direct mode, add the sink of the cluster's Platform Connector and drop the local one, even if
 * the options name it. Return NULL, or the error. */
const char *direct_add(const struct direct *direct, struct sinkwords *sinkwords);

#endif
