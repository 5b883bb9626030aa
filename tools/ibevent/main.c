/* ibevent - writes the kernel's events about RDMA devices as records on stdout.
 *
 *   main.c          options, exit
 *   session.c       one run: opens the sources, confines the process, reads all in one loop
 *   output.c        merges and writes records without waiting for the reader; counts dropped ones
 *
 *   Sources, each with its parser (pure):
 *   link.c          rtnetlink; parser: linkmessage.c; linktable.c detects changes (pure)
 *   uevent.c        uevents of devices and PCI functions; parser: ueventmessage.c
 *   verbs.c         libibverbs contexts, opened and closed by verbsopen.c; verbsdriver.c lists the
 *                   drivers that allow it (pure)
 *   trace.c         a tracefs instance; parser: traceline.c; failedpeers.c counts unreachable
 *                   peers (pure)
 *
 *   netlink.c       opens netlink sockets and receives the kernel's messages
 *   devicelook.c    finds the RDMA port of an interface or address
 *
 *   eventmetrics.c  metrics of the events, for the service
 *
 *   notice.c        pure: an event reported by a source, and its record
 *   eventname.c     pure: names and meanings of the kernel's event numbers
 *   merger.c        pure: merges repeats into a count */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "diag.h"
#include "host.h"
#include "ingerometrics.h"
#include "opt.h"
#include "session.h"
#include "stop.h"
#include "via.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define NO_FILE "not a file's name"

struct options {
	struct session_options session;
	const char *metrics_fd;
};

static const char *
accept_sources(void *target, const struct opt_given *given)
{
	struct options *options = target;
	options->session.is_chosen = true;
	return via_parse(options->session.wanted, given->value);
}

static const struct opt_spec specs[] = {
	{"sources", "LIST",
		"read only these sources: link, uevent, verbs, trace (all; trace with --trace)",
		OPT_OTHER(accept_sources)},
	{"trace", "PATH", "read trace events from PATH, a tracefs instance's trace_pipe",
		OPT_PATH(struct options, session.trace_path, NO_FILE)},
	{"verbs-any-driver", NULL,
		"also open devices whose driver cannot remove them while they are open",
		OPT_FLAG(struct options, session.any_driver)},
	{"sysfs-root", "DIR", "look devices up below DIR instead of /sys",
		OPT_PATH(struct options, session.sysfs_root, NO_FILE)},
	{"node", "NAME", "node name in the records ($NODE_NAME, else the host name)",
		OPT_TEXT_WITHIN(struct options, session.node, &host_name_limits)},
	{CONFINE_OPTION(struct options, session.confine)},
	{METRICS_OPTION, OPT_TEXT(struct options, metrics_fd)},
	{INGEROMETRICS_OPTION, OPT_FLAG(struct options, session.ingero_names)},
};

static const struct opt_tool tool = {
	.name = "ibevent",
	.purpose = "Write the events that the kernel pushes about RDMA devices as records.",
	.operands = "",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Report options that conflict. Return false if there are any. */
static bool
check_conflicts(const struct session_options *session)
{
	const char *option = "sources";
	const char *reason = via_find_conflict(session->wanted, session->trace_path != NULL);
	if (reason == NULL && session->any_driver && !session->wanted[VIA_VERBS]) {
		option = "verbs-any-driver";
		reason = "verbs is not among the --sources";
	}
	if (reason != NULL)
		diag_error("--%s: %s (try 'ibevent --help')", option, reason);
	return reason == NULL;
}

int
main(int argc, char **argv)
{
	struct options options = {.session = {.sysfs_root = "/sys", .confine = confine_default()}};
	struct session_options *session = &options.session;
	int status;

	diag_init("ibevent");
	session->node = host_node_name();
	if (opt_parse(&tool, argc, argv, &options, &status) < 0)
		return status;
	for (enum via via = 0; via < VIA_N && !session->is_chosen; via++)
		session->wanted[via] = via != VIA_TRACE || session->trace_path != NULL;
	if (!check_conflicts(session))
		return EXIT_USAGE;
	status = host_check_node_name(session->node);
	if (status != 0)
		return status;
	/* Without SIGPIPE, a write to a closed stdout fails with EPIPE and gets a message. */
	signal(SIGPIPE, SIG_IGN);
	if (stop_catch() < 0)
		diag_die(EXIT_OS, "signals: %s", strerror(errno));
	status = metrics_open_option(options.metrics_fd, &session->metrics);
	if (status == 0)
		status = session_run(session);
	metrics_close(session->metrics);
	return status;
}
