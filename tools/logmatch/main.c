/* logmatch - finds NIC faults that only the kernel's log shows, and writes events.
 *
 *   main.c          options, exit code
 *   session.c       one run: state file, position in the log, memory of earlier lines
 *   follow.c        follows the kernel's log, each record once
 *   files.c         reads logs from files and stdin; pieces.c finds the lines that matter
 *   analysis.c      matches, evaluates and reports one line
 *   output.c        writer: events, gaps, records passed on
 *   logmetrics.c    metrics
 *
 *   kmsg.c blocks.c     readers: /dev/kmsg; files and pipes
 *   lineform.c          parses a line in any form, with kmsgform.c journaljson.c syslogform.c
 *                       stamp.c
 *   logtime.c           time of a line
 *   pcilook.c           looks up a PCI address in sysfs
 *
 *   pattern.c       the patterns: severities, expressions
 *   sieve.c         finds the lines that can match
 *   printer.c       finds the kernel part that printed a message, by the message's beginning
 *   matcher.c       finds the pattern of a message
 *   lockup.c        lock-ups, which span several lines; lockupline.c parses one of these
 *
 *   eval.c                decision, pure: repeated or new, fatal or not, which card, what ends
 *   noise.c standing.c    its memory: storms and cards; conditions that stand
 *   memory.c              the memory as JSON
 *   subject.c             finds PCI addresses and other device names in texts */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "clock.h"
#include "commalist.h"
#include "diag.h"
#include "host.h"
#include "jsonmemory.h"
#include "kmsg.h"
#include "num.h"
#include "opt.h"
#include "pattern.h"
#include "session.h"
#include "words.h"

#include <string.h>

/* Longest window of noise control. */
#define WINDOW_MAX_NS (UINT64_C(86400) * 7 * NUM_NS_PER_S)

#define NO_FILE "not a file's name"

struct options {
	struct session_options session;
	const char *config_path, *metrics_fd;
	bool check_config, list;
};

static const char *
unknown_pattern(const char *name, size_t length)
{
	static const char *const sets[] = {"core", "extended", "all"};
	static struct words words;
	words_begin(&words, name, length);
	for (size_t i = 0; i < ARRAY_COUNT(sets); i++)
		words_offer(&words, sets[i]);
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		words_offer(&words, logpattern_name(pattern));
	return words_unknown(&words, "pattern");
}

static const char *
parse_patterns(bool wanted[LOGPATTERN_N], const char *list)
{
	const char *word;
	size_t length;
	bool any = false;

	memset(wanted, 0, LOGPATTERN_N * sizeof *wanted);
	while (commalist_next(&list, &word, &length)) {
		bool all = words_equal("all", word, length);
		bool core = all || words_equal("core", word, length);
		bool extended = all || words_equal("extended", word, length);
		enum logpattern named = logpattern_find(word, length);

		if (!core && !extended && named == LOGPATTERN_N)
			return unknown_pattern(word, length);
		for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
			wanted[pattern] |= pattern == named ||
					   (logpattern_is_extended(pattern) ? extended : core);
		any = true;
	}
	return any ? NULL : "no pattern is given, see --list";
}

static const char *
accept_patterns(void *target, const struct opt_given *given)
{
	struct options *options = target;
	return parse_patterns(options->session.wanted, given->value);
}

static const char *
accept_kmsg(void *target, const struct opt_given *given)
{
	struct options *options = target;
	const char *path = given->value != NULL ? given->value : KMSG_DEFAULT_PATH;
	options->session.kmsg_path = path;
	return *path != '\0' ? NULL : NO_FILE;
}

static const char *
parse_time(const char *value, bool *given, uint64_t *out)
{
	*given = true;
	return clock_parse(value, out) ? NULL : "not a time like 2026-01-02T03:04:05Z";
}

static const char *
accept_boot_time(void *target, const struct opt_given *given)
{
	struct session_options *session = &((struct options *)target)->session;
	return parse_time(given->value, &session->has_boot_time, &session->boot_ns);
}

static const char *
accept_now(void *target, const struct opt_given *given)
{
	struct session_options *session = &((struct options *)target)->session;
	return parse_time(given->value, &session->has_now, &session->now_ns);
}

/* In the order of enum logline_format. */
static const char *const format_words[] = {"auto", "kmsg", "dmesg", "journal", "syslog"};
static const struct opt_words formats = {
	format_words, ARRAY_COUNT(format_words), "not one of auto, kmsg, dmesg, journal, syslog"};

static const struct opt_limits window = {
	0, WINDOW_MAX_NS, .malformed = "not a duration like 60s or 5m, of a week at most, or 0"};

static const struct opt_spec specs[] = {
	{"kmsg", "[=PATH]",
		"follow the kernel's log (/dev/kmsg; -: stdin) instead of reading files",
		OPT_OTHER(accept_kmsg)},
	{"format", "WORD",
		"form of the lines: auto (default, each by itself), kmsg, dmesg, journal, syslog",
		OPT_WORD(struct options, session.format, &formats)},
	{"config", "FILE", "configuration (" CONF_DEFAULT_PATH ")",
		OPT_PATH(struct options, config_path, NO_FILE)},
	{"state", "FILE", "keep the state in FILE across restarts; without it, keep none",
		OPT_PATH(struct options, session.state_path, NO_FILE)},
	{"acks", "FILE", "read from FILE which events the receiver has stored; needs --state",
		OPT_PATH(struct options, session.acks_path, NO_FILE)},
	{"sysfs-root", "DIR", "look addresses up below DIR instead of /sys",
		OPT_PATH(struct options, session.sysfs_root, NO_FILE)},
	{"patterns", "LIST",
		"search only for these: names (see --list), core, extended, all (default)",
		OPT_OTHER(accept_patterns)},
	{"dedup-window", "DURATION",
		"report ten of a pattern and device in this time (60s), count the rest; 0: report "
		"all",
		OPT_DURATION(struct options, session.window_ns, &window)},
	{"count", NULL, "print how often each pattern was found, and no events",
		OPT_FLAG(struct options, session.counting)},
	{"trust-text", NULL, "also act upon events from text (otherwise they are STORE_ONLY)",
		OPT_FLAG(struct options, session.trusts_text)},
	{"strategy", "WORD",
		"processingStrategy of the core patterns' events: EXECUTE_REMEDIATION (default), "
		"STORE_ONLY, STORE_AND_ANALYSE",
		EVENT_STRATEGY(struct options, session.strategy)},
	{"node", "NAME", "node name in the events ($NODE_NAME, else the host name)",
		OPT_TEXT_WITHIN(struct options, session.node, &host_name_limits)},
	{"boot-id-file", "FILE", "take the boot id from FILE (/proc/sys/kernel/random/boot_id)",
		OPT_PATH(struct options, session.boot_id_path, NO_FILE)},
	{"boot-time", "TIME",
		"boot time of the kernel that wrote the log, RFC 3339 (this machine's boot)",
		OPT_OTHER(accept_boot_time)},
	{"now", "TIME", "take TIME, RFC 3339, for the time of reading", OPT_OTHER(accept_now)},
	{"list", NULL, "list the patterns, and exit", OPT_FLAG(struct options, list)},
	{"check-config", NULL, "show the rules in force, and exit",
		OPT_FLAG(struct options, check_config)},
	{CONFINE_OPTION(struct options, session.confine)},
	{METRICS_OPTION, OPT_TEXT(struct options, metrics_fd)},
};

static const struct opt_tool tool = {
	.name = "logmatch",
	.purpose = "Find the failures of NICs in the kernel's log and write events.",
	.operands = "[FILE]...",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* Return a message about options that exclude each other, or NULL. */
static const char *
find_conflict(const struct session_options *session)
{
	if (session->acks_path != NULL && session->state_path == NULL)
		return "--acks needs --state";
	if (session->kmsg_path != NULL && session->file_count > 0)
		return "--kmsg follows one log: FILE does not go with it";
	if (session->kmsg_path != NULL && session->format != LOGLINE_AUTO &&
		session->format != LOGLINE_KMSG)
		return "--format does not go with --kmsg";
	if (session->counting && session->state_path != NULL)
		return "--state does not go with --count, which keeps no state";
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
					  .window_ns = EVAL_WINDOW_NS,
					  .confine = confine_default()}};
	struct session_options *session = &options.session;
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		session->wanted[pattern] = true;

	diag_init("logmatch");
	jsonmemory_require();
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
		return pattern_list() < 0 ? diag_io_failure("stdout") : 0;
	if (session->node == NULL)
		session->node = host_node_name();
	status = host_check_node_name(session->node);
	if (status == 0)
		status = metrics_open_option(options.metrics_fd, &session->metrics);
	if (status == 0)
		status = run_with(&options);
	metrics_close(session->metrics);
	return status;
}
