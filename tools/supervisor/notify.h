/* notify - what systemd is told about the service, by sd_notify(3)'s protocol: one datagram to the socket in $NOTIFY_SOCKET. Without it nobody is told anything. */
#ifndef SUPERVISOR_NOTIFY_H
#define SUPERVISOR_NOTIFY_H

#include <stdint.h>

struct notify {
	int fd; /* -1: nobody to tell */
	uint64_t
		watchdog_ns; /* within that time systemd wants to hear that we are well; 0: it does not */
	uint64_t watchdog_sent_ns; /* CLOCK_MONOTONIC */
};

/* Looks at the environment, and takes out of it what the stages must not see. An address that cannot be used is a warning. */
void notify_init(struct notify *notify);
void notify_fini(struct notify *notify);

/* The service has started, or ended its reload. */
void notify_ready(struct notify *notify);
void notify_reloading(struct notify *notify);
void notify_stopping(struct notify *notify);

/* One line for `systemctl status`. */
void notify_status(struct notify *notify, const char *text);

/* We are well: sent as often as is wanted, however often it is called. */
void notify_watchdog(struct notify *notify, uint64_t now_ns);

#endif
