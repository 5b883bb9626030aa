/* output - merges records and writes them to stdout. A slow reader does not delay the sources:
 * records that stdout cannot accept at once are dropped and counted, and a gap record reports their
 * number once there is room again (spec#events-drained). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_OUTPUT_H
#define IBEVENT_OUTPUT_H

#include "merger.h"
#include "metrics.h"

#include <poll.h>

/* Initialize to zero, then set the members up to `waits`. */
struct output {
	const char *node;
	struct metrics *metrics; /* metrics of accepted notices; may be NULL */
	bool ingero_names;       /* also count under Ingero's names, see ingerometrics.h */
	bool waits;              /* wait for room instead of dropping: the input is a file */
	struct merger merger;
	uint64_t dropped[VIA_N]; /* events dropped for lack of room */
	int error;               /* errno of a write; 0: none */
};

/* Accept a notice and set its `when` to now. */
void output_accept(struct output *output, struct notice *notice);

/* Report that an unknown number of a source's events was lost. */
void output_gap(struct output *output, enum via via);

/* Write gaps of dropped records if there is room, and the held repeats if they are due or `is_last`
 * is set. */
void output_expire(struct output *output, bool is_last);

/* Return how long output_expire() can wait, ns; UINT64_MAX: for ever. */
uint64_t output_patience_ns(const struct output *output);

/* Return the pollfd of stdout. poll(2) always reports when the reader has closed it. */
struct pollfd output_pollfd(const struct output *output);

/* Process the poll(2) result of stdout: set `error` if the reader has closed it. */
void output_accept_poll(struct output *output, short revents);

#endif
