/* historyreplay - events of a spool, to be sent again. */
#include "history.h"

#include "array.h"
#include "diag.h"
#include "historylines.h"
#include "schema.h"
#include "spoolview.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct replay {
	const struct spool_view *view;
	int (*take)(void *context, const char *record, size_t length);
	void *context;
	int64_t *numbers; /* of the events that were asked for by id */
	size_t count, capacity;
};

/* --- by id --- */

static int
add_number(struct replay *replay, int64_t number)
{
	int64_t *numbers =
		array_grown(replay->numbers, replay->count, &replay->capacity, sizeof *numbers);
	if (numbers == NULL) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	numbers[replay->count++] = number;
	replay->numbers = numbers;
	return 0;
}

/* What has that id, also where it is a dead letter only. */
static int
find(struct replay *replay, const char *id)
{
	sqlite3_stmt *row = NULL;
	size_t before = replay->count;
	int status = 0;

	if (sqlite3_prepare_v2(replay->view->db,
		    "SELECT number FROM event WHERE id = ?1"
		    " UNION SELECT number FROM dead_letter WHERE event_id = ?1",
		    -1, &row, NULL) != SQLITE_OK)
		return spool_view_failure(replay->view);
	sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC);
	while (status == 0 && sqlite3_step(row) == SQLITE_ROW)
		status = add_number(replay, sqlite3_column_int64(row, 0));
	if (sqlite3_finalize(row) != SQLITE_OK)
		return spool_view_failure(replay->view);
	if (status == 0 && replay->count == before) {
		diag_error("%s: there is no event '%s'", replay->view->path, id);
		status = EXIT_NO_INPUT;
	}
	return status;
}

static int
compare_numbers(const void *a, const void *b)
{
	int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
	return (one > other) - (one < other);
}

static int
hand_over(const struct replay *replay, int64_t number)
{
	const struct view_values values = {.after = number};
	sqlite3_stmt *row = spool_view_query(replay->view,
		"SELECT record FROM event WHERE number = ?4"
		" UNION ALL SELECT record FROM dead_letter WHERE number = ?4 LIMIT 1",
		&values);
	char *record = NULL;
	if (row == NULL)
		return spool_view_failure(replay->view);
	int result = sqlite3_step(row);
	if (result == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(row, 0);
		record = strdup(text != NULL ? text : "");
	}
	if (sqlite3_finalize(row) != SQLITE_OK) {
		free(record);
		return spool_view_failure(replay->view);
	}
	if (result == SQLITE_ROW && record == NULL) {
		diag_error("out of memory");
		return EXIT_OS;
	}
	if (record == NULL) {
		diag_error("%s: event number %" PRId64 " has just been deleted", replay->view->path,
			number);
		return EXIT_NO_INPUT;
	}
	int status = replay->take(replay->context, record, strlen(record));
	free(record);
	return status;
}

static int
replay_ids(struct replay *replay, char *const *ids)
{
	int status = 0;
	for (; *ids != NULL; ids++) {
		int found = find(replay, *ids);
		/* All that are missing are said, not only the first. */
		if (found != 0)
			status = found;
		if (found != 0 && found != EXIT_NO_INPUT)
			return found;
	}
	if (status != 0 || replay->numbers == NULL)
		return status;
	qsort(replay->numbers, replay->count, sizeof *replay->numbers, compare_numbers);
	for (size_t i = 0; i < replay->count && status == 0; i++) {
		if (i == 0 || replay->numbers[i] != replay->numbers[i - 1])
			status = hand_over(replay, replay->numbers[i]);
	}
	return status;
}

/* --- by choice --- */

static int
take_lines(void *context, const char *lines, size_t length)
{
	const struct replay *replay = context;
	int status = 0;
	for (const char *end = lines + length; lines < end && status == 0;) {
		size_t line =
			(size_t)((const char *)memchr(lines, '\n', (size_t)(end - lines)) - lines);
		status = replay->take(replay->context, lines, line);
		lines += line + 1;
	}
	return status;
}

int
history_replay(const struct history_options *options, char *const *ids,
	int (*take)(void *context, const char *record, size_t length), void *context)
{
	struct spool_view view;
	struct replay replay = {.view = &view, .take = take, .context = context};

	int status =
		spool_view_open(&view, options->path != NULL ? options->path : SCHEMA_DEFAULT_PATH);
	if (status != 0)
		return status;
	if (*ids != NULL)
		status = replay_ids(&replay, ids);
	else
		status = history_lines_read(&view, &list_events, options, take_lines, &replay);
	free(replay.numbers);
	spool_view_close(&view);
	return status;
}
