/* Unit tests of emit's journal: events in one order, in memory until the spool has stored them.
 * emit_journalspool_test breaks the spool, emit_journalmodel_test kills writers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "diag.h"
#include "num.h"
#include "spools.h"

#include <poll.h>
#include <unistd.h>

#define S NUM_NS_PER_S

/* Open a journal that keeps everything, with this spool and this acks file; NULL: without one. */
static void
begin(struct journal *journal, const char *spool, const char *acks)
{
	/* The journal keeps a pointer to them. */
	static struct journal_options options;
	const struct routing routing = {.batch_max = 1};
	options = (struct journal_options){.spool_path = spool,
		.acks_path = acks,
		.node = "n",
		.patience_ns = SPOOLS_PATIENCE_NS,
		.retention = {.keep_ns = UINT64_MAX, .max_bytes = UINT64_MAX}};
	diag_init("t");
	CHECK_INT(journal_open(journal, &options, &routing), 0);
}

static void
without_spool(void)
{
	struct journal journal;
	begin(&journal, NULL, NULL);
	CHECK(!journal_has_spool(&journal) && !journal_is_durable(&journal));
	CHECK_U64(journal_last(&journal), 0);
	/* Without a spool no seq is remembered, and no event is held back. */
	const uint64_t seqs[] = {1, 2, 2, 9, 3};
	for (size_t i = 0; i < CHECK_COUNT(seqs); i++)
		spools_journal_add(&journal, "s", seqs[i], '-', S);
	CHECK_STR(spools_journal_read(&journal, 0), "1 2 2 9 3");
	CHECK_STR(spools_journal_read(&journal, 3), "9 3");
	CHECK_U64(spools_owed(&journal, 3), 2);
	journal_keep(&journal, 0, S);
	CHECK_U64(journal_stored(&journal), 0);
	journal_forget(&journal, 3);
	CHECK_STR(spools_journal_read(&journal, 3), "9 3");
	CHECK_U64(journal_last(&journal), 5);
	CHECK_U64(journal.queue.end - journal.queue.first, 2);
	CHECK_U64(journal_wakes_at_ns(&journal), UINT64_MAX);
	journal_fini(&journal);
}

static void
has_limited_room(void)
{
	struct journal journal;
	const struct facts facts = {.source = "", .id = ""};
	begin(&journal, NULL, NULL);
	for (int i = 0; i < 64; i++) {
		CHECK(journal_has_room(&journal));
		CHECK_INT(journal_add(&journal, &facts, check_repeat_new(' ', 1 << 20), 1 << 20, S),
			0);
	}
	CHECK(!journal_has_room(&journal));
	journal_forget(&journal, 1);
	CHECK(journal_has_room(&journal));
	journal_fini(&journal);
}

static void
with_spool(void)
{
	struct journal journal;
	begin(&journal, spools_path("spool.db"), NULL);
	CHECK(journal_has_spool(&journal) && journal_is_durable(&journal));
	CHECK_U64(journal.opened, 1);
	spools_journal_add(&journal, "s", 1, '-', S);
	spools_journal_add(&journal, "s", 2, '-', S);
	/* Sinks need not wait for the spool. */
	CHECK_STR(spools_journal_read(&journal, 0), "1 2");
	CHECK_U64(journal_stored(&journal), 0);
	journal_keep(&journal, 0, S);
	CHECK_U64(journal_stored(&journal), 2);
	spools_journal_add(&journal, "s", 3, '-', S);
	spools_journal_add(&journal, "s", 2, '-', S);
	/* Events are read from the spool first, then from memory. */
	CHECK_STR(spools_journal_read(&journal, 0), "1 2");
	CHECK_STR(spools_journal_read(&journal, 2), "3");
	CHECK_U64(spools_owed(&journal, 1), 2);
	CHECK_U64(journal_last(&journal), 3);
	journal_keep(&journal, 0, S);
	CHECK_STR(spools_journal_read(&journal, 0), "1 2 3");
	journal_fini(&journal);

	/* The next run continues the numbers. */
	begin(&journal, spools_path("spool.db"), NULL);
	CHECK_U64(journal_last(&journal), 3);
	CHECK_U64(journal_stored(&journal), 3);
	CHECK_U64(journal.routing.released, 3);
	spools_journal_add(&journal, "s", 3, '-', S);
	CHECK_U64(journal_last(&journal), 3);
	spools_journal_add(&journal, "s", 4, '-', S);
	CHECK_U64(journal_last(&journal), 4);
	journal_fini(&journal);
}

static void
in_memory(void)
{
	struct journal journal;
	begin(&journal, DATABASE_IN_MEMORY, NULL);
	CHECK(journal_has_spool(&journal) && !journal_is_durable(&journal));
	spools_journal_add(&journal, "s", 1, 'F', S);
	journal_keep(&journal, 0, S);
	CHECK_STR(spools_journal_read(&journal, 0), "1");
	journal_fini(&journal);
}

static void
many_events(void)
{
	struct journal journal;
	begin(&journal, spools_path("spool.db"), NULL);
	/* More than fit in one transaction. */
	for (uint64_t seq = 1; seq <= 4500; seq++)
		spools_journal_add(&journal, "s", seq, '-', S);
	/* On a busy machine one call does not wait until all are stored; a later one continues. */
	journal_keep(&journal, 0, S);
	for (uint64_t look = 1; journal_stored(&journal) < 4500 && look < 600; look++) {
		poll(NULL, 0, 100);
		journal_keep(&journal, 0, S + look * NUM_NS_PER_S);
	}
	CHECK_U64(journal_stored(&journal), 4500);
	CHECK_U64(spools_number(journal.desk->spool.database.db,
			  "SELECT count(*) FROM event WHERE number = seq"),
		4500);
	CHECK_U64(spools_number(journal.desk->spool.database.db, "SELECT seq FROM source"), 4500);
	journal_fini(&journal);
}

static void
acknowledges(void)
{
	char acks[400], first[ACKS_RECEIVER_SIZE] = "", second[ACKS_RECEIVER_SIZE] = "";
	snprintf(acks, sizeof acks, "%s", spools_path("acks"));
	struct journal journal;
	begin(&journal, spools_path("spool.db"), acks);
	CHECK_INT(access(acks, F_OK), -1);
	/* A new receiver is announced before any event has arrived. */
	journal_keep(&journal, 0, S);
	CHECK_INT(spools_acknowledged(acks, first), -1);
	CHECK_U64(strlen(first), 16);
	spools_journal_add(&journal, "s", 1, '-', S);
	spools_journal_add(&journal, "s", 2, '-', S);
	CHECK_INT(spools_acknowledged(acks, NULL), -1);
	journal_keep(&journal, 0, S);
	/* The stream started with its first event. */
	CHECK_INT(spools_acknowledged(acks, second), 2);
	CHECK_STR(second, first);
	/* A deleted acks file is written again. */
	unlink(acks);
	spools_journal_add(&journal, "s", 2, '-', S);
	journal_keep(&journal, 0, S);
	CHECK_INT(spools_acknowledged(acks, NULL), 2);
	journal_doubt(&journal);
	journal_keep(&journal, 0, S);
	CHECK_INT(spools_acknowledged(acks, second), 2);
	CHECK(strcmp(first, second) != 0);
	journal_fini(&journal);

	begin(&journal, spools_path("spool.db"), acks);
	journal_keep(&journal, 0, S);
	CHECK_INT(spools_acknowledged(acks, first), 2);
	CHECK(strcmp(first, second) != 0);
	journal_fini(&journal);

	/* When the spool is gone, events that no sink has are requested again. */
	unlink(spools_path("spool.db"));
	check_capture(STDERR_FILENO);
	begin(&journal, spools_path("spool.db"), acks);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "missing from the spool: 2; requested again, as a sink lacks them: 2\n");
	free(said);
	CHECK_U64(journal.tally.missing, 2);
	journal_keep(&journal, 0, S);
	CHECK_INT(spools_acknowledged(acks, NULL), 0);
	/* Later events wait for them. */
	spools_journal_add(&journal, "s", 3, '-', S);
	CHECK_STR(spools_journal_read(&journal, 0), "");
	spools_journal_add(&journal, "s", 1, '-', S);
	spools_journal_add(&journal, "s", 2, '-', S);
	journal_keep(&journal, 0, S);
	CHECK_STR(spools_journal_read(&journal, 0), "1 2 3");
	CHECK_INT(spools_acknowledged(acks, NULL), 3);
	/* One sink lacks the last event; then every sink has all. */
	journal_note_delivered(&journal, journal_last(&journal) - 1);
	CHECK(!journal.delivered_due);
	journal_note_delivered(&journal, journal_last(&journal));
	CHECK(journal.delivered_due);
	journal_finish(&journal, journal_last(&journal), S);
	CHECK(!journal.delivered_due);
	journal_fini(&journal);

	/* Events that every sink has are not requested again. */
	unlink(spools_path("spool.db"));
	check_capture(STDERR_FILENO);
	begin(&journal, spools_path("spool.db"), acks);
	free(check_captured_new(STDERR_FILENO));
	spools_journal_add(&journal, "s", 3, '-', S);
	spools_journal_add(&journal, "s", 4, '-', S);
	journal_keep(&journal, 0, S);
	CHECK_INT(spools_acknowledged(acks, NULL), 4);
	CHECK_STR(spools_journal_read(&journal, 0), "4");
	journal_fini(&journal);
}

static void
holds_back(void)
{
	char acks[400], receiver[ACKS_RECEIVER_SIZE] = "";
	snprintf(acks, sizeof acks, "%s", spools_path("acks"));
	struct journal journal;
	begin(&journal, DATABASE_IN_MEMORY, acks);
	spools_journal_add(&journal, "s", 4, '-', 1 * S);
	spools_journal_add(&journal, "s", 3, '-', 2 * S);
	spools_journal_add(&journal, "t", 8, '-', 3 * S);
	journal_keep(&journal, 0, 3 * S);
	CHECK_U64(journal.held.count, 3);
	CHECK_U64(journal_last(&journal), 0);
	CHECK(journal_wakes_at_ns(&journal) <= 1 * S + SOURCES_HOLD_NS);
	/* A repeated event means that none before it will come, but those held still wait for each
	 * other. */
	spools_journal_add(&journal, "s", 4, '-', 4 * S);
	CHECK_U64(journal.held.count, 1);
	CHECK_STR(spools_journal_read(&journal, 0), "3 4");
	journal_keep(&journal, 0, 4 * S);
	CHECK_INT(spools_acknowledged(acks, receiver), 4);

	/* The time of the other one is over. */
	check_capture(STDERR_FILENO);
	journal_keep(&journal, 0, 3 * S + SOURCES_HOLD_NS - 1);
	CHECK_U64(journal.held.count, 1);
	journal_keep(&journal, 0, 3 * S + SOURCES_HOLD_NS);
	CHECK_U64(journal.held.count, 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_STR(said,
		"t: warning: source t: events 1 to 7 are missing: no longer waiting for them\n");
	free(said);
	CHECK_STR(spools_journal_read(&journal, 0), "3 4 8");
	/* Its writer is asked to send its events again. */
	char asking[ACKS_RECEIVER_SIZE];
	CHECK_INT(spools_acknowledged(acks, asking), 4);
	CHECK(strcmp(asking, receiver) != 0);
	journal_fini(&journal);
}

/* A writer that is still to come back has the missing event: ten seconds are not enough. */
static void
holds_back_for_writers(void)
{
	struct journal journal;
	begin(&journal, DATABASE_IN_MEMORY, spools_path("acks"));
	spools_journal_add(&journal, "s", 2, '+', 1 * S);
	check_capture(STDERR_FILENO);
	for (uint64_t at_s = 11; at_s < 100; at_s++) {
		/* No writer is back; or one read the acks before the event came. */
		journal.writers_ns = at_s < 50 ? 1 : 11 * S - 1;
		journal_keep(&journal, 0, at_s * S);
		journal_retain(&journal, 0, at_s * S);
		CHECK_U64(journal.held.count, 1);
		/* The next wake-up is later, without a busy loop. */
		CHECK(journal_wakes_at_ns(&journal) > at_s * S);
		CHECK(journal_wakes_at_ns(&journal) <= (at_s + 1) * S);
	}
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_STR(said, "t: warning: source s: events 1 to 1 are missing: waiting for their "
			"writer to return\n");
	free(said);
	/* The writers have written everything, but it may not have been read yet. */
	check_capture(STDERR_FILENO);
	journal.writers_ns = 11 * S;
	journal.more_waits = true;
	journal_keep(&journal, 0, 60 * S);
	CHECK_U64(journal.held.count, 1);
	/* A pipe that never runs dry does not extend the wait forever. */
	journal_keep(&journal, 0, 61 * S);
	CHECK_U64(journal.held.count, 0);
	spools_journal_add(&journal, "t", 2, '+', 70 * S);
	journal.writers_ns = 80 * S;
	journal.more_waits = false;
	journal_keep(&journal, 0, 80 * S);
	CHECK_STR(spools_journal_read(&journal, 0), "2 2");
	/* At the end, held events are left to their writer, which sends them again in order. */
	spools_journal_add(&journal, "u", 2, '+', 90 * S);
	CHECK_INT(journal_wait_no_longer(&journal, 90 * S), 0);
	said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "t: note: held events discarded, as their writers will send them "
			"again: 1\n");
	free(said);
	CHECK_STR(spools_journal_read(&journal, 0), "2 2");
	CHECK_U64(journal.held.count, 0);
	journal_fini(&journal);
}

static void
holds_back_no_longer(void)
{
	struct journal journal;
	begin(&journal, DATABASE_IN_MEMORY, spools_path("acks"));
	const uint64_t seqs[] = {9, 5, 7, 6};
	for (size_t i = 0; i < CHECK_COUNT(seqs); i++)
		spools_journal_add(&journal, "s", seqs[i], '-', S);
	CHECK_U64(journal.held.count, 4);
	check_capture(STDERR_FILENO);
	CHECK_INT(journal_wait_no_longer(&journal, S), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "events 1 to 4 are missing");
	CHECK_HAS(said, "events 8 to 8 are missing");
	CHECK_U64(check_occurrences(said, "missing"), 2);
	free(said);
	CHECK_STR(spools_journal_read(&journal, 0), "5 6 7 9");
	journal_fini(&journal);
}

static void
holds_back_only_so_many(void)
{
	struct journal journal;
	begin(&journal, DATABASE_IN_MEMORY, spools_path("acks"));
	for (uint64_t seq = 2; seq <= HELD_MAX_EVENTS + 1; seq++)
		spools_journal_add(&journal, "s", seq, '-', S);
	CHECK_U64(journal.held.count, HELD_MAX_EVENTS);
	check_capture(STDERR_FILENO);
	spools_journal_add(&journal, "s", HELD_MAX_EVENTS + 2, '-', S);
	free(check_captured_new(STDERR_FILENO));
	CHECK_U64(journal.held.count, 0);
	CHECK_U64(journal_last(&journal), HELD_MAX_EVENTS + 1);
	journal_fini(&journal);
}

static const struct check_test tests[] = {
	{"without a spool events stay in memory until every sink has them", without_spool},
	{"memory has a limit", has_limited_room},
	{"with a spool events are stored, read from it, and never repeated", with_spool},
	{"a spool in memory is a spool, but not durable", in_memory},
	{"any number of events is stored", many_events},
	{"stored events are acknowledged, and a new receiver is announced", acknowledges},
	{"an event that comes too early is held back for a limited time", holds_back},
	{"a missing event is waited for while its writer may still come back",
		holds_back_for_writers},
	{"at the end no event is held back", holds_back_no_longer},
	{"the number of held events is limited", holds_back_only_so_many},
};
CHECK_MAIN(tests)
