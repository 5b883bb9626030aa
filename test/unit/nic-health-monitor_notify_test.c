/* Unit tests of notify: the messages to systemd. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/outside.h"

#include "check.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static int listener = -1;

/* Listen at a path or an abstract name, as systemd does. */
static void
listen_at(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	strcpy(address.sun_path, name);
	if (*name == '@')
		address.sun_path[0] = '\0';
	listener = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
	CHECK_INT(bind(listener, (const struct sockaddr *)&address,
			  (socklen_t)(sizeof address.sun_family + strlen(name))),
		0);
	setenv("NOTIFY_SOCKET", name, 1);
}

/* Return the next datagram, or "" if there is none. */
static const char *
heard(void)
{
	static char text[1024];
	ssize_t n = recv(listener, text, sizeof text - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void
says(void)
{
	char path[200];
	struct outside_notify notify;
	snprintf(path, sizeof path, "%s/notify", check_dir());
	const char *const names[] = {path, "@nic-health-monitor-notify-test"};
	for (size_t i = 0; i < CHECK_COUNT(names); i++) {
		check_row("%s", names[i]);
		listen_at(names[i]);
		outside_notify_init(&notify);
		CHECK(getenv("NOTIFY_SOCKET") == NULL);
		CHECK_STR(heard(), "");
		outside_notify_ready(&notify);
		CHECK_STR(heard(), "READY=1");
		outside_notify_status(&notify, "healthy\nREADY=1");
		CHECK_STR(heard(), "STATUS=healthy");
		outside_notify_reloading(&notify);
		CHECK_HAS(heard(), "RELOADING=1\nMONOTONIC_USEC=");
		outside_notify_stopping(&notify);
		CHECK_STR(heard(), "STOPPING=1");
		outside_notify_fini(&notify);
		close(listener);
	}
}

/* Three times per interval, and not more often. */
static void
watchdog(void)
{
	struct outside_notify notify;
	char pid[16];
	snprintf(pid, sizeof pid, "%d", (int)getpid());
	listen_at("@nic-health-monitor-watchdog-test");
	setenv("WATCHDOG_USEC", "30000000", 1);
	setenv("WATCHDOG_PID", pid, 1);
	outside_notify_init(&notify);
	CHECK(getenv("WATCHDOG_USEC") == NULL && getenv("WATCHDOG_PID") == NULL);
	unsigned count = 0;
	for (uint64_t second = 100; second < 160; second++) {
		outside_notify_watchdog(&notify, second * NUM_NS_PER_S);
		count += strcmp(heard(), "WATCHDOG=1") == 0;
	}
	CHECK_INT(count, 6);
	outside_notify_fini(&notify);
	close(listener);
}

static void
no_watchdog(void)
{
	static const char *const rows[][2] = {
		{NULL, NULL}, {"30000000", "1"}, {"soon", NULL}, {"0", NULL}, {"-1", NULL}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct outside_notify notify;
		check_row("row %zu", i);
		listen_at("@nic-health-monitor-watchdog-test");
		if (rows[i][0] != NULL)
			setenv("WATCHDOG_USEC", rows[i][0], 1);
		if (rows[i][1] != NULL)
			setenv("WATCHDOG_PID", rows[i][1], 1);
		outside_notify_init(&notify);
		outside_notify_watchdog(&notify, NUM_NS_PER_S);
		CHECK_STR(heard(), "");
		outside_notify_ready(&notify);
		CHECK_STR(heard(), "READY=1");
		outside_notify_fini(&notify);
		close(listener);
	}
}

/* Nothing fails or blocks, and the only message is about the bad address. */
static void
nobody(void)
{
	static const char *const rows[] = {NULL, "", "relative", "/nowhere/at/all", "/", "@",
		"vsock:2:1234",
		"/xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct outside_notify notify;
		check_row("%s", rows[i] != NULL ? rows[i] : "none");
		if (rows[i] != NULL)
			setenv("NOTIFY_SOCKET", rows[i], 1);
		check_capture(STDERR_FILENO);
		outside_notify_init(&notify);
		outside_notify_ready(&notify);
		outside_notify_watchdog(&notify, NUM_NS_PER_S);
		outside_notify_stopping(&notify);
		char *said = check_captured_new(STDERR_FILENO);
		CHECK_INT(check_occurrences(said, "cannot notify systemd"),
			rows[i] != NULL && *rows[i] != '\0');
		free(said);
		CHECK_INT(notify.fd, -1);
		outside_notify_fini(&notify);
	}
}

static const struct check_test tests[] = {
	{"each change is one datagram, to a path and to an abstract name", says},
	{"the watchdog is pinged three times per interval, and not more often", watchdog},
	{"no watchdog is pinged if none is requested, or for another process", no_watchdog},
	{"without systemd nothing happens", nobody},
};

CHECK_MAIN(tests)
