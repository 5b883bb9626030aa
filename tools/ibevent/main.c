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
#include "commalist.h"
#include "diag.h"
#include "host.h"
#include "ingerometrics.h"
#include "opt.h"
#include "session.h"
#include "stop.h"
#include "words.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#define NO_FILE "not a file's name"

struct options {
	struct session_options session;
	const char *metrics_fd;
};

static const char *
unknown_source(const char *name, size_t length)
{
	static struct words words;
	words_begin(&words, name, length);
	for (enum notice_via via = 0; via < NOTICE_VIA_N; via++)
		words_offer(&words, notice_via_names[via]);
	return words_unknown(&words, "source");
}

static const char *
accept_sources(void *target, const struct opt_given *given)
{
	struct options *options = target;
	bool *wanted = options->session.wanted;
	const char *rest = given->value, *word;
	size_t length;

	options->session.is_chosen = true;
	memset(wanted, 0, sizeof options->session.wanted);
	while (commalist_next(&rest, &word, &length)) {
		enum notice_via via = 0;
		while (via < NOTICE_VIA_N && !words_equal(notice_via_names[via], word, length))
			via++;
		if (via == NOTICE_VIA_N)
			return unknown_source(word, length);
		wanted[via] = true;
	}
	for (enum notice_via via = 0; via < NOTICE_VIA_N; via++)
		if (wanted[via])
			return NULL;
	return "no source is given";
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

/* Return a message if options conflict, else NULL. */
static const char *
find_conflict(const struct session_options *session)
{
	if (session->wanted[NOTICE_TRACE] && session->trace_path == NULL)
		return "--sources: trace needs --trace";
	if (!session->wanted[NOTICE_TRACE] && session->trace_path != NULL)
		return "--trace: trace is not among the --sources";
	if (session->wanted[NOTICE_VERBS] && !session->wanted[NOTICE_UEVENT])
		return "--sources: verbs needs uevent, which reports when to close a device";
	if (session->any_driver && !session->wanted[NOTICE_VERBS])
		return "--verbs-any-driver: verbs is not among the --sources";
	return NULL;
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
	for (enum notice_via via = 0; via < NOTICE_VIA_N && !session->is_chosen; via++)
		session->wanted[via] = via != NOTICE_TRACE || session->trace_path != NULL;
	const char *conflict = find_conflict(session);
	if (conflict != NULL) {
		diag_error("%s (try 'ibevent --help')", conflict);
		return EXIT_USAGE;
	}
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
