/* releases - applies silences to the spool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "releases.h"

#include "../in/facts.h"
#include "../in/silencing.h"
#include "array.h"
#include "checks.h"
#include "clock.h"
#include "schema.h"
#include "spoolevents.h"

#include <stdlib.h>
#include <string.h>

static const char standing_sql[] =
	"SELECT id, node, agent, check_name, about, device, port, code, is_fatal, action, message,"
	" last_ns, strategy, silence, devices,"
	" (SELECT record FROM event WHERE number = condition.updated),"
	" (SELECT max(seq) FROM (SELECT 0 AS seq"
	" UNION ALL SELECT max(seq) FROM event WHERE source = condition.silence"
	" UNION ALL SELECT seq FROM source WHERE name = condition.silence)),"
	" is_before_boot FROM condition"
	" WHERE " SCHEMA_STANDS " ORDER BY last_ns, id";

enum {
	ROW_ID,
	ROW_NODE,
	ROW_AGENT,
	ROW_CHECK,
	ROW_ABOUT,
	ROW_DEVICE,
	ROW_PORT,
	ROW_CODE,
	ROW_FATAL,
	ROW_ACTION,
	ROW_MESSAGE,
	ROW_LAST,
	ROW_STRATEGY,
	ROW_SILENCE,
	ROW_DEVICES,
	ROW_RECORD, /* record of its latest event; NULL: dropped */
	/* Highest number of the silence's stream; 0: none. A crash may come between the events
	 * and their `source`, and the events are dropped in the end. */
	ROW_SEQ,
	ROW_BEFORE_BOOT,
};

/* --- the event --- */

/* Most items of a list: events of this monitor have fewer, others are cut. */
#define PARTS_MAX 16

/* Split a list of facts.h into its items, in place, and remove the escaping backslashes. Return
 * their number. */
static size_t
split(char *list, const char *parts[PARTS_MAX])
{
	size_t count = 0;
	const char *from = list;
	char *to = list;
	while (*from != '\0' && count < PARTS_MAX) {
		parts[count++] = to;
		for (; *from != '\0' && *from != ','; from++) {
			from += *from == '\\' && from[1] != '\0';
			*to++ = *from;
		}
		from += *from == ',';
		/* `to` never overtakes `from`, so this does not overwrite unread input. */
		*to++ = '\0';
	}
	return count;
}

/* Split entities such as `NIC=mlx5_0`. */
static size_t
split_entities(char *list, struct event_pair pairs[PARTS_MAX])
{
	const char *parts[PARTS_MAX];
	size_t count = split(list, parts);
	for (size_t i = 0; i < count; i++) {
		char *equals = strchr(parts[i], '=');
		pairs[i] = (struct event_pair){parts[i], ""};
		if (equals != NULL) {
			*equals = '\0';
			pairs[i].value = equals + 1;
		}
	}
	return count;
}

/* Return the record of the condition's latest event without the silence in its metadata. NULL if
 * the spool does not have it, or memory runs out. */
static json_t *
latest_new(sqlite3_stmt *row)
{
	static const char *const of_silence[] = {FACTS_SILENCE_KEY, FACTS_SILENCE_BY_KEY,
		FACTS_SILENCE_WHY_KEY, FACTS_SILENCE_STRATEGY_KEY};
	struct rec_error error;
	json_t *latest = rec_parse_new(spool_column_text(row, ROW_RECORD),
		(size_t)sqlite3_column_bytes(row, ROW_RECORD), &error);
	json_t *metadata = json_object_get(latest, "metadata");
	for (size_t i = 0; i < ARRAY_COUNT(of_silence); i++)
		json_object_del(metadata, of_silence[i]);
	return latest;
}

/* Return the event of the line with the metadata of the condition's latest event, such as role and
 * cause. NULL if memory runs out. */
static json_t *
short_event_new(sqlite3_stmt *row, const char *line, size_t length)
{
	struct rec_error error;
	json_t *record = rec_parse_new(line, length, &error);
	json_t *latest = record != NULL ? latest_new(row) : NULL;
	json_t *metadata = json_object_get(latest, "metadata");
	if (json_is_object(metadata) &&
		json_object_update_missing(facts_metadata(record), metadata) < 0) {
		json_decref(record);
		record = NULL;
	}
	json_decref(latest);
	return record;
}

/* Return the latest event of the condition again, as another program has written it: it is longer
 * than the events of this monitor. NULL as latest_new(). */
static json_t *
long_event_new(sqlite3_stmt *row, struct event_stream *stream, const char *strategy)
{
	json_t *record = latest_new(row);
	if (record == NULL)
		return NULL;
	if (json_object_set_new(facts_metadata(record), SILENCE_AFTER_KEY,
		    json_string(spool_column_text(row, ROW_SILENCE))) == 0 &&
		json_object_set_new(record, "processingStrategy", json_string(strategy)) == 0 &&
		event_restamp(stream, record) == 0)
		return record;
	json_decref(record);
	return NULL;
}

/* Return a new event that repeats the condition of the row. Its time is that of the latest report,
 * so that a receiver that gets it late, or already knows of the end, sorts it correctly. NULL if
 * memory runs out, or, with `*is_too_long` set, if it would be too long and the spool does not have
 * the latest event. */
static json_t *
event_of_new(sqlite3_stmt *row, bool *is_too_long)
{
	const char *node = spool_column_text(row, ROW_NODE);
	char *about = strdup(spool_column_text(row, ROW_ABOUT));
	char *code = strdup(spool_column_text(row, ROW_CODE)), stamp[CLOCK_STAMP_SIZE];
	char line[REC_EVENT_MAX_BYTES + 1];
	const char *message = spool_column_text(row, ROW_MESSAGE);
	const char *strategy = spool_column_text(row, ROW_STRATEGY);
	const char *device = spool_column_text(row, ROW_DEVICE);
	const char *devices = spool_column_text(row, ROW_DEVICES);
	const struct event_pair metadata[] = {
		{SILENCE_AFTER_KEY, spool_column_text(row, ROW_SILENCE)},
		/* as in events about a card */
		{"devices", strchr(device, ':') != NULL ? devices : NULL},
	};
	struct event_pair entities[PARTS_MAX];
	const char *codes[PARTS_MAX];
	struct event_stream stream = {.seq = spool_column_number(row, ROW_SEQ)};
	json_t *record = NULL;

	*is_too_long = false;
	if (about == NULL || code == NULL)
		goto done;
	/* An event of another program may name a silence of any length. */
	snprintf(stream.source, sizeof stream.source, "%s", metadata[0].value);
	event_stream_set_node(&stream, node);
	clock_format(spool_column_number(row, ROW_LAST), stamp);
	if (*strategy == '\0')
		strategy = event_strategies[EVENT_EXECUTE_REMEDIATION];
	const struct event event = {
		.agent = spool_column_text(row, ROW_AGENT),
		.check = spool_column_text(row, ROW_CHECK),
		.fatal = sqlite3_column_int(row, ROW_FATAL) != 0,
		.action = spool_column_text(row, ROW_ACTION),
		.message = message,
		.message_length = strlen(message),
		.codes = codes,
		.code_count = split(code, codes),
		.entities = entities,
		.entity_count = split_entities(about, entities),
		.metadata = metadata,
		.metadata_count = ARRAY_COUNT(metadata),
		.timestamp = stamp,
		.strategy = strategy,
	};
	size_t length = event_format(&stream, &event, line);
	record = length > 0 ? short_event_new(row, line, length)
			    : long_event_new(row, &stream, strategy);
	*is_too_long = length == 0 && sqlite3_column_type(row, ROW_RECORD) == SQLITE_NULL;
done:
	free(about);
	free(code);
	return record;
}

/* --- standing conditions --- */

static const char cover_sql[] =
	"UPDATE condition SET silence = ?2, silenced_ns = coalesce(silenced_ns, ?3) WHERE id = ?1";

/* Nothing can be sent about it, but it is active, and an alert. */
static const char uncover_sql[] =
	"UPDATE condition SET silence = '', silenced_ns = NULL, is_told = 1 WHERE id = ?1";

static enum database_status
release(struct spool *spool, sqlite3_stmt *row, json_t *released)
{
	bool is_too_long;
	json_t *event = event_of_new(row, &is_too_long);
	if (is_too_long)
		return spool_run(spool, uncover_sql,
			SPOOL_VALUES(SPOOL_NUMBER(spool_column_number(row, ROW_ID))));
	return json_array_append_new(released, event) == 0
		       ? DATABASE_OK
		       : database_status_of(&spool->database, SQLITE_NOMEM);
}

/* Return true if the condition is about a state from before the node's boot. After a boot ctreval
 * reports anew what still is so and clears the rest, both maybe minutes later. Until then the NIC
 * may long be repaired. */
static bool
is_from_before_boot(sqlite3_stmt *row)
{
	const char *check = spool_column_text(row, ROW_CHECK);
	return sqlite3_column_int(row, ROW_BEFORE_BOOT) != 0 &&
	       check_find(check, strlen(check)) < CHECK_N;
}

/* Store which silence covers the condition of the row, or append its event to `released`. */
static enum database_status
handle(struct spool *spool, sqlite3_stmt *row, const struct silences *silences, uint64_t now_ns,
	json_t *released)
{
	const char *known = spool_column_text(row, ROW_SILENCE);
	const struct silence_subject subject = {spool_column_text(row, ROW_DEVICE),
		spool_column_text(row, ROW_DEVICES), spool_column_text(row, ROW_PORT),
		spool_column_text(row, ROW_CODE)};
	const struct silence *silence = silences_find(silences, &subject, now_ns);
	if (silence == NULL && *known == '\0')
		return DATABASE_OK;
	if (silence == NULL)
		return is_from_before_boot(row) ? DATABASE_OK : release(spool, row, released);
	if (strcmp(silence->id, known) == 0)
		return DATABASE_OK;
	return spool_run(spool, cover_sql,
		SPOOL_VALUES(SPOOL_NUMBER(spool_column_number(row, ROW_ID)),
			SPOOL_TEXT(silence->id), SPOOL_NUMBER(now_ns)));
}

/* --- undelivered events --- */

static const char owed_sql[] =
	"SELECT number, record FROM event WHERE number > ?1 AND is_healthy = 0";

static const char mark_sql[] = "UPDATE event SET record = ?2, record_hash = ?3 WHERE number = ?1";

/* Mark the event of the row if a silence covers it. */
static enum database_status
mark(struct spool *spool, sqlite3_stmt *row, const struct silences *silences, uint64_t now_ns)
{
	struct rec_error error;
	size_t length;
	enum database_status status = DATABASE_OK;
	json_t *event = rec_parse_new(
		spool_column_text(row, 1), (size_t)sqlite3_column_bytes(row, 1), &error);
	if (event != NULL && silencing_mark(silences, event, now_ns)) {
		char *line = rec_dump_new(event, &length);
		status = line != NULL
				 ? spool_run(spool, mark_sql,
					   SPOOL_VALUES(SPOOL_NUMBER(spool_column_number(row, 0)),
						   SPOOL_BYTES(line, length - 1),
						   SPOOL_INTEGER(spool_hash(line, length - 1))))
				 : database_status_of(&spool->database, SQLITE_NOMEM);
		free(line);
	}
	json_decref(event);
	return status;
}

static enum database_status
mark_owed(struct spool *spool, const struct silences *silences, uint64_t delivered, uint64_t now_ns)
{
	enum database_status status = DATABASE_OK;
	struct spool_rows rows =
		spool_query(spool, owed_sql, SPOOL_VALUES(SPOOL_NUMBER(delivered)));
	while (status == DATABASE_OK && spool_next(&rows))
		status = mark(spool, rows.row, silences, now_ns);
	enum database_status finished = spool_end(&rows);
	return status != DATABASE_OK ? status : finished;
}

static enum database_status
cover_standing(
	struct spool *spool, const struct silences *silences, uint64_t now_ns, json_t *released)
{
	enum database_status status = DATABASE_OK;
	struct spool_rows rows =
		spool_query(spool, standing_sql, SPOOL_VALUES(SPOOL_NUMBER(now_ns)));
	while (status == DATABASE_OK && spool_next(&rows))
		status = handle(spool, rows.row, silences, now_ns, released);
	enum database_status finished = spool_end(&rows);
	return status != DATABASE_OK ? status : finished;
}

enum database_status
releases_run(struct spool *spool, const struct silences *silences, uint64_t delivered,
	uint64_t now_ns, json_t **released)
{
	enum database_status status = database_begin(&spool->database, true);
	if (status != DATABASE_OK)
		return status;
	*released = json_array();
	status = cover_standing(spool, silences, now_ns, *released);
	if (status == DATABASE_OK)
		status = mark_owed(spool, silences, delivered, now_ns);
	return database_end(&spool->database, status);
}
