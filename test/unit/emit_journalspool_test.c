/* Unit tests of emit's journal when its spool is unavailable, full, broken, or foreign. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "diag.h"
#include "num.h"
#include "spools.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define S NUM_NS_PER_S

struct place {
	char parent[400], directory[400], hidden[400], spool[400], acks[400];
	struct journal_options options;
	struct journal journal;
};

static void
choose(struct place *place)
{
	*place = (struct place){.directory = ""};
	snprintf(place->parent, sizeof place->parent, "%s/d", check_dir());
	snprintf(place->directory, sizeof place->directory, "%s/d/e", check_dir());
	snprintf(place->hidden, sizeof place->hidden, "%s/hidden", check_dir());
	snprintf(place->spool, sizeof place->spool, "%s/d/e/spool.db", check_dir());
	snprintf(place->acks, sizeof place->acks, "%s/acks", check_dir());
	place->options = (struct journal_options){.spool_path = place->spool,
		.acks_path = place->acks,
		.node = "n",
		.patience_ns = SPOOLS_PATIENCE_NS,
		.retention = {.keep_ns = UINT64_MAX, .max_bytes = UINT64_MAX}};
	diag_init("t");
}

static int
begin(struct place *place)
{
	const struct routing routing = {.batch_max = 100, .window_ns = 5 * S};
	return journal_open(&place->journal, &place->options, &routing);
}

static void
make_directories(const struct place *place)
{
	mkdir(place->parent, 0700);
	CHECK_INT(mkdir(place->directory, 0700), 0);
}

static void
begin_new(struct place *place)
{
	choose(place);
	make_directories(place);
	CHECK_INT(begin(place), 0);
}

static void
add_three(struct journal *journal)
{
	for (uint64_t seq = 1; seq <= 3; seq++)
		spools_journal_add(journal, "s", seq, '-', S);
}

#define FAILS \
	"until it works again, events are kept in memory and delivered, but not acknowledged\n"

static void
comes_later(void)
{
	struct place place;
	struct journal *journal = &place.journal;
	choose(&place);
	check_capture(STDERR_FILENO);
	CHECK_INT(begin(&place), 0);
	add_three(journal);
	journal_keep(journal, 0, S);
	CHECK(!journal_has_spool(journal));
	CHECK_STR(spools_journal_read(journal, journal_stored(journal)), "1 2 3");
	CHECK_U64(spools_owed(journal, journal_stored(journal)), 3);
	CHECK_INT(spools_acknowledged(place.acks, NULL), -1);
	CHECK_U64(journal_wakes_at_ns(journal), 2 * S);
	uint64_t last = journal_last(journal);
	make_directories(&place);
	/* Not before its time. */
	journal_keep(journal, 0, 2 * S - 1);
	CHECK(!journal_has_spool(journal));
	journal_keep(journal, 0, 2 * S);
	CHECK(journal_has_spool(journal));
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_U64(check_occurrences(said, FAILS), 1);
	CHECK_HAS(said, "No such file or directory");
	CHECK_HAS(said, "works again\n");
	CHECK_U64(check_occurrences(said, "\n"), 2);
	free(said);
	CHECK_U64(journal_last(journal), last);
	CHECK_U64(journal_stored(journal), last);
	CHECK_U64(journal->opened, 1);
	CHECK_STR(spools_journal_read(journal, 0), "1 2 3");
	CHECK_INT(spools_acknowledged(place.acks, NULL), 3);
	journal_fini(journal);
}

static void
comes_later_with_events(void)
{
	/* The numbers of events that came meanwhile, microseconds since 1970, are lower or higher
	 * than those in the spool. */
	static const uint64_t lasts[] = {5, UINT64_C(1) << 60};
	for (size_t i = 0; i < CHECK_COUNT(lasts); i++) {
		struct place place;
		struct journal *journal = &place.journal;
		choose(&place);
		check_row("up to %zu", i);
		if (i == 0)
			make_directories(&place);
		unlink(place.spool);
		unlink(place.acks);
		struct spool spool;
		spools_open(&spool, place.spool);
		CHECK_INT(database_run(&spool.database, "INSERT INTO source VALUES ('s', 1, 1)"),
			DATABASE_OK);
		spool.last_number = lasts[i] - 1;
		spools_add_members(&spool, "'source':'s','seq':1", 1);
		spool_fini(&spool);
		CHECK_INT(rename(place.parent, place.hidden), 0);

		check_capture(STDERR_FILENO);
		CHECK_INT(begin(&place), 0);
		/* They come again, and are delivered after all. */
		for (int times = 0; times < 2; times++) {
			add_three(journal);
		}
		CHECK_U64(spools_owed(journal, journal_stored(journal)), 3);
		CHECK_INT(rename(place.hidden, place.parent), 0);
		journal_keep(journal, 0, 2 * S);
		free(check_captured_new(STDERR_FILENO));
		CHECK(journal_has_spool(journal));
		CHECK_STR(spools_journal_read(journal, 0), "1 2 3");
		CHECK_STR(spools_text(journal->desk->spool.database.db,
				  "SELECT seq FROM event ORDER BY number"),
			"1 2 3");
		CHECK_INT(spools_acknowledged(place.acks, NULL), 3);
		CHECK(journal_stored(journal) == journal_last(journal));
		CHECK(journal_last(journal) > lasts[i]);
		/* Whatever their new numbers, they wait in the batch for the rest of their time. */
		CHECK_U64(journal->routing.released, journal_last(journal) - 3);
		journal_keep(journal, 0, 6 * S);
		CHECK_U64(journal->routing.released, journal_last(journal));
		journal_fini(journal);
	}
}

static void
is_full(void)
{
	struct place place;
	struct journal *journal = &place.journal;
	struct rlimit limit;
	choose(&place);
	make_directories(&place);
	signal(SIGXFSZ, SIG_IGN);
	CHECK_INT(begin(&place), 0);
	spools_journal_add(journal, "s", 1, '-', S);
	journal_keep(journal, 0, S);
	CHECK_INT(spools_acknowledged(place.acks, NULL), 1);

	CHECK_INT(getrlimit(RLIMIT_FSIZE, &limit), 0);
	const struct rlimit none = {.rlim_cur = 1, .rlim_max = limit.rlim_max};
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &none), 0);
	/* Stderr is a file here. */
	int saved = dup(STDERR_FILENO), ends[2];
	CHECK_INT(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	spools_journal_add(journal, "s", 2, 'F', S);
	for (uint64_t at = 1; at <= 5; at++)
		journal_keep(journal, 0, at * S);
	/* Storing fails, also without new events, and is reported once. */
	CHECK(!journal_has_spool(journal));
	CHECK_STR(spools_journal_read(journal, 0), "1");
	CHECK_U64(spools_owed(journal, 0), 2);
	CHECK_INT(spools_acknowledged(place.acks, NULL), 1);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	journal_keep(journal, 0, 7 * S);
	CHECK(journal_has_spool(journal));
	CHECK_STR(spools_journal_read(journal, 0), "1 2");
	CHECK_INT(spools_acknowledged(place.acks, NULL), 2);

	/* A sink's position without new events. */
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &none), 0);
	CHECK(!journal_set_position(journal, "-", 2, 2, 8 * S));
	journal_keep(journal, 0, 10 * S);
	CHECK(!journal_has_spool(journal));
	CHECK(journal_wakes_at_ns(journal) > 10 * S);
	CHECK_INT(setrlimit(RLIMIT_FSIZE, &limit), 0);
	journal_keep(journal, 0, 12 * S);
	CHECK(journal_has_spool(journal));
	CHECK(journal_set_position(journal, "-", 2, 2, 12 * S));
	dup2(saved, STDERR_FILENO);
	close(ends[1]);
	char said[4000] = "";
	CHECK(read(ends[0], said, sizeof said - 1) > 0);
	CHECK_U64(check_occurrences(said, FAILS), 2);
	CHECK_U64(check_occurrences(said, "works again\n"), 2);
	CHECK_U64(check_occurrences(said, "\n"), 4);
	journal_fini(journal);
}

/* Overwrite all pages of a spool but the first. */
static void
spoil(const char *path)
{
	struct stat status;
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	CHECK_INT(fstat(fd, &status), 0);
	char *noise = check_repeat_new('\xA5', (size_t)status.st_size);
	CHECK(pwrite(fd, noise, (size_t)status.st_size - 4096, 4096) > 0);
	close(fd);
	free(noise);
}

static void
breaks(void)
{
	struct place place;
	struct journal *journal = &place.journal;
	begin_new(&place);
	add_three(journal);
	journal_keep(journal, 0, S);
	journal_note_delivered(journal, journal_last(journal));
	spools_journal_add(journal, "s", 4, '-', S);
	CHECK_INT(sqlite3_wal_checkpoint_v2(journal->desk->spool.database.db, NULL,
			  SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL),
		SQLITE_OK);
	/* SQLite caches the pages that it has read. */
	spool_close(&journal->desk->spool);
	spoil(place.spool);
	check_capture(STDERR_FILENO);
	journal_keep(journal, 0, 2 * S);
	journal_keep(journal, 0, 2 * S);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "spool.db.corrupt-");
	CHECK_HAS(said, "events recovered from the damaged one: 0; its other events are "
			"lost, delivered or not");
	free(said);
	CHECK(journal_has_spool(journal));
	CHECK_U64(journal->opened, 2);
	/* Events still in memory are stored again. */
	CHECK_STR(spools_journal_read(journal, 0), "1 2 3 4");
	CHECK_U64(journal_last(journal), 4);
	CHECK_INT(spools_acknowledged(place.acks, NULL), 4);
	journal_note_delivered(journal, journal_last(journal));
	journal_finish(journal, journal_last(journal), 2 * S);
	journal_fini(journal);

	/* The acks file tells the acknowledged numbers, which the new spool has never seen. */
	CHECK_INT(begin(&place), 0);
	spools_journal_add(journal, "s", 3, '-', S);
	spools_journal_add(journal, "s", 5, '-', S);
	CHECK_U64(journal_last(journal), 5);
	journal_fini(journal);
}

static void
breaks_in_use(void)
{
	struct place place;
	struct journal *journal = &place.journal;
	begin_new(&place);
	add_three(journal);
	journal_keep(journal, 0, S);
	/* A missing table; the events are still there. */
	CHECK_INT(database_run(&journal->desk->spool.database, "DROP TABLE sink"), DATABASE_OK);
	check_capture(STDERR_FILENO);
	CHECK(!journal_set_position(journal, "-", 2, 2, S));
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "no such table: sink");
	CHECK_HAS(said, "events recovered from the damaged one: 3");
	free(said);
	CHECK(journal_has_spool(journal));
	CHECK_STR(spools_journal_read(journal, 0), "1 2 3");
	CHECK(journal_set_position(journal, "-", 2, 2, S));
	spools_journal_add(journal, "s", 4, '-', S);
	journal_keep(journal, 0, 2 * S);
	CHECK_STR(spools_journal_read(journal, 0), "1 2 3 4");
	CHECK_STR(spools_text(journal->desk->spool.database.db,
			  "SELECT number FROM event ORDER BY number"),
		"1 2 3 4");
	CHECK_INT(spools_acknowledged(place.acks, NULL), 4);
	CHECK_U64(spools_number(journal->desk->spool.database.db, "SELECT seq FROM source"), 4);
	journal_fini(journal);
}

static void
is_no_spool(void)
{
	struct place place;
	choose(&place);
	make_directories(&place);
	int fd = open(place.spool, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK_INT(
		write(fd,
			"this is not a database, and not short either: it goes on, and on, and on, "
			"and on, and on, and then",
			95),
		95);
	close(fd);
	check_capture(STDERR_FILENO);
	CHECK_INT(begin(&place), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "t: error: spool ");
	CHECK_HAS(said, "file is not a database: moved to ");
	free(said);
	CHECK(journal_has_spool(&place.journal));
	journal_fini(&place.journal);
}

static void
is_somebody_elses(void)
{
	struct place first, second;
	begin_new(&first);
	choose(&second);
	check_capture(STDERR_FILENO);
	CHECK_INT(begin(&second), EXIT_TRY_LATER);
	journal_fini(&second.journal);
	CHECK_INT(database_run(&first.journal.desk->spool.database, "PRAGMA user_version=7"),
		DATABASE_OK);
	journal_fini(&first.journal);
	CHECK_INT(begin(&second), EXIT_CONFIG);
	journal_fini(&second.journal);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "spool.db: another process delivers from it\n");
	CHECK_HAS(said, "spool.db: it is a spool of another version\n");
	free(said);
}

static void
acks_fail(void)
{
	struct place place;
	struct journal *journal = &place.journal;
	choose(&place);
	make_directories(&place);
	snprintf(place.acks, sizeof place.acks, "%s/no/such/acks", check_dir());
	check_capture(STDERR_FILENO);
	CHECK_INT(begin(&place), 0);
	spools_journal_add(journal, "s", 1, '-', S);
	for (uint64_t at = 1; at <= 3; at++)
		journal_keep(journal, 0, at * S);
	CHECK_U64(journal_stored(journal), 1);
	snprintf(place.acks, sizeof place.acks, "%s/acks", check_dir());
	journal_keep(journal, 0, 5 * S);
	CHECK_INT(spools_acknowledged(place.acks, NULL), 1);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_U64(check_occurrences(said,
			  "No such file or directory: events are stored but not acknowledged\n"),
		1);
	CHECK_U64(check_occurrences(said, "acks: can be written again\n"), 1);
	free(said);
	journal_fini(journal);
}

#define STANDS "SELECT event_id FROM condition WHERE closed_ns IS NULL"

static void
is_removed_while_acks_fail(void)
{
	struct place place;
	struct journal *journal = &place.journal;
	begin_new(&place);
	spools_journal_add(journal, "s", 1, '+', S);
	journal_keep(journal, 0, S);
	CHECK_INT(spools_acknowledged(place.acks, NULL), 1);

	snprintf(place.acks, sizeof place.acks, "%s/no/such/acks", check_dir());
	check_capture(STDERR_FILENO);
	spools_journal_add(journal, "s", 2, 'F', 2 * S);
	journal_keep(journal, 0, 2 * S);
	/* Every sink has them. */
	journal_drop_stored(journal, journal_last(journal));
	CHECK_INT(unlink(place.spool), 0);
	char *other = spools_line_new("'source':'s','seq':3,'checkName':'d','isHealthy':true");
	spools_journal_add_line(journal, other, 3 * S);
	journal_keep(journal, 0, 3 * S);
	CHECK_U64(journal->opened, 2);
	CHECK_STR(spools_journal_read(journal, 0), "3");
	CHECK_STR(spools_text(journal->desk->spool.database.db, STANDS), "s-2");
	journal_fini(journal);

	/* The acks file is older than the spool until it can be written. */
	snprintf(place.acks, sizeof place.acks, "%s/acks", check_dir());
	CHECK_INT(begin(&place), 0);
	CHECK_STR(spools_text(journal->desk->spool.database.db, STANDS), "s-2");
	journal_keep(journal, 0, 4 * S);
	struct acks acks;
	CHECK_INT(acks_read(&acks, place.acks), 0);
	CHECK(json_integer_value(json_object_get(acks.standing, "serial")) >
		(json_int_t)journal->desk->spool.restored);
	CHECK(journal->desk->spool.restored > 0);
	acks_fini(&acks);
	journal_fini(journal);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_U64(check_occurrences(said, "acknowledged events missing from the spool: "), 2);
	free(said);
}

static const struct check_test tests[] = {
	{"a spool that cannot be opened is opened later, and stores the events since", comes_later},
	{"a spool with events stores the later ones behind them", comes_later_with_events},
	{"events that a full disk does not accept are kept until it does", is_full},
	{"a broken spool is moved aside, and emit continues with a new one", breaks},
	{"a spool that breaks while open is salvaged while open", breaks_in_use},
	{"a file that is no spool is moved aside", is_no_spool},
	{"a spool of another process or version is left alone", is_somebody_elses},
	{"an acks file that cannot be written is written later", acks_fail},
	{"while the acks cannot be written a new spool gets the latest standing conditions, and "
	 "keeps them",
		is_removed_while_acks_fail},
};
CHECK_MAIN(tests)
