/* httpd - an HTTP server for a few small pages, driven by the caller's event loop. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "httpd.h"

#include "clock.h"
#include "fd.h"
#include "listener.h"
#include "peer.h"

#include <errno.h>
#include <linux/tcp.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

/* Maximum of connections that libmicrohttpd knows: the open ones, and as many dropped ones that it
 * has not yet closed. */
#define KNOWN_MAX ((size_t)2 * HTTPD_CLIENTS)

/* Maximum time that one httpd_run() may take while requests are pending. */
#define TURN_NS (20 * NUM_NS_PER_MS)

/* How long a connection is new: its client may wait for the processor before it sends the
 * request. */
#define NEW_NS (250 * NUM_NS_PER_MS)

/* Room for the head of a request; a longer one is rejected. */
#define HEAD_MAX_BYTES 8192

struct client {
	bool is_known; /* to libmicrohttpd */
	int fd;        /* -1: it was dropped or has ended */
	struct peer peer;
	bool has_asked; /* the head of its request was read */
	uint64_t acked; /* bytes that the client's kernel had acknowledged at the last deadline */
	uint64_t deadline_ns;
};

struct httpd {
	struct MHD_Daemon *daemon;
	int epoll_fd;
	uint16_t port;
	char where[LISTENER_NAME_SIZE];
	struct httpd_plan plan;
	struct client clients[KNOWN_MAX];
};

/* --- connections --- */

/* Drop a connection. libmicrohttpd limits only silence, so a client that sends a byte now and then
 * could stay forever. After shutdown() libmicrohttpd closes the descriptor, and the linger option
 * discards unsent data. */
static void
drop(struct client *client)
{
	static const struct linger at_once = {.l_onoff = 1};
	setsockopt(client->fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
	shutdown(client->fd, SHUT_RDWR);
	client->fd = -1;
}

/* Return true if the client received more of the response since its last deadline. */
static bool
made_progress(struct client *client)
{
	struct tcp_info info = {.tcpi_bytes_acked = 0};
	socklen_t size = sizeof info;
	if (!client->has_asked || getsockopt(client->fd, IPPROTO_TCP, TCP_INFO, &info, &size) < 0 ||
		info.tcpi_bytes_acked <= client->acked)
		return false;
	client->acked = info.tcpi_bytes_acked;
	return true;
}

/* Return the open connection with the earliest deadline, or NULL. */
static struct client *
find_oldest(struct httpd *httpd)
{
	struct client *oldest = NULL;
	for (size_t i = 0; i < KNOWN_MAX; i++) {
		struct client *client = &httpd->clients[i];
		if (client->is_known && client->fd >= 0 &&
			(oldest == NULL || client->deadline_ns < oldest->deadline_ns))
			oldest = client;
	}
	return oldest;
}

static size_t
count_open(const struct httpd *httpd)
{
	size_t count = 0;
	for (size_t i = 0; i < KNOWN_MAX; i++)
		count += httpd->clients[i].is_known && httpd->clients[i].fd >= 0;
	return count;
}

static bool
has_sent(const struct client *client)
{
	int unread = 0;
	return ioctl(client->fd, FIONREAD, &unread) == 0 && unread > 0;
}

/* Drop the least important connection. */
static void
make_room(struct httpd *httpd)
{
	struct peer_member members[KNOWN_MAX];
	uint64_t new_until_ns = clock_monotonic_ns() + httpd->plan.patience_ns - NEW_NS;
	for (size_t i = 0; i < KNOWN_MAX; i++) {
		const struct client *client = &httpd->clients[i];
		members[i] = (struct peer_member){
			.is_open = client->is_known && client->fd >= 0,
			.is_local = client->peer.is_local,
			.is_gone = client->peer.is_gone,
			.owner = client->peer.owner,
			.has_asked = client->has_asked,
			.is_new = client->deadline_ns > new_until_ns,
			.deadline_ns = client->deadline_ns,
		};
		members[i].has_sent = members[i].is_open && has_sent(client);
	}
	size_t chosen = peer_choose(members, KNOWN_MAX);
	if (chosen < KNOWN_MAX)
		drop(&httpd->clients[chosen]);
}

static void
begin_client(struct httpd *httpd, struct MHD_Connection *connection, void **slot)
{
	struct client *client = httpd->clients;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	while (client->is_known)
		client++;
	if (count_open(httpd) >= HTTPD_CLIENTS)
		make_room(httpd);
	*client = (struct client){
		.is_known = true,
		.fd = info->connect_fd,
		.deadline_ns = clock_monotonic_ns() + httpd->plan.patience_ns,
	};
	peer_identify(client->fd, &client->peer);
	*slot = client;
}

static void
on_connection(void *context, struct MHD_Connection *connection, void **slot,
	enum MHD_ConnectionNotificationCode what)
{
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		begin_client(context, connection, slot);
	else
		*(struct client *)*slot = (struct client){.fd = -1};
}

/* --- requests --- */

static enum MHD_Result
send_answer(struct MHD_Connection *connection, const struct httpd_answer *answer)
{
	struct MHD_Response *response = MHD_create_response_from_buffer(
		answer->length, (void *)answer->text, MHD_RESPMEM_MUST_COPY);
	if (response == NULL)
		return MHD_NO;
	enum MHD_Result result = MHD_NO;
	if (MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, answer->type) &&
		MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close") &&
		(answer->status != MHD_HTTP_METHOD_NOT_ALLOWED ||
			MHD_add_response_header(response, MHD_HTTP_HEADER_ALLOW, "GET, HEAD")))
		result = MHD_queue_response(connection, answer->status, response);
	MHD_destroy_response(response);
	return result;
}

static enum MHD_Result
refuse(struct MHD_Connection *connection, unsigned status, const char *reason)
{
	const struct httpd_answer answer = {
		.status = status,
		.type = "text/plain; charset=utf-8",
		.text = reason,
		.length = strlen(reason),
	};
	return send_answer(connection, &answer);
}

static bool
has_body(struct MHD_Connection *connection)
{
	const char *length = MHD_lookup_connection_value(
		connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_CONTENT_LENGTH);
	return MHD_lookup_connection_value(
		       connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_TRANSFER_ENCODING) != NULL ||
	       (length != NULL && strcmp(length, "0") != 0);
}

/* libmicrohttpd calls this after the head of a request, and again after all of it. */
static enum MHD_Result
on_request(void *context, struct MHD_Connection *connection, const char *url, const char *method,
	const char *version, const char *upload, size_t *upload_size, void **state)
{
	static char is_begun;
	const struct httpd *httpd = context;
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	(void)version;
	(void)upload;
	(void)upload_size;
	if (*state == NULL) {
		*state = &is_begun;
		((struct client *)info->socket_context)->has_asked = true;
		if (strcmp(method, MHD_HTTP_METHOD_GET) != 0 &&
			strcmp(method, MHD_HTTP_METHOD_HEAD) != 0)
			return refuse(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				"only GET and HEAD are supported\n");
		return has_body(connection) ? refuse(connection, MHD_HTTP_CONTENT_TOO_LARGE,
						      "a request body is not accepted\n")
					    : MHD_YES;
	}
	struct httpd_answer answer;
	httpd->plan.answer(httpd->plan.context, url, &answer);
	return send_answer(connection, &answer);
}

/* --- the server --- */

static struct MHD_Daemon *
start_daemon(struct httpd *httpd, int listener)
{
	return MHD_start_daemon(MHD_USE_EPOLL, 0, NULL, NULL, on_request, httpd,
		MHD_OPTION_LISTEN_SOCKET, (MHD_socket)listener, MHD_OPTION_CONNECTION_LIMIT,
		(unsigned)KNOWN_MAX, MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)HEAD_MAX_BYTES,
		MHD_OPTION_NOTIFY_CONNECTION, on_connection, httpd, MHD_OPTION_END);
}

struct httpd *
httpd_new(const struct httpd_plan *plan)
{
	int listener = listener_open(plan->address, plan->port);
	if (listener < 0)
		return NULL;
	struct httpd *httpd = calloc(1, sizeof *httpd);
	if (httpd == NULL)
		goto fail;
	httpd->plan = *plan;
	httpd->plan.address = NULL;
	httpd->port = listener_describe(listener, httpd->where);
	errno = ENOMEM;
	httpd->daemon = start_daemon(httpd, listener);
	if (httpd->daemon == NULL)
		goto fail;
	httpd->epoll_fd = MHD_get_daemon_info(httpd->daemon, MHD_DAEMON_INFO_EPOLL_FD)->epoll_fd;
	return httpd;
fail:
	fd_close(listener);
	free(httpd);
	return NULL;
}

void
httpd_free(struct httpd *httpd)
{
	if (httpd == NULL)
		return;
	MHD_stop_daemon(httpd->daemon);
	free(httpd);
}

const char *
httpd_where(const struct httpd *httpd)
{
	return httpd->where;
}

uint16_t
httpd_port(const struct httpd *httpd)
{
	return httpd->port;
}

int
httpd_fd(const struct httpd *httpd)
{
	return httpd->epoll_fd;
}

uint64_t
httpd_timeout_ns(struct httpd *httpd)
{
	MHD_UNSIGNED_LONG_LONG pending_ms;
	const struct client *oldest = find_oldest(httpd);
	uint64_t timeout_ns = oldest != NULL
				      ? clock_left_ns(oldest->deadline_ns, clock_monotonic_ns())
				      : UINT64_MAX;
	/* libmicrohttpd has no time limits here, so its timeout is only for work to do at once. */
	if (MHD_get_timeout(httpd->daemon, &pending_ms) == MHD_YES &&
		pending_ms < timeout_ns / NUM_NS_PER_MS)
		timeout_ns = pending_ms * NUM_NS_PER_MS;
	return timeout_ns;
}

static bool
has_more(const struct httpd *httpd)
{
	struct pollfd ready = {.fd = httpd->epoll_fd, .events = POLLIN};
	return poll(&ready, 1, 0) > 0;
}

void
httpd_run(struct httpd *httpd)
{
	uint64_t now_ns = clock_monotonic_ns();
	struct client *oldest;
	while ((oldest = find_oldest(httpd)) != NULL && oldest->deadline_ns <= now_ns) {
		if (httpd->plan.waits_for_slow_clients && made_progress(oldest))
			oldest->deadline_ns = now_ns + httpd->plan.patience_ns;
		else
			drop(oldest);
	}
	/* In a flood many connections wait, and libmicrohttpd accepts only a few per run. */
	do
		MHD_run(httpd->daemon);
	while (has_more(httpd) && clock_monotonic_ns() - now_ns < TURN_NS);
}
