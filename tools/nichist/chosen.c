/* chosen - selects the events of a spool to be sent again. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "chosen.h"

#include "array.h"
#include "diag.h"
#include "list.h"
#include "spoolview.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct chosen {
	const struct spoolview *view;
	int (*accept)(void *context, const char *record, size_t length);
	void *context;
	int64_t *numbers; /* of the events requested by id */
	size_t count, capacity;
};

/* --- by id --- */

static int
add_number(struct chosen *chosen, int64_t number)
{
	int64_t *numbers =
		array_grown(chosen->numbers, chosen->count, &chosen->capacity, sizeof *numbers);
	if (numbers == NULL)
		return diag_no_memory();
	numbers[chosen->count++] = number;
	chosen->numbers = numbers;
	return 0;
}

/* Find the numbers of an id, also one that is left only as a dead letter. */
static int
find(struct chosen *chosen, const char *id)
{
	sqlite3_stmt *row = NULL;
	size_t before = chosen->count;
	int status = 0;

	if (sqlite3_prepare_v2(chosen->view->db,
		    "SELECT number FROM event WHERE id = ?1"
		    " UNION SELECT number FROM dead_letter WHERE event_id = ?1",
		    -1, &row, NULL) != SQLITE_OK)
		return spoolview_failure(chosen->view);
	sqlite3_bind_text(row, 1, id, -1, SQLITE_STATIC);
	while (status == 0 && sqlite3_step(row) == SQLITE_ROW)
		status = add_number(chosen, sqlite3_column_int64(row, 0));
	if (sqlite3_finalize(row) != SQLITE_OK)
		return spoolview_failure(chosen->view);
	if (status == 0 && chosen->count == before) {
		diag_error("%s: there is no event '%s'", chosen->view->path, id);
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
hand_over(const struct chosen *chosen, int64_t number)
{
	const struct view_values values = {.after = number};
	sqlite3_stmt *row = spoolview_query(chosen->view,
		"SELECT record FROM event WHERE number = ?4"
		" UNION ALL SELECT record FROM dead_letter WHERE number = ?4 LIMIT 1",
		&values);
	char *record = NULL;
	if (row == NULL)
		return spoolview_failure(chosen->view);
	int result = sqlite3_step(row);
	if (result == SQLITE_ROW)
		record = strdup(spoolview_text(row, 0));
	if (sqlite3_finalize(row) != SQLITE_OK) {
		free(record);
		return spoolview_failure(chosen->view);
	}
	if (result == SQLITE_ROW && record == NULL)
		return diag_no_memory();
	if (record == NULL) {
		diag_error("%s: event number %" PRId64 " has just been deleted", chosen->view->path,
			number);
		return EXIT_NO_INPUT;
	}
	int status = chosen->accept(chosen->context, record, strlen(record));
	free(record);
	return status;
}

static int
hand_over_ids(struct chosen *chosen, char *const *ids)
{
	int status = 0;
	for (; *ids != NULL; ids++) {
		int found = find(chosen, *ids);
		/* Report every missing id, not only the first. */
		if (found != 0)
			status = found;
		if (found != 0 && found != EXIT_NO_INPUT)
			return found;
	}
	if (status != 0 || chosen->numbers == NULL)
		return status;
	qsort(chosen->numbers, chosen->count, sizeof *chosen->numbers, compare_numbers);
	for (size_t i = 0; i < chosen->count && status == 0; i++) {
		if (i == 0 || chosen->numbers[i] != chosen->numbers[i - 1])
			status = hand_over(chosen, chosen->numbers[i]);
	}
	return status;
}

/* --- by filter --- */

static int
hand_over_lines(void *context, const char *lines, size_t length)
{
	const struct chosen *chosen = context;
	int status = 0;
	for (const char *end = lines + length; lines < end && status == 0;) {
		size_t line =
			(size_t)((const char *)memchr(lines, '\n', (size_t)(end - lines)) - lines);
		status = chosen->accept(chosen->context, lines, line);
		lines += line + 1;
	}
	return status;
}

int
chosen_read(const struct history_options *options, char *const *ids,
	int (*accept)(void *context, const char *record, size_t length), void *context)
{
	struct spoolview view;
	struct chosen chosen = {.view = &view, .accept = accept, .context = context};
	/* Skip events that were answered before their delivery (clearing.h): no sink was to get
	 * them. The spool of an older emit lacks the column; the inner query then finds the one of
	 * `none`. */
	struct list list = list_events;
	list.from = "event, (SELECT '' AS answered_by) AS none";
	list.where = "(SELECT answered_by FROM event AS e WHERE e.number = event.number) = ''";

	int status = spoolview_open(&view, options->path);
	if (status != 0)
		return status;
	if (*ids != NULL)
		status = hand_over_ids(&chosen, ids);
	else
		status = list_read(&view, &list, options, hand_over_lines, &chosen);
	free(chosen.numbers);
	spoolview_close(&view);
	return status;
}
