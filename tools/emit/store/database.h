/* database - the spool's file: opened, checked, locked, moved aside when it is broken; and what
 * SQLite's answers mean for us. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_DATABASE_H
#define EMIT_DATABASE_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The path of a database that ends with the process. */
#define DATABASE_IN_MEMORY ":memory:"

/* Some 200 MB of a disk that is not slow. Damage in the rest is found when it is read. */
#define DATABASE_CHECK_NS UINT64_C(1000000000)

enum database_status {
	DATABASE_OK,
	/* no room, no permission, no directory, an I/O error: it may work later */
	DATABASE_UNAVAILABLE,
	DATABASE_CORRUPT, /* what is in the file cannot be used */
	DATABASE_BUSY,    /* another process delivers from it */
	/* it is another program's database, or of a later version: not to be touched */
	DATABASE_FOREIGN,
	DATABASE_REFUSED, /* another user has written it, or may write to it (ownfile) */
	DATABASE_LATE,    /* it has not answered yet: see desk.h */
	/* somebody has cut short or taken away what belongs to it: it is closed, and can be
	 * opened again */
	DATABASE_HARMED,
};

struct database {
	const char *path;  /* or DATABASE_IN_MEMORY */
	sqlite3 *db;       /* NULL: not open */
	int lock_fd;       /* -1: not locked */
	char problem[256]; /* of the last call that was not OK */
	uint64_t check_ns; /* for how long opening may look for damage: DATABASE_CHECK_NS */
	bool is_unchecked; /* that was not enough when it was last opened */
};

/* Nothing is opened yet. `path` is kept, not copied. */
void database_init(struct database *database, const char *path);

/* Locks and opens the file, making it and its directory (the last one of the path, mode 0750) if
 * need be; an empty one gets its tables. */
enum database_status database_open(struct database *database);

/* Looks whether the files are what they were when we last wrote to them. HARMED, with the problem,
 * when what belongs to the database is not: it is to be closed. CORRUPT when it is the database
 * itself. What can still be saved of the log is. */
enum database_status database_look(struct database *database);

/* True when the open file is no longer at its path. */
bool database_is_removed(struct database *database);

/* Closes the file; the lock stays. */
void database_close(struct database *database);

/* Closes the file and renames it, and what belongs to it, to FILE.corrupt-YYYYMMDDTHHMMSSZ;
 * `aside`, of `size` bytes, becomes that name. 0, or -1 with errno. */
int database_move_aside(struct database *database, uint64_t realtime_ns, char *aside, size_t size);

/* What a result code of SQLite means; fills `problem` unless it is OK. SQLITE_ROW and SQLITE_DONE
 * are OK. */
enum database_status database_status_of(struct database *database, int code);

/* Statements without results. With `durable`, what is committed from now on is on the disk when the
 * commit returns; without, a crash of the machine may take it back, a crash of the process
 * cannot. */
enum database_status database_run(struct database *database, const char *sql);
enum database_status database_begin(struct database *database, bool durable);

/* Ends a transaction: `status`, of what was done in it, OK: commits it; else, or when that fails,
 * takes it back. Returns how it went. */
enum database_status database_end(struct database *database, enum database_status status);

/* Takes back what is not committed. */
void database_rollback(struct database *database);

/* The number in the first column of the first row; `*out` stays as it is when there is none. */
enum database_status database_read_number(
	struct database *database, const char *sql, uint64_t *out);

/* Closes everything. */
void database_fini(struct database *database);

#endif
