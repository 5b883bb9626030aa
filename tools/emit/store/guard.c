/* guard - a database's files, watched while they are open. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "guard.h"

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

/* A file stands in the memory of SQLite's own, `real`, with this after it. */
struct watched {
	const sqlite3_io_methods *real;
	const char *path;
	sqlite3_int64 end;        /* it was as long as this, or longer, when it was last written */
	sqlite3_int64 index;      /* the same of the index beside it; 0: there is none yet */
	bool is_torn;             /* its index has been cut short under our hands */
	bool is_unsynced;         /* a sync has failed, of it or of its log */
	int error;                /* errno of what has failed last, of it or of its log */
	struct watched *database; /* of a log: whose it is; else itself */
	sqlite3 *db;              /* what is interrupted by guard_limit() */
	guard_is_over *is_over;   /* NULL: nothing is */
	void *context;
};

/* The system's own; what we do otherwise; and its methods with some of ours, for databases and
 * for logs, which it has of its own each. */
static sqlite3_vfs *below;
static sqlite3_vfs guarded;
static size_t own_bytes; /* of what SQLite keeps of a file, rounded up */
static sqlite3_io_methods methods_of_file, methods_of_log;

static struct watched *
watched_of(sqlite3_file *file)
{
	return (struct watched *)(void *)((char *)file + own_bytes);
}

/* SQLite keeps the reason only where a statement runs, not for a commit that fails. */
static int
noting_error(struct watched *watched, int code)
{
	if (code != SQLITE_OK && code != SQLITE_IOERR_SHORT_READ)
		watched->database->error = errno;
	return code;
}

/* --- the index in memory --- */

/* A part of an index. Each is for some 4000 pages of a log, so this is enough for 16 GiB of
 * them; what is beyond is not guarded. */
struct region {
	const char *address;
	size_t bytes;
	struct watched *file;
};
static struct region regions[1024];
static size_t region_count;
static size_t page_bytes;

/* A page that is no longer in the file becomes one of zeros, and the database is used no more.
 * Any other SIGBUS ends the process as ever. */
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
	if (region_count < sizeof regions / sizeof *regions)
		regions[region_count++] = (struct region){address, bytes, file};
}

/* Maps a part more than SQLite wants, which nobody uses. Who opens a database whose index was cut
 * makes it longer again, with zeros, and only as long as he needs it: so it stays shorter than it
 * was. How long it is to be from now on. */
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

/* How long the file at a path is; -1: it is not there. What cannot be asked is taken to be
 * whole. */
static sqlite3_int64
length_of(const char *path)
{
	struct stat status;
	if (stat(path, &status) == 0)
		return (sqlite3_int64)status.st_size;
	return errno == ENOENT ? -1 : INT64_MAX;
}

/* How long the index is that is mapped. */
static sqlite3_int64
length_of_index(const struct watched *database)
{
	char path[4096];
	snprintf(path, sizeof path, "%s-shm", database->path);
	return length_of(path);
}

/* True when the database can be used no more. An index that ends within a page has zeros behind its
 * end there, without a SIGBUS: what the log has is then not found, and older pages are taken for
 * the latest. So its length is looked at whenever something is read or written. */
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

/* A checkpoint that has found nothing in an index of zeros must not come to its end. */
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

/* Databases and their logs are watched; temporary files are what they are. */
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

/* --- looking --- */

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
