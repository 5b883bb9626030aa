/* database - the spool's file. */
#include "database.h"

#include "atomfile.h"
#include "clock.h"
#include "num.h"
#include "schema.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long others may keep us waiting: when it is opened, where somebody may be reading what a crash has left in the log; and later, when readers do not lock us out, and
 * who does keeps all sinks waiting. */
#define BUSY_OPENING_MS 2000
#define BUSY_MS 50

void
database_init(struct database *database, const char *path)
{
	*database = (struct database){.path = path, .lock_fd = -1};
}

static enum database_status
failed(struct database *database, enum database_status status, const char *reason)
{
	snprintf(database->problem, sizeof database->problem, "%s", reason);
	return status;
}

enum database_status
database_judge(struct database *database, int code)
{
	switch (code & 0xFF) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return DATABASE_OK;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	/* Tables that are not those that were made, as SCHEMA_VERSION said they were; or an index that does not have all of its table. */
	case SQLITE_ERROR:
	case SQLITE_MISMATCH:
	case SQLITE_CONSTRAINT:
		return failed(database, DATABASE_CORRUPT, sqlite3_errmsg(database->db));
	default:
		break;
	}
	int error = sqlite3_system_errno(database->db);
	if (error == 0 || (code & 0xFF) == SQLITE_FULL)
		return failed(database, DATABASE_UNAVAILABLE, sqlite3_errstr(code));
	snprintf(database->problem, sizeof database->problem, "%s: %s", sqlite3_errstr(code),
		strerror(error));
	return DATABASE_UNAVAILABLE;
}

enum database_status
database_run(struct database *database, const char *sql)
{
	return database_judge(database, sqlite3_exec(database->db, sql, NULL, NULL, NULL));
}

enum database_status
database_begin(struct database *database, bool durable)
{
	enum database_status status = database_run(
		database, durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
	return status == DATABASE_OK ? database_run(database, "BEGIN IMMEDIATE") : status;
}

void
database_rollback(struct database *database)
{
	if (database->db != NULL && !sqlite3_get_autocommit(database->db))
		sqlite3_exec(database->db, "ROLLBACK", NULL, NULL, NULL);
}

enum database_status
database_end(struct database *database, enum database_status status)
{
	if (status == DATABASE_OK)
		status = database_run(database, "COMMIT");
	if (status != DATABASE_OK)
		database_rollback(database);
	return status;
}

enum database_status
database_read_number(struct database *database, const char *sql, uint64_t *out)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(database->db, sql, -1, &statement, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*out = (uint64_t)sqlite3_column_int64(statement, 0);
	enum database_status status = database_judge(database, code);
	sqlite3_finalize(statement);
	return status;
}

/* --- opening --- */

static bool
is_in_memory(const struct database *database)
{
	return strcmp(database->path, DATABASE_IN_MEMORY) == 0;
}

/* The directory of the file, if only it is missing. */
static void
make_directory(const char *path)
{
	const char *slash = strrchr(path, '/');
	if (slash == NULL || slash == path)
		return;
	char *directory = strndup(path, (size_t)(slash - path));
	if (directory != NULL)
		mkdir(directory, 0750);
	free(directory);
}

static enum database_status
lock(struct database *database)
{
	char *path;
	if (database->lock_fd >= 0 || is_in_memory(database))
		return DATABASE_OK;
	if (asprintf(&path, "%s.lock", database->path) < 0)
		return failed(database, DATABASE_UNAVAILABLE, strerror(ENOMEM));
	make_directory(database->path);
	database->lock_fd = atomfile_lock(path);
	free(path);
	if (database->lock_fd >= 0)
		return DATABASE_OK;
	return errno == EWOULDBLOCK
		       ? failed(database, DATABASE_BUSY, "another process delivers from it")
		       : failed(database, DATABASE_UNAVAILABLE, strerror(errno));
}

/* Looks whose it is before anything is changed. */
static enum database_status
identify(struct database *database, bool *is_empty)
{
	uint64_t tables = 0, application = 0, version = 0;
	enum database_status status =
		database_read_number(database, "SELECT count(*) FROM sqlite_schema", &tables);
	if (status == DATABASE_OK)
		status = database_read_number(database, "PRAGMA application_id", &application);
	if (status == DATABASE_OK)
		status = database_read_number(database, "PRAGMA user_version", &version);
	if (status != DATABASE_OK)
		return status;
	*is_empty = tables == 0 && application == 0;
	if (*is_empty)
		return DATABASE_OK;
	if (application != SCHEMA_APPLICATION_ID)
		return failed(database, DATABASE_FOREIGN, "it is a database, but no spool");
	if (version != SCHEMA_VERSION)
		return failed(database, DATABASE_FOREIGN, "it is a spool of another version");
	return DATABASE_OK;
}

static enum database_status
make_tables(struct database *database)
{
	char *sql = sqlite3_mprintf(
		"BEGIN IMMEDIATE; %s PRAGMA application_id=%d; PRAGMA user_version=%d; COMMIT",
		schema_sql, SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	enum database_status status =
		sql != NULL ? database_run(database, sql)
			    : failed(database, DATABASE_UNAVAILABLE, strerror(ENOMEM));
	sqlite3_free(sql);
	return status;
}

/* True when SQLite finds the pages in order. */
static enum database_status
check_pages(struct database *database)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(database->db, "PRAGMA quick_check(1)", -1, &statement, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	enum database_status status = database_judge(database, code);
	if (code == SQLITE_ROW) {
		const char *verdict = (const char *)sqlite3_column_text(statement, 0);
		if (verdict == NULL || strcmp(verdict, "ok") != 0)
			status = failed(database, DATABASE_CORRUPT,
				verdict != NULL ? verdict : "it cannot be checked");
	}
	sqlite3_finalize(statement);
	return status;
}

static enum database_status
set_up(struct database *database)
{
	sqlite3_busy_timeout(database->db, BUSY_OPENING_MS);
	sqlite3_extended_result_codes(database->db, 1);
	sqlite3_db_config(database->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	/* Until it is known to be ours, closing it must leave it as it was, too. */
	sqlite3_db_config(database->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	bool is_empty = false;
	enum database_status status = identify(database, &is_empty);
	if (status != DATABASE_OK)
		return status;
	sqlite3_db_config(database->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	/* Pages that are given back can be cut off (auto_vacuum, before the first table). The file is never mapped: cut short by somebody, it would be a SIGBUS. */
	status = database_run(database,
		"PRAGMA trusted_schema=OFF; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA mmap_size=0; PRAGMA cache_size=-2048;"
		"PRAGMA journal_mode=WAL; PRAGMA journal_size_limit=4194304");
	if (status == DATABASE_OK && is_empty)
		status = make_tables(database);
	return status == DATABASE_OK ? check_pages(database) : status;
}

/* SQLite's own look at this (SQLITE_OPEN_NOFOLLOW) would not have directories be links either. */
static bool
is_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

enum database_status
database_open(struct database *database)
{
	enum database_status status = lock(database);
	if (status != DATABASE_OK)
		return status;
	/* It could not be moved aside, and its log would be elsewhere. */
	if (is_link(database->path))
		return failed(database, DATABASE_UNAVAILABLE, "it is a symbolic link");
	int code = sqlite3_open_v2(database->path, &database->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
			SQLITE_OPEN_EXRESCODE,
		NULL);
	status = code == SQLITE_OK ? set_up(database) : database_judge(database, code);
	if (status != DATABASE_OK)
		database_close(database);
	else
		sqlite3_busy_timeout(database->db, BUSY_MS);
	return status;
}

bool
database_is_removed(struct database *database)
{
	int has_moved = 0;
	return sqlite3_file_control(database->db, NULL, SQLITE_FCNTL_HAS_MOVED, &has_moved) ==
		       SQLITE_OK &&
	       has_moved != 0;
}

void
database_close(struct database *database)
{
	sqlite3_close(database->db);
	database->db = NULL;
}

static int
name_aside(const struct database *database, uint64_t realtime_ns, char *aside, size_t size)
{
	char stamp[CLOCK_STAMP_SIZE];
	clock_format(realtime_ns, stamp);
	int n = snprintf(aside, size, "%s.corrupt-%.4s%.2s%.5s%.2s%.2sZ", database->path, stamp,
		stamp + 5, stamp + 8, stamp + 14, stamp + 17);
	if (n >= 0 && (size_t)n < size)
		return 0;
	errno = ENAMETOOLONG;
	return -1;
}

int
database_move_aside(struct database *database, uint64_t realtime_ns, char *aside, size_t size)
{
	static const char *const parts[] = {"-wal", "-shm", ""};
	char from[4096], to[4096];

	database_close(database);
	/* Two in one second do not take each other's place. */
	do {
		if (name_aside(database, realtime_ns, aside, size) < 0)
			return -1;
		realtime_ns += NUM_NS_PER_S;
	} while (access(aside, F_OK) == 0);
	/* What has not reached the file yet goes with it: SQLite finds it by its name. */
	for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
		snprintf(from, sizeof from, "%s%s", database->path, parts[i]);
		snprintf(to, sizeof to, "%s%s", aside, parts[i]);
		if (rename(from, to) < 0 && (errno != ENOENT || *parts[i] == '\0'))
			return -1;
	}
	return 0;
}

void
database_fini(struct database *database)
{
	database_close(database);
	if (database->lock_fd >= 0)
		close(database->lock_fd);
	database->lock_fd = -1;
}
