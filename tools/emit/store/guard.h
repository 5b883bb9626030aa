/* guard - a database's files, watched while they are open. When somebody else cuts one short or
 * takes it away, we do not crash, and write nothing that comes of it.
 *
 * SQLite maps the index of its log (FILE-shm) into memory, since that is how readers and the writer
 * work side by side. When that file is cut short, the next access is a SIGBUS, but for the rest of
 * the page in which it ends, which has zeros. The guard puts a page of zeros where there is none,
 * and looks at the length of the index before anything is read or written. It makes the index
 * longer than SQLite needs it, since others make one that was cut longer again. From then on the
 * database can be neither read nor written, because what SQLite finds in such an index may be
 * wrong. The database is to be closed, without a checkpoint, and opened anew: SQLite makes the
 * index again from the log. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef EMIT_GUARD_H
#define EMIT_GUARD_H

#include <sqlite3.h>
#include <stdbool.h>

enum guard_harm {
	GUARD_NONE,
	GUARD_INDEX_CUT,
	GUARD_INDEX_GONE, /* from its place */
	GUARD_LOG_CUT,
	GUARD_LOG_GONE,
	/* The database itself; perhaps only because another program has done so in good order. */
	GUARD_FILE_CUT,
};

/* The name of what opens files that are watched, for sqlite3_open_v2(); takes SIGBUS, which is
 * not to be blocked in a thread that uses such a database. NULL when memory ran out. */
const char *guard_vfs(void);

/* What has become of the files of a database that was opened by it. Asks the file system for
 * each of them. */
enum guard_harm guard_look(sqlite3 *db);

/* errno of the last read, write or sync that failed, which is then forgotten; 0: none has. */
int guard_error(sqlite3 *db);

/* Whether a sync has failed. What had been written until then can be read and may never reach the
 * disk, and no later sync says so: the kernel reports an error once. */
bool guard_is_unsynced(sqlite3 *db);

/* All that counts has been written, and synced, once more. */
void guard_set_synced(sqlite3 *db);

/* Says whether something has gone on for long enough. */
typedef bool guard_is_over(void *context);

/* Until it is called with NULL: interrupts what reads the database once that is over. SQLite asks
 * its progress handler only between two steps, and to check a whole tree of pages is one step. */
void guard_limit(sqlite3 *db, guard_is_over *is_over, void *context);

#endif
