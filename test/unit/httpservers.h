/* httpservers - servers for the tests of emit's http: one that replies, and others that stay silent
 * or reply wrongly. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef HTTPSERVERS_H
#define HTTPSERVERS_H

#include "../../tools/emit/out/http.h"
#include "../../tools/emit/out/reply.h"
#include "check.h"

#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

/* A server in its own process, with one connection at a time. */
struct server {
	pid_t pid;
	int listener;
	int port;
	char url[64];
	int *accepts; /* connections so far, in memory shared with the process */
};

typedef void serve_fn(int connection);

static void
server_start(struct server *server, serve_fn *serve)
{
	*server->accepts = 0;
	server->pid = fork();
	if (server->pid != 0)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_IGN);
	for (;;) {
		int connection = accept(server->listener, NULL, NULL);
		if (connection < 0)
			_exit(1);
		++*server->accepts;
		serve(connection);
		close(connection);
	}
}

static void
server_init(struct server *server, serve_fn *serve)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	CHECK_INT(bind(server->listener, (const struct sockaddr *)&address, sizeof address), 0);
	CHECK_INT(listen(server->listener, 5), 0);
	CHECK_INT(getsockname(server->listener, (struct sockaddr *)&address, &length), 0);
	server->port = ntohs(address.sin_port);
	snprintf(server->url, sizeof server->url, "http://127.0.0.1:%d/path", server->port);
	server->accepts = mmap(NULL, sizeof *server->accepts, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	server_start(server, serve);
}

static void
server_stop(struct server *server)
{
	kill(server->pid, SIGKILL);
	waitpid(server->pid, NULL, 0);
}

static void
server_fini(struct server *server)
{
	server_stop(server);
	close(server->listener);
	munmap(server->accepts, sizeof *server->accepts);
}

/* Read one request with its body; return false at the end of the connection. */
static bool
read_request(int connection, char *out, size_t size)
{
	size_t length = 0;
	for (;;) {
		ssize_t n = read(connection, out + length, size - 1 - length);
		if (n <= 0)
			return false;
		length += (size_t)n;
		out[length] = '\0';
		const char *end = strstr(out, "\r\n\r\n");
		const char *announced = strcasestr(out, "content-length:");
		if (end != NULL && announced != NULL &&
			strlen(end + 4) >= strtoul(announced + 15, NULL, 10))
			return true;
	}
}

static void
say(int connection, const char *text)
{
	if (write(connection, text, strlen(text)) < 0)
		_exit(1);
}

static char request_text[65536];

/* Reply to every request with its own text. */
static void
echo(int connection)
{
	static char answer[70000];
	while (read_request(connection, request_text, sizeof request_text)) {
		snprintf(answer, sizeof answer,
			"HTTP/1.1 200 OK\r\nX-One: first\r\nx-one:  second "
			"\r\nX-Empty:\r\nContent-Length: %zu\r\n\r\n%s",
			strlen(request_text), request_text);
		say(connection, answer);
	}
}

static void
half(int connection)
{
	read_request(connection, request_text, sizeof request_text);
	say(connection, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
}

static void
half_a_header(int connection)
{
	read_request(connection, request_text, sizeof request_text);
	say(connection, "HTTP/1.1 200 OK\r\nContent-Le");
}

static void
nothing(int connection)
{
	read_request(connection, request_text, sizeof request_text);
}

static void
silence(int connection)
{
	while (read(connection, request_text, sizeof request_text) > 0) {
	}
}

static void
garbage(int connection)
{
	say(connection, "SSH-2.0-OpenSSH_9.2p1\r\n\x01\x02\xFF");
	silence(connection);
}

/* Speak only HTTP/1.1, and reply 400 to anything else. */
static void
http1_only(int connection)
{
	say(connection, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
	silence(connection);
}

static void
reset(int connection)
{
	const struct linger now = {.l_onoff = 1};
	read_request(connection, request_text, sizeof request_text);
	setsockopt(connection, SOL_SOCKET, SO_LINGER, &now, sizeof now);
}

static void
endless(int connection, const char *begin, const char *more)
{
	read_request(connection, request_text, sizeof request_text);
	say(connection, begin);
	while (write(connection, more, strlen(more)) > 0) {
	}
}

static void
endless_headers(int connection)
{
	endless(connection, "HTTP/1.1 200 OK\r\n", "X-More: and more\r\n");
}

static void
endless_header(int connection)
{
	endless(connection, "HTTP/1.1 200 OK\r\nX-More: ", "and more");
}

static void
endless_interim(int connection)
{
	endless(connection, "", "HTTP/1.1 102 Processing\r\n\r\n");
}

static void
endless_body(int connection)
{
	endless(connection, "HTTP/1.1 200 OK\r\n\r\n", "a body without end, ");
}

static void
long_body(int connection)
{
	static char body[REPLY_BODY_KEPT_BYTES + 5000];
	memset(body, 'x', sizeof body - 1);
	read_request(connection, request_text, sizeof request_text);
	say(connection, "HTTP/1.1 400 Bad\r\nConnection: close\r\n\r\n");
	say(connection, body);
}

static void
interim_and_trailers(int connection)
{
	read_request(connection, request_text, sizeof request_text);
	say(connection, "HTTP/1.1 103 Early: Hints\r\nX-Early: yes\r\nX-One: early\r\n\r\n"
			"HTTP/1.1 200 OK\r\nX-One: header\r\nTrailer: X-One\r\nTransfer-Encoding: "
			"chunked\r\n\r\n"
			"2\r\nok\r\n0\r\nX-One: trailer\r\nX-Two: trailer\r\n\r\n");
}

static void
redirect(int connection)
{
	read_request(connection, request_text, sizeof request_text);
	say(connection, "HTTP/1.1 307 Over there\r\nLocation: "
			"http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n");
}

#endif
