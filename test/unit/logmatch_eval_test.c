/* Unit tests of logmatch's eval: the event of a finding, and that any finding gets one. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/eval.h"

#include "check.h"
#include "checks.h"
#include "num.h"
#include "randomness.h"

#include <stdio.h>
#include <stdlib.h>

#define PCI "0000:18:00.0"
#define START_NS (UINT64_C(1767323045) * NUM_NS_PER_S)
#define SECOND_NS NUM_NS_PER_S

/* What eval_report() needs. On the heap, where the sanitizer checks its bounds. */
struct bench {
	struct eval_setting setting;
	struct eval_memory *memory;
	struct eval_report *report;
	struct eval_facts *facts;
	uint64_t seq;
};

static struct bench
bench_new(void)
{
	struct bench bench = {.memory = calloc(1, sizeof *bench.memory),
		.report = malloc(sizeof *bench.report),
		.facts = calloc(1, sizeof *bench.facts)};
	memset(bench.setting.enabled, true, sizeof bench.setting.enabled);
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		bench.setting.strategy[pattern] = "STORE_ONLY";
	bench.setting.window_ns = EVAL_WINDOW_NS;
	/* Earlier content must not leak into the event. */
	memset(bench.report, 0xA5, sizeof *bench.report);
	return bench;
}

static void
bench_free(struct bench *bench)
{
	free(bench->memory);
	free(bench->report);
	free(bench->facts);
}

static struct eval_finding
finding_of(enum logpattern pattern, const char *pci, const char *text)
{
	struct eval_finding finding = {
		.pattern = pattern, .text = text, .length = strlen(text), .time_ns = START_NS};
	snprintf(finding.pci, sizeof finding.pci, "%s", pci);
	subject_find(pci, text, finding.length, finding.device);
	if (pattern_of(pattern)->stateful)
		finding.lockup = (struct lockup_finding){pattern, 9, 22, ""};
	return finding;
}

/* Return the next event as it would be written, to free with json_decref(); NULL: there is none. */
static json_t *
next_event(struct bench *bench, struct eval_finding *finding)
{
	struct event_stream stream = {.strategy = "STORE_ONLY"};
	char id[STANDING_ID_SIZE];
	strcpy(stream.source, "0123456789abcdef");
	snprintf(id, sizeof id, "e-%llu", (unsigned long long)bench->seq + 1);
	if (!eval_report(&bench->setting, bench->memory, finding, bench->facts, id, bench->report))
		return NULL;
	bench->seq++;
	char *line = malloc(REC_EVENT_MAX_BYTES + 1);
	size_t length = event_format(&stream, &bench->report->event, line);
	CHECK(length > 0 && length <= REC_EVENT_MAX_BYTES);
	json_error_t error;
	json_t *json = json_loadb(line, length, 0, &error);
	if (!CHECK(json != NULL))
		CHECK_STR(error.text, line);
	free(line);
	return json;
}

/* Return the only event of a finding. */
static json_t *
event_of(struct bench *bench, const struct eval_finding *finding)
{
	struct eval_finding copy = *finding;
	json_t *event = next_event(bench, &copy);
	CHECK(event != NULL && next_event(bench, &copy) == NULL);
	CHECK_U64(copy.reports, 1);
	return event;
}

static json_t *
event_text(struct bench *bench, enum logpattern pattern, const char *pci, const char *text)
{
	struct eval_finding finding = finding_of(pattern, pci, text);
	return event_of(bench, &finding);
}

/* "" if it is absent */
static const char *
text_at(const json_t *json, const char *name)
{
	const char *text = json_string_value(json_object_get(json, name));
	return text != NULL ? text : "";
}

static const char *
metadata_at(const json_t *event, const char *name)
{
	return text_at(json_object_get(event, "metadata"), name);
}

static bool
flag_at(const json_t *event, const char *name)
{
	const json_t *flag = json_object_get(event, name);
	CHECK(json_is_boolean(flag));
	return json_is_true(flag);
}

/* --- severity --- */

static void
severities(void)
{
	static const struct {
		enum logpattern pattern;
		enum eval_function function;
		bool fatal, healthy;
		const char *says;
	} rows[] = {
		{LOGPATTERN_CMD_EXEC_TIMEOUT, EVAL_FUNCTION_UNKNOWN, true, false, ""},
		{LOGPATTERN_CMD_EXEC_TIMEOUT, EVAL_FUNCTION_VF, true, false, ""},
		{LOGPATTERN_ACCESS_REG_FAILED, EVAL_FUNCTION_PF, false, false, ""},
		{LOGPATTERN_PROBE_FAILED, EVAL_FUNCTION_PF, true, false, "PF"},
		{LOGPATTERN_PROBE_FAILED, EVAL_FUNCTION_VF, false, false, "VF"},
		{LOGPATTERN_PROBE_FAILED, EVAL_FUNCTION_UNKNOWN, false, false, "unknown"},
		{LOGPATTERN_RECOVERY_SUCCEEDED, EVAL_FUNCTION_PF, false, true, ""},
		{LOGPATTERN_NAPI_SOFT_LOCKUP, EVAL_FUNCTION_UNKNOWN, true, false, ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct bench bench = bench_new();
		bench.facts->function = rows[i].function;
		json_t *event = event_text(&bench, rows[i].pattern, PCI, "a text");
		check_row("%s of function %d", logpattern_name(rows[i].pattern),
			(int)rows[i].function);
		CHECK_INT(flag_at(event, "isFatal"), rows[i].fatal);
		CHECK_INT(flag_at(event, "isHealthy"), rows[i].healthy);
		CHECK_STR(metadata_at(event, "function"), rows[i].says);
		CHECK_STR(json_string_value(json_array_get(json_object_get(event, "errorCode"), 0)),
			logpattern_name(rows[i].pattern));
		CHECK_STR(text_at(event, "generatedTimestamp"), "2026-01-02T03:04:05.000000Z");
		CHECK_STR(text_at(event, "processingStrategy"), "STORE_ONLY");
		json_decref(event);
		bench_free(&bench);
	}
}

/* A text that any program may have written, about a NIC that this node does not have. */
static void
doubted(void)
{
	static const enum logpattern patterns[] = {
		LOGPATTERN_CMD_EXEC_TIMEOUT, LOGPATTERN_PROBE_FAILED};
	for (size_t i = 0; i < CHECK_COUNT(patterns); i++) {
		struct bench bench = bench_new();
		struct eval_finding finding = finding_of(patterns[i], PCI, "a");
		bench.facts->function = EVAL_FUNCTION_PF;
		finding.is_doubted = true;
		json_t *event = event_of(&bench, &finding);
		check_row("%s", logpattern_name(patterns[i]));
		CHECK(!flag_at(event, "isFatal"));
		json_decref(event);
		bench_free(&bench);
	}
}

static void
texts_are_weak(void)
{
	static const struct {
		bool is_text, trusts_text;
		const char *strategy, *evidence;
	} rows[] = {
		{false, false, "EXECUTE_REMEDIATION", ""},
		{false, true, "EXECUTE_REMEDIATION", ""},
		{true, false, "STORE_ONLY", "text"},
		{true, true, "EXECUTE_REMEDIATION", "text"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct bench bench = bench_new();
		struct eval_finding finding = finding_of(LOGPATTERN_FATAL_SENSOR, PCI, "a");
		bench.setting.strategy[LOGPATTERN_FATAL_SENSOR] = "EXECUTE_REMEDIATION";
		bench.setting.trusts_text = rows[i].trusts_text;
		finding.is_text = rows[i].is_text;
		json_t *event = event_of(&bench, &finding);
		check_row("text %d, trusted %d", rows[i].is_text, rows[i].trusts_text);
		CHECK_STR(text_at(event, "processingStrategy"), rows[i].strategy);
		CHECK_STR(metadata_at(event, "evidence"), rows[i].evidence);
		json_decref(event);
		bench_free(&bench);
	}
}

static void
spaces_before(void)
{
	static const struct {
		const char *text;
		size_t length;
		const char *message;
	} rows[] = {
		{"", 0, ""},
		{" ", 1, ""},
		{" \t", 2, ""},
		{"\ta ", 3, "a "},
		{"a", 1, "a"},
		/* Bytes behind the text do not belong to it. */
		{" a", 0, ""},
		{"  a", 1, ""},
		{"ab", 1, "a"},
		{"~ \x7F", 2, "~ "},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct bench bench = bench_new();
		struct eval_finding finding = finding_of(LOGPATTERN_FATAL_SENSOR, PCI, "");
		finding.text = rows[i].text;
		finding.length = rows[i].length;
		json_t *event = event_of(&bench, &finding);
		check_row("%zu bytes of \"%s\"", rows[i].length, rows[i].text);
		CHECK_STR(text_at(event, "message"), rows[i].message);
		json_decref(event);
		bench_free(&bench);
	}
}

static void
metadata(void)
{
	struct bench bench = bench_new();
	bench.facts->nics.count = 2;
	strcpy(bench.facts->nics.names[0], "mlx5_0");
	strcpy(bench.facts->nics.names[1], "mlx5_1");
	struct eval_finding finding = finding_of(LOGPATTERN_NAPI_SOFT_LOCKUP, PCI, " \t frame+0x1");
	finding.lockup.header = "BUG: soft lockup";
	finding.repeats = UINT64_MAX;
	json_t *event = event_of(&bench, &finding);
	CHECK_STR(text_at(event, "message"), "BUG: soft lockup: frame+0x1");
	CHECK_STR(metadata_at(event, "pci"), PCI);
	CHECK_STR(metadata_at(event, "card"), "0000:18:00");
	CHECK_STR(metadata_at(event, "cpu"), "9");
	CHECK_STR(metadata_at(event, "durationSeconds"), "22");
	CHECK_STR(metadata_at(event, "repeats"), "18446744073709551615");
	const json_t *entities = json_object_get(event, "entitiesImpacted");
	CHECK_U64(json_array_size(entities), 2);
	CHECK_STR(text_at(json_array_get(entities, 1), "entityValue"), "mlx5_1");
	json_decref(event);

	finding.repeats = 1;
	event = event_of(&bench, &finding);
	CHECK_STR(metadata_at(event, "repeats"), "1");
	json_decref(event);

	finding = finding_of(LOGPATTERN_NAPI_SOFT_LOCKUP, "", "");
	finding.lockup.cpu = finding.lockup.seconds = LOCKUP_UNKNOWN;
	bench.facts->nics.count = 0;
	event = event_of(&bench, &finding);
	CHECK_STR(text_at(event, "message"), "");
	CHECK_U64(json_object_size(json_object_get(event, "metadata")), 0);
	json_decref(event);
	bench_free(&bench);
}

/* --- recoveries --- */

static void
recovery(void)
{
	struct bench bench = bench_new();
	json_decref(event_text(&bench, LOGPATTERN_HEALTH_POLL_FAILED, PCI, "a"));
	json_decref(event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "A(0x1) timeout"));
	json_decref(event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "B(0x2) timeout"));
	json_decref(event_text(&bench, LOGPATTERN_FATAL_SENSOR, "0000:3b:00.0", "a"));
	json_decref(event_text(&bench, LOGPATTERN_TEMP_WARN, PCI, "a"));
	json_decref(event_text(&bench, LOGPATTERN_FATAL_SENSOR, "", "a"));
	/* As other findings stand, the event must not end all of them: it names the NIC by its
	 * address. */
	json_t *event = event_text(&bench, LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "recovered");
	json_t *codes = json_object_get(event, "errorCode");
	char *text = json_dumps(codes, JSON_COMPACT);
	CHECK_STR(text, "[\"recovery_succeeded\",\"cmd_exec_timeout\",\"health_poll_failed\"]");
	CHECK_STR(metadata_at(event, "answers"), "e-3,e-1");
	free(text);
	json_decref(event);
	/* Each is answered once, and only for that function. */
	event = event_text(&bench, LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "recovered");
	CHECK_STR(metadata_at(event, "answers"), "");
	json_decref(event);
	event = event_text(&bench, LOGPATTERN_RECOVERY_SUCCEEDED, "", "recovered");
	CHECK_STR(metadata_at(event, "answers"), "");
	json_decref(event);
	event = event_text(&bench, LOGPATTERN_RECOVERY_SUCCEEDED, "0000:3b:00.0", "recovered");
	CHECK_STR(metadata_at(event, "answers"), "e-4");
	json_decref(event);
	bench_free(&bench);
}

static void
set_name(struct bench *bench, const char *name)
{
	bench->facts->nics.count = name != NULL;
	snprintf(bench->facts->nics.names[0], sizeof *bench->facts->nics.names, "%s",
		name != NULL ? name : "");
}

/* Check the next event, `mlx5_0: recovery_succeeded,cmd_exec_timeout e-1 STORE_ONLY`; "": there is
 * none. */
static void
check_next(struct bench *bench, struct eval_finding *finding, const char *expected)
{
	char text[500] = "";
	json_t *event = next_event(bench, finding);
	if (event != NULL) {
		size_t i;
		const json_t *item;
		CHECK(flag_at(event, "isHealthy"));
		json_array_foreach (json_object_get(event, "entitiesImpacted"), i, item)
			strcat(strcat(text, i > 0 ? "+" : ""), text_at(item, "entityValue"));
		json_array_foreach (json_object_get(event, "errorCode"), i, item)
			strcat(strcat(text, i > 0 ? "," : ": "), json_string_value(item));
		strcat(strcat(text, " "), metadata_at(event, "answers"));
		strcat(strcat(text, " "), text_at(event, "processingStrategy"));
	}
	CHECK_STR(text, expected);
	json_decref(event);
}

/* A receiver knows a condition by the NICs that it named, even if they have other names by now. */
static void
recovery_by_name(void)
{
	struct bench bench = bench_new();
	struct eval_finding recovery = finding_of(LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "recovered");
	set_name(&bench, "mlx5_0");
	json_decref(event_text(&bench, LOGPATTERN_HEALTH_POLL_FAILED, PCI, "a"));
	set_name(&bench, "ens1f0");
	json_decref(event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "a"));
	bench.setting.strategy[LOGPATTERN_FATAL_SENSOR] = "EXECUTE_REMEDIATION";
	json_decref(event_text(&bench, LOGPATTERN_FATAL_SENSOR, PCI, "a"));
	/* The strategy of the current setting does not matter. */
	bench.setting.strategy[LOGPATTERN_FATAL_SENSOR] = "STORE_ONLY";
	set_name(&bench, "rdmap24s0");
	check_next(
		&bench, &recovery, "mlx5_0: recovery_succeeded,health_poll_failed e-1 STORE_ONLY");
	check_next(&bench, &recovery,
		"ens1f0: recovery_succeeded,cmd_exec_timeout,fatal_sensor e-2,e-3 "
		"EXECUTE_REMEDIATION");
	check_next(&bench, &recovery, "");
	recovery.reports = 0;
	check_next(&bench, &recovery, "rdmap24s0: recovery_succeeded  STORE_ONLY");
	check_next(&bench, &recovery, "");
	bench_free(&bench);
}

/* An event without a NIC ends the conditions of all NICs. */
static void
recovery_without_name(void)
{
	struct bench bench = bench_new();
	struct eval_finding recovery = finding_of(LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "recovered");
	struct eval_finding other =
		finding_of(LOGPATTERN_RECOVERY_SUCCEEDED, "0000:3b:00.0", "recovered");
	struct eval_finding nobodys = finding_of(LOGPATTERN_RECOVERY_SUCCEEDED, "", "recovered");
	json_decref(event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "a"));
	json_decref(event_text(&bench, LOGPATTERN_FATAL_SENSOR, "0000:3b:00.0", "a"));
	check_next(&bench, &recovery, PCI ": recovery_succeeded,cmd_exec_timeout e-1 STORE_ONLY");
	check_next(&bench, &recovery, "");
	check_next(&bench, &nobodys, "unknown: recovery_succeeded  STORE_ONLY");
	check_next(&bench, &nobodys, "");
	CHECK_U64(bench.memory->standing.count, 2);
	/* The last recovery ends all of them. */
	check_next(&bench, &other,
		": recovery_succeeded,cmd_exec_timeout,fatal_sensor e-1,e-2 STORE_ONLY");
	check_next(&bench, &other, "");
	CHECK_U64(bench.memory->standing.count, 0);
	bench_free(&bench);
}

/* Two functions have the same name, so that receivers cannot tell them apart. Their events must not
 * end each other's condition. */
static void
recovery_that_waits(void)
{
	struct bench bench = bench_new();
	struct eval_finding recovery = finding_of(LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "recovered");
	struct eval_finding other =
		finding_of(LOGPATTERN_RECOVERY_SUCCEEDED, "0000:3b:00.0", "recovered");
	set_name(&bench, "mlx5_0");
	json_decref(event_text(&bench, LOGPATTERN_FATAL_SENSOR, PCI, "a"));
	json_decref(event_text(&bench, LOGPATTERN_FATAL_SENSOR, "0000:3b:00.0", "a"));
	check_next(&bench, &recovery, PCI ": recovery_succeeded,fatal_sensor e-1 STORE_ONLY");
	check_next(&bench, &recovery, "");
	check_next(&bench, &other, "mlx5_0: recovery_succeeded,fatal_sensor e-2 STORE_ONLY");
	check_next(&bench, &other, "");
	CHECK_U64(bench.memory->standing.count, 0);
	bench_free(&bench);
}

static void
still_a_physical_function(void)
{
	struct bench bench = bench_new();
	bench.facts->function = EVAL_FUNCTION_PF;
	json_t *event = event_text(&bench, LOGPATTERN_PROBE_FAILED, PCI, "a");
	CHECK(flag_at(event, "isFatal"));
	json_decref(event);
	bench.facts->function = EVAL_FUNCTION_UNKNOWN;
	event = event_text(&bench, LOGPATTERN_PROBE_FAILED, PCI, "a");
	CHECK(flag_at(event, "isFatal"));
	CHECK_STR(metadata_at(event, "function"), "unknown");
	json_decref(event);
	event = event_text(&bench, LOGPATTERN_PROBE_FAILED, "0000:3b:00.0", "a");
	CHECK(!flag_at(event, "isFatal"));
	json_decref(event);
	CHECK_U64(bench.memory->standing.count, 2);
	bench_free(&bench);
}

static void
notes_end(void)
{
	struct bench bench = bench_new();
	struct eval_finding recovery = finding_of(LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "recovered");
	set_name(&bench, "mlx5_0");
	json_decref(event_text(&bench, LOGPATTERN_NIC_RESET_SENSOR, PCI, "a"));
	recovery.time_ns += CHECKS_LOG_NS;
	check_next(&bench, &recovery, "mlx5_0: recovery_succeeded  STORE_ONLY");
	CHECK_U64(bench.memory->standing.count, 0);
	bench_free(&bench);
}

static void
no_longer_looked_for(void)
{
	struct bench bench = bench_new();
	set_name(&bench, "mlx5_0");
	json_decref(event_text(&bench, LOGPATTERN_FATAL_SENSOR, PCI, "a"));
	json_decref(event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "a"));
	json_decref(event_text(&bench, LOGPATTERN_PROBE_FAILED, PCI, "a"));
	CHECK(!eval_take_back(&bench.setting, bench.memory, START_NS, bench.report));
	bench.setting.enabled[LOGPATTERN_FATAL_SENSOR] = false;
	bench.setting.enabled[LOGPATTERN_PROBE_FAILED] = false;
	CHECK(eval_take_back(&bench.setting, bench.memory, START_NS, bench.report));
	const struct event *event = &bench.report->event;
	CHECK(event->healthy && !event->fatal);
	CHECK_U64(event->entity_count, 1);
	CHECK_STR(event->entities[0].value, "mlx5_0");
	CHECK_U64(event->code_count, 2);
	CHECK_STR(event->codes[0], "probe_failed");
	CHECK_STR(event->codes[1], "fatal_sensor");
	CHECK_STR(event->message, "No longer monitored: probe_failed, fatal_sensor");
	CHECK_U64(event->message_length, strlen(event->message));
	CHECK(!eval_take_back(&bench.setting, bench.memory, START_NS, bench.report));
	CHECK_U64(bench.memory->standing.count, 1);
	bench_free(&bench);
}

static void
baseline(void)
{
	struct bench bench = bench_new();
	eval_baseline("STORE_AND_ANALYSE", START_NS, bench.report);
	const struct event *event = &bench.report->event;
	CHECK(event->healthy && !event->fatal);
	CHECK_U64(event->entity_count + event->code_count + event->metadata_count, 0);
	CHECK_STR(event->check, "SysLogsNICDriverError");
	CHECK_STR(event->agent, "syslog-health-monitor");
	CHECK_STR(event->strategy, "STORE_AND_ANALYSE");
	CHECK_STR(event->timestamp, "2026-01-02T03:04:05.000000Z");
	CHECK_STR(event->message, "Baseline reset: earlier conditions of SysLogsNICDriverError on "
				  "this node are cleared");
	/* It has the widest strategy of anything that was or may have been reported. */
	CHECK_STR(eval_baseline_strategy(&bench.setting, bench.memory), "STORE_ONLY");
	bench.setting.strategy[LOGPATTERN_PROBE_FAILED] = "STORE_AND_ANALYSE";
	CHECK_STR(eval_baseline_strategy(&bench.setting, bench.memory), "STORE_AND_ANALYSE");
	bench.setting.strategy[LOGPATTERN_FATAL_SENSOR] = "EXECUTE_REMEDIATION";
	json_decref(event_text(&bench, LOGPATTERN_FATAL_SENSOR, PCI, "a"));
	bench.setting.strategy[LOGPATTERN_FATAL_SENSOR] = "STORE_ONLY";
	CHECK_STR(eval_baseline_strategy(&bench.setting, bench.memory), "EXECUTE_REMEDIATION");
	bench_free(&bench);
}

static void
baseline_strategy(void)
{
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		struct bench bench = bench_new();
		check_row("%s", logpattern_name(pattern));
		bench.setting.strategy[pattern] = "STORE_AND_ANALYSE";
		CHECK_STR(
			eval_baseline_strategy(&bench.setting, bench.memory), "STORE_AND_ANALYSE");
		bench_free(&bench);
	}
	/* The first, the second and the last of three conditions. */
	for (size_t further = 0; further < 3; further++) {
		struct bench bench = bench_new();
		check_row("condition %zu", further);
		for (size_t i = 0; i < 3; i++) {
			struct standing_entry entry = {.device = PCI,
				.pattern = (enum logpattern)i,
				.fatal = true,
				.strategy = i == further ? "EXECUTE_REMEDIATION" : "STORE_ONLY"};
			standing_add(&bench.memory->standing, &entry);
		}
		CHECK_STR(eval_baseline_strategy(&bench.setting, bench.memory),
			"EXECUTE_REMEDIATION");
		bench_free(&bench);
	}
}

/* Report this finding up to the limit of its window. */
static void
fill_window(struct bench *bench, struct eval_finding *finding)
{
	for (size_t i = 0; i < NOISE_TOLD_MAX; i++)
		CHECK(eval_is_reported(&bench->setting, bench->memory, finding));
	CHECK(!eval_is_reported(&bench->setting, bench->memory, finding));
}

static void
recovery_ends_windows(void)
{
	struct bench bench = bench_new();
	struct eval_finding note = finding_of(LOGPATTERN_CMD_NO_COMPLETION, PCI, "a note");
	fill_window(&bench, &note);
	json_decref(event_text(&bench, LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "recovered"));
	CHECK(eval_is_reported(&bench.setting, bench.memory, &note));
	CHECK_U64(note.repeats, 1);
	bench_free(&bench);
}

static void
softening(void)
{
	static const struct {
		const char *pci, *text, *softens;
	} rows[] = {
		{PCI, "cmd[3]: ENABLE_HCA(0x104) recovered after timeout", "e-1"},
		{PCI, "cmd[3]: MANAGE_PAGES(0x108) recovered after timeout", "e-2"},
		{PCI, "cmd[3]: INIT_HCA(0x102) recovered after timeout", ""},
		{"0000:18:00.1", "cmd[3]: ENABLE_HCA(0x104) recovered after timeout", ""},
		{"", "cmd[3]: ENABLE_HCA(0x104) recovered after timeout", ""},
		/* This text never names the command, and it may be either of two. */
		{PCI, "Command completion arrived after timeout (entry idx = 0).", ""},
	};
	struct bench bench = bench_new();
	json_decref(
		event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "ENABLE_HCA(0x104) timeout"));
	json_decref(event_text(
		&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "MANAGE_PAGES(0x108) timeout"));
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *event =
			event_text(&bench, LOGPATTERN_CMD_RECOVERED, rows[i].pci, rows[i].text);
		check_row("%s: %s", rows[i].pci, rows[i].text);
		CHECK_STR(metadata_at(event, "softens"), rows[i].softens);
		CHECK(!flag_at(event, "isFatal") && !flag_at(event, "isHealthy"));
		json_decref(event);
	}
	bench_free(&bench);
}

static void
groups(void)
{
	struct bench bench = bench_new();
	json_t *event = event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "a");
	CHECK_STR(metadata_at(event, "group"), "");
	json_decref(event);
	event = event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, "0000:18:00.1", "a");
	CHECK_STR(metadata_at(event, "group"), "e-1");
	json_decref(event);
	bench_free(&bench);
}

/* --- windows --- */

static void
told(void)
{
	struct bench bench = bench_new();
	struct eval_finding fatal = finding_of(LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "a");
	struct eval_finding note = finding_of(LOGPATTERN_ACCESS_REG_FAILED, PCI, "one wording");
	struct eval_finding other = finding_of(LOGPATTERN_ACCESS_REG_FAILED, PCI, "another one");
	struct eval_finding recovery = finding_of(LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "a");
	fill_window(&bench, &fatal);
	fill_window(&bench, &note);
	CHECK(!eval_is_reported(&bench.setting, bench.memory, &other));
	other.time_ns += EVAL_WINDOW_NS;
	CHECK(eval_is_reported(&bench.setting, bench.memory, &other));
	CHECK_U64(other.repeats, 2);
	/* Recoveries are always reported. */
	for (size_t i = 0; i < 3 * NOISE_TOLD_MAX; i++)
		CHECK(eval_is_reported(&bench.setting, bench.memory, &recovery));
	bench.setting.window_ns = 0;
	CHECK(eval_is_reported(&bench.setting, bench.memory, &fatal));
	bench_free(&bench);
}

/* --- untrusted texts --- */

static bool
is_safe(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		unsigned char byte = (unsigned char)text[i];
		if (byte < ' ' || byte == 0x7f ||
			(byte == 0xC2 && i + 1 < length && (unsigned char)text[i + 1] < 0xA0))
			return false;
	}
	return true;
}

static void
control_bytes(void)
{
	static const struct {
		const char *text;
		size_t length;
		const char *message;
	} rows[] = {
		{"a\0b", 3, "a\\x00b"},
		{"\x1b[31m", 5, "\\x1b[31m"},
		{"a\tb", 3, "a\\x09b"},
		{"a\r", 2, "a\\x0d"},
		{"\x7f", 1, "\\x7f"},
		{"\xC2\x9B", 2, "\\xc2\\x9b"},
		{"\xFF", 1, "\\xff"},
		{"\xC3\xA4", 2, "\xC3\xA4"},
		{" \t a", 4, "a"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct bench bench = bench_new();
		struct eval_finding finding = finding_of(LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "");
		finding.text = rows[i].text;
		finding.length = rows[i].length;
		json_t *event = event_of(&bench, &finding);
		CHECK_STR(text_at(event, "message"), rows[i].message);
		json_decref(event);
		bench_free(&bench);
	}
}

/* The longest value of everything at once, with messages of any bytes and lengths. */
static void
longest(void)
{
	static const size_t lengths[] = {0, 1, 900, 1023, 1024, 1025, 3000, REC_EVENT_MAX_BYTES - 2,
		REC_EVENT_MAX_BYTES - 1, REC_EVENT_MAX_BYTES, REC_EVENT_MAX_BYTES + 1, 20000,
		(size_t)1 << 20};
	static const char fills[] = "a\x01\xFF\"\\";
	for (size_t i = 0; i < CHECK_COUNT(lengths) * strlen(fills); i++) {
		size_t length = lengths[i / strlen(fills)];
		struct bench bench = bench_new();
		char *header = check_repeat_new('h', LOCKUP_HEADER_MAX_BYTES);
		char *text = malloc(length > 0 ? length : 1);
		memset(text, fills[i % strlen(fills)], length);
		struct eval_finding finding =
			finding_of(LOGPATTERN_DRIVER_HARD_LOCKUP, "10000:18:1f.7", "");
		finding.text = text;
		finding.length = length;
		finding.time_ns = UINT64_MAX;
		finding.repeats = UINT64_MAX;
		finding.lockup.header = header;
		finding.lockup.cpu = finding.lockup.seconds = LOCKUP_UNKNOWN - 1;
		bench.facts->nics.count = STANDING_NICS_MAX;
		for (size_t nic = 0; nic < STANDING_NICS_MAX; nic++)
			memset(bench.facts->nics.names[nic], 'n', STANDING_NIC_MAX_BYTES);
		json_t *event = event_of(&bench, &finding);
		check_row("%zu bytes %02x", length, (unsigned char)fills[i % strlen(fills)]);
		const char *message = text_at(event, "message");
		CHECK(is_safe(message, strlen(message)));
		CHECK(strncmp(message, header, LOCKUP_HEADER_MAX_BYTES) == 0);
		CHECK(bench.report->event.message_length < sizeof bench.report->message);
		json_decref(event);
		free(text);
		free(header);
		bench_free(&bench);
	}
}

/* As long as the buffer, one byte less, one more. */
static void
as_long_as_its_room(void)
{
	for (size_t length = REC_EVENT_MAX_BYTES - 1; length <= REC_EVENT_MAX_BYTES + 1; length++) {
		struct bench bench = bench_new();
		char *text = check_repeat_new('a', length);
		json_decref(event_text(&bench, LOGPATTERN_FATAL_SENSOR, PCI, text));
		check_row("%zu bytes", length);
		CHECK_U64(bench.report->event.message_length, REC_EVENT_MAX_BYTES - 1);
		free(text);
		bench_free(&bench);
	}
}

/* A recovery that answers as many findings as possible, with the longest ids. */
static void
answers_all(void)
{
	struct bench bench = bench_new();
	size_t expected = 0;
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		struct standing_entry entry = {
			.device = PCI, .pattern = pattern, .strategy = "STORE_ONLY", .fatal = true};
		memset(entry.id, 'f', sizeof entry.id - 1);
		standing_add(&bench.memory->standing, &entry);
		expected += pattern_of(pattern)->recoverable;
	}
	char *text = check_repeat_new('\x01', 8000);
	json_t *event = event_text(&bench, LOGPATTERN_RECOVERY_SUCCEEDED, PCI, text);
	CHECK_U64(json_array_size(json_object_get(event, "errorCode")), expected + 1);
	const char *answers = metadata_at(event, "answers");
	CHECK_U64(strlen(answers), expected * STANDING_ID_SIZE - 1);
	CHECK_U64(check_occurrences(answers, ","), expected - 1);
	json_decref(event);
	free(text);
	bench_free(&bench);
}

/* Every pattern with every possible pair: they fit in the buffers. */
static void
all_pairs(void)
{
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		struct bench bench = bench_new();
		json_decref(event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "A(0x1) timeout"));
		struct eval_finding finding = finding_of(pattern, "0000:18:00.1", "A(0x1)");
		finding.repeats = 5;
		CHECK(eval_report(
			&bench.setting, bench.memory, &finding, bench.facts, "e-2", bench.report));
		check_row("%s", logpattern_name(pattern));
		CHECK(bench.report->event.metadata_count <= CHECK_COUNT(bench.report->metadata));
		CHECK(bench.report->event.code_count <= CHECK_COUNT(bench.report->codes));
		CHECK_STR(bench.report->group, "e-1");
		bench_free(&bench);
	}
}

static void
random_bytes(void)
{
	uint64_t state = 11;
	for (size_t i = 0; i < 500; i++) {
		struct bench bench = bench_new();
		size_t length = randomness_below(&state, 6000);
		char *text = malloc(length + 1);
		for (size_t at = 0; at < length; at++)
			text[at] = (char)randomness_next(&state);
		enum logpattern pattern = (enum logpattern)randomness_below(&state, LOGPATTERN_N);
		struct eval_finding finding = finding_of(pattern, PCI, "");
		finding.text = text;
		finding.length = length;
		CHECK(eval_is_reported(&bench.setting, bench.memory, &finding));
		json_t *event = event_of(&bench, &finding);
		const char *message = text_at(event, "message");
		check_row("text %zu", i);
		CHECK(is_safe(message, strlen(message)));
		json_decref(event);
		free(text);
		bench_free(&bench);
	}
}

static const struct check_test tests[] = {
	{"an event's severity follows its pattern, and the PCI function where that matters",
		severities},
	{"a doubtful finding is never fatal", doubted},
	{"a finding from text alone is only stored, unless texts are trusted", texts_are_weak},
	{"a message starts without spaces and ends with the text", spaces_before},
	{"an event has the finding's facts, and no unknown ones", metadata},
	{"a recovery names the events that it answers, once", recovery},
	{"a recovery has one event for each set of NICs that it takes back", recovery_by_name},
	{"a condition without a NIC is taken back only when no other one stands",
		recovery_without_name},
	{"a recovery names only its address while another function of the same name has a fault",
		recovery_that_waits},
	{"a function that sysfs no longer shows keeps its type", still_a_physical_function},
	{"a finding that is not fatal needs no recovery after an hour", notes_end},
	{"findings of disabled patterns are taken back", no_longer_looked_for},
	{"a baseline names nothing and has the widest strategy of what it ends", baseline},
	{"a baseline's strategy covers every pattern and every condition", baseline_strategy},
	{"after a recovery counted findings are reported again", recovery_ends_windows},
	{"a late command completion names the event that it softens", softening},
	{"events of two functions of a card name the first one", groups},
	{"ten events of a pattern and device are reported per window, and all healthy ones", told},
	{"control bytes and invalid UTF-8 are escaped or replaced", control_bytes},
	{"the longest values of everything give an event that fits", longest},
	{"a message as long as its buffer is cut within it", as_long_as_its_room},
	{"a recovery may answer every pattern at once", answers_all},
	{"every possible value of an event fits in its buffers", all_pairs},
	{"any bytes give a safe message", random_bytes},
};
CHECK_MAIN(tests)
