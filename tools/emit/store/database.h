/* database - the spool's file: opens, checks, locks and moves it aside when broken; maps SQLite's
 * result codes. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_DATABASE_H
#define EMIT_DATABASE_H

#include "num.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Path of a database in memory. */
#define DATABASE_IN_MEMORY ":memory:"

/* Endings of the files beside a database; NULL ends them. */
extern const char *const database_beside[];

/* Longest check of the pages on opening: about 200 MB on a disk of normal speed. Damage in the rest
 * is found when it is read. */
#define DATABASE_CHECK_NS NUM_NS_PER_S

enum database_status {
	DATABASE_OK,
	/* no space, no permission, no directory, an I/O error: may work later */
	DATABASE_UNAVAILABLE,
	DATABASE_CORRUPT, /* the file's contents are unusable */
	DATABASE_BUSY,    /* another process delivers from it */
	/* database of another program or of another version: do not touch it */
	DATABASE_FOREIGN,
	DATABASE_REFUSED, /* another user owns it or may write to it (ownfile) */
	DATABASE_LATE,    /* no result yet: see desk.h */
	/* another process has truncated or removed its -wal or -shm: close it, then it can be
	 * opened again */
	DATABASE_HARMED,
};

struct database {
	const char *path;  /* or DATABASE_IN_MEMORY */
	sqlite3 *db;       /* NULL: closed */
	int lock_fd;       /* -1: not locked */
	char problem[256]; /* message of the last call that was not OK */
	uint64_t check_ns; /* time limit of the check on opening */
	bool is_unchecked; /* the last opening reached that limit */
};

/* Set up a closed database. `path` is kept, not copied. */
void database_init(struct database *database, const char *path);

/* Lock and open the file. Create it and its directory (the last one of the path, mode 0750) if
 * missing; create the tables in an empty file. */
enum database_status database_open(struct database *database);

/* Check whether the files are still as emit last wrote them. HARMED, with `problem`: the -wal or
 * -shm file is not; CORRUPT: the database itself is not. Then close it. Saves what is possible from
 * the log. */
enum database_status database_look(struct database *database);

/* Return true if the open file is no longer at its path. */
bool database_is_removed(struct database *database);

/* Close the file and keep the lock. */
void database_close(struct database *database);

/* Close the file and rename it, with its -wal and -shm, to FILE.corrupt-YYYYMMDDTHHMMSSZ. Store
 * that name in `aside`, of `size` bytes. Return 0, or -1 with errno. */
int database_move_aside(struct database *database, uint64_t realtime_ns, char *aside, size_t size);

/* Map a result code of SQLite. Fill `problem` unless the result is OK, which includes SQLITE_ROW
 * and SQLITE_DONE. */
enum database_status database_status_of(struct database *database, int code);

/* Run statements without results. database_begin() with `durable`: commits from now on are on the
 * disk when they return; without, a crash of the machine, but not of the process, may undo them. */
enum database_status database_run(struct database *database, const char *sql);
enum database_status database_begin(struct database *database, bool durable);

/* End a transaction: commit it if `status`, the result of its statements, is OK. Roll it back
 * otherwise, or if the commit fails. Return the result. */
enum database_status database_end(struct database *database, enum database_status status);

/* Roll back the open transaction, if any. */
void database_rollback(struct database *database);

/* Read the number in the first column of the first row. `*out` is unchanged if there is no row. */
enum database_status database_read_number(
	struct database *database, const char *sql, uint64_t *out);

/* Close the file and release the lock. */
void database_fini(struct database *database);

#endif
