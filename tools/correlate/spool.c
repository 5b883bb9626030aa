/* spool - reads events from emit's spool as they arrive. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "spool.h"

#include "../nichist/spoolview.h"
#include "clock.h"
#include "fd.h"
#include "num.h"
#include "rec.h"

#include <errno.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define RETRY_NS (60 * NUM_NS_PER_S)

static const char read_sql[] =
	"SELECT number, CASE WHEN answered_by = '' THEN record ELSE '' END FROM event"
	" WHERE number > ?4 ORDER BY number";
static const char latest_sql[] = "SELECT max(number) FROM event";

/* emit creates the tables of a new spool first and the newest columns last. */
static const char made_sql[] =
	"SELECT count(*) FROM pragma_table_info('event') WHERE name = 'answered_by'";

/* --- watching --- */

void
spool_init(struct spool *spool, const char *path,
	int (*accept)(void *context, struct sighting *record), void *context)
{
	char directory[PATH_MAX];
	*spool = (struct spool){.path = path,
		.watch_fd = inotify_init1(IN_CLOEXEC | IN_NONBLOCK),
		.accept = accept,
		.context = context};
	if (spool->watch_fd < 0 || strlen(path) >= sizeof directory)
		return;
	/* Without a watch, polling has to do. */
	strcpy(directory, path);
	(void)inotify_add_watch(spool->watch_fd, dirname(directory), IN_MODIFY | IN_MOVED_TO);
}

void
spool_drain(const struct spool *spool)
{
	char events[4096];
	while (spool->watch_fd >= 0 && read(spool->watch_fd, events, sizeof events) > 0)
		;
}

void
spool_fini(struct spool *spool)
{
	fd_close(spool->watch_fd);
}

/* --- reading --- */

/* Format a row as a line: number, blank, record. */
static int
write_row(void *context, sqlite3_stmt *row, FILE *out)
{
	(void)context;
	return fprintf(out, "%" PRId64 " %s\n", (int64_t)sqlite3_column_int64(row, 0),
		       spoolview_text(row, 1)) < 0
		       ? -1
		       : 0;
}

/* Return NULL if the text is not a record. */
static struct sighting *
parse_record_new(const char *text, size_t length)
{
	struct rec_error error;
	struct sighting *record = sighting_read_new(text, length);
	if (record != NULL || length == 0)
		return record;
	/* A number beyond 64 bits, for one. */
	json_t *json = rec_parse_new(text, length, &error);
	record = json != NULL ? sighting_new(json) : NULL;
	json_decref(json);
	return record;
}

/* Skip a row without a record: the event was answered before its delivery, or it is internal to
 * emit. */
static int
accept_line(struct spool *spool, const char *line, size_t length)
{
	char *blank;
	spool->position.number = strtoll(line, &blank, 10);
	const char *text = blank + 1;
	struct sighting *record = parse_record_new(text, length - (size_t)(text - line));
	int status = record != NULL ? spool->accept(spool->context, record) : 0;
	sighting_release(record);
	return status;
}

static int
accept_page(void *context, const char *text, size_t length)
{
	struct spool *spool = context;
	const char *end = text + length, *newline;
	for (; text < end && (newline = memchr(text, '\n', (size_t)(end - text))) != NULL;
		text = newline + 1)
		if (accept_line(spool, text, (size_t)(newline - text)) < 0)
			return -1;
	return 0;
}

static void
note_failure(struct spool *spool, bool failed)
{
	spool->retry_ns = failed ? clock_monotonic_ns() + RETRY_NS : 0;
}

/* Open the spool if it exists. If the file was replaced, restart from its beginning. */
static bool
open_view(struct spool *spool, struct spoolview *view)
{
	static const struct view_values none = {0};
	struct stat status;
	bool is_empty;
	if (stat(spool->path, &status) < 0 && errno == ENOENT)
		return false;
	int failed = spoolview_open_begun(view, spool->path, &is_empty);
	note_failure(spool, failed != 0);
	if (failed != 0 || is_empty)
		return false;
	if (spoolview_number(view, made_sql, &none, 0, &failed) == 0) {
		spoolview_close(view);
		return false;
	}
	int64_t latest = spoolview_number(view, latest_sql, &none, 0, &failed);
	if (status.st_ino != spool->position.inode || latest < spool->position.number)
		spool->position.number = 0;
	spool->position.inode = status.st_ino;
	return true;
}

void
spool_skip(struct spool *spool)
{
	static const struct view_values none = {0};
	struct spoolview view;
	int failed = 0;
	spool->position.known = true;
	if (!open_view(spool, &view))
		return;
	spool->position.number = spoolview_number(&view, latest_sql, &none, 0, &failed);
	spoolview_close(&view);
}

int
spool_read(struct spool *spool)
{
	struct spoolview view;
	const struct view_reader reader = {spool, write_row, accept_page};
	if (clock_monotonic_ns() < spool->retry_ns || !open_view(spool, &view))
		return 0;
	const struct view_values values = {.after = spool->position.number};
	int status = spoolview_read(&view, read_sql, &values, &reader, false);
	spoolview_close(&view);
	note_failure(spool, status > 0);
	return status < 0 ? -1 : 0;
}

/* --- the state file --- */

void
spool_encode(const struct spool *spool, json_t *root)
{
	json_object_set_new(root, "spool",
		json_pack("{s:o, s:I}", "inode", rec_u64_new(spool->position.inode), "number",
			(json_int_t)spool->position.number));
}

bool
spool_decode(struct spool *spool, const json_t *root)
{
	const json_t *position = json_object_get(root, "spool");
	int64_t number = 0;
	if (position == NULL || json_is_null(position))
		return true;
	if (rec_get_u64(position, "inode", &spool->position.inode) != REC_OK ||
		rec_get_int(position, "number", &number) != REC_OK)
		return false;
	spool->position.number = number;
	spool->position.known = true;
	return true;
}
