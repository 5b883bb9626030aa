/* clearing - which conditions a healthy event ends, and late events. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "clearing.h"

#include <string.h>

/* Return the next item of a list in facts.h, set `*length`, and advance `*list`. NULL at the
 * end. */
static const char *
next_part(const char **list, size_t *length)
{
	const char *part = *list;
	if (*part == '\0')
		return NULL;
	for (*length = 0; part[*length] != '\0' && part[*length] != ','; ++*length) {
		if (part[*length] == '\\' && part[*length + 1] != '\0')
			++*length;
	}
	*list = part + *length + (part[*length] == ',');
	return part;
}

static bool
has_part(const char *list, const char *part, size_t length)
{
	const char *other;
	size_t other_length;
	while ((other = next_part(&list, &other_length)) != NULL) {
		if (other_length == length && memcmp(other, part, length) == 0)
			return true;
	}
	return false;
}

static bool
has_all_parts(const char *list, const char *wanted)
{
	const char *part;
	size_t length;
	while ((part = next_part(&wanted, &length)) != NULL) {
		if (!has_part(list, part, length))
			return false;
	}
	return true;
}

bool
clearing_ends(const struct facts *healthy, const char *about, const char *code)
{
	if (*healthy->about == '\0')
		return true;
	return has_all_parts(about, healthy->about) &&
	       (*healthy->code == '\0' || (*code != '\0' && has_all_parts(healthy->code, code)));
}

/* --- late events, in the spool --- */

/* Return true if `row` answers the event. */
typedef bool answers(const struct facts *event, sqlite3_stmt *row);

/* `row`: a later healthy event. */
static bool
takes_it_back(const struct facts *event, sqlite3_stmt *row)
{
	struct facts healthy;
	struct facts_room room;
	json_t *record = facts_parse_new(
		&healthy, &room, spool_column_text(row, 1), (size_t)sqlite3_column_bytes(row, 1));
	/* A healthy event without a time cannot be ordered across streams; in its own stream its
	 * number orders it. */
	bool is_answer = record != NULL &&
			 (healthy.time_ns != 0 || strcmp(healthy.source, event->source) == 0) &&
			 clearing_ends(&healthy, event->about, event->code);
	json_decref(record);
	return is_answer;
}

/* `row`: a condition that stands and was reported later than the event. */
static bool
would_be_taken_back(const struct facts *event, sqlite3_stmt *row)
{
	return clearing_ends(event, spool_column_text(row, 1), spool_column_text(row, 2));
}

static const char latest_of_source_sql[] = "SELECT max(seq) FROM event WHERE source = ?1";

static enum database_status
is_late(struct spool *spool, const struct facts *facts, bool *late)
{
	struct spool_rows rows =
		spool_query(spool, latest_of_source_sql, SPOOL_VALUES(SPOOL_TEXT(facts->source)));
	*late = spool_next(&rows) && spool_column_number(rows.row, 0) > facts->seq;
	return spool_end(&rows);
}

/* Where to search: in the event's own stream, or in other streams of its writer. */
enum where { IN_STREAM, ELSEWHERE };

/* Check the nearest answers only: a long input in reverse order would otherwise take quadratic
 * time. */
#define NEAREST " LIMIT 256"
static const char answered_later_sql[] =
	"SELECT id, record FROM event WHERE source = ?1 AND seq > ?2 AND "
	"node = ?3 AND check_name = ?4 AND is_healthy = 1"
	" ORDER BY seq" NEAREST;
static const char said_later_sql[] =
	"SELECT event.id, condition.about, condition.code FROM condition"
	" JOIN event ON event.number = condition.updated"
	" WHERE condition.node = ?3 AND condition.check_name = ?4 AND "
	"condition.closed_ns IS NULL AND event.source = ?1 AND event.seq > ?2";

/* The same in other streams of the writer, ordered by time. */
static const char answered_elsewhere_sql[] =
	"SELECT id, record FROM event WHERE node = ?3 AND check_name = ?4 AND is_healthy = "
	"1 AND time_ns > ?6 AND time_ns <= ?7 AND agent = ?5 AND source <> ?1"
	" ORDER BY time_ns" NEAREST;
static const char said_elsewhere_sql[] =
	"SELECT event.id, condition.about, condition.code FROM condition"
	" JOIN event ON event.number = condition.updated"
	" WHERE condition.node = ?3 AND condition.check_name = ?4"
	" AND condition.closed_ns IS NULL AND condition.agent = ?5"
	" AND event.source <> ?1 AND event.time_ns > ?6 AND event.time_ns <= ?7";

/* Find the first row that answers the event. `*id` is its id, for sqlite3_free(), or NULL. */
static enum database_status
find_answer(struct spool *spool, const struct facts *facts, enum where where, uint64_t now_ns,
	char **id)
{
	static const char *const statements[][2] = {
		[IN_STREAM] = {answered_later_sql, said_later_sql},
		[ELSEWHERE] = {answered_elsewhere_sql, said_elsewhere_sql},
	};
	answers *is_answer = facts->healthy ? would_be_taken_back : takes_it_back;
	const struct spool_value values[] = {SPOOL_TEXT(facts->source), SPOOL_NUMBER(facts->seq),
		SPOOL_TEXT(facts->node), SPOOL_TEXT(facts->check), SPOOL_TEXT(facts->agent),
		SPOOL_NUMBER(facts->time_ns), SPOOL_NUMBER(now_ns)};
	struct spool_rows rows = spool_query(
		spool, statements[where][facts->healthy], values, where == IN_STREAM ? 4 : 7);
	*id = NULL;
	while (*id == NULL && spool_next(&rows)) {
		if (!is_answer(facts, rows.row))
			continue;
		*id = sqlite3_mprintf("%s", spool_column_text(rows.row, 0));
		if (*id == NULL) {
			rows.code = SQLITE_NOMEM;
			break;
		}
	}
	return spool_end(&rows);
}

static const char set_answer_sql[] = "UPDATE event SET answered_by = ?2 WHERE number = ?1";

enum database_status
late_eval(struct spool *spool, const struct facts *facts, uint64_t number, uint64_t now_ns,
	bool *answered)
{
	bool late = false;
	char *id = NULL;
	enum database_status status = DATABASE_OK;
	*answered = false;
	if (*facts->source == '\0' || facts->seq == 0)
		return DATABASE_OK;
	status = is_late(spool, facts, &late);
	if (status == DATABASE_OK && late)
		status = find_answer(spool, facts, IN_STREAM, now_ns, &id);
	if (status == DATABASE_OK && id == NULL && facts->time_ns != 0)
		status = find_answer(spool, facts, ELSEWHERE, now_ns, &id);
	if (status == DATABASE_OK && id != NULL)
		/* An answer without an id counts, too. */
		status = spool_run(spool, set_answer_sql,
			SPOOL_VALUES(SPOOL_NUMBER(number), SPOOL_TEXT(*id != '\0' ? id : "?")));
	*answered = status == DATABASE_OK && id != NULL;
	sqlite3_free(id);
	return status;
}

/* --- late events, in memory --- */

/* Return true if the line may be of the stream `source`: avoids parsing most lines. */
static bool
may_be_of(const struct queue_line *line, const char *source)
{
	return memmem(line->text, line->length, source, strlen(source)) != NULL;
}

static bool
is_later(const struct facts *later, const struct facts *event)
{
	return strcmp(later->source, event->source) == 0 && later->seq > event->seq &&
	       strcmp(later->node, event->node) == 0 && strcmp(later->check, event->check) == 0;
}

/* Return true if `later` answers `event`. */
typedef bool answer_test(
	const struct queue *queue, const struct facts *event, const struct facts *later);

/* Return true if a later event of the same stream and check in the queue answers `event`. */
static bool
any_answers(const struct queue *queue, const struct facts *event, answer_test *answers_it)
{
	bool found = false;
	for (uint64_t n = queue->first; n < queue->end && !found; n++) {
		const struct queue_line *line = queue_at(queue, n);
		struct facts later;
		struct facts_room room;
		if (!may_be_of(line, event->source))
			continue;
		json_t *record = facts_parse_new(&later, &room, line->text, line->length - 1);
		found = record != NULL && is_later(&later, event) &&
			answers_it(queue, event, &later);
		json_decref(record);
	}
	return found;
}

static bool
is_taken_back_by(const struct queue *queue, const struct facts *event, const struct facts *later)
{
	(void)queue;
	return later->healthy && clearing_ends(later, event->about, event->code);
}

/* Return true if the healthy event would end `said`, a later fault that still stands. */
static bool
would_hide(const struct queue *queue, const struct facts *healthy, const struct facts *said)
{
	return !said->healthy && clearing_ends(healthy, said->about, said->code) &&
	       !any_answers(queue, said, is_taken_back_by);
}

bool
late_is_answered(const struct queue *queue, const struct facts *event)
{
	return any_answers(queue, event, event->healthy ? would_hide : is_taken_back_by);
}
