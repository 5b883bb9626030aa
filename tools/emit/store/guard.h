/* guard - an SQLite VFS that detects when another process truncates or removes a database's files
 * while they are open. Prevents the crash, and writes based on damaged files.
 *
 * SQLite maps the index of its log (FILE-shm) into memory to share it between readers and the
 * writer. If that file is truncated, access to the missing pages raises SIGBUS, and the rest of the
 * last page reads as zeros. The guard maps a page of zeros in place of a missing one, and checks
 * the length of the index before each read and write. It makes the index longer than SQLite needs,
 * because other processes extend a truncated index again. Once the index was truncated, the
 * database can be neither read nor written, because what SQLite finds in the index may be wrong.
 * Close it without a checkpoint and open it again: SQLite rebuilds the index from the log. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_GUARD_H
#define EMIT_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

enum guard_harm {
	GUARD_NONE,
	GUARD_INDEX_CUT,
	GUARD_INDEX_GONE, /* removed from its path */
	GUARD_LOG_CUT,
	GUARD_LOG_GONE,
	/* The database itself. Another program may also have truncated it properly. */
	GUARD_FILE_CUT,
};

/* Return the name of the VFS, for sqlite3_open_v2(); NULL if memory runs out. Installs a handler of
 * SIGBUS, which must not be blocked in threads that use such a database. */
const char *guard_vfs(void);

/* Check the files of a database that was opened with the VFS. Calls stat(2) on each. */
enum guard_harm guard_look(sqlite3 *db);

/* Return the errno of the last failed read, write or sync, and reset it; 0: none failed. */
int guard_error(sqlite3 *db);

/* Return true if a sync has failed. Earlier writes can be read and may never reach the disk, and no
 * later sync fails for them: the kernel reports an error once. */
bool guard_is_unsynced(sqlite3 *db);

/* Note that everything relevant has been written and synced again. */
void guard_set_synced(sqlite3 *db);

/* Return true if the time is over. */
typedef bool guard_is_over(void *context);

/* Interrupt reads of the database when `is_over` returns true; NULL: no longer. SQLite's progress
 * handler is called only between two steps, and checking a whole b-tree is one step. */
void guard_limit(sqlite3 *db, guard_is_over *is_over, void *context);

#endif
