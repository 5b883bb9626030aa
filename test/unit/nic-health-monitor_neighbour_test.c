/* Unit tests of the supervisor's neighbour: which process has the files and the port that the
 * service needs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/probe.h"

#include "check.h"

#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void
users(void)
{
	char path[300], lock[320], who[ATOMFILE_HOLDER_SIZE], expected[ATOMFILE_HOLDER_SIZE], byte;
	int ready[2];
	snprintf(path, sizeof path, "%s/state.json", check_dir());
	snprintf(lock, sizeof lock, "%s.lock", path);
	CHECK(!probe_user(NULL, who));
	CHECK(!probe_user(path, who));
	/* Asking creates no file. */
	CHECK_INT(access(lock, F_OK), -1);
	CHECK_INT(pipe(ready), 0);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		byte = atomfile_lock(lock) >= 0 ? 'y' : 'n';
		ssize_t ignored = write(ready[1], &byte, 1);
		(void)ignored;
		pause();
	}
	CHECK_INT(read(ready[0], &byte, 1), 1);
	snprintf(expected, sizeof expected, "process %d", (int)pid);
	CHECK(probe_user(path, who));
	CHECK_STR(who, expected);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(!probe_user(path, who));
}

/* Start a server on 127.0.0.1 that answers one request with these two parts. Set `*pid`; return its
 * port. */
static int
serve(const char *begin, const char *end, pid_t *pid)
{
	struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t length = sizeof address;
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	CHECK_INT(bind(fd, (struct sockaddr *)&address, length), 0);
	CHECK_INT(listen(fd, 1), 0);
	CHECK_INT(getsockname(fd, (struct sockaddr *)&address, &length), 0);
	fflush(NULL);
	*pid = fork();
	if (*pid == 0) {
		char request[500];
		ssize_t ignored;
		int client = accept(fd, NULL, NULL);
		ignored = recv(client, request, sizeof request, 0);
		ignored = write(client, begin, strlen(begin));
		usleep(20000);
		ignored = write(client, end, strlen(end));
		(void)ignored;
		/* A client that does not recognise the answer waits for more. */
		pause();
	}
	close(fd);
	return ntohs(address.sin_port);
}

static void
check_answer(const char *address, const char *begin, const char *end, bool is_ours)
{
	pid_t pid;
	int port = serve(begin, end, &pid);
	check_row("%s%s", begin, end);
	CHECK_INT(probe_server(address, port), is_ours);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	/* Then no server is left. */
	CHECK(!probe_server(address, port));
}

#define HEAD "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"

static void
ports(void)
{
	check_answer(NULL, HEAD "\r\nnic-health-monitor 1.0\n", "", true);
	check_answer("127.0.0.1", HEAD "\r\nnic-", "health-monitor 1.0\n\n/metrics", true);
	check_answer("0.0.0.0", HEAD, "\r\nnic-health-monitor 1.0\n", true);
	/* The name alone is not enough: a proxy may have it in its header. */
	check_answer(NULL, "HTTP/1.1 404 Not Found\r\nServer: nic-health-monitor x\r\n\r\n", "no",
		false);
	check_answer(NULL, HEAD "\r\nnode_exporter", "", false);
	check_answer(NULL, "", "", false);
	CHECK(!probe_server("no address", 80));
}

static void
endless_answer(void)
{
	char *text = check_repeat_new('x', 100000);
	check_answer(NULL, text, "", false);
	free(text);
}

static const struct check_test tests[] = {
	{"the process that holds a file is named, and the file is left alone", users},
	{"another nic-health-monitor is recognised by its answer, and other servers are not",
		ports},
	{"an endless answer does not count", endless_answer},
};
CHECK_MAIN(tests)
