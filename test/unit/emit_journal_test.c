/* Unit tests of emit's journal: events in one order, in memory until the spool has them. emit_journalspool_test breaks the spool, emit_journalmodel_test kills writers. */
#include "acks.h"
#include "diag.h"
#include "num.h"
#include "spools.h"

#include <unistd.h>

#define S NUM_NS_PER_S

/* Keeps everything. */
#define KEEP_ALL \
	{ \
		.keep_ns = UINT64_MAX, .max_bytes = UINT64_MAX \
	}

static void
begin(struct journal *journal, const struct journal_options *options)
{
	const struct routing routing = {.batch_max = 1};
	diag_init("t");
	CHECK_INT(journal_open(journal, options, &routing), 0);
}

/* What a sink reads after number `after`. */
static const char *
read_all(struct journal *journal, uint64_t after)
{
	struct batch batch = {0};
	CHECK_INT(journal_read(journal, after, UINT64_MAX, 1000, SIZE_MAX, &batch), 0);
	const char *text = spools_batch(&batch);
	batch_fini(&batch);
	return text;
}

/* What is acknowledged of stream "s"; -1: there is no acks file, or it says nothing of it. */
static int64_t
acknowledged(const char *path, char receiver[ACKS_RECEIVER_SIZE])
{
	struct acks acks;
	if (acks_read(&acks, path) < 0)
		return -1;
	const json_t *seq = json_object_get(acks.seqs, "s");
	int64_t value = seq != NULL ? json_integer_value(seq) : -1;
	if (receiver != NULL)
		strcpy(receiver, acks.receiver);
	acks_fini(&acks);
	return value;
}

static void
without_spool(void)
{
	const struct journal_options options = {.node = "n"};
	struct journal journal;
	begin(&journal, &options);
	CHECK(!journal_has_spool(&journal) && !journal_is_durable(&journal));
	CHECK_U64(journal_last(&journal), 0);
	/* Nobody remembers what came before, and nothing is held back. */
	const uint64_t seqs[] = {1, 2, 2, 9, 3};
	for (size_t i = 0; i < CHECK_COUNT(seqs); i++)
		spools_journal_add(&journal, "s", seqs[i], '-', S);
	CHECK_STR(read_all(&journal, 0), "1 2 2 9 3");
	CHECK_STR(read_all(&journal, 3), "9 3");
	CHECK_U64(spools_owed(&journal, 3), 2);
	journal_keep(&journal, 0, S);
	CHECK_U64(journal_stored(&journal), 0);
	journal_forget(&journal, 3);
	CHECK_STR(read_all(&journal, 3), "9 3");
	CHECK_U64(journal_last(&journal), 5);
	CHECK_U64(journal.queue.end - journal.queue.first, 2);
	CHECK_U64(journal_wakes_at_ns(&journal), UINT64_MAX);
	journal_fini(&journal);
}

static void
has_limited_room(void)
{
	const struct journal_options options = {.node = "n"};
	struct journal journal;
	const struct facts facts = {.source = "", .id = ""};
	begin(&journal, &options);
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
	const struct journal_options options = {
		.spool_path = spools_path("spool.db"), .node = "n", .retention = KEEP_ALL};
	struct journal journal;
	begin(&journal, &options);
	CHECK(journal_has_spool(&journal) && journal_is_durable(&journal));
	CHECK_U64(journal.opened, 1);
	spools_journal_add(&journal, "s", 1, '-', S);
	spools_journal_add(&journal, "s", 2, '-', S);
	/* Sinks need not wait until it is stored. */
	CHECK_STR(read_all(&journal, 0), "1 2");
	CHECK_U64(journal_stored(&journal), 0);
	journal_keep(&journal, 0, S);
	CHECK_U64(journal_stored(&journal), 2);
	spools_journal_add(&journal, "s", 3, '-', S);
	spools_journal_add(&journal, "s", 2, '-', S);
	/* What is in the spool is read first, then what is in memory. */
	CHECK_STR(read_all(&journal, 0), "1 2");
	CHECK_STR(read_all(&journal, 2), "3");
	CHECK_U64(spools_owed(&journal, 1), 2);
	CHECK_U64(journal_last(&journal), 3);
	journal_keep(&journal, 0, S);
	CHECK_STR(read_all(&journal, 0), "1 2 3");
	journal_fini(&journal);

	/* The next one goes on with the numbers. */
	begin(&journal, &options);
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
	const struct journal_options options = {
		.spool_path = DATABASE_IN_MEMORY, .node = "n", .retention = KEEP_ALL};
	struct journal journal;
	begin(&journal, &options);
	CHECK(journal_has_spool(&journal) && !journal_is_durable(&journal));
	spools_journal_add(&journal, "s", 1, 'F', S);
	journal_keep(&journal, 0, S);
	CHECK_STR(read_all(&journal, 0), "1");
	journal_fini(&journal);
}

static void
many_events(void)
{
	const struct journal_options options = {
		.spool_path = spools_path("spool.db"), .node = "n", .retention = KEEP_ALL};
	struct journal journal;
	begin(&journal, &options);
	/* More than one transaction takes. */
	for (uint64_t seq = 1; seq <= 4500; seq++)
		spools_journal_add(&journal, "s", seq, '-', S);
	journal_keep(&journal, 0, S);
	CHECK_U64(journal_stored(&journal), 4500);
	CHECK_U64(spools_number(journal.spool.database.db,
			  "SELECT count(*) FROM event WHERE number = seq"),
		4500);
	CHECK_U64(spools_number(journal.spool.database.db, "SELECT seq FROM source"), 4500);
	journal_fini(&journal);
}

static void
acknowledges(void)
{
	char acks[400], first[ACKS_RECEIVER_SIZE] = "", second[ACKS_RECEIVER_SIZE] = "";
	snprintf(acks, sizeof acks, "%s", spools_path("acks"));
	const struct journal_options options = {.spool_path = spools_path("spool.db"),
		.acks_path = acks,
		.node = "n",
		.retention = KEEP_ALL};
	struct journal journal;
	begin(&journal, &options);
	CHECK_INT(access(acks, F_OK), -1);
	/* A new receiver is announced before anything has come. */
	journal_keep(&journal, 0, S);
	CHECK_INT(acknowledged(acks, first), -1);
	CHECK_U64(strlen(first), 16);
	spools_journal_add(&journal, "s", 1, '-', S);
	spools_journal_add(&journal, "s", 2, '-', S);
	CHECK_INT(acknowledged(acks, NULL), -1);
	journal_keep(&journal, 0, S);
	/* The stream began at its beginning. */
	CHECK_INT(acknowledged(acks, second), 2);
	CHECK_STR(second, first);
	/* A writer that has lost its acks file gets it back. */
	unlink(acks);
	spools_journal_add(&journal, "s", 2, '-', S);
	journal_keep(&journal, 0, S);
	CHECK_INT(acknowledged(acks, NULL), 2);
	journal_doubt(&journal);
	journal_keep(&journal, 0, S);
	CHECK_INT(acknowledged(acks, second), 2);
	CHECK(strcmp(first, second) != 0);
	journal_fini(&journal);

	begin(&journal, &options);
	journal_keep(&journal, 0, S);
	CHECK_INT(acknowledged(acks, first), 2);
	CHECK(strcmp(first, second) != 0);
	journal_fini(&journal);

	/* A spool that is gone: what it has acknowledged does not come again. */
	unlink(options.spool_path);
	begin(&journal, &options);
	spools_journal_add(&journal, "s", 2, '-', S);
	spools_journal_add(&journal, "s", 3, '-', S);
	journal_keep(&journal, 0, S);
	CHECK_INT(acknowledged(acks, NULL), 3);
	CHECK_STR(read_all(&journal, 0), "3");
	journal_fini(&journal);
}

static void
holds_back(void)
{
	char acks[400], receiver[ACKS_RECEIVER_SIZE] = "";
	snprintf(acks, sizeof acks, "%s", spools_path("acks"));
	const struct journal_options options = {.spool_path = DATABASE_IN_MEMORY,
		.acks_path = acks,
		.node = "n",
		.retention = KEEP_ALL};
	struct journal journal;
	begin(&journal, &options);
	spools_journal_add(&journal, "s", 4, '-', 1 * S);
	spools_journal_add(&journal, "s", 3, '-', 2 * S);
	spools_journal_add(&journal, "t", 8, '-', 3 * S);
	journal_keep(&journal, 0, 3 * S);
	CHECK_U64(journal.held.count, 3);
	CHECK_U64(journal_last(&journal), 0);
	CHECK(journal_wakes_at_ns(&journal) <= 1 * S + SOURCES_HOLD_NS);
	/* Once more, and what is before it is not waited for, but for what is here. */
	spools_journal_add(&journal, "s", 4, '-', 4 * S);
	CHECK_U64(journal.held.count, 1);
	CHECK_STR(read_all(&journal, 0), "3 4");
	journal_keep(&journal, 0, 4 * S);
	CHECK_INT(acknowledged(acks, receiver), 4);

	/* The other one's time comes. */
	check_capture(STDERR_FILENO);
	journal_keep(&journal, 0, 3 * S + SOURCES_HOLD_NS - 1);
	CHECK_U64(journal.held.count, 1);
	journal_keep(&journal, 0, 3 * S + SOURCES_HOLD_NS);
	CHECK_U64(journal.held.count, 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_STR(said,
		"t: warning: source t: something is missing before event 8: not waiting for it any longer\n");
	free(said);
	CHECK_STR(read_all(&journal, 0), "3 4 8");
	/* Its writer is asked for what it has. */
	char asking[ACKS_RECEIVER_SIZE];
	CHECK_INT(acknowledged(acks, asking), 4);
	CHECK(strcmp(asking, receiver) != 0);
	journal_fini(&journal);
}

static void
holds_back_no_longer(void)
{
	const struct journal_options options = {.spool_path = DATABASE_IN_MEMORY,
		.acks_path = spools_path("acks"),
		.node = "n",
		.retention = KEEP_ALL};
	struct journal journal;
	begin(&journal, &options);
	const uint64_t seqs[] = {9, 5, 7, 6};
	for (size_t i = 0; i < CHECK_COUNT(seqs); i++)
		spools_journal_add(&journal, "s", seqs[i], '-', S);
	CHECK_U64(journal.held.count, 4);
	check_capture(STDERR_FILENO);
	CHECK_INT(journal_wait_no_longer(&journal, S), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "before event 5:");
	CHECK_HAS(said, "before event 9:");
	CHECK_U64(check_occurrences(said, "missing"), 2);
	free(said);
	CHECK_STR(read_all(&journal, 0), "5 6 7 9");
	journal_fini(&journal);
}

static void
holds_back_only_so_many(void)
{
	const struct journal_options options = {.spool_path = DATABASE_IN_MEMORY,
		.acks_path = spools_path("acks"),
		.node = "n",
		.retention = KEEP_ALL};
	struct journal journal;
	begin(&journal, &options);
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
	{"with a spool events are stored, and read from there, and nothing comes twice",
		with_spool},
	{"a spool in memory is a spool, and not durable", in_memory},
	{"any number of events is stored", many_events},
	{"what is stored is acknowledged, and a new receiver is announced", acknowledges},
	{"what comes too early is held back, for its time", holds_back},
	{"at the end nothing is held back", holds_back_no_longer},
	{"so many are held back, and no more", holds_back_only_so_many},
};
CHECK_MAIN(tests)
