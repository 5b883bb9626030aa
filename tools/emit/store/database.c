/* database - the spool's file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "database.h"

#include "array.h"
#include "atomfile.h"
#include "clock.h"
#include "fd.h"
#include "guard.h"
#include "num.h"
#include "ownfile.h"
#include "schema.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long to wait for other processes' locks: on opening, when a reader may be recovering the log
 * after a crash; and later, when readers do not block the writer, and waiting would delay all
 * sinks. */
#define BUSY_OPENING_MS 2000
#define BUSY_MS 50

/* Steps of SQLite's virtual machine between two checks of the time limit: about 100 us. */
#define PROGRESS_STEPS 1000

void
database_init(struct database *database, const char *path)
{
	*database = (struct database){.path = path, .lock_fd = -1, .check_ns = DATABASE_CHECK_NS};
}

static enum database_status
failed(struct database *database, enum database_status status, const char *reason)
{
	snprintf(database->problem, sizeof database->problem, "%s", reason);
	return status;
}

enum database_status
database_status_of(struct database *database, int code)
{
	switch (code & 0xFF) {
	case SQLITE_OK:
	case SQLITE_ROW:
	case SQLITE_DONE:
		return DATABASE_OK;
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	/* The tables are not those of SCHEMA_VERSION, or an index lacks rows of its table. */
	case SQLITE_ERROR:
	case SQLITE_MISMATCH:
	case SQLITE_CONSTRAINT:
		return failed(database, DATABASE_CORRUPT, sqlite3_errmsg(database->db));
	default:
		break;
	}
	/* For other codes sqlite3_errmsg() returns nothing useful, or an earlier error. */
	int error = 0;
	if ((code & 0xFF) == SQLITE_IOERR)
		error = guard_error(database->db);
	if (error == 0 && ((code & 0xFF) == SQLITE_IOERR || (code & 0xFF) == SQLITE_CANTOPEN))
		error = sqlite3_system_errno(database->db);
	if (error == 0)
		return failed(database, DATABASE_UNAVAILABLE, sqlite3_errstr(code));
	snprintf(database->problem, sizeof database->problem, "%s: %s", sqlite3_errstr(code),
		strerror(error));
	return DATABASE_UNAVAILABLE;
}

enum database_status
database_run(struct database *database, const char *sql)
{
	return database_status_of(database, sqlite3_exec(database->db, sql, NULL, NULL, NULL));
}

/* After a failed sync the log may have a hole on the disk, and a crash of the machine would lose
 * the transactions after the hole. So write the log's contents to the file and start a new log. */
static enum database_status
fill_holes(struct database *database)
{
	if (!guard_is_unsynced(database->db))
		return DATABASE_OK;
	int code = sqlite3_wal_checkpoint_v2(
		database->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	if (code == SQLITE_OK)
		guard_set_synced(database->db);
	return database_status_of(database, code);
}

enum database_status
database_begin(struct database *database, bool durable)
{
	enum database_status status = fill_holes(database);
	if (status == DATABASE_OK)
		status = database_run(database,
			durable ? "PRAGMA synchronous=FULL" : "PRAGMA synchronous=NORMAL");
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
	enum database_status status = database_status_of(database, code);
	sqlite3_finalize(statement);
	return status;
}

/* --- opening --- */

static bool
is_in_memory(const struct database *database)
{
	return strcmp(database->path, DATABASE_IN_MEMORY) == 0;
}

/* Create the last directory of the path, if missing. */
static void
make_directory(const char *path)
{
	char *directory = ownfile_directory_new(path);
	if (directory != NULL)
		mkdir(directory, 0750);
	free(directory);
}

const char *const database_beside[] = {".lock", "-wal", "-shm", "-journal", NULL};

/* A user who can write to one of these files can forge or suppress events. */
static enum database_status
check_owner(struct database *database)
{
	char reason[OWNFILE_REASON_SIZE];
	if (is_in_memory(database) || ownfile_may_keep_all(database->path, database_beside, reason))
		return DATABASE_OK;
	return failed(database, DATABASE_REFUSED, reason);
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

/* Check that the file is empty or a spool, before changing it. */
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
		return failed(database, DATABASE_FOREIGN, "it is a database, but not a spool");
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

static enum database_status
add_column(struct database *database, const struct schema_column *column)
{
	uint64_t count = 0;
	char *looked_for =
		sqlite3_mprintf("SELECT count(*) FROM pragma_table_info(%Q) WHERE name = %Q",
			column->table, column->name);
	char *addition = sqlite3_mprintf(
		"ALTER TABLE %s ADD COLUMN %s %s", column->table, column->name, column->definition);
	enum database_status status =
		looked_for != NULL && addition != NULL
			? database_read_number(database, looked_for, &count)
			: failed(database, DATABASE_UNAVAILABLE, strerror(ENOMEM));
	if (status == DATABASE_OK && count == 0)
		status = database_run(database, addition);
	if (status == DATABASE_OK && count == 0 && column->fill != NULL)
		status = database_run(database, column->fill);
	sqlite3_free(looked_for);
	sqlite3_free(addition);
	return status;
}

/* Add the columns, tables and indexes that the emit that created the file did not know. */
static enum database_status
bring_up_to_date(struct database *database)
{
	enum database_status status = database_begin(database, true);
	for (size_t i = 0; i < schema_column_count && status == DATABASE_OK; i++)
		status = add_column(database, &schema_columns[i]);
	if (status == DATABASE_OK)
		status = database_run(database, schema_later_sql);
	return database_end(database, status);
}

struct limit {
	uint64_t until_ns; /* CLOCK_MONOTONIC */
	bool is_reached;   /* the limit has passed, and the check was interrupted */
};

static bool
is_reached(void *context)
{
	struct limit *limit = context;
	limit->is_reached |= clock_monotonic_ns() >= limit->until_ns;
	return limit->is_reached;
}

static int
on_progress(void *context)
{
	return is_reached(context);
}

/* Run SQLite's quick check. */
static enum database_status
read_verdict(struct database *database, const struct limit *limit)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(database->db, "PRAGMA quick_check(1)", -1, &statement, NULL);
	if (code == SQLITE_OK)
		code = sqlite3_step(statement);
	/* An interrupted check reports the pages that it did not reach as unused. */
	bool is_cut = limit->is_reached && code != SQLITE_CORRUPT;
	enum database_status status = is_cut ? DATABASE_OK : database_status_of(database, code);
	if (code == SQLITE_ROW && !is_cut) {
		const char *verdict = (const char *)sqlite3_column_text(statement, 0);
		if (verdict == NULL || strcmp(verdict, "ok") != 0)
			status = failed(database, DATABASE_CORRUPT,
				verdict != NULL ? verdict : "it cannot be checked");
	}
	sqlite3_finalize(statement);
	return status;
}

/* Check the pages until the time limit. OK if no damage was found. */
static enum database_status
check_pages(struct database *database)
{
	struct limit limit = {.until_ns = clock_monotonic_ns() + database->check_ns};
	guard_limit(database->db, is_reached, &limit);
	sqlite3_progress_handler(database->db, PROGRESS_STEPS, on_progress, &limit);
	enum database_status status = read_verdict(database, &limit);
	sqlite3_progress_handler(database->db, 0, NULL, NULL);
	guard_limit(database->db, NULL, NULL);
	database->is_unchecked = limit.is_reached;
	return status;
}

static enum database_status
set_up(struct database *database)
{
	sqlite3_busy_timeout(database->db, BUSY_OPENING_MS);
	sqlite3_extended_result_codes(database->db, 1);
	sqlite3_db_config(database->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	/* Until identify() accepts the file, closing it must not change it by a checkpoint. */
	sqlite3_db_config(database->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	bool is_empty = false;
	enum database_status status = identify(database, &is_empty);
	if (status != DATABASE_OK)
		return status;
	sqlite3_db_config(database->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	/* auto_vacuum has to be set before the first table is created: it allows to cut free pages
	 * off the file. mmap_size=0: access to a mapped file that another process truncates would
	 * raise SIGBUS. */
	status = database_run(database,
		"PRAGMA trusted_schema=OFF; PRAGMA auto_vacuum=INCREMENTAL; PRAGMA mmap_size=0; "
		"PRAGMA cache_size=-2048; PRAGMA temp_store=MEMORY; "
		"PRAGMA journal_mode=WAL; "
		"PRAGMA journal_size_limit=4194304");
	if (status == DATABASE_OK && is_empty)
		status = make_tables(database);
	if (status == DATABASE_OK)
		status = check_pages(database);
	/* A process that crashed may have left holes in the log, see fill_holes(). PASSIVE does not
	 * wait for readers of the old log. */
	if (status == DATABASE_OK)
		sqlite3_wal_checkpoint_v2(
			database->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	return status == DATABASE_OK ? bring_up_to_date(database) : status;
}

/* SQLITE_OPEN_NOFOLLOW would reject links among the directories, too. */
static bool
is_link(const char *path)
{
	struct stat status;
	return lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
}

enum database_status
database_open(struct database *database)
{
	enum database_status status = check_owner(database);
	if (status == DATABASE_OK)
		status = lock(database);
	if (status != DATABASE_OK)
		return status;
	/* A symbolic link could not be moved aside, and SQLite puts the log beside its target. */
	if (is_link(database->path))
		return failed(database, DATABASE_UNAVAILABLE, "it is a symbolic link");
	int code = sqlite3_open_v2(database->path, &database->db,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX |
			SQLITE_OPEN_EXRESCODE,
		guard_vfs());
	status = code == SQLITE_OK ? set_up(database) : database_status_of(database, code);
	/* In a directory like /tmp another user may have created a missing file first. */
	if (status == DATABASE_OK)
		status = check_owner(database);
	if (status != DATABASE_OK)
		database_close(database);
	else
		sqlite3_busy_timeout(database->db, BUSY_MS);
	return status;
}

/* Return true if the file is shorter than its page count says. guard_look() alone is not enough:
 * another program may have truncated the file properly after a checkpoint. */
static bool
is_too_short(struct database *database)
{
	uint64_t bytes = 0;
	struct stat status;
	return database_read_number(database,
		       "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
		       &bytes) != DATABASE_OK ||
	       (stat(database->path, &status) == 0 && (uint64_t)status.st_size < bytes);
}

/* The message of each harm; and whether a checkpoint through the open descriptors can still save
 * the log. Otherwise the log stays for the next opening. */
static const struct {
	const char *what;
	bool can_save;
} harms[] = {
	[GUARD_INDEX_CUT] = {"its -shm file was cut short", false},
	[GUARD_INDEX_GONE] = {"its -shm file was removed", false},
	[GUARD_LOG_CUT] = {"its -wal file was cut short", false},
	[GUARD_LOG_GONE] = {"its -wal file was removed", true},
	[GUARD_FILE_CUT] = {"it was cut short", true},
};

enum database_status
database_look(struct database *database)
{
	enum guard_harm harm = guard_look(database->db);
	if (harm == GUARD_NONE || (harm == GUARD_FILE_CUT && !is_too_short(database)))
		return DATABASE_OK;
	if (harms[harm].can_save)
		sqlite3_wal_checkpoint_v2(
			database->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
	sqlite3_db_config(database->db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	return failed(database, harm == GUARD_FILE_CUT ? DATABASE_CORRUPT : DATABASE_HARMED,
		harms[harm].what);
}

bool
database_is_removed(struct database *database)
{
	int has_moved = 0;
	struct stat status;
	/* SQLite takes a file that stat(2) cannot reach for a moved one, also while a directory
	 * above it is closed or its file system fails. The open file is then still the spool. */
	return sqlite3_file_control(database->db, NULL, SQLITE_FCNTL_HAS_MOVED, &has_moved) ==
		       SQLITE_OK &&
	       has_moved != 0 &&
	       (stat(database->path, &status) == 0 || errno == ENOENT || errno == ENOTDIR);
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
	/* Do not overwrite a file that was moved aside in the same second. */
	do {
		if (name_aside(database, realtime_ns, aside, size) < 0)
			return -1;
		realtime_ns += NUM_NS_PER_S;
	} while (access(aside, F_OK) == 0);
	/* Rename the log, too: SQLite finds it by its name. */
	for (size_t i = 0; i < ARRAY_COUNT(parts); i++) {
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
	fd_close(database->lock_fd);
	database->lock_fd = -1;
}
