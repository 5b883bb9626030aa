/* journal - all events that have come in, in one order, for every sink to read at its own pace: its beginning and end, and events out of it. */
#include "journalparts.h"

#include "acks.h"
#include "clock.h"
#include "diag.h"

#include <string.h>

/* Events in memory beyond this stay in the pipe, and with their writer. */
#define MEMORY_MAX_BYTES ((size_t)64 << 20)

/* --- begin --- */

/* What a spool that is gone has acknowledged was stored, and will not come again. */
static void
restore_acks(struct journal *journal)
{
	struct acks acks;
	const char *name;
	json_t *seq;
	if (acks_read(&acks, journal->options->acks_path) < 0)
		return;
	json_object_foreach (acks.seqs, name, seq)
		sources_restore(&journal->sources, name, acks_seq(acks.seqs, name), 0);
	acks_fini(&acks);
}

int
journal_open(struct journal *journal, const struct journal_options *options,
	const struct routing *routing)
{
	*journal = (struct journal){.options = options, .routing = *routing};
	journal->sources.acknowledges = options->acks_path != NULL;
	spool_init(&journal->spool, options->spool_path);
	queue_init(&journal->queue, 0);
	if (options->spool_path == NULL)
		return 0;

	enum database_status status = journal_open_spool(journal);
	if (status == DATABASE_CORRUPT)
		status = journal_replace_spool(journal);
	if (status == DATABASE_BUSY || status == DATABASE_FOREIGN) {
		diag_error("spool %s: %s", options->spool_path, journal->spool.database.problem);
		return status == DATABASE_BUSY ? EXIT_TRY_LATER : EXIT_CONFIG;
	}
	if (status != DATABASE_OK)
		journal_note_failing(journal, 0);
	/* Higher than any number that a spool of events one by one will ever reach, so that these come behind those that it has when it can be opened. */
	queue_init(&journal->queue,
		status == DATABASE_OK ? journal->spool.last_number : clock_realtime_ns() / 1000);
	journal->moved = 0;
	journal->routing.last = queue_last(&journal->queue);
	routing_release(&journal->routing);
	if (options->acks_path != NULL) {
		restore_acks(journal);
		journal_name_receiver(journal);
	}
	return 0;
}

void
journal_fini(struct journal *journal)
{
	journal_say_lost(journal);
	spool_fini(&journal->spool);
	sources_fini(&journal->sources);
	held_fini(&journal->held);
	queue_fini(&journal->queue);
}

/* --- what is due --- */

void
journal_keep(struct journal *journal, uint64_t delivered, uint64_t now_ns)
{
	while (journal->held.count > 0 &&
		now_ns >= journal->held.events[0].since_ns + SOURCES_HOLD_NS) {
		if (journal_give_up_waiting(journal, now_ns) < 0)
			break;
	}
	if (journal->options->spool_path != NULL) {
		journal_store(journal, now_ns);
		journal_acknowledge(journal, now_ns);
		journal_drop_old(journal, delivered, now_ns);
	}
	routing_tick(&journal->routing, now_ns);
}

uint64_t
journal_wakes_at_ns(const struct journal *journal)
{
	uint64_t wakes_ns = routing_wakes_at_ns(&journal->routing);
	if (journal->held.count > 0 &&
		journal->held.events[0].since_ns + SOURCES_HOLD_NS < wakes_ns)
		wakes_ns = journal->held.events[0].since_ns + SOURCES_HOLD_NS;
	if ((journal->failing || journal->acks_failing) && journal->retry_at_ns < wakes_ns)
		wakes_ns = journal->retry_at_ns;
	if (journal_has_spool(journal) && journal->retention_at_ns < wakes_ns)
		wakes_ns = journal->retention_at_ns;
	return wakes_ns;
}

bool
journal_has_room(const struct journal *journal)
{
	return journal->queue.bytes < MEMORY_MAX_BYTES;
}

/* --- events out --- */

uint64_t
journal_last(const struct journal *journal)
{
	return queue_last(&journal->queue);
}

uint64_t
journal_stored(const struct journal *journal)
{
	return journal->queue.first - 1;
}

/* Those that are in memory. */
static int
read_queue(const struct journal *journal, uint64_t after, uint64_t upto, size_t max_events,
	size_t max_bytes, struct batch *batch)
{
	uint64_t n = after + 1 > journal->queue.first ? after + 1 : journal->queue.first;
	for (; n < journal->queue.end && n <= upto && batch->count < max_events; n++) {
		const struct queue_line *line = queue_at(&journal->queue, n);
		if (batch->count > 0 && batch->length + line->length > max_bytes)
			break;
		if (batch_add(batch, n, line->text, line->length - 1) < 0)
			return -1;
	}
	return 0;
}

int
journal_read(struct journal *journal, uint64_t after, uint64_t upto, size_t max_events,
	size_t max_bytes, struct batch *batch)
{
	if (journal->options->spool_path != NULL && after < journal_stored(journal)) {
		size_t before = batch->count;
		if (!journal_is_usable(journal))
			return -1;
		enum database_status status =
			spool_read(&journal->spool, after, upto, max_events, max_bytes, batch);
		if (status != DATABASE_OK) {
			journal_accepts(journal, status, clock_monotonic_ns());
			return -1;
		}
		/* What fills the batch, or was there to fill it, is read first. */
		if (batch->count > before)
			return 0;
	}
	return read_queue(journal, after, upto, max_events, max_bytes, batch);
}

bool
journal_measure(struct journal *journal, uint64_t after, struct owed *out)
{
	const struct queue *queue = &journal->queue;
	uint64_t from = after + 1 > queue->first ? after + 1 : queue->first;
	*out = (struct owed){.events = queue->end - from};
	if (from < queue->end)
		out->oldest_ns = queue_at(queue, from)->received_ns;
	if (journal->options->spool_path == NULL) {
		/* Those that nobody waits for any more have been forgotten. */
		out->events = queue_last(queue) - after;
		return true;
	}
	struct owed stored;
	if (after >= journal_stored(journal))
		return true;
	if (!journal_is_usable(journal) ||
		spoolsize_owed(&journal->spool, after, &stored) != DATABASE_OK)
		return false;
	out->events += stored.events;
	if (stored.events > 0)
		out->oldest_ns = stored.oldest_ns;
	return true;
}

void
journal_forget(struct journal *journal, uint64_t delivered)
{
	if (journal->options->spool_path == NULL)
		queue_drop_before(&journal->queue, delivered + 1);
}
