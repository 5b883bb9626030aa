/* journal - all events in one order: drops duplicates, holds back early events, and appends the
 * others in order of arrival. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "journal.h"

#include "acks.h"
#include "clearing.h"
#include "clock.h"
#include "diag.h"
#include "num.h"
#include "ownfile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Above this size in memory no more input is read: events stay in the pipe and with their
 * writers. */
#define MEMORY_MAX_BYTES ((size_t)64 << 20)

/* How long the end waits for a disk that hangs. */
#define CLOSING_NS (2 * NUM_NS_PER_S)

/* --- begin --- */

/* Restore the streams from the acks: acknowledged events are not written again unless requested. */
static void
restore_acks(struct journal *journal)
{
	struct acks acks;
	const char *name;
	json_t *seq;
	if (acks_read(&acks, journal->options->acks_path) < 0)
		return;
	json_object_foreach (acks.seqs, name, seq)
		sources_restore_acks(&journal->sources, name, acks_seq(acks.seqs, name),
			acks_seq(acks.delivered, name));
	journal->knows_delivered = acks.tells_delivered;
	journal->standing = json_incref(acks.standing);
	journal->standing_acks = json_incref(acks.seqs);
	acks_fini(&acks);
}

/* Return the exit code of a permanent error; 0: it may work later. */
static int
exit_code_of(enum database_status status)
{
	switch (status) {
	case DATABASE_BUSY:
		return EXIT_TRY_LATER;
	case DATABASE_FOREIGN:
		return EXIT_CONFIG;
	case DATABASE_REFUSED:
		return EXIT_NO_PERMISSION;
	default:
		return 0;
	}
}

/* If another user can write the acks, writers would take events as stored that are not. */
static int
check_acks(const char *path)
{
	char reason[OWNFILE_REASON_SIZE];
	if (path == NULL || ownfile_may_keep(path, reason))
		return 0;
	diag_error("acks file %s: %s", path, reason);
	return EXIT_NO_PERMISSION;
}

int
journal_open(struct journal *journal, const struct journal_options *options,
	const struct routing *routing)
{
	*journal = (struct journal){.options = options, .routing = *routing};
	journal->sources.acknowledges = options->acks_path != NULL;
	queue_init(&journal->queue, 0);
	journal->unstored = journal->queue.first;
	if (options->spool_path == NULL)
		return 0;
	int code = check_acks(options->acks_path);
	if (code != 0)
		return code;
	journal->desk = desk_new(options->spool_path);
	if (journal->desk == NULL)
		return diag_no_memory();

	if (options->acks_path != NULL)
		restore_acks(journal);
	journal->begins = true;
	enum database_status status = journal_open_spool(journal, ERRAND_OPEN, 0);
	if (status == DATABASE_CORRUPT)
		status = journal_open_spool(journal, ERRAND_REPLACE, 0);
	journal->begins = false;
	code = exit_code_of(status);
	if (code != 0) {
		diag_error(
			"spool %s: %s", options->spool_path, journal->desk->spool.database.problem);
		return code;
	}
	if (status != DATABASE_OK)
		journal_note_failing(journal, 0);
	/* If the spool cannot be opened, start at the time in microseconds. No spool that counts
	 * events reaches it, so these events will come after those in the spool. */
	queue_init(&journal->queue, status == DATABASE_OK ? journal->desk->spool.last_number
							  : clock_realtime_ns() / 1000);
	journal->unstored = journal->queue.first;
	journal->moved = 0;
	journal->routing.last = queue_last(&journal->queue);
	routing_release(&journal->routing);
	if (options->acks_path != NULL)
		journal_name_receiver(journal);
	return 0;
}

bool
journal_fini(struct journal *journal)
{
	journal_report_lost(journal);
	/* Do not free what a thread still uses. */
	if (!desk_free(journal->desk, CLOSING_NS))
		return false;
	sources_fini(&journal->sources);
	json_decref(journal->standing);
	json_decref(journal->standing_acks);
	held_fini(&journal->held);
	queue_fini(&journal->queue);
	return true;
}

/* --- events in --- */

/* Keep the facts for the spool's thread until this much waits to be stored. Beyond that the thread
 * parses the lines again, which are smaller. */
#define FACTS_BYTES ((size_t)256 << 10)

/* Append an event and take ownership of its line, also on failure. `facts` may be NULL. */
static int
push(struct journal *journal, const struct held_event *event, const struct facts *facts,
	uint64_t now_ns)
{
	size_t waits_bytes = journal->queue.bytes - journal->stored_bytes;
	bool keeps = facts != NULL && journal->desk != NULL && waits_bytes < FACTS_BYTES;
	const struct queue_line line = {.text = event->line,
		.length = event->length,
		.received_ns = clock_realtime_ns(),
		.facts = keeps ? facts_copy_new(facts) : NULL,
		.baseline = event->baseline,
		.answered = event->answered};
	if (queue_push(&journal->queue, &line) < 0)
		return -1;
	routing_event(&journal->routing, queue_last(&journal->queue), event->urgent, now_ns);
	return 0;
}

/* Append a held event. */
static int
accept_held(struct journal *journal, size_t index, uint64_t now_ns)
{
	struct held_event event = held_remove(&journal->held, index);
	free(event.source);
	return push(journal, &event, NULL, now_ns);
}

static void
drop_held(struct journal *journal, size_t index)
{
	struct held_event event = held_remove(&journal->held, index);
	free(event.source);
	free(event.line);
}

/* Append the held events before `seq`, which is about to be accepted, and drop a held copy of
 * it. */
static int
accept_older(struct journal *journal, const char *source, uint64_t seq, uint64_t now_ns)
{
	struct held *held = &journal->held;
	for (;;) {
		size_t i = held_lowest(held, source);
		if (i == held->count || held->events[i].seq > seq)
			return 0;
		if (held->events[i].seq == seq)
			drop_held(journal, i);
		else if (accept_held(journal, i, now_ns) < 0)
			return -1;
	}
}

/* Append the held events that waited only for the event just accepted. */
static int
accept_followers(struct journal *journal, const char *source, uint64_t now_ns)
{
	struct held *held = &journal->held;
	for (;;) {
		size_t i = held_lowest(held, source);
		enum arrival turn = i < held->count ? sources_follow(&journal->sources, source,
							      held->events[i].seq)
						    : ARRIVAL_HOLD;
		if (turn == ARRIVAL_HOLD)
			return 0;
		if (turn == ARRIVAL_KNOWN)
			drop_held(journal, i);
		else if (accept_held(journal, i, now_ns) < 0)
			return -1;
	}
}

static bool
awaits_writers(const struct journal *journal, uint64_t since_ns)
{
	return journal->writers_ns != 0 && journal->writers_ns < since_ns + SOURCES_HOLD_NS;
}

/* Warn that the events between the last accepted one and this held one are missing. */
static void
warn_missing(struct journal *journal, const struct held_event *event, const char *consequence)
{
	const struct source *source = sources_find(&journal->sources, event->source);
	uint64_t accepted = source != NULL ? source->accepted : 0;
	diag_warn("source %s: events %" PRIu64 " to %" PRIu64 " are missing: %s", event->source,
		accepted + 1, event->seq - 1, consequence);
}

/* Take the source whose event has been held longest, and accept its lowest held event without the
 * missing ones before it. */
static int
give_up_waiting(struct journal *journal, uint64_t now_ns)
{
	struct held *held = &journal->held;
	struct held_event event = held_remove(held, held_lowest(held, held->events[0].source));
	warn_missing(journal, &event, "no longer waiting for them");
	sources_give_up(&journal->sources, event.source, event.seq);
	int status = push(journal, &event, NULL, now_ns);
	if (status == 0)
		status = accept_followers(journal, event.source, now_ns);
	if (held_lowest(held, event.source) == held->count)
		sources_settle(&journal->sources, event.source);
	/* Make the writer write again: what it writes shows whether the missing events exist. */
	journal_name_receiver(journal);
	free(event.source);
	return status;
}

/* Hold an event back. `copy`: the same event, held already; it now counts as written again. */
static int
hold(struct journal *journal, const struct held_event *event, struct held_event *copy)
{
	if (copy != NULL) {
		copy->doubted = false;
		free(event->line);
		return 0;
	}
	if (held_add(&journal->held, event) < 0)
		return -1;
	while (held_is_full(&journal->held)) {
		if (give_up_waiting(journal, event->since_ns) < 0)
			return -1;
	}
	return 0;
}

static struct held_event
event_of(const struct facts *facts, char *line, size_t length, uint64_t now_ns)
{
	return (struct held_event){.source = (char *)facts->source,
		.seq = facts->seq,
		.since_ns = now_ns,
		.line = line,
		.length = length,
		.urgent = facts_are_urgent(facts),
		.baseline = facts->baseline};
}

int
journal_add_own(struct journal *journal, const struct facts *facts, char *line, size_t length,
	uint64_t now_ns)
{
	struct held_event event = event_of(facts, line, length, now_ns);
	return push(journal, &event, facts, now_ns);
}

int
journal_add(struct journal *journal, const struct facts *facts, char *line, size_t length,
	uint64_t now_ns)
{
	enum arrival arrival = ARRIVAL_ACCEPT;
	bool has_name = *facts->source != '\0' && facts->seq != 0;
	struct held_event event = event_of(facts, line, length, now_ns);

	if (journal->options->spool_path == NULL || !has_name || journal->sources.by_marks)
		return push(journal, &event, facts, now_ns);
	/* An unknown event with a lower number than the last one is rare. Only then search the
	 * queue for its answer. */
	const struct source *known = sources_find(&journal->sources, facts->source);
	bool is_late = known != NULL && facts->seq < known->latest;
	struct held_event *copy = held_find(&journal->held, facts->source, facts->seq);
	bool again = copy != NULL && !copy->doubted;
	if (sources_arrive(&journal->sources, facts->source, facts->seq, again, clock_realtime_ns(),
		    &arrival) < 0) {
		free(line);
		return -1;
	}
	switch (arrival) {
	case ARRIVAL_KNOWN:
		free(line);
		journal->acks_due = true;
		return 0;
	case ARRIVAL_HOLD:
		return hold(journal, &event, copy);
	case ARRIVAL_ACCEPT:
		break;
	}
	if (accept_older(journal, facts->source, facts->seq, now_ns) < 0) {
		free(line);
		return -1;
	}
	event.answered = is_late && late_is_answered(&journal->queue, facts);
	if (push(journal, &event, facts, now_ns) < 0)
		return -1;
	return accept_followers(journal, facts->source, now_ns);
}

int
journal_mark(struct journal *journal, const struct mark *mark, uint64_t now_ns)
{
	if (journal->options->acks_path == NULL)
		return 0;
	journal->acks_due = true;
	if (sources_mark(&journal->sources, mark, clock_realtime_ns()) < 0)
		return -1;
	/* Event numbers are tracked only before the first mark, so these held events stem from that
	 * time. */
	while (journal->held.count > 0)
		if (accept_held(journal, 0, now_ns) < 0)
			return -1;
	return 0;
}

int
journal_wait_no_longer(struct journal *journal, uint64_t now_ns)
{
	struct held *held = &journal->held;
	size_t left = 0;
	while (held->count > 0) {
		if (awaits_writers(journal, held->events[0].since_ns)) {
			drop_held(journal, 0);
			left++;
		} else if (give_up_waiting(journal, now_ns) < 0) {
			return -1;
		}
	}
	if (left > 0)
		diag_note(
			"held events discarded, as their writers will send them again: %zu", left);
	return 0;
}

void
journal_doubt(struct journal *journal)
{
	if (!journal->sources.acknowledges)
		return;
	sources_doubt(&journal->sources);
	held_doubt(&journal->held);
	journal_name_receiver(journal);
}

/* --- what is due --- */

/* Interval of checking whether an awaited writer is back; and the longest time that its events may
 * stay unread in the pipe. */
#define ASK_AGAIN_NS NUM_NS_PER_S
#define MOST_BEHIND_NS (6 * SOURCES_HOLD_NS)

/* Report an awaited writer when the hold has lasted this much longer than SOURCES_HOLD_NS. */
#define REPORT_WAITING_NS (5 * NUM_NS_PER_S)

/* Stop waiting for the events missing before the one that has been held longest, if it is time.
 * Return false if not. */
static bool
give_up_what_is_over(struct journal *journal, uint64_t now_ns)
{
	const struct held *held = &journal->held;
	if (held->count == 0)
		journal->waiting = false;
	if (held->count == 0 || now_ns < held->events[0].since_ns + SOURCES_HOLD_NS)
		return false;
	if (awaits_writers(journal, held->events[0].since_ns)) {
		/* Writers check the acks only now and then: do not report them as away too soon. */
		if (now_ns < held->events[0].since_ns + SOURCES_HOLD_NS + REPORT_WAITING_NS)
			return false;
		if (!journal->waiting)
			warn_missing(
				journal, &held->events[0], "waiting for their writer to return");
		journal->waiting = true;
		return false;
	}
	/* The missing events may be in input that has not been read. */
	if (journal->more_waits && now_ns < held->events[0].since_ns + MOST_BEHIND_NS)
		return false;
	return give_up_waiting(journal, now_ns) == 0;
}

/* Return when to check the held events. */
static uint64_t
held_wakes_at_ns(const struct journal *journal)
{
	const struct held *held = &journal->held;
	if (held->count == 0)
		return UINT64_MAX;
	uint64_t due_ns = held->events[0].since_ns + SOURCES_HOLD_NS;
	return due_ns > journal->held_look_at_ns ? due_ns : journal->held_look_at_ns;
}

void
journal_keep(struct journal *journal, uint64_t delivered, uint64_t now_ns)
{
	journal->waited_ns = 0;
	while (give_up_what_is_over(journal, now_ns))
		continue;
	journal->held_look_at_ns = now_ns + ASK_AGAIN_NS;
	if (journal->options->spool_path != NULL) {
		journal_store(journal, now_ns);
		journal_acknowledge(journal, now_ns);
		journal_drop_stored(journal, delivered == JOURNAL_UNASKED ? 0 : delivered);
	}
	routing_tick(&journal->routing, now_ns);
}

uint64_t
journal_wakes_at_ns(const struct journal *journal)
{
	uint64_t wakes_ns =
		clock_earlier(routing_wakes_at_ns(&journal->routing), held_wakes_at_ns(journal));
	if (journal->delivered_due && !journal->is_late)
		wakes_ns = clock_earlier(wakes_ns, journal->report_delivered_at_ns);
	if ((journal->failing || journal->acks_failing) && !journal->is_late)
		wakes_ns = clock_earlier(wakes_ns, journal->retry_at_ns);
	/* Wake up to report that the disk hangs. Its answer is signalled by journal_fd(). */
	wakes_ns = clock_earlier(wakes_ns, journal_will_hang_at_ns(journal));
	if (journal_has_spool(journal))
		wakes_ns = clock_earlier(wakes_ns, journal->retention_at_ns);
	return wakes_ns;
}

void
journal_note_delivered(struct journal *journal, uint64_t delivered)
{
	if (journal->options->acks_path == NULL || delivered == JOURNAL_UNASKED ||
		!journal_has_spool(journal) || journal->unstored < journal->queue.end ||
		delivered < journal_last(journal))
		return;
	journal->delivered_due |= sources_delivered(&journal->sources);
}

void
journal_retain(struct journal *journal, uint64_t delivered, uint64_t now_ns)
{
	if (journal->options->spool_path != NULL)
		journal_drop_old(journal, delivered, now_ns);
}

void
journal_finish(struct journal *journal, uint64_t delivered, uint64_t now_ns)
{
	journal->report_delivered_at_ns = 0;
	journal_keep(journal, delivered, now_ns);
}

bool
journal_has_room(const struct journal *journal)
{
	return journal->queue.bytes < MEMORY_MAX_BYTES;
}
