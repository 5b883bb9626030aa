/* journalin - events into the journal: known ones dropped, early ones held back, all others in the order in which they came. */
#include "journalparts.h"

#include "clock.h"
#include "diag.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

void
journal_name_receiver(struct journal *journal)
{
	uint64_t random;
	/* Without randomness the time is new as well. */
	if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
		random = clock_realtime_ns();
	snprintf(journal->receiver, sizeof journal->receiver, "%016" PRIx64, random);
	journal->acks_due = true;
}

static int
push(struct journal *journal, char *line, size_t length, bool urgent, uint64_t now_ns)
{
	if (queue_push(&journal->queue, line, length, clock_realtime_ns()) < 0)
		return -1;
	routing_event(&journal->routing, queue_last(&journal->queue), urgent, now_ns);
	return 0;
}

/* Takes an event that was held back. */
static int
take_held(struct journal *journal, size_t index, uint64_t now_ns)
{
	struct held_event event = held_remove(&journal->held, index);
	free(event.source);
	return push(journal, event.line, event.length, event.urgent, now_ns);
}

static void
drop_held(struct journal *journal, size_t index)
{
	struct held_event event = held_remove(&journal->held, index);
	free(event.source);
	free(event.line);
}

/* Takes what is held back and comes before an event that is about to be taken; of that itself there may be a copy. */
static int
take_older(struct journal *journal, const char *source, uint64_t seq, uint64_t now_ns)
{
	struct held *held = &journal->held;
	for (;;) {
		size_t i = held_lowest(held, source);
		if (i == held->count || held->events[i].seq > seq)
			return 0;
		if (held->events[i].seq == seq)
			drop_held(journal, i);
		else if (take_held(journal, i, now_ns) < 0)
			return -1;
	}
}

/* Takes what has been waiting for one event only. */
static int
take_followers(struct journal *journal, const char *source, uint64_t now_ns)
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
		else if (take_held(journal, i, now_ns) < 0)
			return -1;
	}
}

/* Of the source whose event has been held back longest, takes the lowest, whatever is missing before it. */
int
journal_give_up_waiting(struct journal *journal, uint64_t now_ns)
{
	struct held *held = &journal->held;
	struct held_event event = held_remove(held, held_lowest(held, held->events[0].source));
	diag_warn("source %s: something is missing before event %" PRIu64
		  ": not waiting for it any longer",
		event.source, event.seq);
	sources_give_up(&journal->sources, event.source, event.seq);
	int status = push(journal, event.line, event.length, event.urgent, now_ns);
	if (status == 0)
		status = take_followers(journal, event.source, now_ns);
	if (held_lowest(held, event.source) == held->count)
		sources_settle(&journal->sources, event.source);
	/* Whether what is missing was ever on its way is seen when its writer writes again what it has. */
	journal_name_receiver(journal);
	free(event.source);
	return status;
}

/* Holds an event back; `copy`: it is being held back already, and only counts as come again from now on. */
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
		if (journal_give_up_waiting(journal, event->since_ns) < 0)
			return -1;
	}
	return 0;
}

int
journal_add(struct journal *journal, const struct facts *facts, char *line, size_t length,
	uint64_t now_ns)
{
	enum arrival arrival = ARRIVAL_TAKE;
	bool has_name = *facts->source != '\0' && facts->seq != 0;
	bool urgent = facts_are_urgent(facts);

	if (journal->options->spool_path == NULL || !has_name)
		return push(journal, line, length, urgent, now_ns);
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
	case ARRIVAL_HOLD: {
		const struct held_event event = {.source = (char *)facts->source,
			.seq = facts->seq,
			.since_ns = now_ns,
			.line = line,
			.length = length,
			.urgent = urgent};
		return hold(journal, &event, copy);
	}
	case ARRIVAL_TAKE:
		break;
	}
	if (take_older(journal, facts->source, facts->seq, now_ns) < 0) {
		free(line);
		return -1;
	}
	if (push(journal, line, length, urgent, now_ns) < 0)
		return -1;
	return take_followers(journal, facts->source, now_ns);
}

int
journal_wait_no_longer(struct journal *journal, uint64_t now_ns)
{
	while (journal->held.count > 0) {
		if (journal_give_up_waiting(journal, now_ns) < 0)
			return -1;
	}
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
