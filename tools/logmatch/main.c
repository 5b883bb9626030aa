/* logmatch - find the failures of NICs that only the kernel's log shows, and write events.
 *
 *   main.c          options, exit
 *   session.c       one run: where it is in the log, what it knows of earlier lines, and the state file of both
 *   follow.c        the kernel's log as it grows, each record once
 *   analysis.c      one line on its way: read, matched, judged, reported
 *   output.c        writer: events, gaps, what is passed through
 *   numbers.c       what is counted for whoever watches
 *
 *   kmsg.c blocks.c     readers: /dev/kmsg; files and pipes
 *   lineform.c          what form a line has, pure; of its parts kmsgform.c journaljson.c syslogform.c stamp.c
 *   logtime.c civil.c   when it was
 *   pcilook.c           what sysfs says of an address, now
 *
 *   pattern.c       the patterns: severities, expressions
 *   sieve.c         which lines can matter
 *   matcher.c       which pattern a line has
 *   lockup.c        lock-ups, which are several lines
 *
 *   judge.c         decision, pure: news or repetition, fatal or not, of which card, what it answers
 *   noise.c standing.c cards.c    what it remembers for that
 *   memory.c        the same as JSON
 *   pciaddr.c       PCI addresses in texts */
#include "clock.h"
#include "diag.h"
#include "host.h"
#include "kmsg.h"
#include "listing.h"
#include "num.h"
#include "opt.h"
#include "session.h"

#include <string.h>

/* Longest window of noise control. */
#define WINDOW_MAX_NS (UINT64_C(86400) * 7 * NUM_NS_PER_S)

struct options {
	struct session_options session;
	const char *config_path, *metrics_fd;
	bool check_config, list;
};

enum {
	OPT_KMSG,
	OPT_FORMAT,
	OPT_CONFIG,
	OPT_STATE,
	OPT_ACKS,
	OPT_SYSFS_ROOT,
	OPT_PATTERNS,
	OPT_DEDUP_WINDOW,
	OPT_COUNT,
	OPT_STRATEGY,
	OPT_NODE,
	OPT_BOOT_ID_FILE,
	OPT_BOOT_TIME,
	OPT_NOW,
	OPT_LIST,
	OPT_CHECK_CONFIG,
	OPT_METRICS_FD,
};

static const struct opt_spec specs[] = {
	[OPT_KMSG] = {"kmsg", "[=PATH]",
		"follow the kernel's log (/dev/kmsg) instead of reading files"},
	[OPT_FORMAT] = {"format", "WORD",
		"form of the lines: auto (default, each by itself), kmsg, dmesg, journal, syslog"},
	[OPT_CONFIG] = {"config", "FILE", "configuration (" CONF_DEFAULT_PATH ")"},
	[OPT_STATE] = {"state", "FILE", "what is remembered across restarts; without it, nothing"},
	[OPT_ACKS] = {"acks", "FILE",
		"where the receiver of the events says what it has stored; needs --state"},
	[OPT_SYSFS_ROOT] = {"sysfs-root", "DIR", "look addresses up below DIR instead of /sys"},
	[OPT_PATTERNS] = {"patterns", "LIST",
		"only these: names (see --list), core, extended, all (default)"},
	[OPT_DEDUP_WINDOW] = {"dedup-window", "DURATION",
		"count repetitions of what is not fatal for so long (60s); 0: report everything"},
	[OPT_COUNT] = {"count", NULL, "print how often each pattern was found, and no events"},
	[OPT_STRATEGY] = {"strategy", "WORD",
		"of the core patterns' events: EXECUTE_REMEDIATION (default), STORE_ONLY, STORE_AND_ANALYSE"},
	[OPT_NODE] = {"node", "NAME", "node name in the events ($NODE_NAME, else the host name)"},
	[OPT_BOOT_ID_FILE] = {"boot-id-file", "FILE",
		"take the boot id from FILE (/proc/sys/kernel/random/boot_id)"},
	[OPT_BOOT_TIME] = {"boot-time", "TIME",
		"when the kernel of the log was booted, RFC 3339 (this machine's boot)"},
	[OPT_NOW] = {"now", "TIME", "take TIME, RFC 3339, for the time of reading"},
	[OPT_LIST] = {"list", NULL, "list the patterns, and exit"},
	[OPT_CHECK_CONFIG] = {"check-config", NULL, "show the rules in force, and exit"},
	[OPT_METRICS_FD] = METRICS_OPTION,
};

static const char *
take_format(struct session_options *session, const char *value)
{
	static const struct {
		const char *word;
		enum logline_format format;
	} formats[] = {
		{"auto", LOGLINE_AUTO},
		{"kmsg", LOGLINE_KMSG},
		{"dmesg", LOGLINE_DMESG},
		{"journal", LOGLINE_JOURNAL},
		{"syslog", LOGLINE_SYSLOG},
	};
	for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
		if (strcmp(value, formats[i].word) == 0) {
			session->format = formats[i].format;
			return NULL;
		}
	}
	return "not one of auto, kmsg, dmesg, journal, syslog";
}

static bool
is_word(const char *at, size_t length, const char *word)
{
	return length == strlen(word) && memcmp(at, word, length) == 0;
}

static const char *
take_patterns(bool wanted[LOGPATTERN_N], const char *list)
{
	memset(wanted, 0, LOGPATTERN_N * sizeof *wanted);
	for (;;) {
		size_t length = strcspn(list, ",");
		bool all = is_word(list, length, "all");
		bool core = all || is_word(list, length, "core");
		bool extended = all || is_word(list, length, "extended");
		enum logpattern named = logpattern_find(list, length);

		if (!core && !extended && named == LOGPATTERN_N)
			return "not a list of patterns, see --list";
		for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
			wanted[pattern] |= pattern == named ||
					   (logpattern_is_extended(pattern) ? extended : core);
		if (list[length] == '\0')
			return NULL;
		list += length + 1;
	}
}

static const char *
take_time(bool *given, uint64_t *out, const char *value)
{
	*given = true;
	return clock_parse(value, out) ? NULL : "not a time like 2026-01-02T03:04:05Z";
}

static const char *
take_file(const char **out, const char *value)
{
	*out = value;
	return *value != '\0' ? NULL : "not a file's name";
}

static const char *
take_option(void *context, size_t index, const char *value)
{
	struct options *options = context;
	struct session_options *session = &options->session;

	switch (index) {
	case OPT_KMSG:
		return take_file(&session->kmsg_path, value != NULL ? value : KMSG_DEFAULT_PATH);
	case OPT_FORMAT:
		return take_format(session, value);
	case OPT_CONFIG:
		return take_file(&options->config_path, value);
	case OPT_STATE:
		return take_file(&session->state_path, value);
	case OPT_ACKS:
		return take_file(&session->acks_path, value);
	case OPT_SYSFS_ROOT:
		return take_file(&session->sysfs_root, value);
	case OPT_PATTERNS:
		return take_patterns(session->wanted, value);
	case OPT_DEDUP_WINDOW:
		return num_parse_duration(value, WINDOW_MAX_NS, &session->window_ns) == NUM_OK
			       ? NULL
			       : "not a duration like 60s or 5m, of a week at most, or 0";
	case OPT_COUNT:
		session->counting = true;
		return NULL;
	case OPT_STRATEGY:
		return event_strategy_take(&session->strategy, value);
	case OPT_NODE:
		session->node = value;
		return *value != '\0' && strlen(value) <= REC_NODE_MAX_BYTES ? NULL
									     : "not a node's name";
	case OPT_BOOT_ID_FILE:
		return take_file(&session->boot_id_path, value);
	case OPT_BOOT_TIME:
		return take_time(&session->has_boot_time, &session->boot_ns, value);
	case OPT_NOW:
		return take_time(&session->has_now, &session->now_ns, value);
	case OPT_LIST:
		options->list = true;
		return NULL;
	case OPT_CHECK_CONFIG:
		options->check_config = true;
		return NULL;
	case OPT_METRICS_FD:
		options->metrics_fd = value;
		return NULL;
	}
	return "unknown";
}

static const struct opt_tool tool = {
	.name = "logmatch",
	.purpose = "Find the failures of NICs in the kernel's log and write events.",
	.operands = "[FILE...]",
	.options = specs,
	.count = sizeof specs / sizeof *specs,
	.take = take_option,
};

/* What does not go together. NULL: all does. */
static const char *
find_conflict(const struct session_options *session)
{
	if (session->acks_path != NULL && session->state_path == NULL)
		return "--acks needs --state";
	if (session->kmsg_path != NULL && session->file_count > 0)
		return "--kmsg follows one log: no files can be named with it";
	if (session->kmsg_path != NULL && session->format != LOGLINE_AUTO &&
		session->format != LOGLINE_KMSG)
		return "--kmsg has one format only";
	if (session->counting && session->state_path != NULL)
		return "--count keeps nothing: --state does not go with it";
	return NULL;
}

static int
run_with(const struct options *options)
{
	struct conf conf;
	if (options->check_config)
		return conf_show(options->config_path);
	int status = conf_load(&conf, options->config_path);
	if (status != 0)
		return status;
	struct session_options session = options->session;
	if (session.sysfs_root == NULL)
		session.sysfs_root = conf.sysfs_root != NULL ? conf.sysfs_root : "/sys";
	status = session_run(&session, &conf);
	conf_fini(&conf);
	return status;
}

int
main(int argc, char **argv)
{
	struct options options = {.session = {.boot_id_path = "/proc/sys/kernel/random/boot_id",
					  .strategy = event_strategies[EVENT_EXECUTE_REMEDIATION],
					  .window_ns = UINT64_MAX}};
	struct session_options *session = &options.session;
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		session->wanted[pattern] = true;

	diag_init("logmatch");
	int status;
	int first = opt_parse(&tool, argc, argv, &options, &status);
	if (first < 0)
		return status;
	session->files = (const char *const *)argv + first;
	session->file_count = (size_t)(argc - first);
	const char *conflict = find_conflict(session);
	if (conflict != NULL) {
		diag_error("%s", conflict);
		return EXIT_USAGE;
	}
	if (options.list)
		return listing_print() < 0 ? diag_io_failure("stdout") : 0;
	if (session->node == NULL)
		session->node = host_node_name();
	status = metrics_take(options.metrics_fd, &session->metrics);
	if (status == 0)
		status = run_with(&options);
	metrics_close(session->metrics);
	return status;
}
