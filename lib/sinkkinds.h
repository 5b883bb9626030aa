/* sinkkinds - which kinds of sinks there are, and how each is written: on emit's command line, and
 * in the configuration. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_SINKKINDS_H
#define NHM_SINKKINDS_H

/* At most so many sinks. */
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

/* What kind of sink `text` is, and `*rest`, what stands after its scheme, of which that kind knows
 * more. NULL; or why there is no such kind, which is valid until the next call. */
const char *sinkkinds_parse(const char *text, enum sinkkind *kind, const char **rest);

#endif
