/* conditions - what is wrong with the node, from when to when. */
#include "conditions.h"

#include <string.h>

/* What a condition is told apart by, as the statements take it: ?1 to ?4. */
static void
bind_key(sqlite3_stmt *statement, const struct facts *facts, const char *code, int length)
{
	spool_bind_text(statement, 1, facts->node);
	spool_bind_text(statement, 2, facts->check);
	spool_bind_text(statement, 3, facts->about);
	sqlite3_bind_text(statement, 4, code, length, SQLITE_STATIC);
}

/* A condition that stands. */
struct open_condition {
	uint64_t id; /* 0: there is none */
	bool fatal;
	uint64_t until_ns; /* 0: no such time */
};

static enum database_status
find(struct spool *spool, const struct facts *facts, const char *code, int length,
	struct open_condition *out)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_FIND_CONDITION, &status);
	*out = (struct open_condition){.id = 0};
	if (statement == NULL)
		return status;
	bind_key(statement, facts, code, length);
	int result = sqlite3_step(statement);
	if (result == SQLITE_ROW) {
		out->id = (uint64_t)sqlite3_column_int64(statement, 0);
		out->fatal = sqlite3_column_int(statement, 1) != 0;
		out->until_ns = (uint64_t)sqlite3_column_int64(statement, 2);
	}
	return spool_finish(spool, statement, result);
}

static enum database_status
close_one(struct spool *spool, uint64_t id, uint64_t number, uint64_t time_ns, const char *by)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_CLOSE_CONDITION, &status);
	if (statement == NULL)
		return status;
	spool_bind_number(statement, 1, id);
	spool_bind_number(statement, 2, number);
	spool_bind_number(statement, 3, time_ns);
	spool_bind_text(statement, 4, by);
	return spool_step(spool, statement);
}

static enum database_status
close_check(struct spool *spool, const char *node, const char *check, uint64_t number,
	uint64_t time_ns, const char *by)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_CLOSE_CHECK, &status);
	if (statement == NULL)
		return status;
	spool_bind_text(statement, 1, node);
	spool_bind_text(statement, 2, check);
	spool_bind_number(statement, 3, number);
	spool_bind_number(statement, 4, time_ns);
	spool_bind_text(statement, 5, by);
	return spool_step(spool, statement);
}

static enum database_status
close_code(struct spool *spool, const struct facts *facts, const char *code, size_t length,
	uint64_t number, uint64_t time_ns)
{
	struct open_condition open;
	enum database_status status = find(spool, facts, code, (int)length, &open);
	if (status != DATABASE_OK || open.id == 0)
		return status;
	return close_one(spool, open.id, number, time_ns, "recovery");
}

/* What a healthy event takes back. */
static enum database_status
recover(struct spool *spool, const struct facts *facts, uint64_t number, uint64_t time_ns)
{
	if (*facts->about == '\0')
		return close_check(spool, facts->node, facts->check, number, time_ns, "recovery");
	enum database_status status =
		close_code(spool, facts, facts->code, strlen(facts->code), number, time_ns);
	/* One that answers several names them all; each stands by itself. */
	if (strchr(facts->code, ',') == NULL)
		return status;
	for (const char *code = facts->code; status == DATABASE_OK && *code != '\0';) {
		size_t length = strcspn(code, ",");
		status = close_code(spool, facts, code, length, number, time_ns);
		code += length + (code[length] == ',');
	}
	return status;
}

static enum database_status
repeat(struct spool *spool, uint64_t id, const struct facts *facts, uint64_t number,
	uint64_t time_ns, uint64_t until_ns)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_REPEAT_CONDITION, &status);
	if (statement == NULL)
		return status;
	spool_bind_number(statement, 1, id);
	spool_bind_number(statement, 2, time_ns);
	if (until_ns != 0)
		spool_bind_number(statement, 3, until_ns);
	spool_bind_number(statement, 4, number);
	spool_bind_text(statement, 5, facts->message);
	spool_bind_text(statement, 6, facts->action);
	return spool_step(spool, statement);
}

static enum database_status
begin(struct spool *spool, const struct facts *facts, uint64_t number, uint64_t time_ns,
	uint64_t until_ns)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_OPEN_CONDITION, &status);
	if (statement == NULL)
		return status;
	const char *const texts[] = {facts->node, facts->agent, facts->check, facts->about,
		facts->device, facts->port, facts->code};
	for (int i = 0; i < 7; i++)
		spool_bind_text(statement, 1 + i, texts[i]);
	sqlite3_bind_int(statement, 8, facts->fatal);
	spool_bind_text(statement, 9, facts->action);
	spool_bind_text(statement, 10, facts->message);
	spool_bind_number(statement, 11, time_ns);
	if (until_ns != 0)
		spool_bind_number(statement, 12, until_ns);
	spool_bind_number(statement, 13, number);
	return spool_step(spool, statement);
}

enum database_status
conditions_apply(struct spool *spool, const struct facts *facts, uint64_t number, uint64_t time_ns)
{
	if (facts->healthy)
		return recover(spool, facts, number, time_ns);

	bool passes = !facts->fatal && strcmp(facts->check, CONDITIONS_LOG_CHECK) == 0;
	uint64_t until_ns = passes ? time_ns + CONDITIONS_LOG_NS : 0;
	struct open_condition open;
	enum database_status status =
		find(spool, facts, facts->code, (int)strlen(facts->code), &open);
	if (status != DATABASE_OK)
		return status;
	if (open.id == 0)
		return begin(spool, facts, number, time_ns, until_ns);
	bool is_over = open.until_ns != 0 && open.until_ns <= time_ns;
	if (!is_over && open.fatal == facts->fatal)
		return repeat(spool, open.id, facts, number, time_ns, until_ns);
	status = is_over ? close_one(spool, open.id, number, open.until_ns, "age")
			 : close_one(spool, open.id, number, time_ns, "severity");
	return status == DATABASE_OK ? begin(spool, facts, number, time_ns, until_ns) : status;
}

/* --- alerts --- */

static const char *
column_text(sqlite3_stmt *statement, int at)
{
	const char *text = (const char *)sqlite3_column_text(statement, at);
	return text != NULL ? text : "";
}

/* When the alert of a row ends. */
static uint64_t
ends_at(sqlite3_stmt *row, const struct conditions_range *range)
{
	/* What has ended does not stand until a clock that was wrong comes true. */
	bool has_ended = sqlite3_column_type(row, 9) != SQLITE_NULL;
	uint64_t most_ns = has_ended ? range->now_ns : range->ends_ns;
	int column = has_ended ? 9 : 10;
	/* What ends by itself is not renewed, and may have ended long before anybody could be told. */
	uint64_t ends_ns = sqlite3_column_type(row, column) == SQLITE_NULL
				   ? most_ns
				   : (uint64_t)sqlite3_column_int64(row, column);
	return ends_ns < most_ns ? ends_ns : most_ns;
}

enum database_status
conditions_alerts(struct spool *spool, const struct conditions_range *range, conditions_take *take,
	void *context)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_ALERTS, &status);
	if (statement == NULL)
		return status;
	spool_bind_number(statement, 1, range->after);
	spool_bind_number(statement, 2, range->upto);
	sqlite3_bind_int(statement, 3, range->all_standing);
	spool_bind_number(statement, 4, range->now_ns);
	int code;
	while ((code = sqlite3_step(statement)) == SQLITE_ROW) {
		const struct alert alert = {
			.node = column_text(statement, 0),
			.check = column_text(statement, 1),
			.device = column_text(statement, 2),
			.port = column_text(statement, 3),
			.code = column_text(statement, 4),
			.fatal = sqlite3_column_int(statement, 5) != 0,
			.action = column_text(statement, 6),
			.message = column_text(statement, 7),
			.since_ns = (uint64_t)sqlite3_column_int64(statement, 8),
			.ends_ns = ends_at(statement, range),
		};
		if (take(context, &alert) < 0) {
			code = SQLITE_NOMEM;
			break;
		}
	}
	return spool_finish(spool, statement, code);
}

/* --- boots --- */

static enum database_status
get_boot(struct spool *spool, const char *boot_id, bool *same, bool *known)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_GET_META, &status);
	if (statement == NULL)
		return status;
	spool_bind_text(statement, 1, "boot_id");
	int code = sqlite3_step(statement);
	*known = code == SQLITE_ROW;
	*same = *known && strcmp(column_text(statement, 0), boot_id) == 0;
	return spool_finish(spool, statement, code);
}

static enum database_status
set_boot(struct spool *spool, const char *boot_id)
{
	enum database_status status;
	sqlite3_stmt *statement = spool_statement(spool, SPOOL_SET_META, &status);
	if (statement == NULL)
		return status;
	spool_bind_text(statement, 1, "boot_id");
	spool_bind_text(statement, 2, boot_id);
	return spool_step(spool, statement);
}

enum database_status
conditions_note_boot(struct spool *spool, const char *node, const char *boot_id, uint64_t now_ns)
{
	bool same = false, known = false;
	enum database_status status = get_boot(spool, boot_id, &same, &known);
	if (status != DATABASE_OK || same)
		return status;
	status = database_begin(&spool->database, true);
	if (status == DATABASE_OK)
		status = set_boot(spool, boot_id);
	if (status == DATABASE_OK && known)
		status = close_check(
			spool, node, CONDITIONS_LOG_CHECK, spool->last_number, now_ns, "reboot");
	return database_end(&spool->database, status);
}
