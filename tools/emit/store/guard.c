/* guard - detects damage to a database's files while they are open. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

#include "array.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME "guarded"

/* State per file, stored after SQLite's own `real` in the memory of a sqlite3_file. */
struct watched {
	const sqlite3_io_methods *real;
	const char *path;
	sqlite3_int64 end;        /* length after the last write */
	sqlite3_int64 index;      /* length of its -shm; 0: not mapped yet */
	bool is_torn;             /* its -shm was truncated while mapped */
	bool is_unsynced;         /* a sync of it or of its log failed */
	int error;                /* errno of the last failure of it or of its log */
	struct watched *database; /* of a log: its database; else itself */
	sqlite3 *db;              /* to interrupt, see guard_limit() */
	guard_is_over *is_over;   /* NULL: no limit */
	void *context;
};

/* The system's VFS; this one, a copy with another xOpen; and copies of the system's methods for
 * databases and for logs (it has one set for each) with some replaced. */
static sqlite3_vfs *below;
static sqlite3_vfs guarded;
static size_t own_bytes; /* size of the system's file object, rounded up */
static sqlite3_io_methods methods_of_file, methods_of_log;

static struct watched *
watched_of(sqlite3_file *file)
{
	return (struct watched *)(void *)((char *)file + own_bytes);
}

/* Store errno of a failure: SQLite keeps it for a failed statement, but not for a failed commit. */
static int
noting_error(struct watched *watched, int code)
{
	if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
		watched->database->error = errno;
	return code;
}

/* --- the index in memory --- */

/* A mapped region of an index. Each covers about 4000 pages of a log, so 1024 of them cover 16 GiB;
 * the rest is not guarded. */
struct region {
	const char *address;
	size_t bytes;
	struct watched *file;
};
static struct region regions[1024];
static size_t region_count;
static size_t page_bytes;

/* Map a page of zeros in place of a page that is no longer in the file, and mark the database as
 * unusable. Any other SIGBUS ends the process. */
static void
on_bus_error(int signal_number, siginfo_t *info, void *context)
{
	char *at = info->si_addr;
	(void)context;
	for (size_t i = 0; i < region_count && info->si_code == BUS_ADRERR; i++) {
		const struct region *region = &regions[i];
		if (at < region->address || at >= region->address + region->bytes)
			continue;
		region->file->is_torn = true;
		char *page = at - (uintptr_t)at % page_bytes;
		if (mmap(page, page_bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == page)
			return;
	}
	signal(signal_number, SIG_DFL);
	raise(signal_number);
}

static void
note_region(struct watched *file, const char *address, size_t bytes)
{
	for (size_t i = 0; i < region_count; i++) {
		if (regions[i].address == address)
			return;
	}
	if (region_count < ARRAY_COUNT(regions))
		regions[region_count++] = (struct region){address, bytes, file};
}

/* Map one region more than SQLite asked for. A process that opens a database with a truncated index
 * extends the index with zeros, but only as far as it needs, so the file stays shorter than it was.
 * Return the length that the index must keep. */
static sqlite3_int64
map_spare(sqlite3_file *file, int number, int bytes)
{
	void volatile *unused;
	int pages = (int)page_bytes / bytes;
	int spare = number + (pages > 1 ? pages : 1);
	bool is_mapped =
		watched_of(file)->real->xShmMap(file, spare, bytes, 1, &unused) == SQLITE_OK;
	return ((sqlite3_int64)(is_mapped ? spare : number) + 1) * bytes;
}

static int
map_index(sqlite3_file *file, int number, int bytes, int extend, void volatile **out)
{
	struct watched *watched = watched_of(file);
	int code = noting_error(watched, watched->real->xShmMap(file, number, bytes, extend, out));
	if (code != SQLITE_OK || *out == NULL)
		return code;
	note_region(watched, (const char *)*out, (size_t)bytes);
	sqlite3_int64 end = map_spare(file, number, bytes);
	if (end > watched->index)
		watched->index = end;
	return code;
}

static int
unmap_index(sqlite3_file *file, int remove)
{
	struct watched *watched = watched_of(file);
	size_t kept = 0;
	for (size_t i = 0; i < region_count; i++) {
		if (regions[i].file != watched)
			regions[kept++] = regions[i];
	}
	region_count = kept;
	watched->index = 0;
	return watched->real->xShmUnmap(file, remove);
}

/* Return the length of the file at `path`; -1: missing; INT64_MAX if stat(2) fails otherwise:
 * assume that it is whole. */
static sqlite3_int64
length_of(const char *path)
{
	struct stat status;
	if (stat(path, &status) == 0)
		return (sqlite3_int64)status.st_size;
	return errno == ENOENT ? -1 : INT64_MAX;
}

/* Return the length of the file at the path of the index. */
static sqlite3_int64
length_of_index(const struct watched *database)
{
	char path[4096];
	snprintf(path, sizeof path, "%s-shm", database->path);
	return length_of(path);
}

/* Return true if the index was truncated: the database is unusable. The rest of the last page reads
 * as zeros without a SIGBUS; SQLite would then miss pages in the log and use older ones. So the
 * length is checked before each read and write. */
static bool
is_torn(struct watched *database)
{
	int saved_errno = errno;
	if (!database->is_torn && database->index > 0) {
		sqlite3_int64 length = length_of_index(database);
		database->is_torn = length >= 0 && length < database->index;
	}
	errno = saved_errno;
	return database->is_torn;
}

/* --- the files --- */

static int
read_file(sqlite3_file *file, void *bytes, int count, sqlite3_int64 at)
{
	struct watched *watched = watched_of(file);
	struct watched *database = watched->database;
	if (database->is_over != NULL && database->is_over(database->context))
		sqlite3_interrupt(database->db);
	if (is_torn(database))
		return SQLITE_IOERR_READ;
	return noting_error(watched, watched->real->xRead(file, bytes, count, at));
}

static int
write_file(sqlite3_file *file, const void *bytes, int count, sqlite3_int64 at)
{
	struct watched *watched = watched_of(file);
	if (is_torn(watched->database))
		return SQLITE_IOERR_WRITE;
	int code = noting_error(watched, watched->real->xWrite(file, bytes, count, at));
	if (code == SQLITE_OK && at + count > watched->end)
		watched->end = at + count;
	return code;
}

static int
truncate_file(sqlite3_file *file, sqlite3_int64 length)
{
	struct watched *watched = watched_of(file);
	if (is_torn(watched->database))
		return SQLITE_IOERR_TRUNCATE;
	int code = noting_error(watched, watched->real->xTruncate(file, length));
	if (code == SQLITE_OK)
		watched->end = length;
	return code;
}

/* A checkpoint that found nothing in an index of zeros must not succeed. */
static int
sync_file(sqlite3_file *file, int flags)
{
	struct watched *watched = watched_of(file);
	int code = SQLITE_IOERR_FSYNC;
	if (!is_torn(watched->database))
		code = noting_error(watched, watched->real->xSync(file, flags));
	if (code != SQLITE_OK)
		watched->database->is_unsynced = true;
	return code;
}

/* --- opening --- */

static sqlite3_io_methods
methods_over(const sqlite3_io_methods *real)
{
	sqlite3_io_methods methods = *real;
	methods.xRead = read_file;
	methods.xWrite = write_file;
	methods.xTruncate = truncate_file;
	methods.xSync = sync_file;
	methods.xShmMap = map_index;
	methods.xShmUnmap = unmap_index;
	return methods;
}

/* Watch databases and their logs, not temporary files. */
static int
open_file(sqlite3_vfs *vfs, const char *path, sqlite3_file *file, int flags, int *out_flags)
{
	bool is_log = (flags & SQLITE_OPEN_WAL) != 0;
	sqlite3_io_methods *methods = is_log ? &methods_of_log : &methods_of_file;
	(void)vfs;
	int code = below->xOpen(below, path, file, flags, out_flags);
	if (code != SQLITE_OK || (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) == 0)
		return code;
	struct watched *watched = watched_of(file);
	*watched = (struct watched){.real = file->pMethods, .path = path, .database = watched};
	if (is_log)
		watched->database = watched_of(sqlite3_database_file_object(path));
	if (file->pMethods->xFileSize(file, &watched->end) != SQLITE_OK)
		watched->end = 0;
	*methods = methods_over(file->pMethods);
	file->pMethods = methods;
	return code;
}

static void
begin(void)
{
	struct sigaction action = {.sa_sigaction = on_bus_error, .sa_flags = SA_SIGINFO};
	page_bytes = (size_t)sysconf(_SC_PAGESIZE);
	below = sqlite3_vfs_find(NULL);
	guarded = *below;
	own_bytes =
		((size_t)below->szOsFile + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
	guarded.zName = NAME;
	guarded.szOsFile = (int)(own_bytes + sizeof(struct watched));
	guarded.pNext = NULL;
	guarded.xOpen = open_file;
	sigemptyset(&action.sa_mask);
	sigaction(SIGBUS, &action, NULL);
}

const char *
guard_vfs(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	if (sqlite3_initialize() != SQLITE_OK)
		return NULL;
	pthread_once(&once, begin);
	return sqlite3_vfs_register(&guarded, 0) == SQLITE_OK ? NAME : NULL;
}

/* --- checking --- */

static struct watched *
opened(sqlite3 *db, int which)
{
	sqlite3_file *file = NULL;
	if (db != NULL)
		sqlite3_file_control(db, "main", which, (void *)&file);
	if (file == NULL ||
		(file->pMethods != &methods_of_file && file->pMethods != &methods_of_log))
		return NULL;
	return watched_of(file);
}

enum guard_harm
guard_look(sqlite3 *db)
{
	const struct watched *file = opened(db, SQLITE_FCNTL_FILE_POINTER);
	const struct watched *log = opened(db, SQLITE_FCNTL_JOURNAL_POINTER);
	if (file == NULL)
		return GUARD_NONE;
	sqlite3_int64 length = length_of(file->path);
	if (length >= 0 && length < file->end)
		return GUARD_FILE_CUT;
	length = log != NULL ? length_of(log->path) : INT64_MAX;
	if (length < 0)
		return GUARD_LOG_GONE;
	if (log != NULL && length < log->end)
		return GUARD_LOG_CUT;
	length = file->index > 0 ? length_of_index(file) : INT64_MAX;
	if (length < 0)
		return GUARD_INDEX_GONE;
	return file->is_torn || length < file->index ? GUARD_INDEX_CUT : GUARD_NONE;
}

int
guard_error(sqlite3 *db)
{
	struct watched *file = opened(db, SQLITE_FCNTL_FILE_POINTER);
	int error = file != NULL ? file->error : 0;
	if (file != NULL)
		file->error = 0;
	return error;
}

bool
guard_is_unsynced(sqlite3 *db)
{
	const struct watched *file = opened(db, SQLITE_FCNTL_FILE_POINTER);
	return file != NULL && file->is_unsynced;
}

void
guard_set_synced(sqlite3 *db)
{
	struct watched *file = opened(db, SQLITE_FCNTL_FILE_POINTER);
	if (file != NULL)
		file->is_unsynced = false;
}

void
guard_limit(sqlite3 *db, guard_is_over *is_over, void *context)
{
	struct watched *file = opened(db, SQLITE_FCNTL_FILE_POINTER);
	if (file == NULL)
		return;
	file->db = db;
	file->is_over = is_over;
	file->context = context;
}
