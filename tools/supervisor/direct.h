/* direct - NVSentinel's direct mode: events go over the network to a Platform Connector that serves
 * the whole cluster, which environment variables name, as they do for the original. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SUPERVISOR_DIRECT_H
#define SUPERVISOR_DIRECT_H

#include <limits.h>
#include <stdbool.h>

/* What the variables say. Texts but `sink` are the environment's own. */
struct direct {
	char sink[PATH_MAX]; /* what emit's --sink names it; "": not in direct mode */
	const char *ca_file; /* NULL: no TLS */
	const char *token_file;
	const char *server_name; /* in the server's certificate; NULL: its host */
	const char *unused;      /* a variable that is set and has no meaning here; NULL: none */
};

/* Reads them by `get`, which is getenv(3) or like it. NULL, or why they will not do, which names
 * the variable. */
const char *direct_parse(struct direct *direct, const char *(*get)(const char *name));

struct sinkwords;

/* In direct mode: adds the cluster's Platform Connector, in place of the one on this node, whatever
 * the options say about that. NULL, or why that will not do. */
const char *direct_add(const struct direct *direct, struct sinkwords *sinkwords);

#endif
