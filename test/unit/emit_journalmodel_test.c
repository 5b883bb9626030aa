/* Unit tests of emit's journal with writers that keep unacknowledged events: whichever process dies
 * and whichever line is damaged, no event is lost, repeated or reordered. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "acks.h"
#include "diag.h"
#include "num.h"
#include "randomness.h"
#include "spools.h"

#include <unistd.h>

/* No machine crashes here, and without syncs there is time for more rounds: SQLite calls these
 * functions. */
int
fsync(int fd)
{
	(void)fd;
	return 0;
}

int
fdatasync(int fd)
{
	(void)fd;
	return 0;
}

#define WRITERS 2
#define EVENTS_MAX 400
#define LINES_MAX 20000

/* A round of the model is a tenth of a second. Writers read the acks every 3 s, or every 30 s,
 * which is longer than emit waits. */
#define ROUND_NS (NUM_NS_PER_S / 10)
#define IN_TIME 30
#define LATE 300

/* A writer, its state file, and its pipe, which emit reads. A line is the number of an event, or 0:
 * damaged. */
struct writer {
	const char *source;
	bool filtered; /* each third event is filtered out */
	uint64_t seq, acknowledged;
	char receiver[ACKS_RECEIVER_SIZE];
	uint64_t pipe[LINES_MAX];
	size_t begin, end;
};

struct world {
	uint64_t random;
	unsigned damage;      /* one line in this many is damaged, 0: none */
	unsigned look_rounds; /* how often writers read the acks */
	struct writer writers[WRITERS];
	struct journal_options options;
	struct journal journal;
	uint64_t now_ns;
};

static bool
gets_through(const struct writer *writer, uint64_t seq)
{
	return !writer->filtered || seq % 3 != 0;
}

static void
write_line(struct world *world, struct writer *writer, uint64_t seq)
{
	if (!gets_through(writer, seq) || writer->end == LINES_MAX)
		return;
	if (world->damage > 0 && randomness_below(&world->random, world->damage) == 0)
		seq = 0;
	writer->pipe[writer->end++] = seq;
}

/* Write the outbox, or a part of it if the writer dies. */
static void
write_again(struct world *world, struct writer *writer, bool dies)
{
	for (uint64_t seq = writer->acknowledged + 1; seq <= writer->seq; seq++) {
		if (dies && randomness_below(&world->random, 4) == 0)
			return;
		write_line(world, writer, seq);
	}
}

static void
look(struct world *world, struct writer *writer, bool starts)
{
	struct acks acks;
	bool again = starts;
	if (acks_read(&acks, world->options.acks_path) == 0) {
		writer->acknowledged = acks_seq(acks.seqs, writer->source);
		again |= strcmp(acks.receiver, writer->receiver) != 0;
		strcpy(writer->receiver, acks.receiver);
		acks_fini(&acks);
	}
	if (again)
		write_again(world, writer, false);
}

static void
read_lines(struct world *world, struct writer *writer, size_t count)
{
	for (; count > 0 && writer->begin < writer->end; count--) {
		uint64_t seq = writer->pipe[writer->begin++];
		if (seq == 0)
			journal_doubt(&world->journal);
		else
			spools_journal_add(
				&world->journal, writer->source, seq, '-', world->now_ns);
	}
}

static void
open_journal(struct world *world)
{
	const struct routing routing = {.batch_max = 1};
	CHECK_INT(journal_open(&world->journal, &world->options, &routing), 0);
}

/* Check that only stored events are acknowledged. */
static void
check_acks(const struct world *world)
{
	struct acks acks;
	if (acks_read(&acks, world->options.acks_path) < 0)
		return;
	for (size_t i = 0; i < WRITERS; i++) {
		const struct writer *writer = &world->writers[i];
		char sql[200];
		uint64_t expected = 0, upto = acks_seq(acks.seqs, writer->source);
		for (uint64_t seq = 1; seq <= upto; seq++)
			expected += gets_through(writer, seq);
		snprintf(sql, sizeof sql,
			"SELECT count(*) FROM event WHERE source = '%s' AND seq <= %llu",
			writer->source, (unsigned long long)upto);
		CHECK_U64(spools_number(world->journal.desk->spool.database.db, sql), expected);
		CHECK(upto <= writer->seq);
	}
	acks_fini(&acks);
}

static void
one_round(struct world *world)
{
	world->now_ns += ROUND_NS;
	for (size_t i = 0; i < WRITERS; i++) {
		struct writer *writer = &world->writers[i];
		if (writer->seq < EVENTS_MAX && randomness_below(&world->random, 3) == 0)
			write_line(world, writer, ++writer->seq);
		if (randomness_below(&world->random, 50) == 0) {
			write_again(world, writer, true);
			look(world, writer, true);
		} else if ((world->now_ns / ROUND_NS + i) % world->look_rounds == 0) {
			look(world, writer, false);
		}
		if (randomness_below(&world->random, 2) == 0)
			read_lines(world, writer, 1 + randomness_below(&world->random, 40));
	}
	if (randomness_below(&world->random, 40) == 0) {
		journal_fini(&world->journal);
		open_journal(world);
	}
	if (randomness_below(&world->random, 3) == 0)
		journal_keep(&world->journal, 0, world->now_ns);
}

/* The writers finish, and emit reads everything. */
static void
settle(struct world *world)
{
	world->damage = 0;
	for (int i = 0; i < 10; i++, world->now_ns += SOURCES_HOLD_NS) {
		for (size_t w = 0; w < WRITERS; w++) {
			look(world, &world->writers[w], false);
			read_lines(world, &world->writers[w], SIZE_MAX);
		}
		journal_keep(&world->journal, 0, world->now_ns);
	}
	for (size_t w = 0; w < WRITERS; w++) {
		struct writer *writer = &world->writers[w];
		do
			write_line(world, writer, ++writer->seq);
		while (!gets_through(writer, writer->seq));
		read_lines(world, writer, SIZE_MAX);
		journal_keep(&world->journal, 0, world->now_ns);
		look(world, writer, false);
		CHECK_U64(writer->acknowledged, writer->seq);
	}
	CHECK_U64(world->journal.held.count, 0);
}

static void
check_events(const struct world *world)
{
	for (size_t i = 0; i < WRITERS; i++) {
		const struct writer *writer = &world->writers[i];
		char sql[200], expected[8000];
		size_t used = 0;
		for (uint64_t seq = 1; seq <= writer->seq; seq++) {
			if (gets_through(writer, seq))
				used += (size_t)snprintf(expected + used, sizeof expected - used,
					"%s%llu", used > 0 ? " " : "", (unsigned long long)seq);
		}
		snprintf(sql, sizeof sql, "SELECT seq FROM event WHERE source = '%s' ORDER BY %s",
			writer->source, world->look_rounds == IN_TIME ? "number" : "seq");
		CHECK_STR(spools_text(world->journal.desk->spool.database.db, sql), expected);
	}
}

static void
live(uint64_t seed, unsigned look_rounds, unsigned damage)
{
	static struct world world;
	world = (struct world){.random = seed,
		.damage = damage,
		.look_rounds = look_rounds,
		.writers = {{.source = "a"}, {.source = "b", .filtered = true}},
		.now_ns = NUM_NS_PER_S};
	char spool[400], acks[400];
	snprintf(spool, sizeof spool, "%s/%d-%d.db", check_dir(), (int)seed, (int)damage);
	snprintf(acks, sizeof acks, "%s/%d-%d.acks", check_dir(), (int)seed, (int)damage);
	world.options = (struct journal_options){.spool_path = spool,
		.acks_path = acks,
		.node = "n",
		.patience_ns = SPOOLS_PATIENCE_NS,
		.retention = {.keep_ns = UINT64_MAX, .max_bytes = UINT64_MAX}};
	check_row("seed %d, damage %u", (int)seed, damage);
	open_journal(&world);
	for (int i = 0; i < 1500; i++) {
		one_round(&world);
		if (i % 10 == 0)
			check_acks(&world);
	}
	settle(&world);
	check_acks(&world);
	check_events(&world);
	journal_fini(&world.journal);
}

/* How many lives each test tries: more in .ci/thorough. */
static uint64_t
seeds(void)
{
	return getenv("NHM_THOROUGH") != NULL ? 12 : 2;
}

static void
crashes(void)
{
	check_capture(STDERR_FILENO);
	for (uint64_t seed = 1; seed <= seeds(); seed++)
		live(seed, IN_TIME, 0);
	char *said = check_captured_new(STDERR_FILENO);
	/* Behind a filter a number may be missing anyway. */
	CHECK(strstr(said, "source a") == NULL);
	free(said);
}

static void
damaged_lines(void)
{
	check_capture(STDERR_FILENO);
	for (uint64_t seed = 1; seed <= seeds(); seed++)
		live(seed, IN_TIME, 200);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK(strstr(said, "source a") == NULL);
	free(said);
}

static void
late_writers(void)
{
	check_capture(STDERR_FILENO);
	for (uint64_t seed = 1; seed <= seeds(); seed++) {
		live(seed, LATE, 0);
		live(seed, LATE, 100);
	}
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "no longer waiting for them");
	free(said);
}

static const struct check_test tests[] = {
	{"after any kills every event is stored once and in order, and none is acknowledged "
	 "earlier",
		crashes},
	{"the same holds after kills with lines damaged on the way", damaged_lines},
	{"writers that answer late lose no event either, only the order", late_writers},
};
CHECK_MAIN(tests)
