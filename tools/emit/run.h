/* run - the loop between inputs, journal and sinks, until the inputs end or somebody asks to stop. */
#ifndef EMIT_RUN_H
#define EMIT_RUN_H

#include "inputs.h"
#include "journal.h"
#include "metrics.h"
#include "numbers.h"
#include "sink.h"

#define RUN_SINKS_MAX 16

struct run_options {
	struct sink_spec specs[RUN_SINKS_MAX];
	size_t spec_count;
	struct sink_setting setting;
	struct journal_options journal;
	struct routing routing; /* window_ns and batch_max */
	uint64_t flush_timeout_ns;
	struct metrics *metrics; /* nullable */
};

struct run {
	const struct run_options *options;
	struct inputs inputs;
	struct journal journal;
	struct sink sinks[RUN_SINKS_MAX];
	size_t sink_count;
	struct http *http;
	struct numbers numbers;
	unsigned opened; /* of the journal, when its spool was told how far the sinks have got */
};

/* Opens the journal and the sinks; takes the specs over. 0, or the exit code to end with, which has been said; run_fini() in both cases. */
int run_init(struct run *run, struct run_options *options);

/* Reads what is named (see inputs.h) until it ends, and delivers. Returns the exit code. */
int run_deliver(struct run *run, char **names);

/* Takes one event, as from an input, and delivers as far as needed to have room for the next. `record` is borrowed. 0, or the exit code to end with. */
int run_take(struct run *run, const char *record, size_t length);

/* Delivers what is left, within the time for that. Returns the exit code. */
int run_finish(struct run *run);

void run_fini(struct run *run);

#endif
