/* nicsilence - shows, begins and ends silences of devices, and clears conditions of repaired ones.
 * emit and ctreval apply the file (--silences).
 *
 *   main.c          options, the requested action, exit code
 *   silencefile.c   reads and replaces the file; lib/silence parses its lines */
/* SPDX-License-Identifier: Apache-2.0 */
#include "array.h"
#include "clock.h"
#include "confine.h"
#include "counters.h"
#include "diag.h"
#include "errorcode.h"
#include "jsonmemory.h"
#include "num.h"
#include "opt.h"
#include "place.h"
#include "runbook.h"
#include "silencefile.h"
#include "utf8.h"
#include "when.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <pwd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

struct options {
	const char *file, *sysfs_root, *code, *why, *by, *end;
	uint64_t for_ns;
	bool clear;
	enum confine_mode confine;
};

static const struct opt_limits span = {NUM_NS_PER_S, UINT64_C(366) * 24 * 3600 * NUM_NS_PER_S,
	.malformed = "not a duration such as 2h or 7d, of at least a second and at most a year"};

#define NO_PATH "a path is missing"

static const struct opt_spec specs[] = {
	{"for", "DURATION", "how long to silence it: 30m, 24h, 7d",
		OPT_DURATION(struct options, for_ns, &span)},
	{"clear", NULL, "its counters are repaired: clear their reported breaches",
		OPT_FLAG(struct options, clear)},
	{"why", "TEXT", "why", OPT_TEXT(struct options, why)},
	{"code", "CODE", "only events with this errorCode, or only this counter (all)",
		OPT_TEXT(struct options, code)},
	{"by", "NAME", "who sets it (the current user)", OPT_TEXT(struct options, by)},
	{"end", "ID", "end this silence now", OPT_TEXT(struct options, end)},
	{"file", "FILE", "the file of silences (" SILENCE_DEFAULT_PATH ")",
		OPT_PATH(struct options, file, NO_PATH)},
	{"sysfs-root", "DIR", "look for the device below DIR (/sys)",
		OPT_PATH(struct options, sysfs_root, NO_PATH)},
	{CONFINE_OPTION(struct options, confine)},
};

static const struct opt_tool tool = {
	.name = "nicsilence",
	.purpose = "Silence a device or port, or clear repaired counters; without operands, list "
		   "silences.",
	.operands = "[DEVICE[/PORT]]",
	.options = specs,
	.count = ARRAY_COUNT(specs),
};

/* --- options --- */

/* Return what is wrong with the options, or NULL. */
static const char *
check(const struct options *options, const char *target)
{
	bool has_more = options->for_ns != 0 || options->clear || options->why != NULL ||
			options->code != NULL || options->by != NULL;
	if (target == NULL && has_more)
		return "--for, --clear, --why, --code and --by need a DEVICE";
	if (target != NULL && options->end != NULL)
		return "--end needs an ID, and no DEVICE";
	if (options->clear && options->for_ns != 0)
		return "--clear takes effect once: it cannot be combined with --for";
	if (options->clear && options->code != NULL && errorcode_is_taken(options->code))
		return "--code names no counter: only counters can be cleared";
	if (target != NULL && options->for_ns == 0 && !options->clear)
		return "--for is missing: say for how long";
	if (target != NULL && options->why == NULL)
		return "--why is missing: give others the reason";
	return NULL;
}

/* --- new records --- */

/* How long a clear stays in the file, so that a service that was down applies it later. */
#define CLEAR_NS (UINT64_C(24) * 3600 * NUM_NS_PER_S)

/* Default of --by. root may act for another user through sudo. */
static const char *
user_name(void)
{
	const char *name = getenv("SUDO_USER");
	if (geteuid() == 0 && name != NULL && *name != '\0')
		return name;
	const struct passwd *user = getpwuid(getuid());
	return user != NULL ? user->pw_name : "unknown";
}

/* Return NULL when memory ran out or a text is not UTF-8. */
static json_t *
record_new(const struct options *options, const char *device, uint64_t port, uint64_t now_ns)
{
	char id[EVENT_SOURCE_SIZE], until[CLOCK_STAMP_SIZE], ts[CLOCK_STAMP_SIZE];
	uint64_t random = now_ns;
	/* If getrandom() fails, the current time has to do. */
	(void)!getrandom(&random, sizeof random, 0);
	snprintf(id, sizeof id, "%016" PRIx64, random);
	clock_format(now_ns, ts);
	clock_format(now_ns + (options->clear ? CLEAR_NS : options->for_ns), until);
	json_t *record = json_pack("{s:s, s:i, s:s, s:s, s:s, s:s, s:s, s:s}", "kind",
		options->clear ? SILENCE_CLEAR_KIND : SILENCE_KIND, "v", 1, "id", id, "device",
		device, "until", until, "why", options->why, "by", options->by, "ts", ts);
	if (record != NULL && port > 0)
		json_object_set_new(record, "port", json_integer((json_int_t)port));
	if (record != NULL && options->code != NULL)
		json_object_set_new(record, "code", json_string(options->code));
	return record;
}

/* Check that readers of the file accept the record, and report the reason if not. Return an exit
 * code. */
static int
check_record(const json_t *record)
{
	struct rec_error error;
	struct silence silence;
	size_t length;
	char *line = rec_dump_new(record, &length);
	if (line == NULL)
		return diag_no_memory();
	bool good = silence_parse(line, length - 1, &silence, &error);
	free(line);
	if (!good) {
		diag_error("%s (try 'nicsilence --help')", error.reason);
		return EXIT_USAGE;
	}
	silence_fini(&silence);
	return 0;
}

static bool
is_missing(const char *path)
{
	return access(path, F_OK) < 0 && errno == ENOENT;
}

/* A mistyped device would silence nothing, so warn about a name that does not exist. */
static void
look_for(const char *sysfs_root, const char *device, uint64_t port)
{
	char directory[PATH_MAX], ports[PATH_MAX];
	if (snprintf(directory, sizeof directory, "%s/class/infiniband/%s", sysfs_root, device) >=
			PATH_MAX ||
		snprintf(ports, sizeof ports, "%s/ports/%" PRIu64, directory, port) >= PATH_MAX)
		return;
	if (is_missing(directory))
		diag_warn("%s: there is no such device at present", device);
	else if (port > 0 && is_missing(ports))
		diag_warn("%s/%" PRIu64 ": there is no such port at present", device, port);
}

/* The same for a mistyped counter, which would clear nothing. */
static void
look_for_counter(const char *name)
{
	struct counter_list counters;
	if (counter_list_init(&counters) == 0 && counter_list_find(&counters, name) == NULL)
		diag_warn("%s: there is no such counter, unless the configuration adds it", name);
	counter_list_fini(&counters);
}

/* The same for a mistyped code, or several, which would silence nothing. */
static void
look_for_code(const char *code)
{
	if (strcmp(runbook_find(code, "").page, RUNBOOK_OWN) == 0)
		diag_warn("%s: no event has this code, unless the configuration adds it", code);
}

/* Print the id, which --end needs. */
static int
tell(const json_t *record)
{
	printf("%s\n", json_string_value(json_object_get(record, "id")));
	return fflush(stdout) == 0 && close(STDOUT_FILENO) == 0 ? 0 : diag_io_failure("stdout");
}

static int
begin(const struct options *options, char *target, const struct silences *silences, uint64_t now_ns)
{
	uint64_t port;
	if (!place_split(target, &port)) {
		diag_error("%s/...: not a port from 1 to 255", target);
		return EXIT_USAGE;
	}
	json_t *record = record_new(options, target, port, now_ns);
	if (record == NULL) {
		diag_error("a text is not UTF-8");
		return EXIT_USAGE;
	}
	int code = check_record(record);
	if (code == 0) {
		look_for(options->sysfs_root, target, port);
		if (options->code != NULL)
			(options->clear ? look_for_counter : look_for_code)(options->code);
		code = silencefile_write(options->file, silences, now_ns, NULL, record);
	}
	if (code == 0 && !options->clear)
		code = tell(record);
	json_decref(record);
	return code;
}

static int
end(const struct options *options, const struct silences *silences, uint64_t now_ns)
{
	for (size_t i = 0; i < silences->count; i++) {
		if (strcmp(silences->items[i].id, options->end) == 0)
			return silencefile_write(
				options->file, silences, now_ns, options->end, NULL);
	}
	diag_error("--end %s: there is no such silence", options->end);
	return EXIT_NO_INPUT;
}

/* --- listing --- */

/* Size of an escaped text: a byte may become four. */
#define TEXT_SIZE (4 * SILENCE_WHY_BYTES + 1)

static void
show_one(const struct silence *silence, uint64_t now_ns)
{
	char where[2 * SILENCE_NAME_BYTES], device[TEXT_SIZE], code[TEXT_SIZE], why[TEXT_SIZE],
		by[TEXT_SIZE], until[WHEN_TIME_SIZE], left[WHEN_SPAN_SIZE];
	const char *all = silence->code != NULL ? silence->code : "all codes";
	snprintf(where, sizeof where, "%s", silence->device);
	if (silence->port > 0)
		snprintf(where, sizeof where, "%s/%" PRIu64, silence->device, silence->port);
	utf8_escape(where, strlen(where), device, sizeof device);
	utf8_escape(all, strlen(all), code, sizeof code);
	utf8_escape(silence->why, strlen(silence->why), why, sizeof why);
	utf8_escape(silence->by, strlen(silence->by), by, sizeof by);
	printf("%s  %-12s  %-14s  %s  %-11s  %s: %s\n", silence->id, device, code,
		when_time(silence->until_ns, until), when_span(silence->until_ns - now_ns, left),
		by, why);
}

static int
show(const struct silences *silences, uint64_t now_ns)
{
	if (silences_next_end_ns(silences, now_ns) == UINT64_MAX)
		diag_note("no silences are in effect");
	else
		printf("%-16s  %-12s  %-14s  %-19s  %-11s  %s\n", "ID", "DEVICE", "CODE",
			"UNTIL (UTC)", "LEFT", "BY: WHY");
	for (size_t i = 0; i < silences->count; i++) {
		if (now_ns < silences->items[i].until_ns && !silences->items[i].clears)
			show_one(&silences->items[i], now_ns);
	}
	return fflush(stdout) == 0 && close(STDOUT_FILENO) == 0 ? 0 : diag_io_failure("stdout");
}

/* --- the run --- */

/* Return an exit code. */
static int
confine(const struct options *options)
{
	struct confine confine;
	confine_init(&confine, "nicsilence", options->confine);
	confine_allow_beside(&confine, options->file, LANDLOCK_KEEP);
	confine_allow(&confine, options->sysfs_root, LANDLOCK_READ);
	return confine_enter(&confine);
}

static int
run(struct options *options, char *target)
{
	struct silences silences = {.count = 0};
	bool changes = target != NULL || options->end != NULL;
	uint64_t now_ns = clock_realtime_ns();
	if (options->by == NULL)
		options->by = user_name();
	int code = silencefile_become_owner(options->file, changes);
	if (code == 0)
		code = confine(options);
	if (code == 0 && changes)
		code = silencefile_lock(options->file);
	if (code == 0)
		code = silencefile_read(options->file, &silences);
	if (code == 0 && target != NULL)
		code = begin(options, target, &silences, now_ns);
	else if (code == 0 && options->end != NULL)
		code = end(options, &silences, now_ns);
	else if (code == 0)
		code = show(&silences, now_ns);
	silences_fini(&silences);
	return code;
}

int
main(int argc, char **argv)
{
	struct options options = {
		.file = SILENCE_DEFAULT_PATH, .sysfs_root = "/sys", .confine = confine_default()};
	int code;

	diag_init("nicsilence");
	jsonmemory_require();
	/* A write beyond RLIMIT_FSIZE must fail with EFBIG instead of killing the process. */
	signal(SIGXFSZ, SIG_IGN);
	int first = opt_parse(&tool, argc, argv, &options, &code);
	if (first < 0)
		return code;
	char *target = argv[first];
	if (target != NULL && argv[first + 1] != NULL)
		return opt_unexpected_operand(argv[first + 1]);
	const char *wrong = check(&options, target);
	if (wrong != NULL) {
		diag_error("%s (try 'nicsilence --help')", wrong);
		return EXIT_USAGE;
	}
	return run(&options, target);
}
