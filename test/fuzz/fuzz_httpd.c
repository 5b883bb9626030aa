/* fuzz_httpd - sends arbitrary bytes as a client's request to the service's HTTP server: each
 * connection ends, with a complete HTTP response or nothing. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/httpd.h"
#include "clock.h"

#include <arpa/inet.h>
#include <assert.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* How long the server waits for the rest of a request. */
#define PATIENCE_NS (5 * NUM_NS_PER_MS)

/* Time limit of a connection, even on a busy machine. */
#define ENDS_NS (5 * NUM_NS_PER_S)

#define TEXT "this is the page\n"

static void
answer(void *context, const char *path, struct httpd_answer *out)
{
	(void)context;
	assert(path != NULL);
	*out = (struct httpd_answer){200, "text/plain", TEXT, strlen(TEXT)};
	if (strcmp(path, "/") != 0)
		out->status = 404;
}

static struct httpd *
begin(void)
{
	const struct httpd_plan plan = {
		.address = "127.0.0.1", .patience_ns = PATIENCE_NS, .answer = answer};
	struct httpd *httpd = httpd_new(&plan);
	assert(httpd != NULL);
	return httpd;
}

/* Connect from a new address each time, because a port cannot be reused at once. */
static int
connected(const struct httpd *httpd)
{
	static uint32_t count;
	struct sockaddr_in from = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK + (count++ % 65000 << 8))};
	struct sockaddr_in to = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(httpd_port(httpd))};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	assert(fd >= 0 && bind(fd, (const struct sockaddr *)&from, sizeof from) == 0);
	connect(fd, (const struct sockaddr *)&to, sizeof to);
	return fd;
}

/* Read the response until the connection ends. Return its length. */
static size_t
read_reply(struct httpd *httpd, int fd, char *reply, size_t size)
{
	uint64_t deadline_ns = clock_monotonic_ns() + ENDS_NS;
	for (size_t length = 0;;) {
		ssize_t n = read(fd, reply + length, size - length);
		if (n > 0) {
			length += (size_t)n;
			assert(length < size);
			continue;
		}
		/* The connection was reset or has ended. */
		if (n == 0 || poll(&(struct pollfd){.fd = fd}, 1, 0) > 0)
			return length;
		assert(clock_monotonic_ns() < deadline_ns);
		struct pollfd fds[2] = {
			{.fd = httpd_fd(httpd), .events = POLLIN}, {.fd = fd, .events = POLLIN}};
		uint64_t timeout_ns = httpd_timeout_ns(httpd);
		poll(fds, 2,
			timeout_ns / NUM_NS_PER_MS < 10 ? (int)(timeout_ns / NUM_NS_PER_MS) : 10);
		httpd_run(httpd);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct httpd *httpd;
	static char reply[65536];

	if (httpd == NULL)
		httpd = begin();
	int fd = connected(httpd);
	poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, 1000);
	/* The server may close before it reads everything. */
	(void)!send(fd, data, size, MSG_NOSIGNAL);
	shutdown(fd, SHUT_WR);
	size_t length = read_reply(httpd, fd, reply, sizeof reply - 1);
	reply[length] = '\0';
	close(fd);
	assert(length == 0 || strncmp(reply, "HTTP/1.", 7) == 0);
	assert(strstr(reply, " 200 OK") == NULL || strstr(reply, "\r\n\r\n") != NULL);
	return 0;
}
