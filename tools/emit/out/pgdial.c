/* pgdial - connects to PostgreSQL servers by libpq. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pgdial.h"

#include "array.h"
#include "clock.h"
#include "strbuf.h"
#include "utf8.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* The system's CA file, in the order Debian, Red Hat, SUSE: libpq has no default that uses it. */
static const char *const authorities[] = {
	"/etc/ssl/certs/ca-certificates.crt",
	"/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
	"/var/lib/ca-certificates/ca-bundle.pem",
};

/* Replaces files that libpq would look for in the home directory: they are not configured by
 * options, and finding them may need system calls that a confined program cannot make. */
#define NO_FILE "/nonexistent/file"

/* Format the first line of libpq's message, which has several. */
static void
explain(char reason[PGDIAL_REASON_SIZE], const char *what, const PGconn *connection)
{
	const char *words = pqlib.PQerrorMessage(connection);
	size_t used = (size_t)snprintf(reason, PGDIAL_REASON_SIZE, "%s: ", what);
	utf8_sanitize(words, strcspn(words, "\n"), reason + used, PGDIAL_REASON_SIZE - used);
}

/* Wait until the socket is ready for `events`. Return false with `reason` at the deadline. */
static bool
wait_for(const PGconn *connection, short events, uint64_t deadline_ns,
	char reason[PGDIAL_REASON_SIZE])
{
	for (;;) {
		struct pollfd fd = {.fd = pqlib.PQsocket(connection), .events = events};
		int ready = poll(&fd, 1, clock_left_ms(deadline_ns));
		if (ready > 0)
			return true;
		if (ready < 0 && errno == EINTR)
			continue;
		snprintf(reason, PGDIAL_REASON_SIZE, "no answer in time");
		return false;
	}
}

/* Addresses of a host in numeric form, with commas, and as often the name to verify. */
struct addresses {
	struct strbuf numbers, names;
};

/* Append an address. Return an error of getaddrinfo(). */
static int
add_address(struct addresses *out, const struct addrinfo *address, const char *name)
{
	char number[NI_MAXHOST];
	const char *comma = out->numbers.length > 0 ? "," : "";
	int error = getnameinfo(address->ai_addr, address->ai_addrlen, number, sizeof number, NULL,
		0, NI_NUMERICHOST);
	if (error != 0)
		return error;
	strbuf_addf(&out->numbers, "%s%s", comma, number);
	strbuf_addf(&out->names, "%s%s", comma, name);
	return out->numbers.is_short || out->names.is_short ? EAI_MEMORY : 0;
}

/* Look up all addresses of the host, beginning with another one each time: one that does not answer
 * takes the whole time of an attempt. Return false with `reason`. */
static bool
look_up(const struct pgdial *dial, struct addresses *out, char reason[PGDIAL_REASON_SIZE])
{
	const char *name = dial->server_name != NULL ? dial->server_name : dial->host;
	const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
	struct addrinfo *found = NULL;
	size_t count = 0;
	int error = getaddrinfo(dial->host, NULL, &hints, &found);
	for (const struct addrinfo *a = found; a != NULL; a = a->ai_next)
		count++;
	const struct addrinfo *at = found;
	for (size_t left = count > 0 ? clock_monotonic_ns() % count : 0; left > 0; left--)
		at = at->ai_next;
	for (size_t left = count; left > 0 && error == 0; left--) {
		error = add_address(out, at, name);
		at = at->ai_next != NULL ? at->ai_next : found;
	}
	if (found != NULL)
		freeaddrinfo(found);
	if (error != 0)
		snprintf(reason, PGDIAL_REASON_SIZE, "cannot connect: %s", gai_strerror(error));
	return error == 0;
}

/* Return the first CA file that exists, or the first one. */
static const char *
find_authorities(void)
{
	for (size_t i = 0; i < ARRAY_COUNT(authorities); i++) {
		if (access(authorities[i], F_OK) == 0)
			return authorities[i];
	}
	return authorities[0];
}

/* The server's notices, such as that a table already exists, tell a user nothing. libpq would print
 * them on stderr as they are. */
static void
ignore_notice(void *context, const char *text)
{
	(void)context, (void)text;
}

/* Begin to connect to the first of `addresses` that has a usable session; "": of the host. */
static PGconn *
begin_with(const struct pgdial *dial, const char *host, const char *addresses,
	char reason[PGDIAL_REASON_SIZE])
{
	const struct trust_files *files = dial->files;
	char token[TOKEN_SIZE] = "";
	if (!trust_may_use(files, reason) ||
		(files->token != NULL && token_read("token file", files->token, token, reason) < 0))
		return NULL;
	/* Environment variables of libpq override what is missing here or "". */
	const char *const settings[][2] = {
		/* Given both, libpq connects to hostaddr and verifies the name in host. */
		{"host", host},
		{"hostaddr", addresses},
		{"port", dial->port},
		{"dbname", dial->database},
		{"user", dial->user},
		{"password", token},
		{"application_name", dial->name},
		{"client_encoding", "UTF8"},
		{"gssencmode", "disable"},
		{"sslmode", dial->has_tls ? "verify-full" : "disable"},
		{"sslrootcert", files->ca != NULL ? files->ca : find_authorities()},
		{"sslcert", files->cert != NULL ? files->cert : NO_FILE},
		{"sslkey", files->key != NULL ? files->key : NO_FILE},
		{"sslcrl", NO_FILE},
		{"passfile", NO_FILE},
		{"target_session_attrs", dial->only_reads ? "any" : "read-write"},
	};
	enum { COUNT = ARRAY_COUNT(settings) };
	const char *names[COUNT + 1] = {NULL}, *values[COUNT + 1] = {NULL};
	for (size_t i = 0; i < COUNT; i++) {
		names[i] = settings[i][0];
		values[i] = settings[i][1];
	}
	PGconn *connection = pqlib.PQconnectStartParams(names, values, 0);
	if (connection == NULL)
		snprintf(reason, PGDIAL_REASON_SIZE, "out of memory");
	else
		pqlib.PQsetNoticeProcessor(connection, ignore_notice, NULL);
	return connection;
}

/* Begin to connect. libpq itself tries another address of a host only if a server cannot be
 * reached, not if it is a standby: for libpq each address is a host of its own. */
static PGconn *
begin(const struct pgdial *dial, char reason[PGDIAL_REASON_SIZE])
{
	struct addresses found = {{0}, {0}};
	PGconn *connection = NULL;
	if (*dial->host == '/')
		return begin_with(dial, dial->host, "", reason);
	if (look_up(dial, &found, reason))
		connection = begin_with(dial, found.names.bytes, found.numbers.bytes, reason);
	strbuf_fini(&found.numbers);
	strbuf_fini(&found.names);
	return connection;
}

PGconn *
pgdial_connect(const struct pgdial *dial, uint64_t deadline_ns, char reason[PGDIAL_REASON_SIZE])
{
	PostgresPollingStatusType status = PGRES_POLLING_WRITING;
	PGconn *connection = begin(dial, reason);
	if (connection == NULL)
		return NULL;
	bool in_time = true;
	while (in_time && pqlib.PQstatus(connection) != CONNECTION_BAD &&
		status != PGRES_POLLING_OK && status != PGRES_POLLING_FAILED) {
		in_time = wait_for(connection, status == PGRES_POLLING_READING ? POLLIN : POLLOUT,
			deadline_ns, reason);
		if (in_time)
			status = pqlib.PQconnectPoll(connection);
	}
	if (status == PGRES_POLLING_OK && pqlib.PQsetnonblocking(connection, 1) == 0)
		return connection;
	if (in_time)
		explain(reason, "cannot connect", connection);
	pqlib.PQfinish(connection);
	return NULL;
}

/* Send all pending data, and read what arrives meanwhile. */
static bool
flush(PGconn *connection, uint64_t deadline_ns, char reason[PGDIAL_REASON_SIZE])
{
	int left;
	while ((left = pqlib.PQflush(connection)) > 0) {
		if (!wait_for(connection, POLLIN | POLLOUT, deadline_ns, reason))
			return false;
		if (pqlib.PQconsumeInput(connection) == 0)
			break;
	}
	if (left != 0)
		explain(reason, "no answer", connection);
	return left == 0;
}

/* Get the next result; NULL if there are no more. Return false with `reason`. */
static bool
next_result(PGconn *connection, PGresult **result, uint64_t deadline_ns,
	char reason[PGDIAL_REASON_SIZE])
{
	while (pqlib.PQisBusy(connection)) {
		if (!wait_for(connection, POLLIN, deadline_ns, reason))
			return false;
		if (pqlib.PQconsumeInput(connection) != 1) {
			explain(reason, "no answer", connection);
			return false;
		}
	}
	*result = pqlib.PQgetResult(connection);
	return true;
}

/* No command of ours copies data. libpq returns such a result again and again, without end. */
static bool
is_copy(const PGresult *result)
{
	ExecStatusType status = pqlib.PQresultStatus(result);
	return status == PGRES_COPY_OUT || status == PGRES_COPY_IN || status == PGRES_COPY_BOTH;
}

PGresult *
pgdial_ask(PGconn *connection, const char *command, const char *text, uint64_t deadline_ns,
	char reason[PGDIAL_REASON_SIZE])
{
	PGresult *answer = NULL, *result;
	int is_sent = text != NULL ? pqlib.PQsendQueryParams(
					     connection, command, 1, NULL, &text, NULL, NULL, 0)
				   : pqlib.PQsendQuery(connection, command);
	if (is_sent != 1) {
		explain(reason, "no answer", connection);
		return NULL;
	}
	if (!flush(connection, deadline_ns, reason))
		return NULL;
	for (;;) {
		if (!next_result(connection, &result, deadline_ns, reason)) {
			pqlib.PQclear(answer);
			return NULL;
		}
		if (result == NULL)
			break;
		pqlib.PQclear(answer);
		answer = result;
		if (is_copy(answer)) {
			snprintf(reason, PGDIAL_REASON_SIZE, "no answer: a copy of data");
			pqlib.PQclear(answer);
			return NULL;
		}
	}
	if (answer == NULL)
		explain(reason, "no answer", connection);
	return answer;
}
