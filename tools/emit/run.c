/* run - the loop between inputs, journal and sinks. */
#include "run.h"

#include "clock.h"
#include "diag.h"
#include "http.h"
#include "num.h"
#include "stamp.h"
#include "stop.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* --- events in --- */

static int
take_event(void *context, struct intake_record *record)
{
	struct run *run = context;
	int status = 0;

	if (record == NULL) {
		journal_doubt(&run->journal);
		return 0;
	}
	if (strcmp(rec_kind(record->json), "event") == 0) {
		size_t length;
		char *line = stamp_new(record, run->options->setting.node, &length);
		struct facts facts;
		facts_read(&facts, record->json);
		status = line == NULL ? -1
				      : journal_add(&run->journal, &facts, line, length,
						clock_monotonic_ns());
	}
	json_decref(record->json);
	return status;
}

static int
read_inputs(struct run *run)
{
	if (inputs_read(&run->inputs, take_event, run) == 0)
		return 0;
	diag_error("out of memory");
	return EXIT_OS;
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

/* A sink that is gone for good holds nothing back. */
static bool
any_left(const struct run *run)
{
	for (size_t i = 0; i < run->sink_count; i++) {
		if (run->sinks[i].state != SINK_GONE)
			return true;
	}
	return false;
}

/* Every sink has everything up to this number; JOURNAL_UNASKED as long as a spool may know better. */
static uint64_t
delivered(const struct run *run)
{
	uint64_t oldest = journal_last(&run->journal);
	if (run->opened == 0 && run->options->journal.spool_path != NULL)
		return JOURNAL_UNASKED;
	for (size_t i = 0; i < run->sink_count; i++) {
		const struct sink *sink = &run->sinks[i];
		if (sink->state != SINK_GONE && sink->position < oldest)
			oldest = sink->position;
	}
	return oldest;
}

/* Tells the spool how far a sink has got. What it cannot be told now, it is told later: after a crash the sink gets some events again. */
static void
note_position(struct run *run, struct sink *sink, uint64_t now_ns)
{
	if (sink->noted == sink->position || !journal_has_spool(&run->journal))
		return;
	enum database_status status = spool_set_position(&run->journal.spool, sink->spec.text,
		sink->position, sink->delivered, clock_realtime_ns());
	if (!journal_accepts(&run->journal, status, now_ns))
		return;
	sink->noted = sink->position;
	sink->delivered = 0;
}

/* Where a sink has to go on: where it is, unless the spool has events for it from earlier runs. One that the spool has never heard of gets nothing that is old. 0, or -1
 * when the spool cannot be read. */
static int
find_position(struct run *run, const struct sink *sink, uint64_t now_ns, uint64_t *out)
{
	struct journal *journal = &run->journal;
	uint64_t position = 0;
	bool is_known = false;
	if (!journal_accepts(journal,
		    spool_get_position(&journal->spool, sink->spec.text, &position, &is_known),
		    now_ns))
		return -1;
	*out = is_known && position < journal->inherited ? position
							 : sink->position + journal->moved;
	return 0;
}

/* The first spool of the run may know more of the sinks than they do. */
static int
find_positions(struct run *run, uint64_t now_ns)
{
	uint64_t positions[RUN_SINKS_MAX] = {0};
	for (size_t i = 0; i < run->sink_count; i++) {
		if (find_position(run, &run->sinks[i], now_ns, &positions[i]) < 0)
			return -1;
	}
	for (size_t i = 0; i < run->sink_count; i++)
		sink_restart(&run->sinks[i], positions[i]);
	return 0;
}

/* When a spool has been opened, the sinks learn from it, if it is the first, and it from them: from then on it knows them, whatever happens. */
static void
note_opened(struct run *run, uint64_t now_ns)
{
	unsigned opened = run->journal.opened;
	if (run->opened == opened || !journal_has_spool(&run->journal) ||
		(run->opened == 0 && find_positions(run, now_ns) < 0))
		return;
	run->opened = opened;
	for (size_t i = 0; i < run->sink_count; i++) {
		run->sinks[i].noted = UINT64_MAX;
		note_position(run, &run->sinks[i], now_ns);
	}
}

static void
pump_sinks(struct run *run, const bool ready[RUN_SINKS_MAX])
{
	uint64_t now_ns = clock_monotonic_ns();
	note_opened(run, now_ns);
	for (size_t i = 0; i < run->sink_count; i++) {
		sink_pump(&run->sinks[i], &run->journal, now_ns, ready[i]);
		note_position(run, &run->sinks[i], now_ns);
	}
	journal_forget(&run->journal, delivered(run));
	numbers_note(&run->numbers, now_ns);
}

/* --- the loop --- */

/* Waits for inputs, as long as there `is_room`, sinks, and the next time to do something without either. `ready[i]`: sink i is. */
static void
wait_for_anything(struct run *run, bool is_room, uint64_t until_ns, bool ready[RUN_SINKS_MAX])
{
	struct pollfd fds[RUN_SINKS_MAX + 1 + INPUTS_MAX];
	uint64_t now_ns = clock_monotonic_ns();
	size_t count = 0;

	for (; count < run->sink_count; count++) {
		const struct sink *sink = &run->sinks[count];
		uint64_t wakes_ns = sink_wakes_at_ns(sink, &run->journal, now_ns);
		if (wakes_ns < until_ns)
			until_ns = wakes_ns;
		fds[count].fd = sink_waits_for(sink, &run->journal, &fds[count].events);
		fds[count].revents = 0;
	}
	fds[count++] = (struct pollfd){
		.fd = run->http != NULL ? http_fd(run->http) : -1, .events = POLLIN};
	uint64_t wakes_ns = journal_wakes_at_ns(&run->journal);
	if (numbers_wakes_at_ns(&run->numbers, now_ns) < wakes_ns)
		wakes_ns = numbers_wakes_at_ns(&run->numbers, now_ns);
	if (run->http != NULL && http_wakes_at_ns(run->http) < wakes_ns)
		wakes_ns = http_wakes_at_ns(run->http);
	if (wakes_ns < until_ns)
		until_ns = wakes_ns;
	size_t first_input = count;
	if (is_room)
		count += inputs_poll(&run->inputs, fds + count);

	uint64_t timeout_ns = until_ns;
	if (until_ns != UINT64_MAX)
		timeout_ns = until_ns > now_ns ? until_ns - now_ns : 0;
	if (stop_poll(fds, count, timeout_ns) < 0)
		return;
	for (size_t i = 0; i < run->sink_count; i++)
		ready[i] = fds[i].revents != 0;
	if (count > first_input)
		inputs_polled(&run->inputs, fds + first_input);
}

/* A spool that has to be opened may have to be taken over from a broken one, which takes its time, and must not be taken for standing still. */
static void
keep_journal(struct run *run)
{
	if (!journal_has_spool(&run->journal) && run->options->journal.spool_path != NULL)
		metrics_set_vital(run->options->metrics, METRICS_HOLDING, 1);
	journal_keep(&run->journal, delivered(run), clock_monotonic_ns());
}

/* One round, which ends at `until_ns` at the latest. 0, or the exit code to end with. */
static int
turn(struct run *run, uint64_t until_ns)
{
	bool ready[RUN_SINKS_MAX] = {false};
	bool is_room = journal_has_room(&run->journal);
	metrics_set_vital(run->options->metrics, METRICS_HOLDING, !is_room);
	wait_for_anything(run, is_room, until_ns, ready);
	int status = read_inputs(run);
	if (is_room)
		metrics_tick(run->options->metrics);
	keep_journal(run);
	if (run->http != NULL)
		http_pump(run->http);
	pump_sinks(run, ready);
	return status;
}

/* What a sink has not got: said, and the run's failure unless the spool keeps it. */
static int
report_sink(struct run *run, const struct sink *sink)
{
	struct journal *journal = &run->journal;
	bool is_lossy = sink->tally.refused > 0 && !journal_is_durable(journal);
	if (is_lossy)
		diag_error(
			"sink %s: events refused: %" PRIu64, sink->spec.text, sink->tally.refused);
	if (sink_is_done(sink, journal))
		return is_lossy ? EXIT_UNAVAILABLE : 0;
	struct owed left;
	journal_measure(journal, sink->position, &left);
	if (journal_is_durable(journal) && journal_has_spool(journal) &&
		journal_stored(journal) == journal_last(journal)) {
		diag_note("sink %s: %" PRIu64 " events not delivered yet: kept in the spool",
			sink->spec.text, left.events);
		return 0;
	}
	diag_error("sink %s: %" PRIu64 " events not delivered", sink->spec.text, left.events);
	return sink->state == SINK_GONE ? EXIT_IO : EXIT_UNAVAILABLE;
}

int
run_finish(struct run *run)
{
	uint64_t deadline_ns = clock_monotonic_ns() + run->options->flush_timeout_ns;
	int status = journal_wait_no_longer(&run->journal, clock_monotonic_ns()) < 0 ? EXIT_OS : 0;
	static const bool nothing_ready[RUN_SINKS_MAX];

	journal_keep(&run->journal, delivered(run), clock_monotonic_ns());
	routing_release(&run->journal.routing);
	pump_sinks(run, nothing_ready);
	while (status == 0 && !all_done(run) && any_left(run) && clock_monotonic_ns() < deadline_ns)
		status = turn(run, deadline_ns);
	numbers_finish(&run->numbers, clock_monotonic_ns());
	for (size_t i = 0; i < run->sink_count; i++) {
		int failure = report_sink(run, &run->sinks[i]);
		if (status == 0)
			status = failure;
	}
	return status;
}

int
run_deliver(struct run *run, char **names)
{
	int status =
		inputs_open(&run->inputs, names, intake_malformed(run->options->metrics, "emit"));
	while (status == 0 && inputs_are_open(&run->inputs) && !stop_requested() && any_left(run))
		status = turn(run, UINT64_MAX);
	inputs_close(&run->inputs);
	if (status == 0)
		status = run_finish(run);
	return status != 0 ? status : run->inputs.status;
}

int
run_take(struct run *run, const char *record, size_t length)
{
	struct rec_error error;
	struct intake_record taken = {.text = (char *)record, .length = length};
	int status = 0;
	taken.json = rec_parse_new(record, length, &error);
	if (taken.json == NULL) {
		diag_warn("a record of the spool is skipped: %s", error.reason);
		return 0;
	}
	if (take_event(run, &taken) < 0) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	while (status == 0 && !journal_has_room(&run->journal) && any_left(run) &&
		!stop_requested())
		status = turn(run, UINT64_MAX);
	return status;
}

/* --- begin and end --- */

static bool
need_http(const struct run_options *options)
{
	for (size_t i = 0; i < options->spec_count; i++) {
		if (sink_spec_takes_requests(&options->specs[i]))
			return true;
	}
	return false;
}

int
run_init(struct run *run, struct run_options *options)
{
	*run = (struct run){.options = options};
	/* Nothing is read before there is somewhere to put it. */
	metrics_set_vital(options->metrics, METRICS_HOLDING, 1);
	int status = journal_open(&run->journal, &options->journal, &options->routing);
	if (status != 0)
		return status;
	if (need_http(options) && (run->http = http_new()) == NULL) {
		diag_error("libcurl cannot be used");
		return EXIT_OS;
	}
	options->setting.http = run->http;
	for (; run->sink_count < options->spec_count; run->sink_count++) {
		struct sink_spec *spec = &options->specs[run->sink_count];
		if (sink_init(&run->sinks[run->sink_count], spec, &options->setting,
			    journal_last(&run->journal)) < 0) {
			diag_error("out of memory");
			return EXIT_OS;
		}
		*spec = (struct sink_spec){.text = spec->text};
	}
	note_opened(run, clock_monotonic_ns());
	/* Writers look at the acks before they write. */
	journal_keep(&run->journal, delivered(run), clock_monotonic_ns());
	if (numbers_init(&run->numbers, options->metrics, &run->journal, run->sinks,
		    run->sink_count) < 0) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	numbers_note(&run->numbers, clock_monotonic_ns());
	return 0;
}

void
run_fini(struct run *run)
{
	inputs_close(&run->inputs);
	for (size_t i = 0; i < run->sink_count; i++)
		sink_fini(&run->sinks[i]);
	http_free(run->http);
	journal_fini(&run->journal);
	numbers_fini(&run->numbers);
}
