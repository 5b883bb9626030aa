/* Unit tests of nichist's spoolview: opening a database while another process makes it a
 * spool, or ends. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nichist/spoolview.h"

#include "../../tools/emit/store/schema.h"
#include "check.h"
#include "diag.h"

#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char path[100];
/* When this statement is about to run for the first time, the database becomes a spool. */
static const char *moment;

static void
run(const char *sql)
{
	sqlite3 *db;
	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
}

static void
make_spool(void)
{
	char sql[200];
	snprintf(sql, sizeof sql,
		"BEGIN IMMEDIATE; CREATE TABLE event(id); PRAGMA application_id=%d;"
		" PRAGMA user_version=%d; COMMIT",
		SCHEMA_APPLICATION_ID, SCHEMA_VERSION);
	run(sql);
}

static int
before_statement(unsigned kind, void *context, void *statement, void *text)
{
	(void)kind, (void)context, (void)statement;
	if (moment == NULL || strcmp(text, moment) != 0)
		return 0;
	moment = NULL;
	make_spool();
	return 0;
}

static int
watch(sqlite3 *db)
{
	return sqlite3_trace_v2(db, SQLITE_TRACE_STMT, before_statement, NULL);
}

/* Open a database that is empty until this statement runs. */
static void
open_at(const char *statement, bool is_empty)
{
	struct spoolview view;
	bool was_empty = !is_empty;
	check_row("%s", statement != NULL ? statement : "never");
	diag_init("nichist");
	sqlite3_auto_extension((void (*)(void))watch);
	snprintf(path, sizeof path, "%s/spool.db", check_dir());
	run("PRAGMA journal_mode=WAL; CREATE TABLE none(id); DROP TABLE none");
	moment = statement;
	CHECK_INT(spoolview_open_begun(&view, path, &was_empty), 0);
	CHECK(moment == NULL);
	CHECK_INT(was_empty, is_empty);
	if (!was_empty)
		spoolview_close(&view);
	unlink(path);
}

static void
made_meanwhile(void)
{
	open_at(NULL, true);
	open_at("BEGIN", false);
	open_at("PRAGMA user_version", true);
	open_at("SELECT count(*) FROM sqlite_schema", true);
}

/* How often SQLite has opened a database. */
static int opened;

/* At the second opening remove the log: the writer has saved what was in it. */
static int
before_opening(sqlite3 *db)
{
	char name[120];
	(void)db;
	if (++opened != 2)
		return SQLITE_OK;
	snprintf(name, sizeof name, "%s-wal", path);
	CHECK_INT(unlink(name), 0);
	snprintf(name, sizeof name, "%s-shm", path);
	CHECK_INT(unlink(name), 0);
	return SQLITE_OK;
}

static void
left_meanwhile(void)
{
	struct spoolview view;
	bool is_empty;
	char log[120], shared[120];
	diag_init("nichist");
	snprintf(path, sizeof path, "%s/left.db", check_dir());
	snprintf(log, sizeof log, "%s-wal", path);
	snprintf(shared, sizeof shared, "%s-shm", path);
	run("PRAGMA journal_mode=WAL");
	make_spool();
	/* SQLite follows no symbolic link: it cannot open this file, as without permission. */
	CHECK_INT(symlink("nowhere", shared), 0);
	int fd = open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	CHECK_INT(write(fd, "log", 3), 3);
	close(fd);
	sqlite3_auto_extension((void (*)(void))before_opening);
	check_capture(STDERR_FILENO);
	CHECK_INT(spoolview_open_begun(&view, path, &is_empty), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_STR(said, "");
	free(said);
	sqlite3_reset_auto_extension();
	CHECK_INT(opened, 2);
	CHECK(!is_empty);
	spoolview_close(&view);
}

static const struct check_test tests[] = {
	{"a database is either empty or a spool, even while it becomes one", made_meanwhile},
	{"a writer that ends between two looks leaves no log unread", left_meanwhile},
};
CHECK_MAIN(tests)
