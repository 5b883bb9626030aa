/* journalread - reads events from memory or from the spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "journalread.h"

#include "clock.h"

uint64_t
journal_last(const struct journal *journal)
{
	return queue_last(&journal->queue);
}

/* Return true if all events after that number are in memory. */
static bool
is_in_memory(const struct journal *journal, uint64_t after)
{
	return after + 1 >= journal->queue.first;
}

/* Read from memory. */
static int
read_queue(const struct journal *journal, uint64_t after, uint64_t upto, size_t max_events,
	size_t max_bytes, struct batch *batch)
{
	uint64_t n = after + 1 > journal->queue.first ? after + 1 : journal->queue.first;
	for (; n < journal->queue.end && n <= upto && batch->count < max_events; n++) {
		const struct queue_line *line = queue_at(&journal->queue, n);
		if (batch->count > 0 && batch->lines.length + line->length > max_bytes)
			break;
		if (batch_add(batch, n, line->text, line->length - 1) < 0)
			return -1;
		batch->events[batch->count - 1].answered = line->answered;
		/* Only a spool knows what an event ended; if it does not work, count no event as
		 * quiet. */
		batch->events[batch->count - 1].quiet =
			line->baseline && journal->options->spool_path == NULL;
	}
	return 0;
}

/* Read from the spool, which is usable. Return false if that fails now. */
static bool
read_spool(struct journal *journal, uint64_t after, uint64_t upto, size_t max_events,
	size_t max_bytes, struct batch *batch)
{
	struct errand *errand = journal_errand(journal, ERRAND_READ);
	errand->number = after;
	errand->upto = upto;
	errand->max_events = max_events;
	errand->max_bytes = max_bytes;
	enum database_status status = journal_ask(journal);
	bool is_read = status == DATABASE_OK && batch_append(batch, &errand->batch) == 0;
	journal_end_errand(journal, status);
	/* A successful read does not show that the spool can be written, so report failures
	 * only. */
	if (status != DATABASE_OK)
		journal_accepts(journal, status, clock_monotonic_ns());
	return is_read;
}

int
journal_read(struct journal *journal, uint64_t after, uint64_t upto, size_t max_events,
	size_t max_bytes, struct batch *batch)
{
	uint64_t stored = journal_stored(journal);
	if (journal->options->spool_path == NULL || after >= stored)
		return read_queue(journal, after, upto, max_events, max_bytes, batch);
	size_t before = batch->count;
	bool is_read = journal_is_usable(journal) &&
		       read_spool(journal, after, upto, max_events, max_bytes, batch);
	/* The disk hangs: deliver what is still in memory. */
	if (!is_read && !journal_has_spool(journal) && is_in_memory(journal, after))
		return read_queue(journal, after, upto, max_events, max_bytes, batch);
	if (!is_read)
		return -1;
	/* If the spool had events, return them first. */
	return batch->count > before
		       ? 0
		       : read_queue(journal, stored, upto, max_events, max_bytes, batch);
}

/* Count in the spool, which is usable. Return false if that fails now. */
static bool
count_spool(struct journal *journal, uint64_t after, struct owed *out)
{
	struct errand *errand = journal_errand(journal, ERRAND_MEASURE);
	errand->number = after;
	enum database_status status = journal_ask(journal);
	if (status == DATABASE_OK)
		*out = errand->owed;
	journal_end_errand(journal, status);
	return status == DATABASE_OK;
}

bool
journal_measure(struct journal *journal, uint64_t after, struct owed *out)
{
	const struct queue *queue = &journal->queue;
	if (journal->options->spool_path == NULL) {
		uint64_t from = after + 1 > queue->first ? after + 1 : queue->first;
		/* Events that only lost sinks lack are dropped from memory, but counted. */
		*out = (struct owed){.events = queue_last(queue) - after};
		if (from < queue->end)
			out->oldest_ns = queue_at(queue, from)->received_ns;
		return true;
	}
	uint64_t stored = journal_stored(journal);
	bool asks = after < stored && journal_is_usable(journal);
	/* If the spool is not asked, count the stored events that are still in memory. */
	uint64_t from = !asks && is_in_memory(journal, after) ? after + 1 : journal->unstored;
	if (from <= after)
		from = after + 1;
	*out = (struct owed){.events = queue->end > from ? queue->end - from : 0};
	if (from < queue->end)
		out->oldest_ns = queue_at(queue, from)->received_ns;
	if (!asks)
		return after >= stored || is_in_memory(journal, after);
	struct owed owed;
	if (!count_spool(journal, after, &owed))
		return false;
	out->events += owed.events;
	if (owed.events > 0)
		out->oldest_ns = owed.oldest_ns;
	return true;
}

void
journal_forget(struct journal *journal, uint64_t delivered)
{
	if (journal->options->spool_path == NULL)
		queue_drop_before(&journal->queue, delivered + 1);
}
