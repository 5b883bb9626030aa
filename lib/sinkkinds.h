/* sinkkinds - parses the kind of a sink, from emit's command line or the configuration. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SINKKINDS_H
#define NHM_SINKKINDS_H

/* Most sinks. */
#define SINKS_MAX 16

enum sinkkind {
	SINKKIND_STDOUT,
	SINKKIND_FILE,
	SINKKIND_JOURNAL,
	SINKKIND_UNIX,
	SINKKIND_TCP,
	SINKKIND_GRPC,
	SINKKIND_ALERTMANAGER,
	SINKKIND_NATS,
	SINKKIND_POSTGRES,
	SINKKIND_WEBHOOK,
	SINKKIND_EXEC,
	SINKKIND_N,
};

/* Parse a sink: set `*out` to its kind, and `*rest` to the text after its scheme, which that kind
 * parses. Return NULL, or why there is no such kind, valid until the next call. */
const char *sinkkinds_parse(const char *text, enum sinkkind *out, const char **rest);

#endif
