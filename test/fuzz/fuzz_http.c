/* fuzz_http - sends arbitrary bytes as a server's response over a socket to libcurl, as HTTP/1.1
 * and HTTP/2: the request ends with a response or a readable reason. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/out/grpc.h"
#include "../../tools/emit/out/http.h"
#include "clock.h"
#include "num.h"
#include "utf8.h"

#include <assert.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* For cases in which libcurl waits. Usually the end of the connection ends the request at once. */
#define TIMEOUT_MS 2000

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static int listener = -1;
static struct http *http;

static void
remove_name(void)
{
	unlink(address.sun_path);
}

static void
begin(void)
{
	snprintf(address.sun_path, sizeof address.sun_path, "/tmp/fuzz_http.%d", (int)getpid());
	unlink(address.sun_path);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert(bind(listener, (const struct sockaddr *)&address, sizeof address) == 0);
	assert(listen(listener, 5) == 0 && atexit(remove_name) == 0);
	signal(SIGPIPE, SIG_IGN);
	http = http_new();
	assert(http != NULL);
}

/* Act as the server: accept a connection and send all bytes, then nothing more. Return the
 * connection, or -1 if there is none yet. */
static int
serve(const uint8_t *data, size_t size)
{
	int connection = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	if (connection < 0)
		return -1;
	/* A socket's buffer is larger than any input. */
	assert(send(connection, data, size, MSG_NOSIGNAL) == (ssize_t)size);
	shutdown(connection, SHUT_WR);
	return connection;
}

static void
check_reply(const struct http_client *client, bool http2)
{
	const struct http_reply *reply = http_client_reply(client);
	char reason[VERDICT_REASON_SIZE] = "";

	assert(strlen(reply->body) <= reply->length);
	assert(reply->problem == NULL ||
		(*reply->problem != '\0' && utf8_is_valid(reply->problem)));
	enum verdict verdict = http2 ? grpc_eval(reply, http_client_header(client, "grpc-status"),
					       http_client_header(client, "grpc-message"), reason)
				     : verdict_of_http(reply, reason);
	assert(verdict == VERDICT_ACCEPTED || utf8_is_valid(reason));
	assert(verdict != VERDICT_ACCEPTED || (reply->problem == NULL && reply->status / 100 == 2));
}

/* Send one request, with the bytes as the response. */
static void
ask(const uint8_t *data, size_t size, bool http2)
{
	static const char *const headers[] = {GRPC_TE_HEADER, NULL};
	static const struct http_request request = {.content_type = GRPC_CONTENT_TYPE,
		.headers = headers,
		.body = "body",
		.length = 4,
		.timeout_ms = TIMEOUT_MS};
	const struct http_target target = {
		.url = "http://localhost/path", .unix_path = address.sun_path, .http2 = http2};
	struct http_client *client = http_client_new(http, &target);
	int connection = -1;

	assert(client != NULL && http_client_post(client, &request) == 0);
	while (http_client_is_busy(client)) {
		uint64_t now_ns = clock_monotonic_ns(), wakes_ns = http_wakes_at_ns(http);
		struct pollfd ready = {.fd = http_fd(http), .events = POLLIN};
		poll(&ready, 1,
			wakes_ns <= now_ns ? 0 : (int)((wakes_ns - now_ns) / NUM_NS_PER_MS) + 1);
		http_pump(http);
		if (connection < 0)
			connection = serve(data, size);
	}
	check_reply(client, http2);
	http_client_free(client);
	if (connection >= 0)
		close(connection);
}

/* The lowest bit of the first byte selects HTTP/2. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (listener < 0)
		begin();
	if (size > 0)
		ask(data + 1, size - 1, (data[0] & 1) != 0);
	return 0;
}
