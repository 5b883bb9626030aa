/* session - one run of correlate: reads events, stores and writes findings. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "clock.h"
#include "derive.h"
#include "diag.h"
#include "explain.h"
#include "filter.h"
#include "memory.h"
#include "moment.h"
#include "num.h"
#include "outlet.h"
#include "pace.h"
#include "patternmetrics.h"
#include "spool.h"
#include "stop.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#define STATE_VERSION 1

/* How long a live run waits for earlier events: about the difference between clocks of nodes. */
#define LIVE_WAIT_US (2 * NUM_NS_PER_S / NUM_NS_PER_US)

/* Poll interval of a spool, and the delay after a change, which gathers several events in one
 * read. */
#define SPOOL_LOOK_NS (5 * NUM_NS_PER_S)
#define SPOOL_GATHER_NS (NUM_NS_PER_S / 5)

/* Longest time for which findings wait after the ones before them were stored, and the number that
 * ends the wait if they need an acknowledgement: the outbox has room for twice as many. */
#define REST_MAX_NS (5 * NUM_NS_PER_S)
#define REST_EVENTS_MAX (OUTBOX_EVENTS_MAX / 2)

struct session {
	const struct session_options *options;
	struct nodes nodes;
	struct outlet outlet;
	struct spool spool;
	struct sighting *read; /* record parsed by read_line(); NULL: none */
	struct filter_passed passed;
	struct pace pace;
	bool started;           /* the clock drives the time */
	bool changed;           /* state changed since it was last handed to the outlet */
	uint64_t rest_until_ns; /* CLOCK_MONOTONIC; see begin_rest() */
	struct patternmetrics metrics;
	/* arrays of derived events and decisions not written yet */
	json_t *events, *decisions;
};

/* --- the state file --- */

static int
decode(void *context, const json_t *root, struct rec_error *error)
{
	struct session *session = context;
	if (store_check_version(root, STATE_VERSION, error) < 0 ||
		outbox_decode(&session->outlet.outbox, &session->outlet.stream, root, error) < 0)
		return -1;
	if (!spool_decode(&session->spool, root))
		return rec_refuse(error, "\"spool\" is not a position in a spool");
	return memory_decode(&session->nodes, json_object_get(root, "nodes"), error);
}

static void
reset(void *context)
{
	struct session *session = context;
	nodes_clear(&session->nodes);
	session->spool.position = (struct spool_position){0};
}

static char *
encode_new(void *context)
{
	const struct session *session = context;
	json_t *root = json_pack("{s:i, s:o}", "version", STATE_VERSION, "nodes",
		memory_encode_new(&session->nodes));
	if (root != NULL && session->spool.path != NULL)
		spool_encode(&session->spool, root);
	if (root != NULL &&
		outbox_encode(&session->outlet.outbox, &session->outlet.stream, root) < 0) {
		json_decref(root);
		return NULL;
	}
	return store_text_new(root);
}

static const struct outlet_owner owner = {
	.version = STATE_VERSION, .decode = decode, .reset = reset, .encode_new = encode_new};

/* --- findings --- */

static bool
keeps(const struct session *session)
{
	return session->options->state_path != NULL;
}

/* Without a state file each node has its own stream, so that the order of the nodes does not
 * matter. */
static struct event_stream *
stream_of(struct session *session, struct node *node, const char *stamp)
{
	if (!keeps(session))
		return &node->stream;
	outlet_name_stream(&session->outlet, *node->name != '\0' ? node->name : NULL, NULL, stamp);
	return &session->outlet.stream;
}

/* After a baseline event of a check, report again the conditions of that check that still stand,
 * except `but`. */
static void
repeat_reports(struct session *session, struct node *node, const char *check, uint64_t at_us,
	const char *stamp, const struct group *but)
{
	const struct groups *groups = &node->engine.groups;
	for (size_t i = 0; i < groups->count; i++) {
		const struct group *group = groups->items[i];
		if (!group->standing || group == but ||
			strcmp(rules_check(group->rule), check) != 0)
			continue;
		const struct finding finding = {group, FINDING_NEW, at_us};
		json_array_append_new(
			session->events, derive_new(stream_of(session, node, stamp), &finding));
	}
}

/* Send the owed baseline events before any other event of the node. `group` is the group of that
 * event, or NULL. */
static void
answer_owed(struct session *session, struct node *node, uint64_t at_us, const struct group *group)
{
	size_t i;
	const json_t *check;
	char stamp[CLOCK_STAMP_SIZE];
	if (node->owed == NULL)
		return;
	clock_format(at_us * NUM_NS_PER_US, stamp);
	json_array_foreach (node->owed, i, check) {
		const char *name = json_string_value(check);
		json_t *event = derive_clear_new(stream_of(session, node, stamp), name, stamp);
		if (event != NULL)
			json_array_append_new(session->events, event);
		repeat_reports(session, node, name, at_us, stamp, group);
	}
	node_settle_owed(node);
}

static void
explain(struct session *session, const struct node *node, const struct finding *finding,
	const json_t *event)
{
	if (session->options->explain && finding->kind != FINDING_AGAIN)
		json_array_append_new(session->decisions, explain_new(node->name, finding, event));
}

static int
accept_finding(void *context, struct node *node, const struct finding *finding)
{
	struct session *session = context;
	char stamp[CLOCK_STAMP_SIZE];
	if (finding->kind > FINDING_AGAIN) {
		explain(session, node, finding, NULL);
		return 0;
	}
	clock_format(finding->at_us * NUM_NS_PER_US, stamp);
	answer_owed(session, node, finding->at_us, finding->group);
	if (finding->kind == FINDING_NEW)
		patternmetrics_count_finding(&session->metrics, finding->group->rule);
	json_t *event = derive_new(stream_of(session, node, stamp), finding);
	/* A text exceeds the limits of an event. */
	if (event == NULL) {
		diag_warn("rule %s: discarded its event, which exceeds the limits of an event",
			finding->group->rule->name);
		return 0;
	}
	explain(session, node, finding, event);
	json_array_append_new(session->events, event);
	return 0;
}

static void
answer_all_owed(struct session *session)
{
	uint64_t now_us = clock_realtime_ns() / NUM_NS_PER_US;
	for (size_t i = 0; i < session->nodes.count && session->nodes.owing > 0; i++)
		answer_owed(session, session->nodes.items[i], now_us, NULL);
}

/* Storing the state of a fleet takes long. Afterwards only read input for as long, so that many
 * findings are stored at once when all nodes report something. */
static void
begin_rest(struct session *session, uint64_t began_ns)
{
	uint64_t now_ns = clock_monotonic_ns();
	session->rest_until_ns = now_ns + clock_earlier(now_ns - began_ns, REST_MAX_NS);
}

/* Store the findings if there is a state file, and write them. Return 0, or -1 with errno. */
static int
send_found(struct session *session)
{
	struct clock_moment now;
	if (!keeps(session) && json_array_size(session->events) == 0 &&
		json_array_size(session->decisions) == 0)
		return 0;
	if (filter_flush(&session->passed) < 0)
		return -1;
	clock_now(&now);
	answer_all_owed(session);
	uint64_t began_ns = clock_monotonic_ns();
	int status = outlet_send(&session->outlet,
		&(struct outlet_batch){
			.events = session->events,
			.after = session->decisions,
			.change = session->changed ? OUTLET_MAY_WAIT : OUTLET_SAME,
			.ts = now.stamp,
			.now_ns = now.boottime_ns,
		});
	begin_rest(session, began_ns);
	session->changed = false;
	json_array_clear(session->events);
	json_array_clear(session->decisions);
	return status;
}

/* --- time --- */

/* Advance the time by the clock. Return 0, or -1 with errno. */
static int
follow_clock(struct session *session)
{
	const struct pace now = pace_now();
	uint64_t before_us = pace_expected_us(&session->pace, now.monotonic_us);
	if (!pace_advance(&session->pace, now.now_us, now.monotonic_us, session->nodes.lateness_us))
		return nodes_advance(&session->nodes, session->pace.now_us);
	diag_note(now.now_us < before_us
			  ? "the clock was set back: the times of earlier events are set back, too"
			  : "the clock was set forward, or the machine was suspended: rules with "
			    "\"lasts\" count from now");
	session->changed = true;
	return nodes_jump(&session->nodes, before_us, now.now_us);
}

/* --- events --- */

/* Skip derived events: the events behind them were counted already. */
static bool
counts(const struct sighting *record)
{
	const char *kind = record->fields[SIGHTING_KIND], *agent = record->fields[SIGHTING_AGENT];
	return strcmp(kind, "event") == 0 && (agent == NULL || strcmp(agent, EVENT_ANALYZER) != 0);
}

/* Events that come after the clock was set back must not be taken for late ones, and those that
 * come after it was set forward must not end the time of conditions from before. */
static int
follow_jump(struct session *session, uint64_t at_us)
{
	return session->started &&
			       pace_has_jumped(&session->pace, at_us, session->nodes.lateness_us)
		       ? follow_clock(session)
		       : 0;
}

/* Accept a record if it is an event to count. If it is malformed, set the error's reason. Return 0,
 * or -1 with errno. */
static int
accept_event(struct session *session, struct sighting *record, struct rec_error *error)
{
	uint64_t at_us;
	if (!counts(record) || !sighting_moment(record, &at_us, error))
		return 0;
	if (session->options->live) {
		at_us = pace_not_ahead_us(at_us);
		if (follow_jump(session, at_us) < 0)
			return -1;
	}
	session->changed = true;
	patternmetrics_count_event(&session->metrics);
	return nodes_accept(&session->nodes, at_us, record);
}

/* --- the clock of a live run --- */

/* From now on the clock drives the time. For conditions from before, the time since then does not
 * count: nobody knows whether they lasted. */
static int
start_clock(struct session *session)
{
	session->started = true;
	session->changed = true;
	session->pace = pace_now();
	return nodes_jump(&session->nodes, session->pace.now_us, session->pace.now_us);
}

/* Events may be missing from now on, so stop the time. */
static void
stop_clock(struct session *session)
{
	session->started = false;
	session->nodes.last_us = session->pace.now_us;
}

/* Return how long settle() may wait if no input comes, ns. */
static uint64_t
patience_ns(const struct session *session)
{
	uint64_t next_us = session->options->live ? nodes_next_us(&session->nodes) : MOMENT_NEVER;
	uint64_t wait_ns = moment_wait_ns(next_us, session->pace.now_us);
	return keeps(session) ? clock_earlier(wait_ns, outlet_patience_ns(&session->outlet))
			      : wait_ns;
}

/* Return for how long findings still wait, ns. */
static uint64_t
rest_left_ns(const struct session *session)
{
	bool is_full = session->options->acks_path != NULL &&
		       json_array_size(session->events) >= REST_EVENTS_MAX;
	return keeps(session) && !is_full
		       ? clock_left_ns(session->rest_until_ns, clock_monotonic_ns())
		       : 0;
}

/* All available input has been accepted. Return 0, or -1 with errno. */
static int
settle(void *context, uint64_t *wait_ns)
{
	struct session *session = context;
	int status = filter_flush(&session->passed);
	if (session->spool.retry_ns != 0)
		stop_clock(session);
	else if (status == 0 && session->options->live)
		status = session->started ? follow_clock(session) : start_clock(session);
	uint64_t rest_ns = rest_left_ns(session);
	if (status == 0 && rest_ns == 0)
		status = send_found(session);
	patternmetrics_show(&session->metrics, &session->nodes);
	*wait_ns = patience_ns(session);
	if (rest_ns > 0)
		*wait_ns = clock_earlier(*wait_ns, rest_ns);
	return status;
}

/* --- stdin --- */

static bool
read_line(void *context, const char *text, size_t length)
{
	struct session *session = context;
	session->read = sighting_read_new(text, length);
	return session->read != NULL;
}

/* Pass the record on unchanged and release it. Return 0, or -1 with errno. */
static int
pass(struct session *session, const struct sighting *event, struct intake_record *record)
{
	bool is_mark = false;
	if (strcmp(event->fields[SIGHTING_KIND], "mark") == 0) {
		if (filter_flush(&session->passed) < 0 ||
			outlet_take_mark(&session->outlet, record->text, record->length, &is_mark) <
				0)
			return -1;
	}
	if (!is_mark)
		return filter_pass_on(&session->passed, record);
	json_decref(record->json);
	return 0;
}

static int
accept_record(void *context, struct intake *intake, struct intake_record *record)
{
	struct session *session = context;
	struct sighting *event = sighting_claim_new(&session->read, record->json);
	struct rec_error error = {.reason = ""};
	int status = event != NULL ? pass(session, event, record) : -1;
	if (status == 0)
		status = accept_event(session, event, &error);
	if (status == 0 && *error.reason != '\0')
		intake_reject(intake, &error);
	sighting_release(event);
	return status == 0 && !keeps(session) ? send_found(session) : status;
}

static int
end_input(void *context)
{
	struct session *session = context;
	struct clock_moment now;
	if (filter_flush(&session->passed) < 0)
		return -1;
	/* With a state file, the next run continues. */
	if (!keeps(session) && nodes_end(&session->nodes) < 0)
		return -1;
	if (session->options->explain && nodes_report_open(&session->nodes) < 0)
		return -1;
	if (send_found(session) < 0)
		return -1;
	clock_now(&now);
	outlet_finish(&session->outlet, OUTLET_MAY_WAIT, now.boottime_ns);
	return 0;
}

/* --- a spool --- */

/* emit has validated the record, so ignore errors. */
static int
accept_stored(void *context, struct sighting *record)
{
	struct rec_error ignored;
	return accept_event(context, record, &ignored);
}

/* Return 0, or -1 with errno. */
static int
follow_spool(struct session *session)
{
	struct spool *spool = &session->spool;
	struct pollfd watch = {.fd = spool->watch_fd, .events = POLLIN};
	/* Skip events stored before the first run. */
	if (!spool->position.known)
		spool_skip(spool);
	for (;;) {
		bool stops = stop_requested();
		uint64_t wait_ns;
		spool_drain(spool);
		if (spool_read(spool) < 0 || settle(session, &wait_ns) < 0)
			return -1;
		if (stops)
			return end_input(session);
		/* Wait a little so that several events are read together. */
		if (stop_poll(&watch, 1, clock_earlier(wait_ns, SPOOL_LOOK_NS)) > 0)
			stop_poll(NULL, 0, SPOOL_GATHER_NS);
	}
}

/* --- a run --- */

static void
report_left_out(const struct nodes *nodes)
{
	if (nodes->late > 0)
		diag_warn("%" PRIu64 " events arrived too late (--late), and were not counted",
			nodes->late);
	if (nodes->budget.refused > 0)
		diag_warn("%" PRIu64 " groups of events were discarded: there are more than %d",
			nodes->budget.refused, GROUPS_MAX);
	if (nodes->refused > 0)
		diag_warn("%" PRIu64 " events were not counted: they come from more than %d nodes",
			nodes->refused, NODES_MAX);
}

static int
run(struct session *session)
{
	const struct filter filter = {.read = read_line,
		.accept = accept_record,
		.settle = settle,
		.end = end_input,
		.malformed = intake_malformed(session->options->metrics, "correlate")};
	if ((keeps(session) || session->options->live) && stop_catch() < 0)
		return diag_io_failure("signals");
	int status = outlet_open(&session->outlet);
	if (status != 0)
		return status;
	/* Earlier findings must end if the state is lost. With a spool, a missing state file means
	 * that, too: it is missing after a boot, and a spool holds only events of this node. */
	enum store_start start = session->outlet.store.start;
	session->nodes.owes_all =
		start == STORE_UNKNOWN || (start == STORE_FRESH && session->spool.path != NULL);
	if (outlet_resend(&session->outlet) < 0)
		return diag_io_failure("stdout");
	if (session->spool.path == NULL)
		return filter_run(&filter, session);
	return follow_spool(session) < 0 ? diag_io_failure("stdout") : 0;
}

int
session_run(const struct session_options *options, const struct rules *rules)
{
	const struct outlet_options outlet_options = {
		.tool = "correlate",
		.state_path = options->state_path,
		.acks_path = options->acks_path,
		.strategy = options->strategy,
		.metrics = options->metrics,
	};
	uint64_t lateness_us = options->lateness_ns / NUM_NS_PER_US;
	struct session session = {.options = options,
		.nodes = {.rules = rules,
			.lateness_us = lateness_us,
			.wait_us = lateness_us,
			.last_us = MOMENT_NEVER,
			.strategy = options->strategy,
			.found = accept_finding,
			.context = &session,
			.budget = {.most = GROUPS_MAX}},
		.events = json_array(),
		.decisions = json_array()};
	if (options->live) {
		session.pace = pace_now();
		session.nodes.last_us = session.pace.now_us;
		if (lateness_us > LIVE_WAIT_US)
			session.nodes.wait_us = LIVE_WAIT_US;
	}
	patternmetrics_init(&session.metrics, options->metrics, rules);
	if (options->spool_path != NULL)
		spool_init(&session.spool, options->spool_path, accept_stored, &session);
	int status;
	if (outlet_init(&session.outlet, &outlet_options, &owner, &session, STDOUT_FILENO) < 0)
		status = diag_no_memory();
	else
		status = run(&session);
	report_left_out(&session.nodes);
	if (options->spool_path != NULL)
		spool_fini(&session.spool);
	outlet_fini(&session.outlet);
	nodes_fini(&session.nodes);
	patternmetrics_fini(&session.metrics);
	json_decref(session.events);
	json_decref(session.decisions);
	return status;
}
