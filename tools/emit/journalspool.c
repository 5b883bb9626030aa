/* journalspool - the journal's spool: opened, replaced when it is broken, tried again when it does not work; what is stored, acknowledged and dropped. */
#include "journalparts.h"

#include "acks.h"
#include "clock.h"
#include "conditions.h"
#include "diag.h"
#include "num.h"
#include "salvage.h"
#include "sysfs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* How soon a spool that does not work, or acks that could not be written, are tried again. */
#define TRY_AGAIN_NS NUM_NS_PER_S

/* How often to look whether something has become too old or too much; also when it has grown by this part of its limit; and soon again when there is more to do. */
#define RETENTION_NS (60 * NUM_NS_PER_S)
#define RETENTION_PART 16
#define RETENTION_SOON_NS (20 * NUM_NS_PER_MS)

/* How often it is said that events had to be dropped. */
#define SAY_AGAIN_NS (60 * NUM_NS_PER_S)

/* Events in one transaction: one that is cut off has to be done again. */
#define STORE_EVENTS 2000

/* --- the spool's state --- */

/* True when the spool has all that it should have. */
bool
journal_is_usable(const struct journal *journal)
{
	return spool_is_open(&journal->spool) && *journal->broken == '\0';
}

bool
journal_has_spool(const struct journal *journal)
{
	return journal_is_usable(journal) && !journal->failing;
}

bool
journal_is_durable(const struct journal *journal)
{
	return journal->options->spool_path != NULL &&
	       strcmp(journal->options->spool_path, DATABASE_IN_MEMORY) != 0;
}

/* The spool was opened, or works again. */
static void
note_working(struct journal *journal)
{
	if (journal->failing)
		diag_note("spool %s: works again", journal->options->spool_path);
	journal->failing = false;
	journal->retry_at_ns = 0;
}

void
journal_note_failing(struct journal *journal, uint64_t now_ns)
{
	if (!journal->failing)
		diag_warn(
			"spool %s: %s: events are kept in memory, delivered, and not acknowledged, until it works",
			journal->options->spool_path, journal->spool.database.problem);
	journal->failing = true;
	journal->tally.failures++;
	journal->retry_at_ns = now_ns + TRY_AGAIN_NS;
}

static void
note_boot(struct journal *journal)
{
	char boot_id[SYSFS_TEXT_MAX];
	const char *path = journal->options->boot_id_path;
	if (path == NULL || sysfs_read_file(path, boot_id, sizeof boot_id) != SYSFS_OK)
		return;
	/* What cannot be stored now is noticed at the next start. */
	conditions_note_boot(&journal->spool, journal->options->node, boot_id, clock_realtime_ns());
}

/* A new spool knows none of the writers. */
static void
forget_stored(struct journal *journal)
{
	for (size_t i = 0; i < journal->sources.count; i++)
		journal->sources.items[i].stored = 0;
}

/* What can still be read of a broken spool. An attempt that fails is made again, from the beginning, before anything else is stored. */
static enum database_status
take_over(struct journal *journal)
{
	struct spool *spool = &journal->spool;
	struct salvage salvage;
	enum database_status status = salvage_run(journal->broken, spool, &salvage);
	if (status != DATABASE_OK)
		return status;
	diag_error("spool %s: events taken over from the broken one: %" PRIu64 "%s",
		journal->options->spool_path, salvage.events,
		salvage.whole ? "" : "; what else was in it, delivered or not, is missing here");
	if (spool->last_number < salvage.last_number)
		spool->last_number = salvage.last_number;
	forget_stored(journal);
	*journal->broken = '\0';
	return DATABASE_OK;
}

enum database_status
journal_open_spool(struct journal *journal)
{
	struct spool *spool = &journal->spool;
	enum database_status status = DATABASE_OK;
	if (!spool_is_open(spool))
		status = spool_open(spool, &journal->sources);
	if (status == DATABASE_OK && *journal->broken != '\0')
		status = take_over(journal);
	if (status != DATABASE_OK)
		return status;
	/* What came while it was away comes behind what it has. */
	uint64_t first = journal->queue.first;
	if (first <= spool->last_number)
		queue_raise(&journal->queue, spool->last_number);
	uint64_t by = journal->queue.first - first;
	journal->routing.last += by;
	journal->routing.released += by;
	if (journal->opened++ == 0) {
		journal->inherited = spool->last_number;
		journal->moved = by;
	}
	note_boot(journal);
	return DATABASE_OK;
}

/* What cannot be used is moved aside, what can be read of it is taken over, and the service goes on. */
enum database_status
journal_replace_spool(struct journal *journal)
{
	struct spool *spool = &journal->spool;
	char aside[JOURNAL_PATH_SIZE], problem[sizeof spool->database.problem];
	journal->tally.failures++;
	snprintf(problem, sizeof problem, "%s", spool->database.problem);
	spool_close(spool);
	if (database_move_aside(&spool->database, clock_realtime_ns(), aside, sizeof aside) < 0) {
		snprintf(spool->database.problem, sizeof spool->database.problem,
			"%.200s, and it cannot be moved aside: %s", problem, strerror(errno));
		return DATABASE_UNAVAILABLE;
	}
	diag_error("spool %s: %s: moved to %s", journal->options->spool_path, problem, aside);
	/* One that breaks while it takes over another has nothing that the other has not. */
	if (*journal->broken == '\0')
		memcpy(journal->broken, aside, sizeof aside);
	return journal_open_spool(journal);
}

bool
journal_accepts(struct journal *journal, enum database_status status, uint64_t now_ns)
{
	if (status == DATABASE_CORRUPT) {
		spool_give_up_events(&journal->spool);
		if (journal_replace_spool(journal) != DATABASE_OK)
			journal_note_failing(journal, now_ns);
		return false;
	}
	if (status == DATABASE_OK) {
		note_working(journal);
		return true;
	}
	journal_note_failing(journal, now_ns);
	return false;
}

/* --- the spool --- */

/* Stores events from the front of the queue. */
static enum database_status
store_some(struct journal *journal, uint64_t *last)
{
	struct spool *spool = &journal->spool;
	uint64_t end = journal->queue.end;
	if (end - journal->queue.first > STORE_EVENTS)
		end = journal->queue.first + STORE_EVENTS;
	enum database_status status = spool_begin_events(spool);
	for (uint64_t n = journal->queue.first; n < end && status == DATABASE_OK; n++) {
		const struct queue_line *line = queue_at(&journal->queue, n);
		status = spool_add_event(spool, n, line->text, line->length, line->received_ns);
	}
	if (status != DATABASE_OK) {
		spool_give_up_events(spool);
		return status;
	}
	*last = end - 1;
	status = spool_commit_events(
		spool, *last, end == journal->queue.end ? &journal->sources : NULL);
	if (status == DATABASE_OK)
		journal->tally.stored += spool->added;
	return status;
}

/* Somebody has taken the spool's file away: what would be stored in it nobody could ever find. */
static void
leave_removed_spool(struct journal *journal)
{
	diag_error(
		"spool %s: removed, or moved: what was in it, delivered or not, is missing in the next one",
		journal->options->spool_path);
	journal->tally.failures++;
	spool_close(&journal->spool);
	forget_stored(journal);
}

void
journal_store(struct journal *journal, uint64_t now_ns)
{
	if (journal->failing && now_ns < journal->retry_at_ns)
		return;
	if (journal->queue.first < journal->queue.end && spool_is_open(&journal->spool) &&
		database_is_removed(&journal->spool.database))
		leave_removed_spool(journal);
	if (!journal_is_usable(journal) &&
		!journal_accepts(journal, journal_open_spool(journal), now_ns))
		return;
	/* It is looked after, too, when there is nothing to store: positions are to be noted there. */
	if (journal->failing && journal->queue.first == journal->queue.end)
		journal_accepts(journal, spool_try(&journal->spool), now_ns);
	while (journal->queue.first < journal->queue.end) {
		uint64_t last = 0;
		if (!journal_accepts(journal, store_some(journal, &last), now_ns))
			return;
		journal->grown_bytes += journal->queue.bytes;
		queue_drop_before(&journal->queue, last + 1);
		journal->grown_bytes -= journal->queue.bytes;
		journal->acks_due = true;
	}
	sources_kept(&journal->sources);
}

void
journal_acknowledge(struct journal *journal, uint64_t now_ns)
{
	const char *path = journal->options->acks_path;
	if (path == NULL || !journal->acks_due || !journal_has_spool(journal) ||
		(journal->acks_failing && now_ns < journal->retry_at_ns))
		return;
	json_t *acks = sources_acks_new(&journal->sources);
	if (acks != NULL && acks_write(path, acks, journal->receiver) == 0) {
		if (journal->acks_failing)
			diag_note("%s: written again", path);
		journal->acks_failing = journal->acks_due = false;
	} else {
		if (!journal->acks_failing)
			diag_warn("%s: %s: events are stored and not acknowledged", path,
				acks == NULL ? strerror(ENOMEM) : strerror(errno));
		journal->acks_failing = true;
		journal->tally.failures++;
		journal->retry_at_ns = now_ns + TRY_AGAIN_NS;
	}
	json_decref(acks);
}

void
journal_say_lost(struct journal *journal)
{
	if (journal->lost > 0)
		diag_warn(
			"spool %s: full: events that were dropped although not every sink has them: %" PRIu64,
			journal->options->spool_path, journal->lost);
	journal->lost = 0;
}

void
journal_drop_old(struct journal *journal, uint64_t delivered, uint64_t now_ns)
{
	struct retention_loss loss;
	bool has_grown =
		journal->grown_bytes > journal->options->retention.max_bytes / RETENTION_PART;
	if ((now_ns < journal->retention_at_ns && !has_grown) || !journal_has_spool(journal) ||
		delivered == JOURNAL_UNASKED)
		return;
	journal->retention_at_ns = now_ns + RETENTION_NS;
	journal->grown_bytes = 0;
	enum database_status status = retention_run(&journal->spool, &journal->options->retention,
		delivered, clock_realtime_ns(), &loss);
	if (!journal_accepts(journal, status, now_ns))
		return;
	journal->lost += loss.undelivered;
	journal->tally.dropped += loss.undelivered;
	if (journal->lost > 0 && now_ns >= journal->say_lost_at_ns) {
		journal_say_lost(journal);
		journal->say_lost_at_ns = now_ns + SAY_AGAIN_NS;
	}
	if (loss.overfull && !journal->overfull)
		diag_warn(
			"spool %s: larger than --spool-max: fatal events that were not delivered are not dropped",
			journal->options->spool_path);
	journal->overfull = loss.overfull;
	if (loss.more)
		journal->retention_at_ns = now_ns + RETENTION_SOON_NS;
}
