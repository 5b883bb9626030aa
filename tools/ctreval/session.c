/* session - one run of ctreval: reads records, evaluates scans, stores the state and writes events,
 * in this order. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "announce.h"
#include "check/eval.h"
#include "clock.h"
#include "diag.h"
#include "evalmetrics.h"
#include "filter.h"
#include "num.h"
#include "outlet.h"
#include "silencereader.h"
#include "state/forget.h"
#include "state/original.h"
#include "state/statefile.h"
#include "stop.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct session {
	const struct session_options *options;
	struct eval_setting setting;
	struct recall *recall;
	struct scan scan;
	struct state state;
	struct silencereader silences;
	struct outlet outlet;
	struct statefile file;         /* the state, and the outlet's part of the file */
	char last_ts[STATE_NAME_SIZE]; /* time of the last scan; "" before the first */
	uint64_t last_boottime_ns;
	json_t *events; /* events of the scan being stored and written, else NULL */
	enum announced announced;
	bool warned_of_chardevs; /* the warning that their classes cannot be listed was printed */
	struct evalmetrics evalmetrics;
};

/* --- the state file --- */

static int
decode(void *context, const json_t *root, struct rec_error *error)
{
	struct session *session = context;
	const struct eval_setting *setting = &session->setting;
	const struct statefile_rules rules = {
		.counters = setting->counters,
		.counter_detection = setting->counter_detection,
		.fatal_counters_as_degradation = setting->fatal_counters_as_degradation,
	};
	return statefile_decode(root, &rules, &session->file, error);
}

static void
reset(void *context)
{
	state_reset(&((struct session *)context)->state);
}

static char *
encode_new(void *context)
{
	const struct session *session = context;
	return statefile_encode_new(&session->file, session->setting.counters, session->last_ts,
		session->last_boottime_ns);
}

/* Events may name the renamed one as their cause. */
static void
follow_rename(void *context, const char *old_id, const char *new_id)
{
	struct session *session = context;
	size_t i;
	json_t *event;

	state_rename_event(&session->state, old_id, new_id);
	json_array_foreach (session->events, i, event) {
		json_t *metadata = json_object_get(event, "metadata");
		const char *cause = json_string_value(json_object_get(metadata, "cause"));
		if (cause != NULL && strcmp(cause, old_id) == 0)
			json_object_set_new(metadata, "cause", json_string(new_id));
	}
}

static const struct outlet_owner owner = {.version = STATEFILE_VERSION,
	.decode = decode,
	.reset = reset,
	.encode_new = encode_new,
	.renamed = follow_rename};

/* Return how soon the state must be stored, and reset its marks. */
static enum outlet_change
consume_change(struct state *state)
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
	const struct evalmetrics_scan done = {
		.scan = &session->scan,
		.state = &session->state,
		.result = result,
		.duration_ns = clock_monotonic_ns() - began_ns,
		.now_ns = clock_realtime_ns(),
	};
	if (session->scan.begin.extra)
		evalmetrics_count_extra(&session->evalmetrics, &done);
	else
		evalmetrics_count(&session->evalmetrics, &done);
}

/* Store the state and write the events of an evaluation. If `status` is -1, memory ran out during
 * the evaluation. Return 0, or -1 with errno. */
static int
send_result(struct session *session, int status, const struct eval_result *result)
{
	if (status < 0) {
		errno = ENOMEM;
		return -1;
	}
	session->events = result->events;
	status = outlet_send(&session->outlet, &(struct outlet_batch){
						       .events = result->events,
						       .after = result->decisions,
						       .change = consume_change(&session->state),
						       .ts = session->last_ts,
						       .now_ns = session->last_boottime_ns,
					       });
	session->events = NULL;
	return status;
}

/* Free the result, and print the messages that were held back. Keeps errno. */
static void
finish_result(struct eval_result *result)
{
	int saved_errno = errno;
	eval_result_fini(result);
	diag_catch_up();
	errno = saved_errno;
}

/* Evaluate the scan, store the state and write the events. Return 0, or -1 with errno. */
static int
eval_and_send(struct session *session)
{
	uint64_t began_ns = clock_monotonic_ns();
	const struct eval_setting *setting = &session->setting;
	struct event_stream *stream = &session->outlet.stream;
	const bool extra = session->scan.begin.extra;
	struct eval_result result;
	size_t i;
	const json_t *note;

	int status = extra ? eval_extra(setting, &session->state, stream, &session->scan, &result)
			   : eval_scan(setting, &session->state, stream, &session->scan, &result);
	json_array_foreach (result.notes, i, note)
		diag_note("%s", json_string_value(note));
	status = send_result(session, status, &result);
	if (status == 0)
		count_scan(session, &result, began_ns);
	finish_result(&result);
	return status;
}

static void
note_moment(struct session *session, const char *ts, uint64_t boottime_ns)
{
	state_copy(session->last_ts, sizeof session->last_ts, ts);
	session->last_boottime_ns = boottime_ns;
}

/* Name the stream after the node, and remember the name that it had before. A state file that was
 * restored from an older one does not have all active reports. */
static void
name_stream(struct session *session, const char *node, const char *boot_id, const char *ts)
{
	struct state *state = &session->state;

	if (outlet_is_of_other_node(&session->outlet, node) && *state->former_node == '\0')
		state_copy(
			state->former_node, sizeof state->former_node, session->outlet.stream.node);
	if (outlet_is_behind(&session->outlet)) {
		state_owe_baselines(state, true);
		state->unknown_past = true;
	}
	outlet_name_stream(&session->outlet, node, boot_id, ts);
}

/* Evaluate a stalled scan, store the state and write the events. Return 0, or -1 with errno. */
static int
accept_stall(struct session *session, const struct scanrec_stall *stall)
{
	struct eval_result result;

	name_stream(session, stall->node, NULL, stall->ts);
	note_moment(session, stall->ts, stall->boottime_ns);
	int status = eval_stall(
		&session->setting, &session->state, &session->outlet.stream, stall, &result);
	status = send_result(session, status, &result);
	if (status == 0)
		evalmetrics_show_standing(&session->evalmetrics, &session->state);
	finish_result(&result);
	return status;
}

/* Evaluate the collected scan, even if it is incomplete: a port that was read is evidence about
 * itself. */
static int
finish_scan(struct session *session)
{
	const struct scanrec_begin *begin = &session->scan.begin;

	name_stream(session, begin->node, begin->boot_id, begin->ts);
	note_moment(session, begin->ts, begin->boottime_ns);
	if (!begin->extra) {
		silencereader_refresh(&session->silences);
		if (announce(&session->announced, &session->setting, &session->scan) < 0) {
			errno = ENOMEM;
			return -1;
		}
		announce_chardevs(&session->warned_of_chardevs, &session->setting, &session->scan);
	}
	if (!session->scan.whole)
		diag_warn("scan %lld is incomplete: checking only the records that arrived",
			(long long)begin->scan);
	int status = eval_and_send(session);
	scan_clear(&session->scan);
	recall_turn(session->recall);
	return status;
}

/* --- input --- */

/* Takes ownership of `record`. */
static int
accept_stall_record(struct session *session, struct intake *intake, json_t *record)
{
	struct scanrec_stall stall;
	struct rec_error error;
	int status = 0;

	if (scanrec_decode_stall(record, &stall, &error))
		status = accept_stall(session, &stall);
	else
		intake_reject(intake, &error);
	json_decref(record);
	return status;
}

/* Takes ownership of `record`, and passes it on. */
static int
accept_other(struct session *session, struct intake *intake, struct intake_record *record)
{
	struct asyncrec async;
	struct cmrec cm;
	struct lnetrec lnet;
	struct rec_error error = {.reason = ""};
	enum lnetrec_kind kind = lnetrec_kind(record->json);

	if (asyncrec_is(record->json) && asyncrec_decode(record->json, &async, &error))
		eval_async(&session->state, &async);
	else if (cmrec_is(record->json) && cmrec_decode(record->json, &cm, &error))
		eval_cm(&session->state, &cm);
	else if (kind != LNETREC_OTHER && lnetrec_decode(record->json, kind, &lnet, &error))
		eval_lnet(&session->state, kind, &lnet);
	if (*error.reason != '\0')
		intake_reject(intake, &error);
	return filter_pass(record);
}

static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct session *session = context;
	struct rec_error error;
	enum scanrec_kind kind = scanrec_kind(record->json);

	if (kind == SCANREC_OTHER)
		return accept_other(session, intake, record);
	if (kind == SCANREC_STALL)
		return accept_stall_record(session, intake, record->json);
	if (kind == SCANREC_BEGIN && session->scan.open) {
		session->scan.whole = false;
		if (finish_scan(session) < 0) {
			json_decref(record->json);
			return -1;
		}
	}
	switch (scan_accept_known(&session->scan, kind, record->json, record->memo, &error)) {
	case SCAN_ACCEPTED:
	case SCAN_IGNORED:
		return 0;
	case SCAN_FINISHED:
		return finish_scan(session);
	case SCAN_BAD:
		intake_reject(intake, &error);
		/* An end record that cannot be decoded still ends the scan. */
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
	/* Skip a scan that a stop request cut off. */
	if (session->scan.open && !stop_requested()) {
		session->scan.whole = false;
		if (finish_scan(session) < 0)
			return -1;
	}
	if (*session->last_ts != '\0')
		outlet_finish(&session->outlet, consume_change(&session->state),
			session->last_boottime_ns);
	/* Warn, because empty output looks like a healthy node. Under the supervisor (--metrics-fd)
	 * or after a stop request, an end before the first scan is normal. */
	else if (!stop_requested() && session->options->metrics == NULL)
		diag_warn("stdin: contains no scan (no scan.begin): nothing was checked");
	return 0;
}

/* --- running --- */

/* Return the settings that decide which ports and devices exist. */
static char *
scope_new(const struct conf *conf)
{
	char *scope;
	return asprintf(&scope, "exclude %s include %s", conf->exclusion_text,
		       conf->inclusion_text) < 0
		       ? NULL
		       : scope;
}

/* Set the state's scope; if it changed, forget what depends on it. Return 0, or -1 when memory ran
 * out. */
static int
settle_scope(struct state *state, const struct conf *conf)
{
	char *scope = scope_new(conf);
	char *original = original_scope_new(conf->exclusion_text, conf->inclusion_text);
	bool known = scope != NULL && original != NULL;

	if (known && state->scope != NULL && strcmp(state->scope, scope) != 0 &&
		strcmp(state->scope, original) != 0) {
		diag_note("the set of monitored NICs has changed: relearning ports and devices");
		forget_scope(state);
	}
	free(original);
	if (!known) {
		free(scope);
		return -1;
	}
	free(state->scope);
	state->scope = scope;
	return 0;
}

/* Restore the state of the last run. Return 0 or the exit code. */
static int
restore(struct session *session, const struct conf *conf)
{
	struct state *state = &session->state;
	int status = outlet_open(&session->outlet);
	if (status != 0)
		return status;
	if (settle_scope(state, conf) < 0)
		return diag_no_memory();
	if (session->file.left_out != NULL)
		diag_warn("%s: NVSentinel's monitor has reported faults that are not watched here "
			  "and so cannot be cleared: %s",
			session->options->state_path, session->file.left_out);
	/* Without a usable state file, owe baselines as after a boot. If the file is there but
	 * unusable, reports of this boot may be open, too. */
	if (session->outlet.store.start != STORE_RESTORED)
		state_owe_baselines(state, true);
	if (session->outlet.store.start == STORE_UNKNOWN)
		state->unknown_past = true;
	return 0;
}

static struct eval_setting
setting_of(const struct session_options *options, const struct conf *conf)
{
	struct eval_setting setting = {
		.counters = &conf->counters,
		.counter_detection = conf->counter_detection,
		.fatal_counters_as_degradation = conf->fatal_counters_as_degradation,
		.settle_ns = (uint64_t)conf->settle_seconds * NUM_NS_PER_S,
		.hold_down_ns = conf->port_hold_down_ns,
		.confirm_scans = conf->confirm_scans,
		.driver_reload_grace_ns = conf->driver_reload_grace_ns,
		/* Without a state file the answer is wanted now, as in an incident. */
		.boot_grace_ns = options->state_path != NULL ? conf->boot_grace_ns : 0,
		.clear_check = conf->clear_check,
		.issm_always = conf->issm_always,
		.baselines = options->state_path != NULL || options->baseline,
		.poll_stall_deadline_ns = options->poll_stall_deadline_ns,
		.poll_stall_store_only = options->poll_stall_store_only,
		.explain = options->explain,
		.exclusion = &conf->exclusion,
		.inclusion = &conf->inclusion,
	};
	memcpy(setting.enabled, options->enabled, sizeof setting.enabled);
	memcpy(setting.acts_on, conf->acts_on, sizeof setting.acts_on);
	return setting;
}

static int
run(struct session *session, const struct conf *conf)
{
	int status = 0;

	if (session->options->state_path == NULL) {
		state_owe_baselines(&session->state, session->options->baseline);
	} else {
		/* Finish cleanly on a signal, to store what changed since the last write. */
		if (stop_catch() < 0)
			return diag_io_failure("signals");
		status = restore(session, conf);
		evalmetrics_show_standing(&session->evalmetrics, &session->state);
		if (status == 0 && outlet_resend(&session->outlet) < 0)
			status = diag_io_failure("stdout");
	}
	const struct filter filter = {.recall = session->recall,
		.accept = accept_record,
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
		.is_of_node = true,
		.metrics = options->metrics,
	};
	struct session session = {.options = options,
		.recall = recall_new(),
		.setting = setting_of(options, conf),
		.silences.path = options->silences_path};
	int status;

	session.setting.silences = &session.silences.silences;
	state_init(&session.state, conf->counters.count);
	evalmetrics_init(
		&session.evalmetrics, options->metrics, &session.setting, clock_realtime_ns());
	session.evalmetrics.ingero_names = options->ingero_names;
	session.file = (struct statefile){.state = &session.state,
		.stream = &session.outlet.stream,
		.outbox = &session.outlet.outbox};
	if (outlet_init(&session.outlet, &outlet_options, &owner, &session, STDOUT_FILENO) < 0 ||
		session.recall == NULL)
		status = diag_no_memory();
	else
		status = run(&session, conf);
	evalmetrics_fini(&session.evalmetrics);
	scan_fini(&session.scan);
	recall_free(session.recall);
	state_fini(&session.state);
	silencereader_fini(&session.silences);
	outlet_fini(&session.outlet);
	free(session.file.left_out);
	return status;
}
