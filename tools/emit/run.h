/* run - the loop between inputs, journal and sinks, until the inputs end or somebody asks to
 * stop. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_RUN_H
#define EMIT_RUN_H

#include "confine.h"
#include "in/inputs.h"
#include "in/silencing.h"
#include "metrics.h"
#include "out/sink.h"
#include "ownmetrics.h"
#include "store/journal.h"

#define RUN_SINKS_MAX 16

struct run_options {
	struct sink_spec specs[RUN_SINKS_MAX];
	size_t spec_count;
	struct sink_setting setting;
	struct journal_options journal;
	const char *silences_path;   /* NULL: there are none */
	struct routing routing;      /* window_ns and batch_max */
	uint64_t request_timeout_ns; /* as asked for; `setting` has it */
	uint64_t flush_timeout_ns;
	enum confine_mode confine;
	struct metrics *metrics; /* nullable */
};

struct run {
	const struct run_options *options;
	struct inputs inputs;
	struct pollfd *fds; /* room for all that is waited for */
	struct journal journal;
	struct sink sinks[RUN_SINKS_MAX];
	size_t sink_count;
	struct http *http;
	struct own_metrics own_metrics;
	bool has_events;     /* one has come, or a record that comes with events */
	char other_kind[32]; /* of the first record that does not, cut if need be; "": none */
	struct silencing silencing;
	bool silences_due; /* what stands is to be compared with the silences */
	unsigned opened;   /* of the journal, when its spool was told how far the sinks have got */
};

/* Opens the journal and the sinks; takes the specs over. 0, or the exit code to end with, which has
 * been said; run_fini() in both cases. */
int run_init(struct run *run, struct run_options *options);

/* Reads what is named (see inputs.h) until it ends, and delivers. Returns the exit code. */
int run_deliver(struct run *run, char **names);

/* Accepts one event, as from an input, and delivers as far as needed to have room for the next.
 * `record` is borrowed. 0, or the exit code to end with. */
int run_accept(struct run *run, const char *record, size_t length);

/* Delivers what there is, with one attempt at each sink, for no longer than `within_ns`. 0, or the
 * exit code to end with. */
int run_try_once(struct run *run, uint64_t within_ns);

/* Delivers what is left, within the time for that. Returns the exit code. */
int run_finish(struct run *run);

/* Frees what is the run's, and returns the exit code. When a thread is still at work, since a disk
 * hangs or a server takes its time, it ends the process with that code: the thread may use all that
 * there is, and libraries tidy up at an orderly exit what it is using. */
int run_fini(struct run *run, int status);

#endif
