/* notify - what systemd is told about the service, by sd_notify(3)'s protocol. */
#include "notify.h"

#include "clock.h"
#include "diag.h"
#include "num.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* How many times as often as systemd wants it: a signal that comes late is a restart of everything. */
#define WATCHDOG_MARGIN 3

/* A path, or an abstract name behind '@' (systemd.exec(5)). */
static int
connect_to(const char *name)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(name);
	if ((*name != '/' && *name != '@') || length < 2 || length >= sizeof address.sun_path) {
		errno = EINVAL;
		return -1;
	}
	memcpy(address.sun_path, name, length);
	if (*name == '@')
		address.sun_path[0] = '\0';
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return -1;
	if (connect(fd, (const struct sockaddr *)&address,
		    (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length)) == 0)
		return fd;
	int saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return -1;
}

/* WATCHDOG_PID says for whom the other is meant; without it, for us. */
static uint64_t
watchdog_ns(void)
{
	const char *text = getenv("WATCHDOG_USEC"), *pid_text = getenv("WATCHDOG_PID");
	uint64_t us, pid;
	if (text == NULL || num_parse_u64(text, UINT64_MAX / NUM_NS_PER_US, &us) != NUM_OK)
		return 0;
	if (pid_text != NULL &&
		(num_parse_u64(pid_text, INT32_MAX, &pid) != NUM_OK || pid != (uint64_t)getpid()))
		return 0;
	return us * NUM_NS_PER_US;
}

void
notify_init(struct notify *notify)
{
	const char *name = getenv("NOTIFY_SOCKET");
	*notify = (struct notify){.fd = -1};
	if (name != NULL && *name != '\0') {
		notify->fd = connect_to(name);
		if (notify->fd < 0)
			diag_warn("NOTIFY_SOCKET=%s: %s: systemd is not told anything", name,
				strerror(errno));
		else
			notify->watchdog_ns = watchdog_ns();
	}
	unsetenv("NOTIFY_SOCKET");
	unsetenv("WATCHDOG_USEC");
	unsetenv("WATCHDOG_PID");
}

void
notify_fini(struct notify *notify)
{
	if (notify->fd >= 0)
		close(notify->fd);
	notify->fd = -1;
}

/* A manager that does not listen is no reason to wait. */
static void
tell(struct notify *notify, const char *text)
{
	if (notify->fd >= 0)
		send(notify->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void
notify_ready(struct notify *notify)
{
	tell(notify, "READY=1");
}

void
notify_reloading(struct notify *notify)
{
	char text[64];
	snprintf(text, sizeof text, "RELOADING=1\nMONOTONIC_USEC=%" PRIu64,
		clock_monotonic_ns() / NUM_NS_PER_US);
	tell(notify, text);
}

void
notify_stopping(struct notify *notify)
{
	tell(notify, "STOPPING=1");
}

void
notify_status(struct notify *notify, const char *text)
{
	char line[512];
	snprintf(line, sizeof line, "STATUS=%s", text);
	/* A second line would be another variable. */
	line[strcspn(line, "\n")] = '\0';
	tell(notify, line);
}

void
notify_watchdog(struct notify *notify, uint64_t now_ns)
{
	if (notify->watchdog_ns == 0 ||
		(notify->watchdog_sent_ns != 0 &&
			now_ns - notify->watchdog_sent_ns < notify->watchdog_ns / WATCHDOG_MARGIN))
		return;
	notify->watchdog_sent_ns = now_ns;
	tell(notify, "WATCHDOG=1");
}
