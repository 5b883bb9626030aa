/* spoolview - read-only access to a spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "spoolview.h"

#include "../emit/store/schema.h"
#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "num.h"
#include "ownfile.h"
#include "strbuf.h"
#include "text.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* How long to wait for a lock of the service, which it holds only for moments. */
#define BUSY_TIMEOUT_MS 5000

/* A writer that ends removes the file that it shares with readers before it removes its log. So
 * look at this interval whether the log goes, this long. */
#define ENDING_LOOK_NS (10 * NUM_NS_PER_MS)
#define ENDING_NS NUM_NS_PER_S

/* Limits of a page: rows, bytes. */
#define PAGE_ROWS 256
#define PAGE_BYTES ((size_t)1 << 20)

/* --- failures --- */

int
spoolview_failure(const struct spoolview *view)
{
	switch (sqlite3_errcode(view->db)) {
	case SQLITE_NOMEM:
		return diag_no_memory();
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		diag_error("%s: locked by another process", view->path);
		return EXIT_TRY_LATER;
	case SQLITE_NOTADB:
		diag_error("%s: not a spool: %s", view->path, sqlite3_errmsg(view->db));
		return EXIT_DATA;
	case SQLITE_CORRUPT:
	case SQLITE_ERROR: /* tables are missing or altered */
		diag_error("%s: the spool is damaged: %s", view->path, sqlite3_errmsg(view->db));
		return EXIT_DATA;
	default:
		diag_error("%s: %s", view->path, sqlite3_errmsg(view->db));
		return EXIT_IO;
	}
}

/* --- opening --- */

/* Return the path as an SQLite URI in which special characters are %NN. NULL when memory ran
 * out. */
static char *
uri_new(const char *path, const char *parameters)
{
	static const char plain[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
	struct strbuf uri = {0};

	/* `./` keeps SQLite from treating a name such as :memory: specially. */
	strbuf_addf(&uri, "%s", *path == '/' ? "file://" : "file:./");
	for (; *path != '\0'; path++) {
		if (strchr(plain, *path) != NULL)
			strbuf_add(&uri, path, 1);
		else
			strbuf_addf(&uri, "%%%02X", (unsigned char)*path);
	}
	strbuf_addf(&uri, "?%s", parameters);
	return strbuf_detach_new(&uri);
}

/* Header of the database. */
struct header {
	int64_t application, version;
	bool is_empty; /* new: no tables and no application id yet */
};

/* Read the header in one transaction, because emit may be creating the database. Return the SQLite
 * result. */
static int
read_header(struct spoolview *view, struct header *header)
{
	static const struct view_values none = {0};
	static const char *const pragmas[] = {"PRAGMA application_id", "PRAGMA user_version"};
	int64_t *const results[] = {&header->application, &header->version};
	int failed = 0, result = sqlite3_exec(view->db, "BEGIN", NULL, NULL, NULL);
	for (size_t i = 0; result == SQLITE_OK && i < 2; i++) {
		sqlite3_stmt *row = spoolview_query(view, pragmas[i], &none);
		if (row != NULL && sqlite3_step(row) == SQLITE_ROW)
			*results[i] = sqlite3_column_int64(row, 0);
		result = sqlite3_finalize(row);
		if (row == NULL)
			result = sqlite3_errcode(view->db);
	}
	header->is_empty =
		result == SQLITE_OK && header->application == 0 && header->version == 0 &&
		spoolview_number(view, "SELECT count(*) FROM sqlite_schema", &none, 1, &failed) ==
			0;
	/* After a failure, COMMIT would reset the error code. */
	if (result == SQLITE_OK)
		sqlite3_exec(view->db, "COMMIT", NULL, NULL, NULL);
	return result;
}

/* Open the database and read its header. Return the SQLite result. */
static int
connect(struct spoolview *view, const char *parameters, struct header *header)
{
	char *uri = uri_new(view->path, parameters);
	if (uri == NULL)
		return SQLITE_NOMEM;
	int result = sqlite3_open_v2(uri, &view->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL);
	free(uri);
	if (result != SQLITE_OK)
		return result;
	sqlite3_busy_timeout(view->db, BUSY_TIMEOUT_MS);
	/* The file may come from anyone: a schema in it must not do more than read the file. */
	sqlite3_db_config(view->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	/* Confined, SQLite cannot create a temporary file to sort many rows. */
	result = sqlite3_exec(view->db, "PRAGMA temp_store=MEMORY", NULL, NULL, NULL);
	return result == SQLITE_OK ? read_header(view, header) : result;
}

/* Return true if the database has a write-ahead log that is not empty. */
static bool
has_log(const char *path)
{
	char *log;
	struct stat status;
	if (asprintf(&log, "%s-wal", path) < 0)
		return false;
	bool found = stat(log, &status) == 0 && status.st_size > 0;
	free(log);
	return found;
}

static int
connect_somehow(struct spoolview *view, struct header *header)
{
	const struct timespec pause = {.tv_nsec = ENDING_LOOK_NS};
	uint64_t until_ns = clock_monotonic_ns() + ENDING_NS;
	bool misses_log;
	for (;;) {
		int result = connect(view, "mode=ro", header);
		if (result != SQLITE_CANTOPEN && result != SQLITE_READONLY)
			return result;
		misses_log = has_log(view->path);
		spoolview_close(view);
		if (!misses_log || clock_monotonic_ns() >= until_ns)
			break;
		nanosleep(&pause, NULL);
	}
	/* Readers and writers share files beside the database. If these can neither be opened nor
	 * created, there is no writer, and the database can be read alone. */
	int result = connect(view, "mode=ro&immutable=1", header);
	if (result == SQLITE_OK && misses_log)
		diag_warn("%s-wal cannot be read without write permission in its directory: "
			  "the latest events are not shown",
			view->path);
	return result;
}

/* Check the type and owner of the file first, because SQLite's messages are unclear. Return 0, or
 * an exit code after a message. */
static int
check_file(const char *path)
{
	struct stat status;
	/* O_NONBLOCK: opening a FIFO must not wait for a writer. */
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0) {
		int code = diag_open_failure(path);
		fd_close(fd);
		return code;
	}
	close(fd);
	if (!S_ISREG(status.st_mode)) {
		diag_error("%s: not a spool: not a regular file", path);
		return EXIT_DATA;
	}
	char reason[OWNFILE_REASON_SIZE];
	if (ownfile_may_show(path, reason))
		return 0;
	diag_error("%s: %s: refusing to read it", path, reason);
	return EXIT_NO_PERMISSION;
}

static int
check_header(const char *path, const struct header *header)
{
	if (header->application != SCHEMA_APPLICATION_ID) {
		diag_error("%s: not a spool of emit", path);
		return EXIT_DATA;
	}
	if (header->version == SCHEMA_VERSION)
		return 0;
	diag_error("%s: a spool of version %" PRId64 "; this %s reads version %d", path,
		header->version, diag_name(), SCHEMA_VERSION);
	return EXIT_DATA;
}

int
spoolview_open_begun(struct spoolview *view, const char *path, bool *is_empty)
{
	struct header header = {0};

	*view = (struct spoolview){.path = path};
	*is_empty = false;
	int status = check_file(path);
	if (status != 0)
		return status;
	if (connect_somehow(view, &header) != SQLITE_OK)
		status = spoolview_failure(view);
	else if (header.is_empty)
		*is_empty = true;
	else
		status = check_header(path, &header);
	if (status != 0 || *is_empty)
		spoolview_close(view);
	return status;
}

int
spoolview_open(struct spoolview *view, const char *path)
{
	bool is_empty;
	int status = spoolview_open_begun(view, path, &is_empty);
	if (status == 0 && is_empty)
		status = check_header(path, &(struct header){.is_empty = true});
	return status;
}

void
spoolview_close(struct spoolview *view)
{
	sqlite3_close(view->db);
	view->db = NULL;
}

/* --- reading --- */

sqlite3_stmt *
spoolview_query(const struct spoolview *view, const char *sql, const struct view_values *values)
{
	sqlite3_stmt *statement = NULL;
	if (sqlite3_prepare_v2(view->db, sql, -1, &statement, NULL) != SQLITE_OK)
		return NULL;
	const int64_t numbers[] = {
		[VIEW_NOW] = (int64_t)values->now_ns,
		[VIEW_SINCE] = (int64_t)values->since_ns,
		[VIEW_AFTER] = values->after,
		[VIEW_LAST] = values->last,
		[VIEW_PORT] = (int64_t)values->port,
	};
	int count = sqlite3_bind_parameter_count(statement);
	for (int i = 1; i <= count && i <= VIEW_PORT; i++) {
		if (i == VIEW_DEVICE || i == VIEW_NODE)
			sqlite3_bind_text(statement, i,
				i == VIEW_NODE ? values->node : values->device, -1, SQLITE_STATIC);
		else
			sqlite3_bind_int64(statement, i, numbers[i]);
	}
	return statement;
}

int64_t
spoolview_number(const struct spoolview *view, const char *sql, const struct view_values *values,
	int64_t otherwise, int *failed)
{
	int64_t number = otherwise;
	sqlite3_stmt *row = spoolview_query(view, sql, values);
	if (row != NULL && sqlite3_step(row) == SQLITE_ROW &&
		sqlite3_column_type(row, 0) != SQLITE_NULL)
		number = sqlite3_column_int64(row, 0);
	if (sqlite3_finalize(row) != SQLITE_OK || row == NULL)
		*failed = spoolview_failure(view);
	return number;
}

const char *
spoolview_text(sqlite3_stmt *row, int column)
{
	return text_or_empty((const char *)sqlite3_column_text(row, column));
}

/* Read rows into an empty page. `*after` becomes the key of its last row. SQLITE_ROW: there may be
 * more rows. */
static int
read_page(sqlite3_stmt *statement, const struct view_reader *reader, bool whole, int64_t *after,
	struct strbuf *page)
{
	FILE *out = strbuf_open(page);
	if (out == NULL)
		return SQLITE_NOMEM;
	if (!whole)
		sqlite3_bind_int64(statement, VIEW_AFTER, *after);
	int result = SQLITE_ROW;
	bool complete = true;
	for (unsigned rows = 0;
		complete && (whole || (rows < PAGE_ROWS && page->length < PAGE_BYTES)); rows++) {
		result = sqlite3_step(statement);
		if (result != SQLITE_ROW)
			break;
		*after = sqlite3_column_int64(statement, 0);
		complete = reader->row(reader->context, statement, out) == 0;
	}
	if (fclose(out) != 0 || !complete)
		result = SQLITE_NOMEM;
	sqlite3_reset(statement);
	return result;
}

int
spoolview_read(const struct spoolview *view, const char *sql, const struct view_values *values,
	const struct view_reader *reader, bool whole)
{
	int64_t after = values->after;
	sqlite3_stmt *statement = spoolview_query(view, sql, values);
	if (statement == NULL)
		return spoolview_failure(view);

	int result = SQLITE_ROW, status = 0;
	while (result == SQLITE_ROW && status == 0) {
		struct strbuf page = {0};
		result = read_page(statement, reader, whole, &after, &page);
		/* Pass on what could be read of a damaged spool. */
		if (result != SQLITE_NOMEM)
			status = reader->page(
				reader->context, page.length > 0 ? page.bytes : "", page.length);
		strbuf_fini(&page);
	}
	if (result == SQLITE_NOMEM) {
		status = diag_no_memory();
	} else if (status == 0 && result != SQLITE_DONE) {
		status = spoolview_failure(view);
	}
	sqlite3_finalize(statement);
	return status;
}
