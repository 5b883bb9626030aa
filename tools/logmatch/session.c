/* session - one run of logmatch: its memory of earlier lines, its position in the kernel's log, and
 * the state file of both. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "session.h"

#include "clock.h"
#include "diag.h"
#include "fd.h"
#include "files.h"
#include "follow.h"
#include "memory.h"
#include "stop.h"
#include "sysfs.h"
#include "utf8.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define STATE_VERSION 1

/* Size for a boot id of 36 characters and a NUL. */
#define BOOT_ID_SIZE 64

struct session {
	const struct session_options *options;
	struct analysis analysis;
	struct output output;
	struct follow_position position;
	bool clear_check; /* send a baseline event after a reboot, to end earlier conditions */
	char boot_id[BOOT_ID_SIZE]; /* of the running kernel; "" if unreadable */
	/* From the state file. */
	char stored_boot_id[BOOT_ID_SIZE];
	uint64_t stored_boot_ns;
	int64_t stored_lag_ns;
};

/* --- the state file --- */

static int
decode(void *context, const json_t *root, struct rec_error *error)
{
	struct session *session = context;
	const char *boot_id = NULL;
	uint64_t seq = 0;
	const json_t *memory = json_object_get(root, "memory");

	if (store_check_version(root, STATE_VERSION, error) < 0 ||
		outbox_decode(&session->output.outlet.outbox, &session->output.outlet.stream, root,
			error) < 0)
		return -1;
	enum rec_status boot = rec_get_string(root, "boot_id", &boot_id);
	enum rec_status position = rec_get_u64(root, "position", &seq);
	if (boot == REC_WRONG_TYPE || position == REC_WRONG_TYPE ||
		(boot == REC_OK && strlen(boot_id) >= BOOT_ID_SIZE) ||
		rec_get_u64(root, "boot_time_ns", &session->stored_boot_ns) == REC_WRONG_TYPE ||
		rec_get_int(root, "lag_ns", &session->stored_lag_ns) == REC_WRONG_TYPE ||
		!(memory_is_older(memory) || memory_decode(memory, &session->analysis.memory))) {
		*error = (struct rec_error){.reason = "not what logmatch writes"};
		return -1;
	}
	/* An older version did not store which NICs a condition named. Read the log from its start
	 * to find them. */
	if (!memory_is_older(memory))
		session->position = (struct follow_position){position == REC_OK, seq};
	strcpy(session->stored_boot_id, boot == REC_OK ? boot_id : "");
	return 0;
}

static void
reset(void *context)
{
	struct session *session = context;
	session->analysis.memory = (struct eval_memory){0};
	session->position = (struct follow_position){0};
	*session->stored_boot_id = '\0';
	session->stored_boot_ns = 0;
	session->stored_lag_ns = 0;
}

static char *
encode_new(void *context)
{
	const struct session *session = context;
	const struct follow_position *position = &session->position;

	/* An unknown boot id may belong to the previous boot; a position without a boot id is
	 * useless. */
	bool known = *session->boot_id != '\0';
	json_t *root = json_pack("{s:i, s:s, s:o, s:I, s:o, s:o}", "version", STATE_VERSION,
		"boot_id", known ? session->boot_id : session->stored_boot_id, "boot_time_ns",
		rec_u64_new(session->analysis.time.boot_ns), "lag_ns",
		(json_int_t)session->analysis.time.lag_ns, "position",
		known && position->known ? rec_u64_new(position->seq) : json_null(), "memory",
		memory_encode_new(&session->analysis.memory));
	if (root != NULL && outbox_encode(&session->output.outlet.outbox,
				    &session->output.outlet.stream, root) < 0) {
		json_decref(root);
		return NULL;
	}
	return store_text_new(root);
}

/* Events refer to other events by id: the first event of their card, those that they end. */
static void
follow_rename(void *context, const char *old_id, const char *new_id)
{
	struct session *session = context;
	standing_rename(&session->analysis.memory.standing, old_id, new_id);
	noise_rename_card(&session->analysis.memory.cards, old_id, new_id);
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
		diag_warn("%s: %s: cannot remember the position in the log",
			session->options->boot_id_path, read ? "no boot id" : strerror(errno));
}

/* After a reboot, a baseline event ends the conditions that receivers still know. It is also due
 * without an earlier state file: another monitor may have reported conditions before, at unknown
 * times. It is not due if the state file was unusable, because its conditions may still stand. */
static void
settle_baseline(struct session *session, bool other_boot)
{
	struct analysis *analysis = &session->analysis;
	bool owed = other_boot || session->output.outlet.store.start == STORE_FRESH;

	if (session->options->state_path != NULL && session->clear_check && owed)
		analysis->baseline = eval_baseline_strategy(&analysis->setting, &analysis->memory);
}

/* After a reboot, sequence numbers start again and earlier lines no longer matter. */
static void
settle_boot(struct session *session)
{
	const struct session_options *options = session->options;
	bool known = *session->boot_id != '\0' && *session->stored_boot_id != '\0';
	bool same = known && strcmp(session->boot_id, session->stored_boot_id) == 0;
	struct logtime *time = &session->analysis.time;

	session->analysis.is_own_boot = !options->has_boot_time;
	time->boot_ns = options->has_boot_time ? options->boot_ns
			: same                 ? session->stored_boot_ns
					       : 0;
	time->lag_ns = !options->has_boot_time && same ? session->stored_lag_ns : 0;
	if (!options->has_boot_time)
		logtime_follow_clock(time);
	if (options->kmsg_path == NULL)
		return;
	session->analysis.is_live = session->analysis.is_own_boot;
	settle_baseline(session, known && !same);
	if (same)
		return;
	const struct standing stood = session->analysis.memory.standing;
	session->position = (struct follow_position){0};
	session->analysis.memory = (struct eval_memory){0};
	if (!known)
		session->analysis.memory.standing = stood;
}

static void
set_rules(struct session *session, const struct conf *conf)
{
	struct eval_setting *setting = &session->analysis.setting;
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		const struct conf_pattern *configured = &conf->patterns[pattern];
		setting->enabled[pattern] =
			session->options->wanted[pattern] && configured->enabled;
		setting->strategy[pattern] = configured->strategy != NULL
						     ? configured->strategy
						     : session->options->strategy;
	}
	setting->window_ns = session->options->window_ns;
	setting->trusts_text = session->options->trusts_text;
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

/* Give up all rights but to read the remaining logs and to keep the state. Return an exit code. */
static int
confine(const struct session_options *options)
{
	struct confine confine;
	confine_init(&confine, "logmatch", options->confine);
	confine_allow(&confine, options->sysfs_root, LANDLOCK_READ);
	confine_allow_beside(&confine, options->state_path, LANDLOCK_KEEP);
	confine_allow_beside(&confine, options->acks_path, LANDLOCK_READ);
	for (size_t i = 0; i < options->file_count; i++)
		confine_allow(&confine, options->files[i], LANDLOCK_READ);
	/* For logs with local time. */
	confine_allow(&confine, "/etc/localtime", LANDLOCK_READ);
	confine_allow(&confine, "/usr/share/zoneinfo", LANDLOCK_READ);
	return confine_enter(&confine);
}

static int
read_files(struct session *session)
{
	const struct session_options *options = session->options;
	int code = confine(options);
	return code != 0 ? code
			 : files_read(options->files, options->file_count, options->format,
				   options->has_now, &session->analysis);
}

/* Open the kernel's log first: confine() gives up the right to open it. */
static int
follow(struct session *session)
{
	struct kmsg kmsg;
	int code = kmsg_open(&kmsg, session->options->kmsg_path);
	if (code == 0)
		code = confine(session->options);
	if (code == 0)
		code = follow_run(&kmsg, &session->analysis, &session->position);
	kmsg_close(&kmsg);
	return code;
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
	code = options->kmsg_path != NULL ? follow(session) : read_files(session);
	struct clock_moment now;
	clock_now(&now);
	/* After a failed write, keep the state stored last: it matches what was written. If the log
	 * could not be opened, keep the state of the previous boot. */
	if (!session->output.failed && analysis->baseline == NULL)
		outlet_finish(&session->output.outlet, OUTLET_MAY_WAIT, now.boottime_ns);
	if (code == 0 && options->counting)
		code = print_counts(analysis);
	return code;
}

static int
run_with(struct session *session, int sysfs, const struct outlet_options *outlet)
{
	struct analysis *analysis = &session->analysis;
	int code;

	analysis->matcher = matcher_new(analysis->setting.enabled);
	analysis->look = pcilook_new(sysfs);
	if (output_init(&session->output, outlet, &owner, session, session->options->node) < 0 ||
		analysis->matcher == NULL || analysis->look == NULL)
		code = diag_no_memory();
	else
		code = run(session);
	output_fini(&session->output);
	analysis_fini(analysis);
	return code;
}

int
session_run(const struct session_options *options, const struct conf *conf)
{
	/* Half a MiB, mostly unused: calloc() touches no page before its use, unlike the stack. */
	struct session *session = calloc(1, sizeof *session);
	const struct outlet_options outlet = {.tool = "logmatch",
		.state_path = options->state_path,
		.acks_path = options->acks_path,
		.strategy = options->strategy,
		.is_of_node = true,
		.metrics = options->metrics};

	if (session == NULL)
		return diag_no_memory();
	struct analysis *analysis = &session->analysis;
	session->options = options;
	session->clear_check = conf->clear_check;
	analysis->counting = options->counting;
	analysis->output = &session->output;
	set_rules(session, conf);
	logmetrics_init(&analysis->metrics, options->metrics, analysis->setting.enabled);
	/* Best effort: read the log even without sysfs. */
	int sysfs = sysfs_open_root(options->sysfs_root);
	if (sysfs < 0)
		diag_warn("%s: %s: events will name no NIC", options->sysfs_root, strerror(errno));
	int code = run_with(session, sysfs, &outlet);
	fd_close(sysfs);
	logmetrics_fini(&analysis->metrics);
	free(session);
	return code;
}
