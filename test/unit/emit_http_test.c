/* Unit tests of emit's http: requests to servers that answer, stay silent, or answer garbage. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/curllib.h"
#include "../../tools/emit/out/http.h"
#include "../../tools/emit/out/reply.h"

#include "check.h"
#include "clock.h"
#include "httpservers.h"
#include "num.h"

#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/un.h>
#include <unistd.h>

/* Long enough for any machine; no test waits for all of it. */
#define PATIENCE_MS 20000

/* --- requests --- */

static const struct http_request hello = {
	.content_type = "text/plain", .body = "hello", .length = 5, .timeout_ms = PATIENCE_MS};

/* Run the client until its request is done, or for at most `most_ms`. */
static void
wait_for(struct http *http, const struct http_client *client, uint64_t most_ms)
{
	uint64_t end_ns = clock_monotonic_ns() + most_ms * NUM_NS_PER_MS;
	for (;;) {
		uint64_t now_ns = clock_monotonic_ns(), wakes_ns = http_wakes_at_ns(http);
		if (!http_client_is_busy(client) || now_ns >= end_ns)
			return;
		if (wakes_ns > end_ns)
			wakes_ns = end_ns;
		struct pollfd ready = {.fd = http_fd(http), .events = POLLIN};
		poll(&ready, 1,
			wakes_ns <= now_ns ? 0 : (int)((wakes_ns - now_ns) / NUM_NS_PER_MS) + 1);
		http_pump(http);
	}
}

static const struct http_reply *
post(struct http *http, struct http_client *client, const struct http_request *request)
{
	CHECK(!http_client_is_busy(client));
	CHECK_INT(http_client_post(client, request), 0);
	wait_for(http, client, PATIENCE_MS + 5000);
	CHECK(!http_client_is_busy(client));
	return http_client_reply(client);
}

/* Send one request to one server. `problem` is part of the expected problem, or NULL for a complete
 * reply. */
static void
one_request(serve_fn *serve, uint64_t timeout_ms, long status, const char *problem)
{
	struct server server;
	server_init(&server, serve);
	struct http *http = http_new();
	const struct http_target target = {.url = server.url};
	struct http_client *client = http_client_new(http, &target);
	struct http_request request = hello;
	request.timeout_ms = timeout_ms;

	const struct http_reply *reply = post(http, client, &request);
	CHECK_INT(reply->status, status);
	if (problem == NULL)
		CHECK_STR(reply->problem, NULL);
	else
		CHECK_HAS(reply->problem, problem);
	CHECK(reply->length <= REPLY_BODY_KEPT_BYTES && strlen(reply->body) == reply->length);
	http_client_free(client);
	http_free(http);
	server_fini(&server);
}

static void
whole_answer(void)
{
	struct server server;
	server_init(&server, echo);
	/* No proxy of the environment is used. */
	setenv("http_proxy", "http://127.0.0.1:1", 1);
	setenv("ALL_PROXY", "http://127.0.0.1:1", 1);
	struct http *http = http_new();
	const struct http_target target = {.url = server.url};
	struct http_client *client = http_client_new(http, &target);
	char *body = check_repeat_new('b', 20000);
	const char *const headers[] = {"X-More: yes", "X-Even-More: indeed", NULL};
	const struct http_request request = {.content_type = "application/x-test",
		.headers = headers,
		.body = body,
		.length = 20000,
		.timeout_ms = PATIENCE_MS};

	const struct http_reply *reply = post(http, client, &request);
	CHECK_STR(reply->problem, NULL);
	CHECK_INT(reply->status, 200);
	CHECK_HAS(reply->body, "POST /path HTTP/1.1\r\n");
	CHECK_HAS(reply->body, "User-Agent: nic-health-monitor/");
	CHECK_HAS(reply->body, "Content-Type: application/x-test\r\n");
	CHECK_HAS(reply->body, "X-More: yes\r\nX-Even-More: indeed\r\n");
	CHECK_HAS(reply->body, body);
	CHECK(strcasestr(reply->body, "expect") == NULL);
	CHECK(strcasestr(reply->body, "authorization") == NULL);
	CHECK_U64(strlen(reply->body), reply->length);
	CHECK_STR(http_client_header(client, "x-ONE"), "second");
	CHECK_STR(http_client_header(client, "X-Empty"), "");
	CHECK_STR(http_client_header(client, "X-On"), NULL);
	CHECK_STR(http_client_header(client, ""), NULL);
	http_client_free(client);
	http_free(http);
	server_fini(&server);
	free(body);
}

static void
bad_answers(void)
{
	static const struct {
		serve_fn *serve;
		const char *problem;
		long status;
	} rows[] = {
		{half, "96 bytes", 200},
		{half_a_header, "closed", 200},
		{nothing, "closed without an answer", 0},
		{garbage, "not HTTP", 0},
		{reset, "reset", 0},
		{endless_headers, "headers are longer than 32 KiB", 200},
		{endless_header, "", 200},
		{endless_interim, "headers are longer than 32 KiB", 102},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("row %zu", i);
		one_request(rows[i].serve, PATIENCE_MS, rows[i].status, rows[i].problem);
	}
}

static void
timeouts(void)
{
	one_request(silence, 200, 0, "timed out");
}

static void
bounded(void)
{
	one_request(long_body, PATIENCE_MS, 400, NULL);
	one_request(endless_body, PATIENCE_MS, 200, "longer than 4 MiB");
}

static void
not_followed(void)
{
	one_request(redirect, PATIENCE_MS, 307, NULL);
}

static void
interim(void)
{
	struct server server;
	server_init(&server, interim_and_trailers);
	struct http *http = http_new();
	const struct http_target target = {.url = server.url};
	struct http_client *client = http_client_new(http, &target);
	const struct http_reply *reply = post(http, client, &hello);
	CHECK_STR(reply->problem, NULL);
	CHECK_INT(reply->status, 200);
	CHECK_STR(reply->body, "ok");
	CHECK_STR(http_client_header(client, "X-Early"), NULL);
	CHECK_STR(http_client_header(client, "X-One"), "trailer");
	CHECK_STR(http_client_header(client, "X-Two"), "trailer");
	http_client_free(client);
	http_free(http);
	server_fini(&server);
}

static void
nobody_there(void)
{
	struct server server;
	server_init(&server, echo);
	server_fini(&server);
	char path[200];
	snprintf(path, sizeof path, "%s/none.sock", check_dir());
	const struct {
		struct http_target target;
		const char *problem;
	} rows[] = {
		{{.url = server.url}, "cannot connect: Connection refused"},
		{{.url = "http://localhost/", .unix_path = path}, "cannot connect: No such file"},
		{{.url = server.url, .http2 = true}, "cannot connect: Connection refused"},
		{{.url = "http://no.such.host.invalid:9/"}, "resolve host"},
		{{.url = "ftp://127.0.0.1/"}, "ftp"},
		{{.url = "http://"}, ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s %s", rows[i].target.url, rows[i].problem);
		struct http *http = http_new();
		struct http_client *client = http_client_new(http, &rows[i].target);
		const struct http_reply *reply = post(http, client, &hello);
		CHECK_HAS(reply->problem, rows[i].problem);
		CHECK_INT(reply->status, 0);
		CHECK_STR(reply->body, "");
		http_client_free(client);
		http_free(http);
	}
}

static void
kept_connection(void)
{
	struct server server;
	server_init(&server, echo);
	struct http *http = http_new();
	const struct http_target target = {.url = server.url};
	struct http_client *client = http_client_new(http, &target);
	for (int i = 0; i < 5; i++)
		CHECK_STR(post(http, client, &hello)->problem, NULL);
	CHECK_INT(*server.accepts, 1);

	/* The same target, another client. The server handles one connection after the other. */
	struct http_client *other = http_client_new(http, &target);
	CHECK_INT(http_client_post(other, &hello), 0);
	wait_for(http, other, 100);
	CHECK(http_client_is_busy(other));
	http_client_free(client);
	wait_for(http, other, PATIENCE_MS);
	CHECK_STR(http_client_reply(other)->problem, NULL);
	CHECK_INT(*server.accepts, 2);
	http_client_free(other);
	http_free(http);
	server_fini(&server);
}

static void
restarted_server(void)
{
	struct server server;
	server_init(&server, echo);
	struct http *http = http_new();
	const struct http_target target = {.url = server.url};
	struct http_client *client = http_client_new(http, &target);
	for (int i = 0; i < 3; i++) {
		CHECK_STR(post(http, client, &hello)->problem, NULL);
		CHECK_INT(*server.accepts, 1);
		server_stop(&server);
		server_start(&server, echo);
	}
	http_client_free(client);
	http_free(http);
	server_fini(&server);
}

static void
quiet_between(void)
{
	struct server server;
	server_init(&server, echo);
	struct http *http = http_new();
	const struct http_target target = {.url = server.url};
	struct http_client *client = http_client_new(http, &target);
	CHECK(http_wakes_at_ns(http) == UINT64_MAX);
	CHECK_STR(post(http, client, &hello)->problem, NULL);
	server_stop(&server);
	/* Neither the kept connection nor its end may wake the caller. */
	struct pollfd ready = {.fd = http_fd(http), .events = POLLIN};
	CHECK_INT(poll(&ready, 1, 50), 0);
	CHECK(http_wakes_at_ns(http) == UINT64_MAX);
	http_pump(http);
	http_client_free(client);
	http_free(http);
	server_fini(&server);
}

static void
cancelled(void)
{
	struct server server;
	server_init(&server, silence);
	struct http *http = http_new();
	const struct http_target target = {.url = server.url};
	struct http_client *client = http_client_new(http, &target);
	/* Before any progress, and while it waits for its reply. */
	for (int i = 0; i < 2; i++) {
		CHECK_INT(http_client_post(client, &hello), 0);
		wait_for(http, client, i == 0 ? 0 : 100);
		CHECK(http_client_is_busy(client));
		http_client_cancel(client);
		CHECK(!http_client_is_busy(client));
		CHECK_STR(http_client_reply(client)->problem, "cancelled");
	}
	server_stop(&server);
	server_start(&server, echo);
	CHECK_STR(post(http, client, &hello)->problem, NULL);
	http_client_cancel(client);
	CHECK_STR(http_client_reply(client)->problem, NULL);

	/* Freed while it is busy. */
	server_stop(&server);
	server_start(&server, silence);
	CHECK_INT(http_client_post(client, &hello), 0);
	wait_for(http, client, 100);
	http_client_free(client);
	http_client_free(NULL);
	http_free(http);
	server_fini(&server);
}

static void
unix_socket(void)
{
	struct server server;
	server_init(&server, echo);
	server_stop(&server);
	close(server.listener);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	CHECK(snprintf(address.sun_path, sizeof address.sun_path, "%s/s", check_dir()) > 0);
	server.listener = socket(AF_UNIX, SOCK_STREAM, 0);
	CHECK_INT(bind(server.listener, (const struct sockaddr *)&address, sizeof address), 0);
	CHECK_INT(listen(server.listener, 5), 0);
	server_start(&server, echo);

	struct http *http = http_new();
	const struct http_target target = {
		.url = "http://localhost/p", .unix_path = address.sun_path};
	struct http_client *client = http_client_new(http, &target);
	CHECK_HAS(post(http, client, &hello)->body, "Host: localhost\r\n");
	CHECK_HAS(post(http, client, &hello)->body, "hello");
	CHECK_INT(*server.accepts, 1);
	http_client_free(client);
	http_free(http);
	server_fini(&server);
}

static void
not_http2(void)
{
	static serve_fn *const servers[] = {garbage, http1_only, half};
	for (size_t i = 0; i < CHECK_COUNT(servers); i++) {
		struct server server;
		server_init(&server, servers[i]);
		struct http *http = http_new();
		const struct http_target target = {.url = server.url, .http2 = true};
		struct http_client *client = http_client_new(http, &target);
		struct http_request request = hello;
		check_row("server %zu", i);
		request.timeout_ms = 300;
		CHECK(post(http, client, &request)->problem != NULL);
		CHECK_INT(http_client_reply(client)->status, 0);
		http_client_free(client);
		http_free(http);
		server_fini(&server);
	}
}

static CURLMcode (*socket_action)(CURLM *, curl_socket_t, int, int *);

static CURLMcode
forget_time(CURLM *multi, curl_socket_t fd, int what, int *running)
{
	return fd == CURL_SOCKET_TIMEOUT ? CURLM_OK : socket_action(multi, fd, what, running);
}

static void
forgotten_end(void)
{
	struct server server;
	server_init(&server, echo);
	struct http *http = http_new();
	const struct http_target target = {.url = server.url};
	struct http_client *client = http_client_new(http, &target);
	struct http_request request = hello;
	request.timeout_ms = 100;
	socket_action = curllib.curl_multi_socket_action;
	curllib.curl_multi_socket_action = forget_time;
	CHECK_STR(post(http, client, &request)->problem, "timed out");
	curllib.curl_multi_socket_action = socket_action;
	CHECK_STR(post(http, client, &hello)->problem, NULL);
	http_client_free(client);
	http_free(http);
	server_fini(&server);
}

static void
tokens(void)
{
	struct server server;
	server_init(&server, echo);
	struct http *http = http_new();
	char path[200];
	snprintf(path, sizeof path, "%s", check_file("token", "secret-1 \r\n\n"));
	const struct http_target target = {.url = server.url, .files.token = path};
	struct http_client *client = http_client_new(http, &target);
	CHECK_HAS(post(http, client, &hello)->body, "Authorization: Bearer secret-1\r\n");
	/* The file is rotated. */
	check_file("token", "secret-2");
	CHECK_HAS(post(http, client, &hello)->body, "Authorization: Bearer secret-2\r\n");
	CHECK_INT(*server.accepts, 1);
	CHECK_INT(unlink(path), 0);
	const struct http_reply *reply = post(http, client, &hello);
	CHECK_HAS(reply->problem, path);
	CHECK_HAS(reply->problem, "No such file or directory");
	CHECK_INT(reply->status, 0);
	http_client_free(client);
	http_free(http);
	server_fini(&server);
}

/* --- a name server that does not answer --- */

/* Replaces libc's function, which libcurl calls. */
int
getaddrinfo(const char *restrict node, const char *restrict service,
	const struct addrinfo *restrict hints, struct addrinfo **restrict out)
{
	(void)service;
	(void)hints;
	*out = NULL;
	if (strcmp(node, "slow.invalid") == 0)
		usleep(PATIENCE_MS * 1000);
	return EAI_NONAME;
}

static void
slow_name(void)
{
	struct http *http = http_new();
	const struct http_target target = {.url = "http://slow.invalid:80/"};
	struct http_client *client = http_client_new(http, &target);
	struct http_request request = hello;
	uint64_t begun_ns = clock_monotonic_ns();

	request.timeout_ms = 200;
	CHECK_HAS(post(http, client, &request)->problem, "timed out");
	request.timeout_ms = PATIENCE_MS;
	CHECK_INT(http_client_post(client, &request), 0);
	wait_for(http, client, 100);
	http_client_cancel(client);
	CHECK_INT(http_client_post(client, &request), 0);
	wait_for(http, client, 100);
	http_client_free(client);
	http_free(http);
	CHECK(clock_monotonic_ns() - begun_ns < PATIENCE_MS * NUM_NS_PER_MS / 2);
}

static const struct check_test tests[] = {
	{"a complete reply has its headers, and the request arrives as given", whole_answer},
	{"a malformed or incomplete reply is described as a problem", bad_answers},
	{"a server that never finishes is abandoned at the timeout", timeouts},
	{"a body longer than the limit is read and dropped", bounded},
	{"a redirect is a reply and is not followed", not_followed},
	{"headers are those of the final reply, including its trailers", interim},
	{"a failed connection is described as a problem", nobody_there},
	{"a connection is kept open, and belongs to one client", kept_connection},
	{"a server that was restarted between two requests is reached again", restarted_server},
	{"an idle connection does not wake the caller", quiet_between},
	{"a request can be cancelled at any time", cancelled},
	{"a server may be behind a unix socket", unix_socket},
	{"a server that does not speak HTTP/2 is a problem if HTTP/2 was required", not_http2},
	{"a request whose end libcurl forgets times out, and the next one is sent", forgotten_end},
	{"the token is read again for each request", tokens},
	{"a name server that does not answer blocks no other request", slow_name},
};
CHECK_MAIN(tests)
