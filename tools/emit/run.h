/* run - the loop between inputs, journal and sinks, until the inputs end or a signal stops it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_RUN_H
#define EMIT_RUN_H

#include "confine.h"
#include "in/inputs.h"
#include "in/silencing.h"
#include "metrics.h"
#include "out/sink.h"
#include "ownmetrics.h"
#include "positions.h"
#include "sinkkinds.h"
#include "store/journal.h"

struct run_options {
	struct sink_spec specs[SINKS_MAX];
	size_t spec_count;
	struct sink_setting setting;
	struct journal_options journal;
	const char *silences_path;   /* NULL: none */
	struct routing routing;      /* only window_ns and batch_max are set */
	uint64_t request_timeout_ns; /* as given; delivery_complete() copies it to `setting` */
	uint64_t flush_timeout_ns;
	enum confine_mode confine;
	struct metrics *metrics; /* may be NULL */
};

struct run {
	const struct run_options *options;
	struct inputs inputs;
	struct pollfd *fds; /* room for all descriptors to poll */
	struct journal journal;
	struct sink sinks[SINKS_MAX];
	size_t sink_count;
	uint64_t failures; /* of all sinks on hosts */
	struct http *http;
	struct own_metrics own_metrics;
	bool has_events;     /* an event, or a record that comes with events, has arrived */
	char other_kind[32]; /* kind of the first other record, cut if too long; "": none */
	struct silencing silencing;
	bool silences_due; /* compare the standing conditions with the silences */
	struct positions positions;
};

/* Open the journal and the sinks; takes over options->specs. Return 0, or the exit code after
 * reporting the error. Call run_fini() in both cases. */
int run_init(struct run *run, struct run_options *options);

/* Read the inputs (see inputs.h) until they end, and deliver. Return the exit code. */
int run_deliver(struct run *run, char **names);

/* Accept one event as from an input, and deliver until there is room for the next, as long as each
 * sink accepts events: no more than flush_timeout_ns and the time of a request without any.
 * `record` is borrowed. Return 0, or the exit code to end with. */
int run_accept(struct run *run, const char *record, size_t length);

/* Deliver with one attempt per sink, for at most `within_ns`. Return 0, or the exit code to end
 * with. */
int run_try_once(struct run *run, uint64_t within_ns);

/* Deliver the rest, within flush_timeout_ns. Return the exit code. */
int run_finish(struct run *run);

/* Free everything and return `status`. If a thread is still running, because a disk hangs or a
 * server is slow, end the process with _exit(status) instead: the thread may use any memory, and
 * exit handlers of libraries would free what it uses. */
int run_fini(struct run *run, int status);

#endif
