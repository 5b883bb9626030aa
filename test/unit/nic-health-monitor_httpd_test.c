/* Unit tests of the supervisor's httpd: over real sockets, driven by the test's loop. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/httpd.h"

#include "check.h"
#include "clock.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#define GET(path) "GET " path " HTTP/1.1\r\nHost: x\r\n\r\n"

/* The content of the pages. */
struct book {
	char *big;
	size_t big_length;
	int answers;
};

/* Answer /hello, /big, and /broken with an error status; any other path is 404. The text changes as
 * soon as it was handed over. */
static void
answer(void *context, const char *path, struct httpd_answer *out)
{
	static char text[64];
	struct book *book = context;
	book->answers++;
	snprintf(text, sizeof text, "this is %s, answer %d\n", path, book->answers);
	*out = (struct httpd_answer){404, "text/plain", text, strlen(text)};
	if (strcmp(path, "/hello") == 0) {
		out->status = 200;
	} else if (strcmp(path, "/broken") == 0) {
		out->status = 503;
	} else if (strcmp(path, "/big") == 0) {
		snprintf(book->big, 12, "big %07d", book->answers);
		book->big[11] = ' ';
		*out = (struct httpd_answer){200, "text/big", book->big, book->big_length};
	}
}

static struct book book;

static struct httpd *
server_with(struct httpd_plan plan)
{
	plan.address = "127.0.0.1";
	plan.answer = answer;
	plan.context = &book;
	book.big_length = (size_t)8 << 20;
	book.big = check_repeat_new('x', book.big_length);
	struct httpd *httpd = httpd_new(&plan);
	CHECK(httpd != NULL);
	return httpd;
}

static struct httpd *
server(void)
{
	return server_with((struct httpd_plan){.patience_ns = HTTPD_PATIENCE_NS});
}

static void
end(struct httpd *httpd)
{
	httpd_free(httpd);
	free(book.big);
}

/* `room`: size of the receive buffer in bytes; 0: the default. */
static int
connected_with(const struct httpd *httpd, int room)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK),
		.sin_port = htons(httpd_port(httpd))};
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (room > 0)
		CHECK_INT(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &room, sizeof room), 0);
	CHECK_INT(connect(fd, (const struct sockaddr *)&address, sizeof address), 0);
	CHECK_INT(fcntl(fd, F_SETFL, O_NONBLOCK), 0);
	return fd;
}

static int
connected(const struct httpd *httpd)
{
	return connected_with(httpd, 0);
}

static void
say(int fd, const char *text)
{
	CHECK_INT(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Run one turn of a loop like the supervisor's: wait for the server, or for `fd` (-1: none), at
 * most 10 ms. */
static void
turn(struct httpd *httpd, int fd)
{
	struct pollfd fds[2] = {
		{.fd = httpd_fd(httpd), .events = POLLIN}, {.fd = fd, .events = POLLIN}};
	uint64_t timeout_ns = httpd_timeout_ns(httpd);
	int timeout_ms = timeout_ns > 10 * NUM_NS_PER_MS ? 10 : (int)(timeout_ns / NUM_NS_PER_MS);
	poll(fds, 2, timeout_ms);
	if (fds[0].revents != 0 || httpd_timeout_ns(httpd) == 0)
		httpd_run(httpd);
}

/* Return everything received until the connection ends; NULL if it does not end within 10 s. */
static char *
reply_new(struct httpd *httpd, int fd)
{
	uint64_t deadline_ns = clock_monotonic_ns() + 10 * NUM_NS_PER_S;
	size_t length = 0, capacity = (size_t)9 << 20;
	char *reply = malloc(capacity + 1);
	while (clock_monotonic_ns() < deadline_ns) {
		ssize_t n = read(fd, reply + length, capacity - length);
		if (n > 0) {
			length += (size_t)n;
		} else if (n == 0 || errno != EAGAIN) {
			reply[length] = '\0';
			return reply;
		} else {
			turn(httpd, fd);
		}
	}
	CHECK(!"the connection ends");
	free(reply);
	return NULL;
}

static char *
exchange_new(struct httpd *httpd, const char *request)
{
	int fd = connected(httpd);
	say(fd, request);
	char *reply = reply_new(httpd, fd);
	close(fd);
	return reply;
}

/* --- tests --- */

static void
answers(void)
{
	static const struct {
		const char *request, *status;
		const char *has; /* in the reply */
	} rows[] = {
		{GET("/hello"), "200 OK", "\r\n\r\nthis is /hello, answer "},
		{GET("/hello"), "200 OK", "\r\nContent-Type: text/plain\r\n"},
		{GET("/hello"), "200 OK", "\r\nConnection: close\r\n"},
		{GET("/hello?a=b&c"), "200 OK", "this is /hello, "},
		{"GET /hello HTTP/1.0\r\n\r\n", "200 OK", "this is /hello, "},
		{GET("/broken"), "503 Service Unavailable", "this is /broken, "},
		{GET("/none"), "404 Not Found", "this is /none, "},
		{GET("/hello/"), "404 Not Found", "this is /hello/, "},
		{GET("//hello"), "404 Not Found", "this is //hello, "},
		{"POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabc",
			"405 Method Not Allowed", "\r\nAllow: GET, HEAD\r\n"},
		{"POST /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\nabc",
			"405 Method Not Allowed", "only GET and HEAD are supported\n"},
		{"DELETE /hello HTTP/1.1\r\nHost: x\r\n\r\n", "405 Method Not Allowed", ""},
		{"OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", "405 Method Not Allowed", ""},
		{"get /hello HTTP/1.1\r\nHost: x\r\n\r\n", "405 Method Not Allowed", ""},
		{"GET /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 3000000\r\n\r\nabc",
			"413 Content Too Large", "a request body is not accepted\n"},
		{"GET /hello HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: "
		 "chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
			"413 Content Too Large", ""},
		{"GET /hello HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", "200 OK", ""},
		{"GET /hello HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400 Bad Request",
			""},
		{"GET /hello HTTP/7.1\r\nHost: x\r\n\r\n", "505 HTTP Version Not Supported", ""},
	};
	struct httpd *httpd = server();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char status[64];
		check_row("row %zu", i);
		char *reply = exchange_new(httpd, rows[i].request);
		if (reply == NULL)
			continue;
		snprintf(status, sizeof status, " %s\r\n", rows[i].status);
		CHECK_INT(strncmp(reply, "HTTP/1.", 7), 0);
		CHECK_HAS(reply, status);
		CHECK_HAS(reply, rows[i].has);
		free(reply);
	}
	end(httpd);
}

static void
head(void)
{
	struct httpd *httpd = server();
	char *reply = exchange_new(httpd, "HEAD /big HTTP/1.1\r\nHost: x\r\n\r\n");
	CHECK_HAS(reply, " 200 OK\r\n");
	CHECK_HAS(reply, "\r\nContent-Length: 8388608\r\n");
	CHECK_HAS(reply, "\r\nContent-Type: text/big\r\n");
	CHECK_STR(strstr(reply, "\r\n\r\n"), "\r\n\r\n");
	free(reply);
	end(httpd);
}

/* Two replies are sent at the same time from one text, which changes. */
static void
copies(void)
{
	struct httpd *httpd = server();
	int first = connected(httpd), second = connected(httpd);
	say(first, GET("/big"));
	while (book.answers < 1)
		turn(httpd, -1);
	say(second, GET("/big"));
	while (book.answers < 2)
		turn(httpd, -1);
	memset(book.big, 'y', book.big_length);
	const int fds[] = {first, second};
	static const char *const begins[] = {"\r\n\r\nbig 0000001 xxx", "\r\n\r\nbig 0000002 xxx"};
	for (size_t i = 0; i < 2; i++) {
		char *reply = reply_new(httpd, fds[i]);
		CHECK_HAS(reply, begins[i]);
		CHECK(strchr(strstr(reply, "\r\n\r\n"), 'y') == NULL);
		CHECK_U64(strlen(strstr(reply, "\r\n\r\n") + 4), book.big_length);
		free(reply);
		close(fds[i]);
	}
	end(httpd);
}

/* Sending byte by byte keeps a connection open no longer than any other. */
static void
slow(void)
{
	struct httpd *httpd = server_with((struct httpd_plan){.patience_ns = NUM_NS_PER_S / 2});
	int drips = connected(httpd), silent = connected(httpd), deaf = connected(httpd);
	static const int little = 4096;
	CHECK_INT(setsockopt(deaf, SOL_SOCKET, SO_RCVBUF, &little, sizeof little), 0);
	uint64_t began_ns = clock_monotonic_ns();
	say(drips, "GET /hello HTTP/1.1\r\n");
	say(deaf, GET("/big"));
	bool is_open = true;
	while (is_open && clock_monotonic_ns() - began_ns < 10 * NUM_NS_PER_S) {
		is_open = send(drips, "a", 1, MSG_NOSIGNAL) == 1;
		for (int i = 0; i < 5; i++)
			turn(httpd, -1);
		/* Meanwhile other clients are served. */
		if (is_open && clock_monotonic_ns() - began_ns < NUM_NS_PER_S / 4) {
			char *reply = exchange_new(httpd, GET("/hello"));
			CHECK_HAS(reply, " 200 OK\r\n");
			free(reply);
		}
	}
	CHECK(!is_open);
	CHECK(clock_monotonic_ns() - began_ns >= NUM_NS_PER_S / 2);
	char *reply = reply_new(httpd, silent);
	CHECK_STR(reply, "");
	free(reply);
	reply = reply_new(httpd, deaf);
	CHECK(strlen(reply) < book.big_length);
	free(reply);
	close(drips);
	close(silent);
	close(deaf);
	/* Without clients there is nothing to do. */
	CHECK_U64(httpd_timeout_ns(httpd), UINT64_MAX);
	end(httpd);
}

/* Open connections do not delay the next request. */
static void
many(void)
{
	enum { N = 200 };
	struct httpd *httpd = server();
	int fds[N];
	for (size_t i = 0; i < N; i++) {
		fds[i] = connected(httpd);
		say(fds[i], "GET /he");
		if (i % 7 == 0)
			turn(httpd, -1);
	}
	uint64_t began_ns = clock_monotonic_ns();
	char *reply = exchange_new(httpd, GET("/hello"));
	CHECK_HAS(reply, " 200 OK\r\n");
	CHECK(clock_monotonic_ns() - began_ns < HTTPD_PATIENCE_NS / 2);
	free(reply);
	/* The youngest are still open. */
	say(fds[N - 1], "llo HTTP/1.0\r\n\r\n");
	reply = reply_new(httpd, fds[N - 1]);
	CHECK_HAS(reply, "this is /hello, ");
	free(reply);
	size_t open = 0;
	for (size_t i = 0; i < N; i++) {
		char byte;
		open += recv(fds[i], &byte, 1, MSG_DONTWAIT) < 0 && errno == EAGAIN;
		close(fds[i]);
	}
	CHECK(open > 0 && open <= HTTPD_CLIENTS);
	end(httpd);
}

static void
flooded(void)
{
	int flood[8 * HTTPD_CLIENTS];
	struct httpd *httpd = server();
	/* The loop finds all of them at once: the probe is by far the oldest. */
	int probe = connected(httpd);
	say(probe, GET("/hello"));
	for (size_t i = 0; i < CHECK_COUNT(flood); i++) {
		flood[i] = connected(httpd);
		if (i % 3 == 0)
			say(flood[i], "G");
	}
	char *reply = reply_new(httpd, probe);
	CHECK(reply != NULL);
	if (reply != NULL)
		CHECK_HAS(reply, " 200 ");
	free(reply);
	for (size_t i = 0; i < CHECK_COUNT(flood); i++)
		close(flood[i]);
	end(httpd);
}

static void
too_long(void)
{
	struct httpd *httpd = server();
	char *name = check_repeat_new('n', 20000), *request = NULL;
	CHECK(asprintf(&request, "GET /hello HTTP/1.1\r\nHost: x\r\nCookie: %s\r\n\r\n", name) > 0);
	char *reply = exchange_new(httpd, request);
	CHECK_HAS(reply, " 431 Request Header Fields Too Large\r\n");
	free(reply);
	free(request);
	CHECK(asprintf(&request, "GET /%s HTTP/1.1\r\nHost: x\r\n\r\n", name) > 0);
	reply = exchange_new(httpd, request);
	CHECK_HAS(reply, " 414 URI Too Long\r\n");
	free(reply);
	free(request);
	free(name);
	end(httpd);
}

/* SIGPIPE has its default action. */
static void
gone(void)
{
	static const struct linger reset = {.l_onoff = 1};
	struct httpd *httpd = server();
	for (int i = 0; i < 20; i++) {
		int fd = connected(httpd), before = book.answers;
		say(fd, GET("/big"));
		while (i % 2 == 0 && book.answers == before)
			turn(httpd, -1);
		if (i % 4 < 2)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
		close(fd);
		for (int k = 0; k < 5; k++)
			turn(httpd, -1);
	}
	char *reply = exchange_new(httpd, GET("/hello"));
	CHECK_HAS(reply, " 200 OK\r\n");
	free(reply);
	end(httpd);
}

/* Return false on machines without IPv6. */
static bool
has_ipv6(void)
{
	const struct httpd_plan plan = {.address = "::1", .answer = answer, .context = &book};
	struct httpd *httpd = httpd_new(&plan);
	httpd_free(httpd);
	return httpd != NULL;
}

static void
addresses(void)
{
	int without = has_ipv6() ? 0 : errno;
	const char *everywhere = without == 0 ? "[::]:" : "0.0.0.0:";
	const struct {
		const char *address;
		int error;
		const char *where; /* without the port */
		bool is_here;      /* it can be reached at 127.0.0.1 */
	} rows[] = {
		{"127.0.0.1", 0, "127.0.0.1:", true},
		{"127.0.0.3", 0, "127.0.0.3:", false},
		{"::1", without, "[::1]:", false},
		{"[::1]", without, "[::1]:", false},
		{"", 0, everywhere, true},
		{"*", 0, everywhere, true},
		{"0.0.0.0", 0, "0.0.0.0:", true},
		{"localhost", EINVAL, "", false},
		{"127.1", EINVAL, "", false},
		{"127.0.0.1:80", EINVAL, "", false},
		{"[]", EINVAL, "", false},
		{"::g", EINVAL, "", false},
		{"111111111111111111111111111111111111111111111111111111111111111111111111111111111"
		 "1111111111111111",
			EINVAL, "", false},
		{"192.0.2.1", EADDRNOTAVAIL, "", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct httpd_plan plan = {.address = rows[i].address,
			.patience_ns = HTTPD_PATIENCE_NS,
			.answer = answer,
			.context = &book};
		check_row("%s", rows[i].address);
		errno = 0;
		struct httpd *httpd = httpd_new(&plan);
		CHECK_INT(httpd != NULL, rows[i].error == 0);
		if (httpd == NULL) {
			CHECK_INT(errno, rows[i].error);
			continue;
		}
		char where[96];
		snprintf(where, sizeof where, "%s%u", rows[i].where, (unsigned)httpd_port(httpd));
		CHECK_STR(httpd_where(httpd), where);
		if (rows[i].is_here) {
			char *reply = exchange_new(httpd, GET("/hello"));
			CHECK_HAS(reply, " 200 OK\r\n");
			free(reply);
		}
		httpd_free(httpd);
	}
}

static void
taken(void)
{
	struct httpd *httpd = server();
	const struct httpd_plan plan = {.address = "127.0.0.1",
		.port = httpd_port(httpd),
		.patience_ns = HTTPD_PATIENCE_NS,
		.answer = answer,
		.context = &book};
	errno = 0;
	CHECK(httpd_new(&plan) == NULL);
	CHECK_INT(errno, EADDRINUSE);
	/* Once the other server is gone the port is free, even if one of its connections was
	 * open. */
	int fd = connected(httpd);
	while (httpd_timeout_ns(httpd) == UINT64_MAX)
		turn(httpd, -1);
	end(httpd);
	httpd = httpd_new(&plan);
	CHECK(httpd != NULL);
	CHECK_INT(httpd_port(httpd), plan.port);
	httpd_free(httpd);
	close(fd);
}

/* No child may inherit a descriptor. */
static void
descriptors(void)
{
	struct httpd *httpd = server();
	int fd = connected(httpd);
	while (httpd_timeout_ns(httpd) == UINT64_MAX)
		turn(httpd, -1);
	DIR *directory = opendir("/proc/self/fd");
	int sockets = 0;
	for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
		char path[32], target[64] = "";
		snprintf(path, sizeof path, "/proc/self/fd/%.16s", entry->d_name);
		ssize_t n = readlink(path, target, sizeof target - 1);
		if (n <= 0 || (strncmp(target, "socket:", 7) != 0 &&
				      strncmp(target, "anon_inode:", 11) != 0))
			continue;
		sockets++;
		check_row("%s", target);
		CHECK(fcntl(atoi(entry->d_name), F_GETFD) & FD_CLOEXEC);
	}
	closedir(directory);
	CHECK(sockets >= 4);
	close(fd);
	end(httpd);
}

/* Read some of the response every 50 ms until its end, and return its length. Run the server only
 * after a read: however long this process waits for a processor, its client makes progress. */
static size_t
read_slowly(struct httpd *httpd, int fd)
{
	static char buffer[1 << 18];
	size_t length = 0;
	for (;;) {
		ssize_t n = read(fd, buffer, sizeof buffer);
		if (n == 0 || (n < 0 && errno != EAGAIN))
			return length;
		length += n > 0 ? (size_t)n : 0;
		turn(httpd, -1);
		usleep(50000);
	}
}

static void
slow_receiver(void)
{
	static const int little = 1 << 18;
	for (int i = 0; i < 2; i++) {
		struct httpd *httpd = server_with((struct httpd_plan){
			.patience_ns = NUM_NS_PER_S / 2, .waits_for_slow_clients = i == 0});
		int slow = connected_with(httpd, little);
		say(slow, GET("/big"));
		CHECK_INT(read_slowly(httpd, slow) > book.big_length, i == 0);
		close(slow);
		/* A client that receives nothing is dropped. */
		int deaf = connected_with(httpd, little);
		say(deaf, GET("/big"));
		uint64_t began_ns = clock_monotonic_ns();
		while (httpd_timeout_ns(httpd) != UINT64_MAX &&
			clock_monotonic_ns() - began_ns < 10 * NUM_NS_PER_S)
			turn(httpd, -1);
		CHECK(clock_monotonic_ns() - began_ns < 10 * NUM_NS_PER_S);
		close(deaf);
		end(httpd);
	}
}

static const struct check_test tests[] = {
	{"GET is answered; missing, failing and forbidden pages have their status", answers},
	{"HEAD is answered without the body", head},
	{"a response is the text at the time of its request", copies},
	{"a slow client is dropped at its timeout, and delays no other", slow},
	{"a slow client that makes progress gets its whole response, if the server wants it",
		slow_receiver},
	{"however many connections are open, the next one is answered", many},
	{"a request is answered, however many connections are idle", flooded},
	{"a request that is too long is refused", too_long},
	{"a client that leaves before its response does no harm", gone},
	{"IPv4, IPv6 and wildcard addresses are accepted, and any other is refused", addresses},
	{"a port in use is reported, and free once released", taken},
	{"no descriptor is inherited by a child", descriptors},
};
CHECK_MAIN(tests)
