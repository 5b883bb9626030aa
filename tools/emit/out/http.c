/* http - non-blocking HTTP requests by libcurl.
 *
 * Each client has its own multi handle, and so a connection pool of one: a connection to one server
 * with one token is never used for another. A client's sockets are in its own epoll set. These sets
 * are in the epoll set of all clients, which the caller polls. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "http.h"

#include "clock.h"
#include "curllib.h"
#include "curltarget.h"
#include "fd.h"
#include "num.h"
#include "reply.h"
#include "utf8.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

/* Most sockets of one client to process at once. A client has one, and a few while it connects. */
#define EVENTS_AT_ONCE 8

/* How long after its end a request may go on: libcurl ends it, with a better message. But libcurl
 * 7.88 forgets the end if it looks at the clock in the moment before, and then never ends it. */
#define END_SLACK_NS (100 * NUM_NS_PER_MS)

struct http {
	int epoll_fd;
	struct http_client *clients; /* linked list */
};

struct http_client {
	struct http *http;
	struct http_client *next;
	const struct http_target *target;
	CURLM *multi;
	CURL *easy;
	int epoll_fd;
	uint64_t wakes_at_ns;
	bool busy;
	uint64_t deadline_ns;       /* end of the request's time */
	bool needs_new_connection;  /* the last request failed, so its connection may be broken */
	bool kept_only;             /* use a kept connection only, make none ... */
	bool kept_missing;          /* ... but there was none */
	struct curl_slist *headers; /* of the request */
	struct curl_slist *connect_to; /* of curltarget_set_up() */
	struct http_reply reply;
	char curl_message[CURL_ERROR_SIZE];
	char problem[CURL_ERROR_SIZE * 2]; /* storage of `reply.problem`, valid UTF-8 */
	struct reply received;             /* the response as received, bounded: reply.h */
};

/* --- callbacks of libcurl --- */

static int
watch_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *socket_context)
{
	const struct http_client *client = context;
	struct epoll_event event = {
		.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) |
			  (what & CURL_POLL_OUT ? EPOLLOUT : 0u),
		.data.fd = fd,
	};
	(void)easy;
	(void)socket_context;
	/* If this fails, the request times out. A closed socket has left the set by itself. */
	if (what == CURL_POLL_REMOVE)
		epoll_ctl(client->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
	else if (epoll_ctl(client->epoll_fd, EPOLL_CTL_MOD, fd, &event) < 0)
		epoll_ctl(client->epoll_fd, EPOLL_CTL_ADD, fd, &event);
	return 0;
}

static int
set_timer(CURLM *multi, long timeout_ms, void *context)
{
	struct http_client *client = context;
	(void)multi;
	client->wakes_at_ns = timeout_ms < 0
				      ? UINT64_MAX
				      : clock_monotonic_ns() + (uint64_t)timeout_ms * NUM_NS_PER_MS;
	return 0;
}

static curl_socket_t
open_socket(void *context, curlsocktype purpose, struct curl_sockaddr *address)
{
	struct http_client *client = context;
	(void)purpose;
	if (client->kept_only) {
		client->kept_missing = true;
		return CURL_SOCKET_BAD;
	}
	return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
}

static size_t
accept_header(char *line, size_t one, size_t length, void *context)
{
	struct http_client *client = context;
	(void)one;
	/* Any other value aborts the request. */
	return reply_accept_header(&client->received, line, length) ? length : 0;
}

static size_t
accept_body(char *bytes, size_t one, size_t length, void *context)
{
	struct http_client *client = context;
	(void)one;
	return reply_accept_body(&client->received, bytes, length) ? length : 0;
}

/* --- the end of a request --- */

static void
set_problem(struct http_client *client, const char *text)
{
	utf8_sanitize(text, strlen(text), client->problem, sizeof client->problem);
	client->reply.problem = client->problem;
}

/* Set the problem: libcurl's message, or a clearer one. */
static void
explain(struct http_client *client, CURLcode code)
{
	long error = 0;
	char text[sizeof client->curl_message + 32];
	const char *message = client->curl_message[0] != '\0' ? client->curl_message
							      : curllib.curl_easy_strerror(code);

	curllib.curl_easy_getinfo(client->easy, CURLINFO_OS_ERRNO, &error);
	snprintf(text, sizeof text, "%s", message);
	if (code == CURLE_COULDNT_CONNECT && error != 0)
		snprintf(text, sizeof text, "cannot connect: %s", strerror((int)error));
	else if (code == CURLE_WRITE_ERROR && client->received.body_received > REPLY_BODY_MAX_BYTES)
		snprintf(text, sizeof text, "the answer is longer than %zu MiB",
			REPLY_BODY_MAX_BYTES >> 20);
	else if (code == CURLE_WRITE_ERROR)
		snprintf(text, sizeof text, "the answer's headers are longer than %zu KiB",
			REPLY_HEADERS_MAX_BYTES >> 10);
	else if (code == CURLE_UNSUPPORTED_PROTOCOL)
		snprintf(text, sizeof text, "the answer is not HTTP (%s)", message);
	else if (strncmp(message, "getpeername() failed", strlen("getpeername() failed")) == 0)
		snprintf(text, sizeof text, "the connection was closed immediately");
	else if (code == CURLE_GOT_NOTHING)
		snprintf(text, sizeof text, "the connection was closed without an answer");
	set_problem(client, text);
}

/* --- the multi handle --- */

static bool
set_up_multi(struct http_client *client)
{
	return CURLLIB_SET_MULTI(client->multi, CURLMOPT_SOCKETFUNCTION, watch_socket) &&
	       CURLLIB_SET_MULTI(client->multi, CURLMOPT_SOCKETDATA, client) &&
	       CURLLIB_SET_MULTI(client->multi, CURLMOPT_TIMERFUNCTION, set_timer) &&
	       CURLLIB_SET_MULTI(client->multi, CURLMOPT_TIMERDATA, client) &&
	       CURLLIB_SET_MULTI(client->multi, CURLMOPT_MAXCONNECTS, 1L);
}

static void
drop_multi(struct http_client *client)
{
	curllib.curl_multi_cleanup(client->multi);
	client->multi = NULL;
	client->wakes_at_ns = UINT64_MAX;
}

/* Create the multi handle if missing. Return false if memory runs out. */
static bool
has_multi(struct http_client *client)
{
	if (client->multi != NULL)
		return true;
	client->multi = curllib.curl_multi_init();
	if (client->multi != NULL && !set_up_multi(client))
		drop_multi(client);
	return client->multi != NULL;
}

/* --- a request --- */

/* Release a request. If it failed, as when a server has vanished, the next request gets a new
 * connection: HTTP/2 would continue on the old one. */
static void
end_request(struct http_client *client)
{
	if (client->busy) {
		curllib.curl_multi_remove_handle(client->multi, client->easy);
		client->needs_new_connection = client->reply.problem != NULL;
	}
	client->busy = false;
	curllib.curl_slist_free_all(client->headers);
	client->headers = NULL;
}

/* Start the prepared request. `kept_only`: try a kept connection first. Return false if memory runs
 * out. */
static bool
start(struct http_client *client, bool kept_only)
{
	uint64_t now_ns = clock_monotonic_ns();
	long left_ms = client->deadline_ns > now_ns
			       ? (long)((client->deadline_ns - now_ns) / NUM_NS_PER_MS)
			       : 0;
	/* 0 would mean no limit. */
	if (left_ms == 0)
		left_ms = 1;
	const bool is_new = client->needs_new_connection ||
			    (!kept_only && curltarget_must_know_connection(client->target));

	client->kept_only = kept_only;
	client->kept_missing = false;
	client->curl_message[0] = '\0';
	reply_clear(&client->received);
	/* libcurl's default limit for connecting, 5 minutes, may be the shorter one. */
	client->busy = has_multi(client) &&
		       curltarget_set_version(client->easy, client->target, kept_only) &&
		       CURLLIB_SET(client->easy, CURLOPT_FRESH_CONNECT, is_new ? 1L : 0L) &&
		       CURLLIB_SET(client->easy, CURLOPT_TIMEOUT_MS, left_ms) &&
		       CURLLIB_SET(client->easy, CURLOPT_CONNECTTIMEOUT_MS, left_ms) &&
		       curllib.curl_multi_add_handle(client->multi, client->easy) == CURLM_OK;
	return client->busy;
}

/* Finish the request. libcurl keeps its connection if it is reusable. */
static void
finish(struct http_client *client, CURLcode code)
{
	long version = 0;

	if (code != CURLE_OK && client->kept_missing) {
		curllib.curl_multi_remove_handle(client->multi, client->easy);
		if (start(client, false))
			return;
		code = CURLE_OUT_OF_MEMORY;
	}
	curllib.curl_easy_getinfo(client->easy, CURLINFO_RESPONSE_CODE, &client->reply.status);
	curllib.curl_easy_getinfo(client->easy, CURLINFO_HTTP_VERSION, &version);
	if (code != CURLE_OK)
		explain(client, code);
	else if (client->target->http2 && version != CURL_HTTP_VERSION_2_0)
		set_problem(client, "the server does not speak HTTP/2");
	else if (!client->received.headers_whole) /* libcurl accepts that */
		set_problem(
			client, "the connection was closed in the middle of the answer's headers");
	client->reply.body = client->received.body;
	client->reply.length = client->received.body_length;
	end_request(client);
}

static void
finish_if_over(struct http_client *client)
{
	const CURLMsg *message;
	int left;
	while (client->busy &&
		(message = curllib.curl_multi_info_read(client->multi, &left)) != NULL)
		if (message->msg == CURLMSG_DONE)
			finish(client, message->data.result);
}

/* --- readiness --- */

/* Tell libcurl for what a socket is ready, or CURL_SOCKET_TIMEOUT. */
static void
act(struct http_client *client, curl_socket_t fd, uint32_t events)
{
	int running;
	int what = (events & EPOLLIN ? CURL_CSELECT_IN : 0) |
		   (events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
		   (events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
	/* An earlier event of this round has dropped the handle. */
	if (client->multi == NULL)
		return;
	CURLMcode code = curllib.curl_multi_socket_action(client->multi, fd, what, &running);
	if (code == CURLM_OK) {
		finish_if_over(client);
		return;
	}
	if (client->busy)
		set_problem(client, curllib.curl_multi_strerror(code));
	end_request(client);
	/* If memory runs out, libcurl 7.88 keeps a socket without its state, and crashes when that
	 * socket is ready again. */
	drop_multi(client);
}

static void
pump(struct http_client *client)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	int count = epoll_wait(client->epoll_fd, events, EVENTS_AT_ONCE, 0);
	for (int i = 0; i < count; i++)
		act(client, events[i].data.fd, events[i].events);
	if (client->wakes_at_ns <= clock_monotonic_ns()) {
		client->wakes_at_ns = UINT64_MAX;
		act(client, CURL_SOCKET_TIMEOUT, 0);
	}
	if (client->busy && client->deadline_ns + END_SLACK_NS <= clock_monotonic_ns()) {
		set_problem(client, "timed out");
		end_request(client);
	}
}

/* Return when libcurl wants to act, or when the request must be over, if that is earlier. */
static uint64_t
wakes_at_ns(const struct http_client *client)
{
	return client->busy ? clock_earlier(client->wakes_at_ns, client->deadline_ns + END_SLACK_NS)
			    : client->wakes_at_ns;
}

/* --- one client --- */

static bool
set_up_easy(struct http_client *client)
{
	return curltarget_set_up(client->easy, client->target, &client->connect_to) &&
	       CURLLIB_SET(client->easy, CURLOPT_ERRORBUFFER, client->curl_message) &&
	       CURLLIB_SET(client->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket) &&
	       CURLLIB_SET(client->easy, CURLOPT_OPENSOCKETDATA, client) &&
	       CURLLIB_SET(client->easy, CURLOPT_HEADERFUNCTION, accept_header) &&
	       CURLLIB_SET(client->easy, CURLOPT_HEADERDATA, client) &&
	       CURLLIB_SET(client->easy, CURLOPT_WRITEFUNCTION, accept_body) &&
	       CURLLIB_SET(client->easy, CURLOPT_WRITEDATA, client);
}

struct http_client *
http_client_new(struct http *http, const struct http_target *target)
{
	struct http_client *client = calloc(1, sizeof *client);
	if (client == NULL)
		return NULL;
	client->http = http;
	client->target = target;
	client->wakes_at_ns = UINT64_MAX;
	client->reply.body = client->received.body;
	client->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	client->easy = curllib.curl_easy_init();
	struct epoll_event event = {.events = EPOLLIN};
	client->next = http->clients;
	http->clients = client;
	if (client->epoll_fd < 0 || client->easy == NULL || !has_multi(client) ||
		!set_up_easy(client) ||
		epoll_ctl(http->epoll_fd, EPOLL_CTL_ADD, client->epoll_fd, &event) < 0) {
		http_client_free(client);
		return NULL;
	}
	return client;
}

void
http_client_free(struct http_client *client)
{
	if (client == NULL)
		return;
	http_client_cancel(client);
	for (struct http_client **at = &client->http->clients; *at != NULL; at = &(*at)->next) {
		if (*at == client) {
			*at = client->next;
			break;
		}
	}
	/* Close the epoll set last: the multi handle still removes its connections from it. */
	curllib.curl_easy_cleanup(client->easy);
	drop_multi(client);
	curllib.curl_slist_free_all(client->connect_to);
	fd_close(client->epoll_fd);
	free(client);
}

static bool
add_header(struct http_client *client, const char *header)
{
	struct curl_slist *longer = curllib.curl_slist_append(client->headers, header);
	if (longer == NULL)
		return false;
	client->headers = longer;
	return true;
}

static bool
add_headers(struct http_client *client, const struct http_request *request, const char *token)
{
	char header[TOKEN_SIZE + 32];
	snprintf(header, sizeof header, "Content-Type: %s", request->content_type);
	/* Do not wait for the server's "100 Continue". */
	if (!add_header(client, header) || !add_header(client, "Expect:"))
		return false;
	for (const char *const *more = request->headers; more != NULL && *more != NULL; more++)
		if (!add_header(client, *more))
			return false;
	snprintf(header, sizeof header, "Authorization: Bearer %s", token);
	return *token == '\0' || add_header(client, header);
}

int
http_client_post(struct http_client *client, const struct http_request *request)
{
	char token[TOKEN_SIZE] = "", problem[TOKEN_PROBLEM_SIZE], distrust[TRUST_PROBLEM_SIZE];

	client->reply = (struct http_reply){.body = client->received.body};
	reply_clear(&client->received);
	/* The files are read for each request and may have been replaced. */
	const struct trust_files *files = &client->target->files;
	if (!trust_may_use(files, distrust)) {
		set_problem(client, distrust);
		return 0;
	}
	if (files->token != NULL && token_read("token file", files->token, token, problem) < 0) {
		set_problem(client, problem);
		return 0;
	}
	client->deadline_ns = clock_monotonic_ns() + request->timeout_ms * NUM_NS_PER_MS;
	if (!add_headers(client, request, token) ||
		!CURLLIB_SET(client->easy, CURLOPT_HTTPHEADER, client->headers) ||
		!CURLLIB_SET(client->easy, CURLOPT_POSTFIELDS, request->body) ||
		!CURLLIB_SET(
			client->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)request->length) ||
		!start(client, !client->needs_new_connection &&
				       curltarget_must_know_connection(client->target))) {
		end_request(client);
		return -1;
	}
	return 0;
}

bool
http_client_is_busy(const struct http_client *client)
{
	return client->busy;
}

const struct http_reply *
http_client_reply(const struct http_client *client)
{
	return &client->reply;
}

const char *
http_client_header(const struct http_client *client, const char *name)
{
	return reply_header(&client->received, name);
}

void
http_client_cancel(struct http_client *client)
{
	if (client->busy)
		set_problem(client, "cancelled");
	end_request(client);
}

/* --- all clients --- */

struct http *
http_new(void)
{
	struct http *http = calloc(1, sizeof *http);
	if (http == NULL)
		return NULL;
	http->epoll_fd = -1;
	if (curllib_load() != NULL || curllib.curl_global_init(CURL_GLOBAL_DEFAULT) != 0) {
		free(http);
		return NULL;
	}
	/* Name lookups must not block. */
	const int needed = CURL_VERSION_ASYNCHDNS | CURL_VERSION_HTTP2 | CURL_VERSION_SSL |
			   CURL_VERSION_UNIX_SOCKETS;
	if ((curllib.curl_version_info(CURLVERSION_NOW)->features & needed) == needed)
		http->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (http->epoll_fd < 0) {
		http_free(http);
		return NULL;
	}
	return http;
}

void
http_free(struct http *http)
{
	if (http == NULL)
		return;
	fd_close(http->epoll_fd);
	free(http);
	curllib.curl_global_cleanup();
}

int
http_fd(const struct http *http)
{
	return http->epoll_fd;
}

uint64_t
http_wakes_at_ns(const struct http *http)
{
	uint64_t at_ns = UINT64_MAX;
	for (const struct http_client *client = http->clients; client != NULL;
		client = client->next)
		at_ns = clock_earlier(at_ns, wakes_at_ns(client));
	return at_ns;
}

void
http_pump(struct http *http)
{
	for (struct http_client *client = http->clients; client != NULL; client = client->next)
		pump(client);
}
