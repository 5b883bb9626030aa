/* pglink - events stored in a database of PostgreSQL, by a thread of its own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pglink.h"

#include "clock.h"
#include "num.h"

#include <errno.h>
#include <libpq-fe.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Whom Debian trusts: libpq has no authorities of its own. */
#define AUTHORITIES "/etc/ssl/certs/ca-certificates.crt"

struct pglink {
	struct pglink_target target;
	struct courier courier;
	char *text;
	/* The thread's, while a round is under way. */
	PGconn *connection;
};

/* --- what the thread does --- */

static void
disconnect(struct pglink *link)
{
	PQfinish(link->connection);
	link->connection = NULL;
}

/* libpq's words have a line feed at their end, and others within. */
static void
note(struct pglink *link, enum verdict verdict, const char *what, const char *words)
{
	char line[VERDICT_REASON_SIZE];
	snprintf(line, sizeof line, "%s", words);
	line[strcspn(line, "\n")] = '\0';
	courier_note(&link->courier, verdict, what, line);
}

/* Until the socket is ready for `events`, or the time is over, which is noted. */
static bool
wait_for(struct pglink *link, short events, uint64_t deadline_ns)
{
	for (;;) {
		struct pollfd fd = {.fd = PQsocket(link->connection), .events = events};
		uint64_t now_ns = clock_monotonic_ns();
		uint64_t left_ms =
			now_ns < deadline_ns ? (deadline_ns - now_ns) / NUM_NS_PER_MS : 0;
		int ready = poll(&fd, 1, (int)left_ms + 1);
		if (ready > 0)
			return true;
		if (ready < 0 && errno == EINTR)
			continue;
		courier_note(&link->courier, VERDICT_RETRY, "no answer in time", NULL);
		return false;
	}
}

static bool
begin_connecting(struct pglink *link)
{
	const struct pglink_target *target = &link->target;
	const struct trust_files *files = target->files;
	char problem[TRUST_PROBLEM_SIZE] = "", token[TOKEN_SIZE] = "";
	if (!trust_may_use(files, problem) ||
		(files->token != NULL &&
			token_read("token file", files->token, token, problem) < 0)) {
		courier_note(&link->courier, VERDICT_RETRY, problem, NULL);
		return false;
	}
	/* What is not said here, or is "", may be said by libpq's variables in the environment. */
	const char *const settings[][2] = {
		{"host", target->host},
		{"port", target->port},
		{"dbname", target->database},
		{"user", target->user},
		{"password", token},
		{"application_name", "nic-health-monitor emit"},
		{"client_encoding", "UTF8"},
		{"gssencmode", "disable"},
		{"sslmode", target->has_tls ? "verify-full" : "disable"},
		{"sslrootcert", files->ca != NULL ? files->ca : AUTHORITIES},
		{"sslcert", files->cert != NULL ? files->cert : ""},
		{"sslkey", files->key != NULL ? files->key : ""},
		{"target_session_attrs", "read-write"},
	};
	enum { COUNT = sizeof settings / sizeof *settings };
	const char *names[COUNT + 1] = {NULL}, *values[COUNT + 1] = {NULL};
	for (size_t i = 0; i < COUNT; i++) {
		names[i] = settings[i][0];
		values[i] = settings[i][1];
	}
	link->connection = PQconnectStartParams(names, values, 0);
	return link->connection != NULL;
}

static bool
connect_to_server(struct pglink *link, uint64_t deadline_ns)
{
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	if (link->connection != NULL && PQstatus(link->connection) == CONNECTION_OK)
		return true;
	disconnect(link);
	if (!begin_connecting(link))
		return false;
	while (PQstatus(link->connection) != CONNECTION_BAD && status != PGRES_POLLING_OK &&
		status != PGRES_POLLING_FAILED) {
		if (!wait_for(
			    link, status == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline_ns))
			return false;
		status = PQconnectPoll(link->connection);
	}
	if (status == PGRES_POLLING_OK && PQsetnonblocking(link->connection, 1) == 0)
		return true;
	note(link, VERDICT_RETRY, "cannot connect", PQerrorMessage(link->connection));
	return false;
}

/* What is wrong with an event is wrong with it for ever. */
static enum verdict
verdict_of(const char *state)
{
	static const char *const data[] = {"22", "23", "54"};
	for (size_t i = 0; state != NULL && i < sizeof data / sizeof *data; i++)
		if (strncmp(state, data[i], 2) == 0)
			return VERDICT_REFUSED;
	return VERDICT_RETRY;
}

static void
accept_result(struct pglink *link, const PGresult *result)
{
	ExecStatusType status = PQresultStatus(result);
	const char *words = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
	if (status == PGRES_TUPLES_OK)
		return;
	note(link, verdict_of(PQresultErrorField(result, PG_DIAG_SQLSTATE)), "not stored",
		words != NULL ? words : PQresultErrorMessage(result));
}

/* Sends what there is, and reads what comes meanwhile. */
static bool
flush(struct pglink *link, uint64_t deadline_ns)
{
	int left;
	while ((left = PQflush(link->connection)) > 0) {
		if (!wait_for(link, POLLIN | POLLOUT, deadline_ns))
			return false;
		if (PQconsumeInput(link->connection) == 0)
			return false;
	}
	return left == 0;
}

static void
store(struct pglink *link, uint64_t deadline_ns)
{
	const char *const values[] = {link->text};
	PGresult *result;
	bool is_sent = PQsendQueryParams(link->connection, "SELECT nic.store($1)", 1, NULL, values,
			       NULL, NULL, 0) == 1 &&
		       flush(link, deadline_ns);
	while (is_sent && PQisBusy(link->connection)) {
		if (!wait_for(link, POLLIN, deadline_ns))
			return;
		is_sent = PQconsumeInput(link->connection) == 1;
	}
	if (!is_sent) {
		note(link, VERDICT_RETRY, "no answer", PQerrorMessage(link->connection));
		return;
	}
	while ((result = PQgetResult(link->connection)) != NULL) {
		accept_result(link, result);
		PQclear(result);
	}
}

static void
run_round(void *context)
{
	struct pglink *link = context;
	uint64_t deadline_ns = clock_monotonic_ns() + link->target.timeout_ms * NUM_NS_PER_MS;
	if (connect_to_server(link, deadline_ns))
		store(link, deadline_ns);
	if (courier_failed(&link->courier))
		disconnect(link);
}

/* --- the loop's side --- */

struct pglink *
pglink_new(const struct pglink_target *target)
{
	struct pglink *link = calloc(1, sizeof *link);
	if (link == NULL)
		return NULL;
	link->target = *target;
	if (courier_init(&link->courier) < 0) {
		free(link);
		return NULL;
	}
	return link;
}

void
pglink_begin(struct pglink *link, char *text)
{
	free(link->text);
	link->text = text;
	courier_begin(&link->courier, run_round, link);
}

struct courier *
pglink_courier(struct pglink *link)
{
	return &link->courier;
}

void
pglink_free(struct pglink *link)
{
	if (link == NULL || courier_is_busy(&link->courier))
		return;
	courier_fini(&link->courier);
	disconnect(link);
	free(link->text);
	free(link);
}
