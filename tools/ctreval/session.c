/* session - one run of ctreval: records in, scans judged, state stored, events out, in this order. */
#include "session.h"

#include "announce.h"
#include "clock.h"
#include "diag.h"
#include "eval.h"
#include "filter.h"
#include "num.h"
#include "numbers.h"
#include "outlet.h"
#include "statefile.h"
#include "stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session {
	const struct session_options *options;
	struct eval_setting setting;
	struct scan scan;
	struct state state;
	struct outlet outlet;
	struct statefile file;         /* the state, and what the outlet has of the file */
	char last_ts[STATE_NAME_SIZE]; /* of the last scan; "" before the first */
	uint64_t last_boottime_ns;
	enum announced announced;
	struct numbers numbers;
};

/* --- what is kept --- */

static int
decode(void *context, const json_t *root, struct rec_error *error)
{
	struct session *session = context;
	const struct eval_setting *setting = &session->setting;
	return statefile_decode(
		root, setting->counters, setting->counter_detection, &session->file, error);
}

static void
reset(void *context)
{
	state_reset(&((struct session *)context)->state);
}

static json_t *
encode_new(void *context)
{
	const struct session *session = context;
	return statefile_encode_new(&session->file, session->setting.counters, session->last_ts,
		session->last_boottime_ns);
}

static const struct outlet_owner owner = {
	.version = STATEFILE_VERSION, .decode = decode, .reset = reset, .encode_new = encode_new};

/* What is new in the state since this was last asked. */
static enum outlet_change
take_change(struct state *state)
{
	enum outlet_change change = state->changed   ? OUTLET_AT_ONCE
				    : state->touched ? OUTLET_MAY_WAIT
						     : OUTLET_SAME;
	state->changed = state->touched = false;
	return change;
}

/* --- scans --- */

static void
count_scan(struct session *session, const struct eval_result *result, uint64_t began_ns)
{
	numbers_take(&session->numbers,
		&(struct numbers_scan){
			.scan = &session->scan,
			.state = &session->state,
			.result = result,
			.outbox_events = json_array_size(session->outlet.outbox.events),
			.duration_ns = clock_monotonic_ns() - began_ns,
		});
}

/* Judges the scan, stores what follows, writes the events. 0, or -1 with errno. */
static int
judge_scan(struct session *session)
{
	uint64_t began_ns = clock_monotonic_ns();
	struct eval_result result;
	size_t i;
	const json_t *note;

	int status = eval_scan(&session->setting, &session->state, &session->outlet.stream,
		&session->scan, &result);
	json_array_foreach (result.notes, i, note)
		diag_note("%s", json_string_value(note));
	if (status == 0)
		status = outlet_send(
			&session->outlet, &(struct outlet_batch){
						  .events = result.events,
						  .after = result.decisions,
						  .change = take_change(&session->state),
						  .ts = session->last_ts,
						  .now_ns = session->last_boottime_ns,
					  });
	else
		errno = ENOMEM;
	int saved_errno = errno;
	if (status == 0)
		count_scan(session, &result, began_ns);
	eval_result_fini(&result);
	errno = saved_errno;
	return status;
}

/* Judges what was gathered, whole or not: a port that was read is evidence about itself. */
static int
finish_scan(struct session *session)
{
	const struct scanrec_begin *begin = &session->scan.begin;

	outlet_name_stream(&session->outlet, begin->node, begin->boot_id, begin->ts);
	state_copy(session->last_ts, sizeof session->last_ts, begin->ts);
	session->last_boottime_ns = begin->boottime_ns;
	if (announce(&session->announced, &session->setting, &session->scan) < 0) {
		errno = ENOMEM;
		return -1;
	}
	if (!session->scan.whole)
		diag_warn("scan %lld is incomplete: only what it has is judged",
			(long long)begin->scan);
	int status = judge_scan(session);
	int saved_errno = errno;
	scan_clear(&session->scan);
	errno = saved_errno;
	return status;
}

/* --- input --- */

static int
take_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct session *session = context;
	struct rec_error error;
	enum scanrec_kind kind = scanrec_kind(record->json);

	if (kind == SCANREC_OTHER)
		return filter_pass(record);
	if (kind == SCANREC_BEGIN && session->scan.open) {
		session->scan.whole = false;
		if (finish_scan(session) < 0) {
			json_decref(record->json);
			return -1;
		}
	}
	switch (scan_take(&session->scan, kind, record->json, &error)) {
	case SCAN_TAKEN:
	case SCAN_IGNORED:
		return 0;
	case SCAN_FINISHED:
		return finish_scan(session);
	case SCAN_BAD:
		intake_reject(intake, &error);
		/* An end that cannot be read still ends the scan. */
		return kind == SCANREC_END ? finish_scan(session) : 0;
	case SCAN_NO_MEMORY:
		errno = ENOMEM;
		return -1;
	}
	return 0;
}

static void
lose_line(void *context)
{
	((struct session *)context)->scan.whole = false;
}

static int
end_input(void *context)
{
	struct session *session = context;
	/* Who is asked to stop in the middle of a scan has not seen it. */
	if (session->scan.open && !stop_requested()) {
		session->scan.whole = false;
		if (finish_scan(session) < 0)
			return -1;
	}
	if (*session->last_ts != '\0')
		outlet_finish(
			&session->outlet, take_change(&session->state), session->last_boottime_ns);
	return 0;
}

/* --- the run --- */

/* Which ports and devices there are depends on these two. */
static char *
scope_new(const struct conf *conf)
{
	char *scope;
	return asprintf(&scope, "exclude %s include %s", conf->exclusion_text,
		       conf->inclusion_text) < 0
		       ? NULL
		       : scope;
}

/* Takes up what the last run has left. Returns 0 or the exit code. */
static int
restore(struct session *session, const struct conf *conf)
{
	struct state *state = &session->state;
	char *scope = scope_new(conf);
	if (scope == NULL) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	int status = outlet_open(&session->outlet);
	if (status == 0 && state->scope != NULL && strcmp(state->scope, scope) != 0) {
		diag_note(
			"which NICs are monitored has changed: ports and devices are learned again");
		state_forget_scope(state);
	}
	free(state->scope);
	state->scope = scope;
	/* Without a file everything is as after a boot. */
	if (session->outlet.store.fresh)
		state->baseline_owed = true;
	return status;
}

static struct eval_setting
setting_of(const struct session_options *options, const struct conf *conf)
{
	struct eval_setting setting = {
		.counters = &conf->counters,
		.counter_detection = conf->counter_detection,
		.fatal_counters_as_degradation = conf->fatal_counters_as_degradation,
		.settle_ns = (uint64_t)conf->settle_seconds * NUM_NS_PER_S,
		.confirm_scans = conf->confirm_scans,
		.clear_check = conf->clear_check,
		.baselines = options->state_path != NULL || options->baseline,
		.explain = options->explain,
		.exclusion = &conf->exclusion,
		.inclusion = &conf->inclusion,
	};
	memcpy(setting.enabled, options->enabled, sizeof setting.enabled);
	return setting;
}

static int
run(struct session *session, const struct conf *conf)
{
	int status = 0;

	if (session->options->state_path == NULL) {
		session->state.baseline_owed = session->options->baseline;
	} else {
		/* With something to finish: what was learned since the last write. */
		if (stop_catch() < 0)
			return diag_io_failure("signals");
		status = restore(session, conf);
		if (status == 0 && outlet_resend(&session->outlet) < 0)
			status = diag_io_failure("stdout");
	}
	const struct filter filter = {.take = take_record,
		.lose = lose_line,
		.end = end_input,
		.malformed = intake_malformed(session->options->metrics, "ctreval")};
	return status != 0 ? status : filter_run(&filter, session);
}

int
session_run(const struct session_options *options, const struct conf *conf)
{
	const struct outlet_options outlet_options = {
		.tool = "ctreval",
		.state_path = options->state_path,
		.acks_path = options->acks_path,
		.strategy = options->strategy,
	};
	struct session session = {.options = options, .setting = setting_of(options, conf)};
	int status = EXIT_OS;

	state_init(&session.state, conf->counters.count);
	numbers_init(&session.numbers, options->metrics, options->enabled);
	session.file = (struct statefile){.state = &session.state,
		.stream = &session.outlet.stream,
		.outbox = &session.outlet.outbox};
	if (outlet_init(&session.outlet, &outlet_options, &owner, &session, STDOUT_FILENO) < 0)
		diag_error("out of memory");
	else
		status = run(&session, conf);
	scan_fini(&session.scan);
	state_fini(&session.state);
	outlet_fini(&session.outlet);
	return status;
}
