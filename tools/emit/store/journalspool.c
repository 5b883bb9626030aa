/* journalspool - opens, replaces and retries the journal's spool; stores, acknowledges and drops
 * events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "journalspool.h"

#include "clock.h"
#include "diag.h"
#include "num.h"
#include "rec.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Interval of retrying to write the acks. */
#define TRY_AGAIN_NS NUM_NS_PER_S

/* Interval of retention rounds; also run one when the spool has grown by this part of its limit;
 * and the interval while there is more to do. */
#define RETENTION_NS (60 * NUM_NS_PER_S)
#define RETENTION_PART 16
#define RETENTION_SOON_NS (20 * NUM_NS_PER_MS)

/* Shortest interval of writing the acks only because more was delivered. */
#define REPORT_DELIVERED_NS NUM_NS_PER_S

/* Interval of reporting dropped events. */
#define REPORT_AGAIN_NS (60 * NUM_NS_PER_S)

/* Events per transaction: one that is interrupted has to be repeated. */
#define STORE_EVENTS 2000

/* Stored but undelivered events stay in memory up to this size, so that they can be delivered while
 * the disk hangs. */
#define STORED_MAX_BYTES ((size_t)1 << 20)

/* --- results of errands, in time or late --- */

/* Number the events that arrived before the spool was opened after those in it. */
static void
renumber_events(struct journal *journal)
{
	uint64_t first = journal->unstored, last = journal->desk->spool.last_number;
	if (first <= last) {
		journal_drop_stored(journal, journal_stored(journal));
		queue_raise(&journal->queue, last);
		journal->unstored = journal->queue.first;
	}
	uint64_t by = journal->unstored - first;
	journal->routing.last += by;
	journal->routing.released += by;
	if (journal->opened++ == 0) {
		journal->inherited = last;
		journal->moved = by;
	}
}

/* Compare the spool with the acks. A spool whose end was cut off, or a new one, cannot tell what is
 * missing. */
static void
compare_with_acks(struct journal *journal, const struct errand *errand)
{
	struct sources_lost lost = {0};
	for (size_t i = 0; i < errand->acked.count; i++) {
		const struct source *acked = &errand->acked.items[i];
		struct source *source = sources_find(&journal->sources, acked->name);
		if (source != NULL)
			source_compare(source, acked->stored, journal->begins, &lost);
	}
	if (lost.asked + lost.delivered == 0)
		return;
	diag_error("spool %s: acknowledged events missing from the spool: %" PRIu64
		   "; requested again, as a sink lacks them: %" PRIu64,
		journal->options->spool_path, lost.asked + lost.delivered, lost.asked);
	journal->tally.missing += lost.asked + lost.delivered;
	if (lost.asked > 0)
		journal_name_receiver(journal);
}

static void
finish_open(struct journal *journal, struct errand *errand)
{
	const char *path = journal->options->spool_path;
	if (errand->was_moved) {
		diag_error("spool %s: %s: moved to %s", path, errand->problem, errand->broken);
		memcpy(journal->broken, errand->broken, sizeof journal->broken);
	}
	/* If memory runs out, the spool's unique index recognises the events of the source. */
	for (size_t i = 0; i < errand->sources.count; i++) {
		const struct source *source = &errand->sources.items[i];
		sources_restore(
			&journal->sources, source->name, source->stored, source->changed_ns);
	}
	if (errand->was_taken_over) {
		diag_error("spool %s: events recovered from the damaged one: %" PRIu64 "%s", path,
			errand->salvage.events,
			errand->salvage.whole ? ""
					      : "; its other events are lost, delivered or not");
		journal_forget_stored(journal);
		*journal->broken = '\0';
	}
	if (errand->status != DATABASE_OK)
		return;
	if (journal->desk->spool.database.is_unchecked)
		diag_note("spool %s: only a part could be checked in %" PRIu64
			  " s: damage in the rest shows when it is read",
			path, DATABASE_CHECK_NS / NUM_NS_PER_S);
	compare_with_acks(journal, errand);
	journal->arrived = journal->knows_delivered ? errand->arrived_upto : 0;
	renumber_events(journal);
}

static void
finish_store(struct journal *journal, const struct errand *errand)
{
	if (errand->was_removed) {
		diag_error("spool %s: removed or moved: creating a new one; events that are not in "
			   "memory are lost",
			journal->options->spool_path);
		journal->tally.failures++;
		journal_forget_stored(journal);
	}
	if (errand->status != DATABASE_OK)
		return;
	journal->tally.stored += errand->added;
	journal->tally.answered += errand->answered;
	if (errand->answered > 0)
		diag_warn("spool %s: events that arrived after their recovery, kept and not "
			  "delivered: %" PRIu64,
			journal->options->spool_path, errand->answered);
	for (uint64_t i = 0; i < errand->count; i++)
		journal->stored_bytes += errand->lines[i].length;
	journal->unstored = errand->number + errand->count;
	sources_note_kept(&journal->sources, &errand->sources);
	queue_drop_facts(&journal->queue, errand->number, journal->unstored);
	journal->acks_due = true;
}

static void
finish_acks(struct journal *journal, struct errand *errand, uint64_t now_ns)
{
	/* The spool failed, and no acks were written. */
	if (errand->error == 0 && errand->status != DATABASE_OK) {
		journal->acks_due = true;
		return;
	}
	/* Also if the file could not be written: a new spool then needs the latest conditions. */
	if (errand->standing != NULL) {
		json_decref(journal->standing);
		json_decref(journal->standing_acks);
		journal->standing = errand->standing;
		journal->standing_acks = errand->acks;
		errand->standing = errand->acks = NULL;
	}
	if (errand->error == 0) {
		if (journal->acks_failing)
			diag_note("%s: can be written again", errand->path);
		journal->acks_failing = false;
		return;
	}
	if (!journal->acks_failing)
		diag_warn("%s: %s: events are stored but not acknowledged", errand->path,
			strerror(errand->error));
	journal->acks_failing = journal->acks_due = true;
	journal->tally.failures++;
	journal->retry_at_ns = now_ns + TRY_AGAIN_NS;
}

static void
finish_retention(struct journal *journal, const struct errand *errand, uint64_t now_ns)
{
	const struct retention_loss *loss = &errand->loss;
	if (errand->status != DATABASE_OK)
		return;
	journal->lost += loss->undelivered;
	journal->tally.dropped += loss->undelivered;
	if (journal->lost > 0 && now_ns >= journal->report_lost_at_ns) {
		journal_report_lost(journal);
		journal->report_lost_at_ns = now_ns + REPORT_AGAIN_NS;
	}
	if (loss->overfull && !journal->overfull)
		diag_warn("spool %s: larger than --spool-max: undelivered fatal events are never "
			  "dropped",
			journal->options->spool_path);
	journal->overfull = loss->overfull;
	if (loss->more)
		journal->retention_at_ns = now_ns + RETENTION_SOON_NS;
}

static void
finish(struct journal *journal, uint64_t now_ns)
{
	struct errand *errand = &journal->desk->errand;
	if (errand->kind == ERRAND_OPEN || errand->kind == ERRAND_REPLACE)
		finish_open(journal, errand);
	else if (errand->kind == ERRAND_STORE)
		finish_store(journal, errand);
	else if (errand->kind == ERRAND_ACKNOWLEDGE)
		finish_acks(journal, errand, now_ns);
	else if (errand->kind == ERRAND_RETAIN)
		finish_retention(journal, errand, now_ns);
	/* A late errand was treated as successful: make all sinks store their positions again. */
	else if (errand->kind == ERRAND_SET_POSITION && errand->status != DATABASE_OK)
		journal->opened++;
	errand_fini(errand);
}

/* Run the errand and handle its result; catch_up() does so if it is late. */
static enum database_status
run_errand(struct journal *journal, uint64_t now_ns)
{
	enum database_status status = journal_ask(journal);
	if (status != DATABASE_LATE)
		finish(journal, now_ns);
	return status;
}

/* Return true if the success of such an errand shows that the spool can be written. */
static bool
tells_of_spool(enum errand_kind kind)
{
	return kind == ERRAND_OPEN || kind == ERRAND_REPLACE || kind == ERRAND_STORE ||
	       kind == ERRAND_TRY || kind == ERRAND_RETAIN || kind == ERRAND_SET_POSITION ||
	       kind == ERRAND_REFUSE;
}

/* Handle the result of a late errand that has ended, and report a disk that hangs. Return false
 * while the errand is still late. */
static bool
catch_up(struct journal *journal, uint64_t now_ns)
{
	if (journal_take_late(journal)) {
		const struct errand *errand = &journal->desk->errand;
		enum database_status status = errand->status;
		bool tells = tells_of_spool(errand->kind);
		finish(journal, now_ns);
		if (tells || status != DATABASE_OK)
			journal_accepts(journal, status, now_ns);
		else
			journal->retry_at_ns = 0;
	}
	if (journal_hangs_since_ns(journal) != 0 && !journal->failing)
		journal_note_failing(journal, now_ns);
	return !journal->is_late;
}

/* --- opening --- */

/* Pass on the stored events that are still in memory. If memory runs out, their writers still have
 * them. */
static void
add_stored(const struct journal *journal, struct errand *errand)
{
	const struct queue *queue = &journal->queue;
	if (journal->unstored == queue->first)
		return;
	errand->number = queue->first;
	errand->lines = calloc(journal->unstored - queue->first, sizeof *errand->lines);
	if (errand->lines == NULL)
		return;
	errand->count = journal->unstored - queue->first;
	for (uint64_t i = 0; i < errand->count; i++)
		errand->lines[i] = *queue_at(queue, queue->first + i);
}

enum database_status
journal_open_spool(struct journal *journal, enum errand_kind kind, uint64_t now_ns)
{
	struct errand *errand = journal_errand(journal, kind);
	if (kind == ERRAND_REPLACE)
		journal->tally.failures++;
	if (errand == NULL)
		return DATABASE_LATE;
	errand->node = journal->options->node;
	errand->boot_id_path = journal->options->boot_id_path;
	memcpy(errand->broken, journal->broken, sizeof errand->broken);
	add_stored(journal, errand);
	errand->standing = json_incref(journal->standing);
	errand->acks = json_incref(journal->standing_acks);
	/* If memory runs out, skip the comparison. */
	if (sources_copy_acked(&journal->sources, &errand->acked) < 0)
		sources_fini(&errand->acked);
	return run_errand(journal, now_ns);
}

bool
journal_accepts(struct journal *journal, enum database_status status, uint64_t now_ns)
{
	if (status == DATABASE_CORRUPT)
		status = journal_open_spool(journal, ERRAND_REPLACE, now_ns) == DATABASE_OK
				 ? DATABASE_CORRUPT
				 : DATABASE_UNAVAILABLE;
	if (status == DATABASE_OK)
		journal_note_working(journal);
	/* A late errand is reported only once it has hung for some time. */
	else if (status != DATABASE_CORRUPT && status != DATABASE_HARMED &&
		 (!journal->is_late || journal_hangs_since_ns(journal) != 0))
		journal_note_failing(journal, now_ns);
	return status == DATABASE_OK;
}

/* --- the spool --- */

void
journal_update(struct journal *journal, const json_t *record)
{
	const json_t *metadata = json_object_get(record, "metadata");
	const char *event_id = NULL, *value = NULL, *grown = NULL;
	uint64_t now_ns = clock_monotonic_ns(), number;

	rec_get_string(record, "event", &event_id);
	rec_get_string(metadata, "value", &value);
	rec_get_string(metadata, "grown", &grown);
	if (journal->options->spool_path == NULL || event_id == NULL || value == NULL ||
		grown == NULL || num_parse_u64(value, UINT64_MAX, &number) != NUM_OK ||
		num_parse_u64(grown, UINT64_MAX, &number) != NUM_OK)
		return;
	/* Store the event first, which may have arrived just before: its condition does not exist
	 * yet. */
	if (journal->unstored < journal->queue.end)
		journal_store(journal, now_ns);
	if (!journal_has_spool(journal))
		return;
	struct errand *errand = journal_errand(journal, ERRAND_UPDATE);
	errand->id = strdup(event_id);
	errand->value = strdup(value);
	errand->grown = strdup(grown);
	if (errand->id != NULL && errand->value != NULL && errand->grown != NULL)
		run_errand(journal, now_ns);
	else
		errand_fini(errand);
}

/* Store the next events. With the last ones, also store how far their streams have arrived. */
static enum database_status
store_some(struct journal *journal, uint64_t now_ns)
{
	uint64_t count = journal->queue.end - journal->unstored;
	if (count > STORE_EVENTS)
		count = STORE_EVENTS;
	struct errand *errand = journal_errand(journal, ERRAND_STORE);
	errand->number = journal->unstored;
	errand->count = count;
	errand->lines = calloc(count + 1, sizeof *errand->lines);
	errand->keep_sources = journal->unstored + count == journal->queue.end;
	if (errand->lines == NULL || (errand->keep_sources && sources_copy_unkept(&journal->sources,
								      &errand->sources) < 0)) {
		errand_fini(errand);
		return database_status_of(&journal->desk->spool.database, SQLITE_NOMEM);
	}
	for (uint64_t i = 0; i < count; i++) {
		errand->lines[i] = *queue_at(&journal->queue, errand->number + i);
		journal->grown_bytes += errand->lines[i].length;
	}
	return run_errand(journal, now_ns);
}

void
journal_store(struct journal *journal, uint64_t now_ns)
{
	if (!catch_up(journal, now_ns) || (journal->failing && now_ns < journal->retry_at_ns))
		return;
	/* Also test the spool if there is nothing to store, because positions have to be stored;
	 * and if nothing may be stored yet, because the sinks read their positions only from a
	 * spool that works. */
	if (journal_is_usable(journal) && journal->failing &&
		(journal->unstored == journal->queue.end || !journal_knows_sinks(journal))) {
		journal_errand(journal, ERRAND_TRY);
		journal_accepts(journal, run_errand(journal, now_ns), now_ns);
	}
	for (;;) {
		if (journal->is_late)
			return;
		if (!journal_is_usable(journal) &&
			!journal_accepts(
				journal, journal_open_spool(journal, ERRAND_OPEN, now_ns), now_ns))
			return;
		if (journal->unstored == journal->queue.end &&
			!sources_have_marks(&journal->sources))
			break;
		if (!journal_knows_sinks(journal))
			return;
		enum database_status status = store_some(journal, now_ns);
		/* The file was removed, and what is stored in it would be lost. The next iteration
		 * creates a new one. */
		bool is_closed = status != DATABASE_LATE && !spool_is_open(&journal->desk->spool);
		if (!is_closed && !journal_accepts(journal, status, now_ns))
			return;
	}
	sources_kept(&journal->sources);
}

void
journal_drop_stored(struct journal *journal, uint64_t upto)
{
	struct queue *queue = &journal->queue;
	/* The errand that opens a spool uses these lines. */
	enum errand_kind kind = journal->desk->errand.kind;
	if (journal->is_late && (kind == ERRAND_OPEN || kind == ERRAND_REPLACE))
		return;
	while (queue->first < journal->unstored &&
		(queue->first <= upto || journal->stored_bytes > STORED_MAX_BYTES)) {
		journal->stored_bytes -= queue_at(queue, queue->first)->length;
		queue_drop_before(queue, queue->first + 1);
	}
}

void
journal_acknowledge(struct journal *journal, uint64_t now_ns)
{
	const char *path = journal->options->acks_path;
	bool is_due = journal->acks_due ||
		      (journal->delivered_due && now_ns >= journal->report_delivered_at_ns);
	if (path == NULL || !is_due || !journal_has_spool(journal) ||
		(journal->acks_failing && now_ns < journal->retry_at_ns))
		return;
	struct errand *errand = journal_errand(journal, ERRAND_ACKNOWLEDGE);
	errand->path = path;
	errand->acks = sources_acks_new(&journal->sources);
	errand->arrived = sources_delivered_new(&journal->sources);
	memcpy(errand->receiver, journal->receiver, sizeof errand->receiver);
	if (errand->acks == NULL || errand->arrived == NULL) {
		errand->error = ENOMEM;
		finish(journal, now_ns);
		return;
	}
	/* Writers may see these acks even if the errand fails or is late. */
	sources_acked(&journal->sources);
	journal->acks_due = journal->delivered_due = false;
	journal->report_delivered_at_ns = now_ns + REPORT_DELIVERED_NS;
	/* The spool was damaged and closed: open it again at once. */
	if (run_errand(journal, now_ns) == DATABASE_HARMED)
		journal_store(journal, now_ns);
}

void
journal_report_lost(struct journal *journal)
{
	if (journal->lost > 0)
		diag_warn(
			"spool %s: full: events dropped before every sink received them: %" PRIu64,
			journal->options->spool_path, journal->lost);
	journal->lost = 0;
}

void
journal_drop_old(struct journal *journal, uint64_t delivered, uint64_t now_ns)
{
	bool has_grown =
		journal->grown_bytes > journal->options->retention.max_bytes / RETENTION_PART;
	if ((now_ns < journal->retention_at_ns && !has_grown) || !journal_has_spool(journal) ||
		delivered == JOURNAL_UNASKED)
		return;
	journal->retention_at_ns = now_ns + RETENTION_NS;
	journal->grown_bytes = 0;
	struct errand *errand = journal_errand(journal, ERRAND_RETAIN);
	errand->retention = &journal->options->retention;
	errand->delivered = delivered;
	errand->realtime_ns = clock_realtime_ns();
	journal_accepts(journal, run_errand(journal, now_ns), now_ns);
}
