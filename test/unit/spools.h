/* spools - makes events and spools for unit tests of emit. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef SPOOLS_H
#define SPOOLS_H

#include "../../tools/emit/store/journal.h"
#include "acks.h"
#include "check.h"
#include "num.h"
#include "rec.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

/* A test waits for its disk as long as that takes. */
#define SPOOLS_PATIENCE_NS (3600 * NUM_NS_PER_S)

/* Return a path in check_dir(), valid until the fourth call after this one. */
static inline const char *
spools_path(const char *name)
{
	static char paths[4][400];
	static unsigned next;
	char *path = paths[next++ % 4];
	snprintf(path, sizeof paths[0], "%s/%s", check_dir(), name);
	return path;
}

/* Return an event's line, with its newline, to free(). `members`, with ' for ", are inserted. */
static inline char *
spools_line_new(const char *members)
{
	char *line = NULL;
	CHECK(asprintf(&line, "{\"kind\":\"event\"%s%s}\n", *members != '\0' ? "," : "", members) >=
		0);
	for (char *at = line; *at != '\0'; at++) {
		if (*at == '\'')
			*at = '"';
	}
	return line;
}

/* Return a line of stream `source`; `severity` is F (fatal), + (healthy) or -. */
static inline char *
spools_event_new(const char *source, uint64_t seq, char severity)
{
	char members[400];
	snprintf(members, sizeof members,
		"'id':'%s-%llu','source':'%s','seq':%llu,'checkName':'c','isFatal':%s,'isHealthy':%"
		"s",
		source, (unsigned long long)seq, source, (unsigned long long)seq,
		severity == 'F' ? "true" : "false", severity == '+' ? "true" : "false");
	return spools_line_new(members);
}

/* Return a number from the database, or UINT64_MAX without one. */
static inline uint64_t
spools_number(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	uint64_t number = UINT64_MAX;
	CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	if (sqlite3_step(statement) == SQLITE_ROW)
		number = (uint64_t)sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	return number;
}

/* Return the rows of one column as `a b c`, with `-` for NULL. Valid until the next call. */
static inline const char *
spools_text(sqlite3 *db, const char *sql)
{
	static char text[8000];
	sqlite3_stmt *statement = NULL;
	size_t used = 0;
	*text = '\0';
	CHECK_INT(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	while (sqlite3_step(statement) == SQLITE_ROW && used < sizeof text) {
		const char *value = (const char *)sqlite3_column_text(statement, 0);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%s",
			used > 0 ? " " : "", value != NULL ? value : "-");
	}
	sqlite3_finalize(statement);
	return text;
}

/* Add events of stream "s" in one transaction, one for each letter of `severities`, with the next
 * numbers. */
static inline void
spools_add(struct spool *spool, const char *severities, uint64_t received_ns)
{
	CHECK_INT(spool_begin_events(spool), DATABASE_OK);
	uint64_t number = spool->last_number;
	for (; *severities != '\0'; severities++) {
		number++;
		char *line = spools_event_new("s", number, *severities);
		CHECK_INT(spool_add_line(spool, number, line, strlen(line), received_ns),
			DATABASE_OK);
		free(line);
	}
	CHECK_INT(spool_commit_events(spool, number, NULL), DATABASE_OK);
}

/* Add one event with these members and the next number, received at `received_ns`. */
static inline void
spools_add_members(struct spool *spool, const char *members, uint64_t received_ns)
{
	char *line = spools_line_new(members);
	uint64_t number = spool->last_number + 1;
	CHECK_INT(spool_begin_events(spool), DATABASE_OK);
	CHECK_INT(spool_add_line(spool, number, line, strlen(line), received_ns), DATABASE_OK);
	CHECK_INT(spool_commit_events(spool, number, NULL), DATABASE_OK);
	free(line);
}

/* Open a spool at `path`. */
static inline void
spools_open(struct spool *spool, const char *path)
{
	struct sources sources = {0};
	spool_init(spool, path);
	CHECK_INT(spool_open(spool, &sources), DATABASE_OK);
	sources_fini(&sources);
}

/* Return the seqs of a batch, `1 2 3`. Valid until the next call. */
static inline const char *
spools_batch(const struct batch *batch)
{
	static char text[8000];
	size_t used = 0;
	*text = '\0';
	for (size_t i = 0; i < batch->count && used < sizeof text; i++) {
		struct rec_error error;
		struct facts facts;
		struct facts_room room;
		json_t *record =
			rec_parse_new(batch_line(batch, i), batch->events[i].length - 1, &error);
		CHECK(record != NULL);
		facts_read(&facts, &room, record);
		used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu",
			used > 0 ? " " : "", (unsigned long long)facts.seq);
		json_decref(record);
	}
	return text;
}

/* Return how many events a journal has behind number `after`. */
static inline uint64_t
spools_owed(struct journal *journal, uint64_t after)
{
	struct owed owed;
	CHECK(journal_measure(journal, after, &owed));
	return owed.events;
}

/* Add the event of a line, which then belongs to the journal. */
static inline void
spools_journal_add_line(struct journal *journal, char *line, uint64_t now_ns)
{
	struct rec_error error;
	struct facts facts;
	struct facts_room room;
	json_t *record = rec_parse_new(line, strlen(line) - 1, &error);
	CHECK(record != NULL);
	facts_read(&facts, &room, record);
	CHECK_INT(journal_add(journal, &facts, line, strlen(line), now_ns), 0);
	json_decref(record);
}

/* Add an event to a journal. */
static inline void
spools_journal_add(
	struct journal *journal, const char *source, uint64_t seq, char severity, uint64_t now_ns)
{
	spools_journal_add_line(journal, spools_event_new(source, seq, severity), now_ns);
}

/* Return the seqs that a sink reads behind number `after`, as spools_batch() does. */
static inline const char *
spools_journal_read(struct journal *journal, uint64_t after)
{
	struct batch batch = {0};
	CHECK_INT(journal_read(journal, after, UINT64_MAX, 1000, SIZE_MAX, &batch), 0);
	const char *text = spools_batch(&batch);
	batch_fini(&batch);
	return text;
}

/* Return the acknowledged seq of stream "s" in an acks file, and the receiver's name unless that is
 * NULL; -1 without the file or the stream. */
static inline int64_t
spools_acknowledged(const char *path, char receiver[ACKS_RECEIVER_SIZE])
{
	struct acks acks;
	if (acks_read(&acks, path) < 0)
		return -1;
	const json_t *seq = json_object_get(acks.seqs, "s");
	int64_t value = seq != NULL ? json_integer_value(seq) : -1;
	if (receiver != NULL)
		strcpy(receiver, acks.receiver);
	acks_fini(&acks);
	return value;
}

#endif
