/* session - one run of logmatch: what it knows of earlier lines, where it is in the kernel's log, and what both are kept in. */
#include "session.h"

#include "blocks.h"
#include "clock.h"
#include "diag.h"
#include "follow.h"
#include "memory.h"
#include "num.h"
#include "stop.h"
#include "sysfs.h"
#include "utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STATE_VERSION 1

/* What sysfs says holds for so long. */
#define MOMENT_NS (10 * NUM_NS_PER_MS)

/* Room for a boot id, 36 characters, and a NUL. */
#define BOOT_ID_SIZE 64

struct session {
	const struct session_options *options;
	struct analysis analysis;
	struct output output;
	struct session_position position;
	char boot_id[BOOT_ID_SIZE]; /* of the kernel that runs now, "" when it cannot be read */
	/* What the state file says. */
	char stored_boot_id[BOOT_ID_SIZE];
	uint64_t stored_boot_ns;
};

/* --- the state file --- */

static int
decode(void *context, const json_t *root, struct rec_error *error)
{
	struct session *session = context;
	const char *boot_id = NULL;
	uint64_t seq = 0;

	if (store_check_version(root, STATE_VERSION, error) < 0 ||
		outbox_decode(&session->output.outlet.outbox, &session->output.outlet.stream, root,
			error) < 0)
		return -1;
	enum rec_status boot = rec_get_string(root, "boot_id", &boot_id);
	enum rec_status position = rec_get_u64(root, "position", &seq);
	if (boot == REC_WRONG_TYPE || position == REC_WRONG_TYPE ||
		(boot == REC_OK && strlen(boot_id) >= BOOT_ID_SIZE) ||
		rec_get_u64(root, "boot_time_ns", &session->stored_boot_ns) == REC_WRONG_TYPE ||
		!memory_decode(json_object_get(root, "memory"), &session->analysis.memory)) {
		*error = (struct rec_error){.reason = "not what logmatch writes"};
		return -1;
	}
	session->position = (struct session_position){position == REC_OK, seq};
	strcpy(session->stored_boot_id, boot == REC_OK ? boot_id : "");
	return 0;
}

static void
reset(void *context)
{
	struct session *session = context;
	session->analysis.memory = (struct judge_memory){0};
	session->position = (struct session_position){0};
	*session->stored_boot_id = '\0';
	session->stored_boot_ns = 0;
}

static json_t *
encode_new(void *context)
{
	const struct session *session = context;
	const struct session_position *position = &session->position;

	json_t *root = json_pack("{s:i, s:s, s:o, s:o, s:o}", "version", STATE_VERSION, "boot_id",
		session->boot_id, "boot_time_ns", rec_u64_new(session->analysis.time.boot_ns),
		"position", position->known ? rec_u64_new(position->seq) : json_null(), "memory",
		memory_encode_new(&session->analysis.memory));
	if (root != NULL && outbox_encode(&session->output.outlet.outbox,
				    &session->output.outlet.stream, root) < 0) {
		json_decref(root);
		return NULL;
	}
	return root;
}

/* Events name others: the first of their card, those that they answer. */
static void
follow_rename(void *context, const char *old_id, const char *new_id)
{
	struct session *session = context;
	standing_rename(&session->analysis.memory.standing, old_id, new_id);
	cards_rename(&session->analysis.memory.cards, old_id, new_id);
	output_rename(&session->output, old_id, new_id);
}

static const struct outlet_owner owner = {.version = STATE_VERSION,
	.decode = decode,
	.reset = reset,
	.encode_new = encode_new,
	.renamed = follow_rename};

/* --- the start --- */

static void
read_boot_id(struct session *session)
{
	bool read = sysfs_read_file(session->options->boot_id_path, session->boot_id,
			    BOOT_ID_SIZE) == SYSFS_OK;
	if (read && *session->boot_id != '\0' && utf8_is_valid(session->boot_id))
		return;
	*session->boot_id = '\0';
	if (session->options->kmsg_path != NULL)
		diag_warn("%s: %s: where the log was read to cannot be remembered",
			session->options->boot_id_path, read ? "no boot id" : strerror(errno));
}

/* The kernel counts the time of its messages as CLOCK_MONOTONIC does, about. */
static uint64_t
boot_time_now(void)
{
	uint64_t now_ns = clock_realtime_ns(), up_ns = clock_monotonic_ns();
	return now_ns > up_ns ? now_ns - up_ns : 0;
}

/* After a boot the numbers begin anew, and what was before it is history. */
static void
settle_boot(struct session *session)
{
	const struct session_options *options = session->options;
	bool same =
		*session->boot_id != '\0' && strcmp(session->boot_id, session->stored_boot_id) == 0;
	struct logtime *time = &session->analysis.time;

	if (options->has_boot_time)
		time->boot_ns = options->boot_ns;
	else if (same && session->stored_boot_ns != 0)
		time->boot_ns = session->stored_boot_ns;
	else
		time->boot_ns = boot_time_now();
	if (options->kmsg_path != NULL && !same) {
		session->position = (struct session_position){0};
		session->analysis.memory = (struct judge_memory){0};
	}
}

static void
set_rules(struct session *session, const struct conf *conf)
{
	struct judge_setting *setting = &session->analysis.setting;
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		const struct conf_pattern *configured = &conf->patterns[pattern];
		setting->enabled[pattern] =
			session->options->wanted[pattern] && configured->enabled;
		setting->strategy[pattern] = configured->strategy != NULL
						     ? configured->strategy
						     : session->options->strategy;
	}
	judge_set_windows(setting, session->options->window_ns);
}

/* --- files --- */

static int
read_blocks(struct session *session, int fd, const char *name)
{
	struct analysis *analysis = &session->analysis;
	struct blocks blocks;
	struct analysis_place place = {.name = name, .unit = "at byte"};
	const char *bytes;
	size_t length;
	enum blocks_status status;
	uint64_t looked_ns = 0; /* when names were looked up last, CLOCK_BOOTTIME */
	int code = 0;

	blocks_init(&blocks, fd);
	while (code == 0) {
		struct clock_moment now;
		status = blocks_next(&blocks, &bytes, &length, &place.number);
		if (status == BLOCKS_OVERSIZED) {
			analysis_skip(analysis, &place, "a line of more than 1 MiB");
			continue;
		}
		if (status != BLOCKS_OK)
			break;
		clock_now(&now);
		if (!session->options->has_now)
			analysis->time.now_ns = clock_realtime_ns();
		/* A large log is read in less time than a name needs to change. */
		if (now.boottime_ns - looked_ns >= MOMENT_NS) {
			pcilook_refresh(analysis->look);
			looked_ns = now.boottime_ns;
		}
		if (analysis_block(analysis, &place, bytes, length) < 0 ||
			output_commit(&session->output, OUTLET_MAY_WAIT, now.boottime_ns) < 0)
			code = diag_io_failure("stdout");
		numbers_turn(
			&analysis->numbers, json_array_size(session->output.outlet.outbox.events));
	}
	if (code == 0 && status == BLOCKS_ERROR)
		code = diag_io_failure(name);
	analysis_end_input(analysis, name);
	blocks_fini(&blocks);
	return code;
}

static int
read_file(struct session *session, const char *path)
{
	if (strcmp(path, "-") == 0)
		return read_blocks(session, STDIN_FILENO, "stdin");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0) {
		/* A FIFO is waited for until somebody writes to it. */
		bool stopped = errno == EINTR && stop_requested();
		return stopped ? 0 : diag_open_failure(path);
	}
	int code = read_blocks(session, fd, path);
	close(fd);
	return code;
}

/* One file that cannot be read does not hide the others. */
static int
read_files(struct session *session)
{
	const struct session_options *options = session->options;
	int code = 0;

	if (options->file_count == 0)
		return read_file(session, "-");
	for (size_t i = 0; i < options->file_count && !stop_requested(); i++) {
		int one = read_file(session, options->files[i]);
		if (code == 0)
			code = one;
	}
	return code;
}

/* --- the run --- */

static int
print_counts(const struct analysis *analysis)
{
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		if (analysis->counts[pattern] > 0)
			printf("%s %" PRIu64 "\n", logpattern_name(pattern),
				analysis->counts[pattern]);
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : diag_io_failure("stdout");
}

static int
run(struct session *session)
{
	const struct session_options *options = session->options;
	struct analysis *analysis = &session->analysis;

	if ((options->state_path != NULL || options->kmsg_path != NULL || options->counting) &&
		stop_catch() < 0)
		return diag_io_failure("signals");
	read_boot_id(session);
	int code = outlet_open(&session->output.outlet);
	if (code != 0)
		return code;
	settle_boot(session);
	tzset();
	analysis->time.now_ns = options->has_now ? options->now_ns : clock_realtime_ns();
	if (options->kmsg_path != NULL)
		session->output.boot_id = session->boot_id;
	if (outlet_resend(&session->output.outlet) < 0)
		return diag_io_failure("stdout");
	code = options->kmsg_path != NULL
		       ? follow_run(options->kmsg_path, analysis, &session->position)
		       : read_files(session);
	struct clock_moment now;
	clock_now(&now);
	/* What was stored last is what goes with what was written. */
	if (!session->output.failed)
		outlet_finish(&session->output.outlet, OUTLET_MAY_WAIT, now.boottime_ns);
	if (code == 0 && options->counting)
		code = print_counts(analysis);
	return code;
}

static int
run_with(struct session *session, int sysfs, const struct outlet_options *outlet)
{
	struct analysis *analysis = &session->analysis;
	int code = EXIT_OS;

	analysis->matcher = matcher_new(analysis->setting.enabled);
	analysis->look = pcilook_new(sysfs);
	if (output_init(&session->output, outlet, &owner, session, session->options->node) < 0 ||
		analysis->matcher == NULL || analysis->look == NULL)
		diag_error("out of memory");
	else
		code = run(session);
	output_fini(&session->output);
	analysis_fini(analysis);
	return code;
}

int
session_run(const struct session_options *options, const struct conf *conf)
{
	struct session session = {.options = options};
	const struct outlet_options outlet = {.tool = "logmatch",
		.state_path = options->state_path,
		.acks_path = options->acks_path,
		.strategy = options->strategy};

	session.analysis.format = options->format;
	session.analysis.counting = options->counting;
	session.analysis.output = &session.output;
	set_rules(&session, conf);
	numbers_init(&session.analysis.numbers, options->metrics, session.analysis.setting.enabled);
	/* Best effort: a log is worth reading where sysfs is not. */
	int sysfs = sysfs_open_root(options->sysfs_root);
	if (sysfs < 0)
		diag_warn("%s: %s: events will name no NIC", options->sysfs_root, strerror(errno));
	int code = run_with(&session, sysfs, &outlet);
	if (sysfs >= 0)
		close(sysfs);
	return code;
}
