/* run - the loop between inputs, journal and sinks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include "array.h"
#include "clock.h"
#include "diag.h"
#include "hostfiles.h"
#include "in/facts.h"
#include "out/http.h"
#include "out/natsdial.h"
#include "out/request.h"
#include "stop.h"
#include "store/worker.h"
#include "words.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- reading events --- */

/* Return true if a record of this kind shows that emit reads the right pipe: an event, or a kind
 * that comes with events. */
static bool
comes_with_events(const char *kind)
{
	static const char *const kinds[] = {"event", "update", "decision", "gap", "async", "mark"};
	const size_t count = ARRAY_COUNT(kinds);
	return words_find(kinds, count, kind) < count;
}

static void
note_kind(struct run *run, const char *kind)
{
	if (comes_with_events(kind))
		run->has_events = true;
	else if (*run->other_kind == '\0')
		snprintf(run->other_kind, sizeof run->other_kind, "%s", kind);
}

/* Add an event record to the journal. Return 0, or -1 if memory runs out. */
static int
accept_event(struct run *run, const struct intake_record *record)
{
	const struct sink_setting *setting = &run->options->setting;
	bool has_changed = silencing_cover(&run->silencing, record->json, clock_realtime_ns());
	has_changed |= facts_add_runbook(record->json, setting->runbook_url);
	size_t length;
	char *line = facts_line_new(record, setting->node, has_changed, &length);
	if (line == NULL)
		return -1;
	struct facts facts;
	struct facts_room room;
	facts_read(&facts, &room, record->json);
	return journal_add(&run->journal, &facts, line, length, clock_monotonic_ns());
}

/* Take one record of the inputs; NULL: a line was lost. Return 0, or -1 if memory runs out. */
static int
accept_record(void *context, struct intake_record *record)
{
	struct run *run = context;
	int status = 0;

	if (record == NULL) {
		journal_doubt(&run->journal);
		return 0;
	}
	note_kind(run, rec_kind(record->json));
	struct mark mark;
	if (mark_read(record->json, &mark))
		status = journal_mark(&run->journal, &mark, clock_monotonic_ns());
	if (strcmp(rec_kind(record->json), "event") == 0)
		status = accept_event(run, record);
	if (strcmp(rec_kind(record->json), "update") == 0)
		journal_update(&run->journal, record->json);
	json_decref(record->json);
	return status;
}

static int
read_inputs(struct run *run)
{
	if (inputs_read(&run->inputs, accept_record, run) == 0)
		return 0;
	return diag_no_memory();
}

/* --- sinks --- */

static bool
all_done(const struct run *run)
{
	for (size_t i = 0; i < run->sink_count; i++) {
		if (!sink_is_done(&run->sinks[i], &run->journal))
			return false;
	}
	return true;
}

/* A sink that is closed for good does not count. */
static bool
any_left(const struct run *run)
{
	for (size_t i = 0; i < run->sink_count; i++) {
		if (run->sinks[i].state != SINK_GONE)
			return true;
	}
	return false;
}

static bool
has_silences(const struct run *run)
{
	return run->silencing.reader.path != NULL;
}

/* As positions_settle(). A spool opened just now may have conditions and events that the silences
 * have not been applied to. */
static bool
settle_positions(struct run *run, uint64_t now_ns)
{
	unsigned opened = run->positions.opened;
	bool are_known = positions_settle(&run->positions, now_ns);
	if (run->positions.opened != opened)
		run->silences_due = has_silences(run);
	return are_known;
}

static void
pump_sinks(struct run *run, const bool ready[SINKS_MAX])
{
	uint64_t now_ns = clock_monotonic_ns(), failures = 0;
	settle_positions(run, now_ns);
	for (size_t i = 0; i < run->sink_count; i++) {
		sink_pump(&run->sinks[i], &run->journal, now_ns, ready[i]);
		positions_store(&run->positions, &run->sinks[i], now_ns);
		failures += run->sinks[i].spec.host != NULL ? run->sinks[i].tally.failures : 0;
	}
	if (failures != run->failures)
		hostfiles_report_replaced();
	run->failures = failures;
	journal_note_delivered(&run->journal, positions_delivered(&run->positions));
	journal_forget(&run->journal, positions_delivered(&run->positions));
	journal_retain(&run->journal, positions_delivered(&run->positions), clock_monotonic_ns());
	own_metrics_note(&run->own_metrics, now_ns);
}

/* --- the loop --- */

/* Descriptors besides those of sinks and inputs. */
enum { OWN_FDS = 3 /* HTTP, journal, silences: see wait_for_anything() */ };

/* Poll the inputs, if there `is_room`, and the sinks, until the next deadline. Set `ready[i]` if
 * sink i is ready. */
static void
wait_for_anything(struct run *run, bool is_room, uint64_t until_ns, bool ready[SINKS_MAX])
{
	struct pollfd *fds = run->fds;
	uint64_t now_ns = clock_monotonic_ns();
	size_t count = 0;

	for (; count < run->sink_count; count++) {
		const struct sink *sink = &run->sinks[count];
		until_ns = clock_earlier(until_ns, sink_wakes_at_ns(sink, &run->journal, now_ns));
		fds[count].fd = sink_waits_for(sink, &run->journal, &fds[count].events);
		fds[count].revents = 0;
	}
	fds[count++] = (struct pollfd){
		.fd = run->http != NULL ? http_fd(run->http) : -1, .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = journal_fd(&run->journal), .events = POLLIN};
	fds[count++] = (struct pollfd){.fd = run->silencing.fd, .events = POLLIN};
	until_ns = clock_earlier(until_ns, journal_wakes_at_ns(&run->journal));
	until_ns = clock_earlier(until_ns, own_metrics_wakes_at_ns(&run->own_metrics, now_ns));
	if (run->http != NULL)
		until_ns = clock_earlier(until_ns, http_wakes_at_ns(run->http));
	size_t first_input = count;
	if (is_room)
		count += inputs_poll(&run->inputs, fds + count);

	uint64_t timeout_ns = clock_earlier(clock_left_ns(until_ns, now_ns),
		silencing_wakes_in_ns(&run->silencing, clock_realtime_ns()));
	if (stop_poll(fds, count, timeout_ns) < 0)
		return;
	for (size_t i = 0; i < run->sink_count; i++)
		ready[i] = fds[i].revents != 0;
	if (count > first_input)
		inputs_polled(&run->inputs, fds + first_input);
}

/* Read what the supervisor knows of the writers. */
static void
read_writers_ns(struct run *run)
{
	run->journal.writers_ns = metrics_told(run->options->metrics, METRICS_WRITERS_NS);
}

/* Opening a spool may include importing a broken one, which takes long: set METRICS_HOLDING so that
 * the supervisor does not take emit for hanging. */
static void
keep_journal(struct run *run)
{
	if (!journal_has_spool(&run->journal) && run->options->journal.spool_path != NULL)
		metrics_set_vital(run->options->metrics, METRICS_HOLDING, 1);
	read_writers_ns(run);
	journal_keep(&run->journal, positions_delivered(&run->positions), clock_monotonic_ns());
	/* Store the events that had to wait for the positions, before they are sent. */
	if (settle_positions(run, clock_monotonic_ns()))
		journal_keep(
			&run->journal, positions_delivered(&run->positions), clock_monotonic_ns());
}

/* --- silences --- */

/* Add the event of a condition that no silence covers any more, with the next number of its stream,
 * which is named after the silence. Return 0, or -1 if memory runs out. */
static int
add_released(struct run *run, json_t *event)
{
	struct journal *journal = &run->journal;
	struct event_stream stream = {.seq = 0};
	const char *source = rec_text(event, "source");
	int64_t least = 1;
	uint64_t seq;
	rec_get_int(event, "seq", &least);
	if (sources_number(&journal->sources, source, (uint64_t)least, clock_realtime_ns(), &seq) <
		0)
		return -1;
	snprintf(stream.source, sizeof stream.source, "%s", source);
	stream.seq = seq - 1;
	size_t length = 0;
	facts_add_runbook(event, run->options->setting.runbook_url);
	char *line = event_restamp(&stream, event) == 0 ? rec_dump_new(event, &length) : NULL;
	struct facts facts;
	struct facts_room room;
	facts_read(&facts, &room, event);
	return line != NULL ? journal_add_own(journal, &facts, line, length, clock_monotonic_ns())
			    : -1;
}

/* Compare the standing conditions with the silences if the silences have changed or ended, or a
 * spool was opened. Return 0, or the exit code to end with. */
static int
keep_silences(struct run *run)
{
	uint64_t realtime_ns = clock_realtime_ns();
	json_t *released = NULL, *event;
	size_t i;
	int status = 0;
	if (!run->silences_due ||
		!journal_silence(&run->journal, silencing_text(&run->silencing),
			positions_delivered(&run->positions), realtime_ns, &released))
		return 0;
	run->silences_due = false;
	json_array_foreach (released, i, event) {
		if (status == 0 && add_released(run, event) < 0)
			status = diag_no_memory();
	}
	if (json_array_size(released) > 0)
		keep_journal(run);
	json_decref(released);
	for (i = 0; i < run->sink_count; i++)
		sink_renew(&run->sinks[i]);
	return status;
}

/* --- rounds --- */

/* Run one round, until `until_ns` at the latest. Return 0, or the exit code to end with. */
static int
run_round(struct run *run, uint64_t until_ns)
{
	bool ready[SINKS_MAX] = {false};
	bool is_room = journal_has_room(&run->journal);
	metrics_set_vital(run->options->metrics, METRICS_HOLDING, !is_room);
	wait_for_anything(run, is_room, until_ns, ready);
	/* Reload the silences before reading events, so that they apply to these. */
	run->silences_due |= silencing_refresh(&run->silencing, clock_realtime_ns());
	run->journal.more_waits = inputs_are_ready(&run->inputs);
	uint64_t removed = run->journal.held.removed;
	int status = read_inputs(run);
	if (is_room)
		metrics_tick(run->options->metrics);
	diag_catch_up();
	keep_journal(run);
	/* An event that was held back has the silence of when it was read, or none. */
	run->silences_due |= run->journal.held.removed != removed && has_silences(run);
	if (status == 0)
		status = keep_silences(run);
	if (run->http != NULL)
		http_pump(run->http);
	pump_sinks(run, ready);
	return status;
}

/* Return true if each sink has succeeded or failed. */
static bool
all_tried(const struct run *run)
{
	for (size_t i = 0; i < run->sink_count; i++) {
		const struct sink *sink = &run->sinks[i];
		if (!sink_is_done(sink, &run->journal) && sink->tally.failures == 0 &&
			sink->state != SINK_GONE)
			return false;
	}
	return true;
}

int
run_try_once(struct run *run, uint64_t within_ns)
{
	uint64_t deadline_ns = clock_monotonic_ns() + within_ns;
	int status = 0;
	routing_release(&run->journal.routing);
	while (status == 0 && !all_tried(run) && !stop_requested() &&
		clock_monotonic_ns() < deadline_ns)
		status = run_round(run, deadline_ns);
	return status;
}

/* Report the events that a sink lacks. Return an exit code unless the spool keeps them. */
static int
report_sink(struct run *run, const struct sink *sink)
{
	struct journal *journal = &run->journal;
	bool is_lossy = sink->tally.refused > 0 && !journal_is_durable(journal);
	if (is_lossy)
		diag_error(
			"sink %s: events refused: %" PRIu64, sink_name(sink), sink->tally.refused);
	if (sink_is_done(sink, journal))
		return is_lossy ? EXIT_UNAVAILABLE : 0;
	struct owed left;
	journal_measure(journal, sink->position, &left);
	if (journal_is_durable(journal) && journal_has_spool(journal) &&
		journal_stored(journal) == journal_last(journal)) {
		diag_note("sink %s: %" PRIu64 " events not delivered yet: kept in the spool",
			sink_name(sink), left.events);
		return 0;
	}
	diag_error("sink %s: %" PRIu64 " events not delivered", sink_name(sink), left.events);
	return sink->state == SINK_GONE ? EXIT_IO : EXIT_UNAVAILABLE;
}

int
run_finish(struct run *run)
{
	uint64_t deadline_ns = clock_monotonic_ns() + run->options->flush_timeout_ns;
	read_writers_ns(run);
	int status = journal_wait_no_longer(&run->journal, clock_monotonic_ns()) < 0 ? EXIT_OS : 0;
	static const bool nothing_ready[SINKS_MAX];

	keep_journal(run);
	routing_release(&run->journal.routing);
	/* A sink that failed for long would wait longer than there is time. */
	for (size_t i = 0; i < run->sink_count; i++)
		sink_hurry(&run->sinks[i], clock_monotonic_ns());
	pump_sinks(run, nothing_ready);
	while (status == 0 && !all_done(run) && any_left(run) && clock_monotonic_ns() < deadline_ns)
		status = run_round(run, deadline_ns);
	journal_finish(&run->journal, positions_delivered(&run->positions), clock_monotonic_ns());
	own_metrics_finish(&run->own_metrics, clock_monotonic_ns());
	for (size_t i = 0; i < run->sink_count; i++) {
		int failure = report_sink(run, &run->sinks[i]);
		if (status == 0)
			status = failure;
	}
	return status;
}

/* Allocate `fds`. Return 0, or -1 if memory runs out. */
static int
allocate_fds(struct run *run)
{
	struct pollfd *fds =
		reallocarray(run->fds, SINKS_MAX + OWN_FDS + run->inputs.count, sizeof *run->fds);
	if (fds == NULL)
		return -1;
	run->fds = fds;
	return 0;
}

int
run_deliver(struct run *run, char **names)
{
	int status = 0;
	if (inputs_open(&run->inputs, names, intake_malformed(run->options->metrics, "emit")) < 0 ||
		allocate_fds(run) < 0)
		status = diag_no_memory();
	/* A silence may have ended while emit was not running. */
	if (status == 0)
		status = keep_silences(run);
	while (status == 0 && inputs_are_open(&run->inputs) && !stop_requested() && any_left(run))
		status = run_round(run, UINT64_MAX);
	/* What is left of the input reaches neither a sink nor the spool. */
	bool is_cut = inputs_are_open(&run->inputs) && !stop_requested() && !any_left(run);
	inputs_close(&run->inputs);
	if (status == 0 && !run->has_events && *run->other_kind != '\0' && !stop_requested())
		diag_warn("the input has no events, only records of other kinds (the first: %s): "
			  "nothing to deliver; ctreval and logmatch write events",
			run->other_kind);
	if (status == 0)
		status = run_finish(run);
	if (status == 0 && is_cut)
		status = EXIT_IO;
	return status != 0 ? status : run->inputs.status;
}

int
run_accept(struct run *run, const char *record, size_t length)
{
	struct rec_error error;
	struct intake_record taken = {.text = (char *)record, .length = length};
	int status = 0;
	taken.json = rec_parse_new(record, length, &error);
	if (taken.json == NULL) {
		diag_warn("skipping a record of the spool: %s", error.reason);
		return 0;
	}
	if (accept_record(run, &taken) < 0)
		return diag_no_memory();
	const struct run_options *options = run->options;
	uint64_t deadline_ns =
		clock_monotonic_ns() + options->flush_timeout_ns + options->request_timeout_ns;
	while (status == 0 && !journal_has_room(&run->journal) && any_left(run) &&
		!stop_requested()) {
		if (clock_monotonic_ns() >= deadline_ns) {
			diag_error("no room for further events: a sink has accepted none for "
				   "too long");
			return EXIT_UNAVAILABLE;
		}
		status = run_round(run, deadline_ns);
	}
	return status;
}

/* --- init and fini --- */

static bool
need_http(const struct run_options *options)
{
	for (size_t i = 0; i < options->spec_count; i++) {
		if (request_uses_http(options->specs[i].kind->request))
			return true;
	}
	return false;
}

int
run_init(struct run *run, struct run_options *options)
{
	*run = (struct run){.options = options};
	silencing_init(&run->silencing, options->silences_path);
	/* Load the silences before the first event. */
	silencing_refresh(&run->silencing, clock_realtime_ns());
	/* Nothing is read until the journal is open. */
	metrics_set_vital(options->metrics, METRICS_HOLDING, 1);
	int status = journal_open(&run->journal, &options->journal, &options->routing);
	if (status != 0)
		return status;
	run->journal.has_sinks = true;
	if (allocate_fds(run) < 0)
		return diag_no_memory();
	if (need_http(options) && (run->http = http_new()) == NULL) {
		diag_error("libcurl cannot be used");
		return EXIT_OS;
	}
	options->setting.http = run->http;
	for (; run->sink_count < options->spec_count; run->sink_count++) {
		struct sink_spec *spec = &options->specs[run->sink_count];
		if (sink_init(&run->sinks[run->sink_count], spec, &options->setting,
			    journal_last(&run->journal)) < 0)
			return diag_no_memory();
		*spec = (struct sink_spec){.text = spec->text, .name = spec->text};
	}
	run->positions = (struct positions){
		.journal = &run->journal, .sinks = run->sinks, .sink_count = run->sink_count};
	settle_positions(run, clock_monotonic_ns());
	/* Writers read the acks before they write. */
	journal_keep(&run->journal, positions_delivered(&run->positions), clock_monotonic_ns());
	if (own_metrics_init(&run->own_metrics, options->metrics, &run->journal, &run->silencing,
		    run->sinks, run->sink_count) < 0)
		return diag_no_memory();
	own_metrics_note(&run->own_metrics, clock_monotonic_ns());
	return 0;
}

int
run_fini(struct run *run, int status)
{
	inputs_close(&run->inputs);
	own_metrics_fini(&run->own_metrics);
	silencing_fini(&run->silencing);
	if (journal_fini(&run->journal)) {
		for (size_t i = 0; i < run->sink_count; i++)
			sink_fini(&run->sinks[i]);
		http_free(run->http);
		free(run->fds);
	}
	if (worker_any_left() || !natsdial_end()) {
		diag_catch_up();
		_exit(status);
	}
	return status;
}
