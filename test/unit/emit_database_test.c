/* Unit tests of emit's database: opening the spool's file, and other files in its place. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "spools.h"

#include "../../tools/emit/store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* How many of the next syncs fail with EIO. */
static int bad_syncs;

int
fdatasync(int fd)
{
	if (bad_syncs == 0)
		return (int)syscall(SYS_fdatasync, fd);
	bad_syncs--;
	errno = EIO;
	return -1;
}

static enum database_status
open_and_close(const char *path, char *problem, size_t size)
{
	struct database database;
	database_init(&database, path);
	enum database_status status = database_open(&database);
	snprintf(problem, size, "%s", database.problem);
	CHECK_INT(database.db != NULL, status == DATABASE_OK);
	database_fini(&database);
	CHECK(database.db == NULL && database.lock_fd == -1);
	return status;
}

static void
makes_a_file(void)
{
	struct database database;
	struct stat status;
	char path[400];
	snprintf(path, sizeof path, "%s", spools_path("made/spool.db"));
	database_init(&database, path);
	CHECK_INT(database_open(&database), DATABASE_OK);
	CHECK_U64(spools_number(database.db, "PRAGMA application_id"), SCHEMA_APPLICATION_ID);
	CHECK_U64(spools_number(database.db, "PRAGMA user_version"), SCHEMA_VERSION);
	CHECK_U64(spools_number(database.db, "PRAGMA auto_vacuum"), 2);
	CHECK_STR(spools_text(database.db, "PRAGMA journal_mode"), "wal");
	CHECK_STR(spools_text(database.db,
			  "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"),
		"condition dead_letter doubt event meta sink source sqlite_sequence");
	CHECK_INT(stat(spools_path("made"), &status), 0);
	CHECK_INT(status.st_mode & 0027, 0);
	database_fini(&database);

	/* Open it again. */
	char problem[300];
	CHECK_INT(open_and_close(path, problem, sizeof problem), DATABASE_OK);
	/* An empty file counts as none. */
	CHECK_INT(open_and_close(check_file("empty.db", ""), problem, sizeof problem), DATABASE_OK);
	CHECK_INT(open_and_close(DATABASE_IN_MEMORY, problem, sizeof problem), DATABASE_OK);
	/* A symbolic link on the way is allowed, as /var/run is one. */
	CHECK_INT(symlink("made", spools_path("link")), 0);
	CHECK_INT(
		open_and_close(spools_path("link/spool.db"), problem, sizeof problem), DATABASE_OK);
	CHECK(access(DATABASE_IN_MEMORY ".lock", F_OK) < 0);
}

static void
make_database(const char *path, const char *sql)
{
	sqlite3 *db;
	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void
leaves_alone(void)
{
	static const struct {
		const char *name, *sql, *problem;
	} rows[] = {
		{"foreign", "CREATE TABLE theirs (a)", "it is a database, but not a spool"},
		{"named", "PRAGMA application_id=7", "it is a database, but not a spool"},
		{"later",
			"CREATE TABLE event (a); PRAGMA application_id=1313361267; PRAGMA "
			"user_version=2",
			"it is a spool of another version"},
		{"earlier", "CREATE TABLE event (a); PRAGMA application_id=1313361267",
			"it is a spool of another version"},
	};
	CHECK_INT(SCHEMA_APPLICATION_ID, 1313361267);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char path[400], problem[300], before[20000], after[20000];
		snprintf(path, sizeof path, "%s", spools_path(rows[i].name));
		check_row("%s", rows[i].name);
		make_database(path, rows[i].sql);
		int fd = open(path, O_RDONLY);
		ssize_t length = read(fd, before, sizeof before);
		CHECK(length > 0 && length < (ssize_t)sizeof before);
		CHECK_INT(open_and_close(path, problem, sizeof problem), DATABASE_FOREIGN);
		CHECK_STR(problem, rows[i].problem);
		/* Not a byte has changed. */
		CHECK_INT(pread(fd, after, sizeof after, 0), length);
		CHECK(memcmp(before, after, (size_t)length) == 0);
		close(fd);
	}
}

static void
finds_damage(void)
{
	char path[400], problem[300], *noise = check_repeat_new('x', 5000);
	CHECK_INT(open_and_close(
			  check_file("text", "{\"kind\":\"event\"}\n"), problem, sizeof problem),
		DATABASE_CORRUPT);
	CHECK_HAS(problem, "not a database");
	CHECK_INT(open_and_close(check_file("noise", noise), problem, sizeof problem),
		DATABASE_CORRUPT);

	/* A page in the middle. */
	struct spool spool;
	snprintf(path, sizeof path, "%s", spools_path("spool.db"));
	spools_open(&spool, path);
	char *severities = check_repeat_new('F', 500);
	spools_add(&spool, severities, 1);
	free(severities);
	spool_fini(&spool);
	int fd = open(path, O_WRONLY);
	CHECK_INT(pwrite(fd, noise, 4096, (off_t)20 * 4096), 4096);
	CHECK_INT(open_and_close(path, problem, sizeof problem), DATABASE_CORRUPT);
	CHECK(*problem != '\0');
	/* Cut short. */
	CHECK_INT(ftruncate(fd, (off_t)10 * 4096), 0);
	CHECK_INT(open_and_close(path, problem, sizeof problem), DATABASE_CORRUPT);
	close(fd);
	free(noise);
}

static void
checks_in_time(void)
{
	struct database database;
	char path[400], *noise = check_repeat_new('x', 4096);
	snprintf(path, sizeof path, "%s", spools_path("spool.db"));
	struct spool spool;
	spools_open(&spool, path);
	CHECK(!spool.database.is_unchecked);
	char *severities = check_repeat_new('F', 3000);
	spools_add(&spool, severities, 1);
	free(severities);
	spool_fini(&spool);

	database_init(&database, path);
	database.check_ns = 0;
	CHECK_INT(database_open(&database), DATABASE_OK);
	CHECK(database.is_unchecked);
	CHECK_U64(spools_number(database.db, "SELECT count(*) FROM event"), 3000);
	/* Later statements are not interrupted. */
	CHECK_STR(spools_text(database.db, "PRAGMA integrity_check"), "ok");
	database_fini(&database);
	/* With enough time the same file is checked to its end, and damage there is found. */
	int fd = open(path, O_WRONLY);
	CHECK_INT(pwrite(fd, noise, 4096, (off_t)100 * 4096), 4096);
	close(fd);
	database_init(&database, path);
	database.check_ns = 0;
	CHECK_INT(database_open(&database), DATABASE_OK);
	database_fini(&database);
	database_init(&database, path);
	CHECK_INT(database_open(&database), DATABASE_CORRUPT);
	database_fini(&database);
	free(noise);
}

static void
says_why_not(void)
{
	char problem[300];
	CHECK_INT(open_and_close(spools_path("no/such/spool.db"), problem, sizeof problem),
		DATABASE_UNAVAILABLE);
	CHECK_STR(problem, "No such file or directory");
	CHECK_INT(mkdir(spools_path("directory"), 0700), 0);
	CHECK_INT(open_and_close(spools_path("directory"), problem, sizeof problem),
		DATABASE_UNAVAILABLE);
	CHECK(*problem != '\0');
	check_file("file", "");
	CHECK_INT(open_and_close(spools_path("file/spool.db"), problem, sizeof problem),
		DATABASE_UNAVAILABLE);
	CHECK_STR(problem, "Not a directory");
}

static void
is_locked(void)
{
	struct database first, second;
	int status;
	char path[400];
	snprintf(path, sizeof path, "%s", spools_path("spool.db"));
	database_init(&first, path);
	CHECK_INT(database_open(&first), DATABASE_OK);
	pid_t pid = fork();
	if (pid == 0) {
		/* A forked child does not own the lock. */
		database_init(&second, path);
		_exit((int)database_open(&second));
	}
	CHECK(waitpid(pid, &status, 0) == pid);
	CHECK_INT(WEXITSTATUS(status), DATABASE_BUSY);
	database_init(&second, path);
	CHECK_INT(database_open(&second), DATABASE_BUSY);
	CHECK_STR(second.problem, "another process delivers from it");
	/* Closing the database keeps the lock. */
	database_close(&first);
	CHECK_INT(database_open(&second), DATABASE_BUSY);
	CHECK_INT(database_open(&first), DATABASE_OK);
	database_fini(&first);
	CHECK_INT(database_open(&second), DATABASE_OK);
	database_fini(&second);
}

/* The log's index is truncated between two statements: reads fail, and no wrong data is written. */
static void
survives_a_torn_index(void)
{
	static const char *const statements[] = {
		"SELECT count(*) FROM meta",
		"INSERT INTO meta VALUES ('c', 'd')",
		"PRAGMA wal_checkpoint(TRUNCATE)",
	};
	for (size_t i = 0; i < CHECK_COUNT(statements); i++) {
		/* All of it, or all but the page with the header. */
		for (off_t left = 0; left <= 4096; left += 4096) {
			struct database database;
			char path[400];
			snprintf(path, sizeof path, "%s", spools_path("torn.db"));
			check_row("%s, %d left", statements[i], (int)left);
			unlink(path);
			database_init(&database, path);
			CHECK_INT(database_open(&database), DATABASE_OK);
			CHECK_INT(database_run(&database, "INSERT INTO meta VALUES ('a', 'b')"),
				DATABASE_OK);
			CHECK_INT(database_look(&database), DATABASE_OK);
			CHECK_INT(truncate(spools_path("torn.db-shm"), left), 0);
			/* A statement that does not need the log's index may succeed. */
			enum database_status status = database_run(&database, statements[i]);
			CHECK(status == DATABASE_OK || status == DATABASE_UNAVAILABLE);
			CHECK_INT(database_look(&database), DATABASE_HARMED);
			CHECK_STR(database.problem, "its -shm file was cut short");
			database_close(&database);
			CHECK_INT(database_open(&database), DATABASE_OK);
			CHECK_STR(spools_text(database.db, "PRAGMA integrity_check"), "ok");
			CHECK_STR(
				spools_text(database.db, "SELECT value FROM meta WHERE name = 'a'"),
				"b");
			database_fini(&database);
		}
	}
}

/* How many rows have this value, cannot be read, or have another value. */
struct rows {
	int as_written, unreadable, other;
};

static struct rows
read_each_row(sqlite3 *db, int count, const char *value)
{
	struct rows rows = {0};
	for (int i = 1; i <= count; i++) {
		char sql[100];
		sqlite3_stmt *statement = NULL;
		snprintf(
			sql, sizeof sql, "SELECT substr(value, 1, 3) FROM meta WHERE name = %d", i);
		if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
			sqlite3_step(statement) != SQLITE_ROW)
			rows.unreadable++;
		else if (strcmp((const char *)sqlite3_column_text(statement, 0), value) == 0)
			rows.as_written++;
		else
			rows.other++;
		sqlite3_finalize(statement);
	}
	return rows;
}

/* Behind its end within a page a truncated index reads as zeros, without SIGBUS: entries of the log
 * would not be found. */
static void
reads_no_old_page(void)
{
	enum { ROWS = 300 };
	/* The hash table of an index is its second half. */
	for (off_t left = 16385; left < 32768; left += 1111) {
		struct database database;
		char path[400];
		snprintf(path, sizeof path, "%s", spools_path("cut.db"));
		check_row("%d left", (int)left);
		unlink(path);
		database_init(&database, path);
		CHECK_INT(database_open(&database), DATABASE_OK);
		CHECK_INT(database_run(&database, "PRAGMA cache_size = 1"), DATABASE_OK);
		CHECK_INT(database_run(&database,
				  "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
				  "WHERE i < 300) INSERT INTO meta "
				  "SELECT i, 'old' || hex(zeroblob(1500)) FROM n"),
			DATABASE_OK);
		CHECK_INT(database_run(&database, "PRAGMA wal_checkpoint(TRUNCATE)"), DATABASE_OK);
		CHECK_INT(database_run(
				  &database, "UPDATE meta SET value = 'new' || substr(value, 4)"),
			DATABASE_OK);
		CHECK_INT(read_each_row(database.db, ROWS, "new").as_written, ROWS);
		CHECK_INT(truncate(spools_path("cut.db-shm"), left), 0);
		struct rows rows = read_each_row(database.db, ROWS, "new");
		CHECK_INT(rows.other, 0);
		CHECK(rows.unreadable > 0);
		CHECK(database_run(&database, "UPDATE meta SET value = 'bad'") != DATABASE_OK);
		CHECK_INT(database_look(&database), DATABASE_HARMED);
		database_close(&database);
		CHECK_INT(database_open(&database), DATABASE_OK);
		CHECK_STR(spools_text(database.db, "PRAGMA integrity_check"), "ok");
		CHECK_INT(read_each_row(database.db, ROWS, "new").as_written, ROWS);
		database_fini(&database);
	}
}

/* Add a row, durably or not. */
static enum database_status
add_row(struct database *database, const char *name, bool durable)
{
	char sql[100];
	snprintf(sql, sizeof sql, "INSERT INTO meta VALUES ('%s', '')", name);
	enum database_status status = database_begin(database, durable);
	if (status == DATABASE_OK)
		status = database_run(database, sql);
	return database_end(database, status);
}

/* Return how many rows the file has without its log, which a crash of the machine may destroy. */
static uint64_t
rows_without_log(const char *path)
{
	char uri[500];
	sqlite3 *db;
	snprintf(uri, sizeof uri, "file:%s?immutable=1", path);
	CHECK_INT(
		sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL), SQLITE_OK);
	uint64_t count = spools_number(db, "SELECT count(*) FROM meta");
	sqlite3_close(db);
	return count;
}

static void
fills_holes(void)
{
	struct database database;
	char path[400];
	snprintf(path, sizeof path, "%s", spools_path("holes.db"));
	database_init(&database, path);
	CHECK_INT(database_open(&database), DATABASE_OK);
	CHECK_INT(database_run(&database, "PRAGMA wal_checkpoint(TRUNCATE)"), DATABASE_OK);
	CHECK_INT(add_row(&database, "a", false), DATABASE_OK);
	bad_syncs = 3;
	CHECK_INT(add_row(&database, "b", true), DATABASE_UNAVAILABLE);
	CHECK_STR(database.problem, "disk I/O error: Input/output error");
	/* A failed rewrite is tried again. */
	CHECK_INT(add_row(&database, "b", true), DATABASE_UNAVAILABLE);
	CHECK_INT(add_row(&database, "b", true), DATABASE_UNAVAILABLE);
	CHECK_U64(rows_without_log(path), 0);
	CHECK_INT(bad_syncs, 0);
	CHECK_INT(add_row(&database, "b", true), DATABASE_OK);
	CHECK_U64(rows_without_log(path), 1);
	/* Once is enough. */
	CHECK_INT(add_row(&database, "c", true), DATABASE_OK);
	CHECK_U64(rows_without_log(path), 1);
	database_fini(&database);
	CHECK_U64(rows_without_log(path), 3);
}

static void
moves_aside(void)
{
	struct database database;
	char path[400], aside[500], expected[500];
	snprintf(path, sizeof path, "%s", spools_path("spool.db"));
	snprintf(expected, sizeof expected, "%s.corrupt-20260102T030405Z", path);
	database_init(&database, path);
	CHECK_INT(database_open(&database), DATABASE_OK);
	CHECK_INT(database_run(&database, "INSERT INTO meta VALUES ('a', 'b')"), DATABASE_OK);
	CHECK_INT(database_move_aside(&database, UINT64_C(1767323045678901000), aside, 10), -1);
	CHECK_INT(errno, ENAMETOOLONG);
	CHECK_INT(database_open(&database), DATABASE_OK);
	CHECK_INT(
		database_move_aside(&database, UINT64_C(1767323045678901000), aside, sizeof aside),
		0);
	CHECK_STR(aside, expected);
	CHECK(database.db == NULL && access(path, F_OK) < 0);
	/* The lock is still held, and a new file replaces the old one. */
	CHECK(database.lock_fd >= 0);
	CHECK_INT(database_open(&database), DATABASE_OK);
	CHECK_U64(spools_number(database.db, "SELECT count(*) FROM meta"), 0);
	database_fini(&database);
	sqlite3 *db;
	CHECK_INT(sqlite3_open(aside, &db), SQLITE_OK);
	CHECK_STR(spools_text(db, "SELECT value FROM meta"), "b");
	sqlite3_close(db);
	/* A missing file cannot be moved. */
	database_init(&database, spools_path("nothing"));
	CHECK_INT(database_move_aside(&database, 0, aside, sizeof aside), -1);
	CHECK_INT(errno, ENOENT);
	database_fini(&database);
}

static void
transactions(void)
{
	struct database database;
	database_init(&database, DATABASE_IN_MEMORY);
	database_rollback(&database);
	CHECK_INT(database_open(&database), DATABASE_OK);
	CHECK_INT(database_begin(&database, true), DATABASE_OK);
	CHECK_U64(spools_number(database.db, "PRAGMA synchronous"), 2);
	CHECK_INT(database_run(&database, "INSERT INTO meta VALUES ('a', 1)"), DATABASE_OK);
	database_rollback(&database);
	database_rollback(&database);
	CHECK_U64(spools_number(database.db, "SELECT count(*) FROM meta"), 0);
	CHECK_INT(database_begin(&database, false), DATABASE_OK);
	CHECK_U64(spools_number(database.db, "PRAGMA synchronous"), 1);
	CHECK_INT(database_run(&database, "INSERT INTO meta VALUES ('a', 1)"), DATABASE_OK);
	CHECK_INT(database_end(&database, DATABASE_OK), DATABASE_OK);
	CHECK_INT(database_run(&database, "INSERT INTO meta VALUES ('a', 2)"), DATABASE_CORRUPT);
	CHECK_INT(database_run(&database, "no SQL"), DATABASE_CORRUPT);
	CHECK_HAS(database.problem, "syntax error");
	CHECK_U64(spools_number(database.db, "SELECT value FROM meta"), 1);
	database_fini(&database);
}

static void
judges(void)
{
	static const struct {
		int code;
		enum database_status status;
	} rows[] = {
		{SQLITE_OK, DATABASE_OK},
		{SQLITE_ROW, DATABASE_OK},
		{SQLITE_DONE, DATABASE_OK},
		{SQLITE_CORRUPT, DATABASE_CORRUPT},
		{SQLITE_CORRUPT_INDEX, DATABASE_CORRUPT},
		{SQLITE_NOTADB, DATABASE_CORRUPT},
		{SQLITE_ERROR, DATABASE_CORRUPT},
		{SQLITE_CONSTRAINT_UNIQUE, DATABASE_CORRUPT},
		{SQLITE_FULL, DATABASE_UNAVAILABLE},
		{SQLITE_IOERR_WRITE, DATABASE_UNAVAILABLE},
		{SQLITE_READONLY, DATABASE_UNAVAILABLE},
		{SQLITE_CANTOPEN, DATABASE_UNAVAILABLE},
		{SQLITE_BUSY, DATABASE_UNAVAILABLE},
		{SQLITE_NOMEM, DATABASE_UNAVAILABLE},
	};
	struct database database;
	database_init(&database, DATABASE_IN_MEMORY);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%d", rows[i].code);
		*database.problem = '\0';
		CHECK_INT(database_status_of(&database, rows[i].code), rows[i].status);
		CHECK_INT(*database.problem == '\0', rows[i].status == DATABASE_OK);
	}
	database_fini(&database);
}

static const struct check_test tests[] = {
	{"a spool is created with its directory, and opened again", makes_a_file},
	{"a foreign file or a spool of another version is not changed by a byte", leaves_alone},
	{"a damaged file, or one that is no database, is detected", finds_damage},
	{"an integrity check stops in time, and the spool counts as unchecked", checks_in_time},
	{"a spool that cannot be opened reports why", says_why_not},
	{"only one process can open a spool", is_locked},
	{"truncating the log's index at any time neither crashes nor loses data",
		survives_a_torn_index},
	{"a log's index truncated within a page never gives old data", reads_no_old_page},
	{"after a failed sync the stored events are written again before any new one", fills_holes},
	{"a file is moved aside with its log and index, and the lock stays", moves_aside},
	{"a transaction is committed or rolled back as a whole", transactions},
	{"each result code of SQLite maps to a status", judges},
};
CHECK_MAIN(tests)
