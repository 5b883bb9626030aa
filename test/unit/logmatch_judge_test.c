/* Unit tests of logmatch's judge: what the event of a finding says, and that any finding has an event. */
#include "../../tools/logmatch/judge.h"

#include "check.h"
#include "num.h"
#include "randomness.h"

#include <stdio.h>
#include <stdlib.h>

#define PCI "0000:18:00.0"
#define START_NS (UINT64_C(1767323045) * NUM_NS_PER_S)
#define SECOND_NS NUM_NS_PER_S

/* What a judge has: large, so on the heap, where the sanitizer sees its bounds. */
struct bench {
	struct judge_setting setting;
	struct judge_memory *memory;
	struct judge_report *report;
	struct judge_facts *facts;
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
	judge_set_windows(&bench.setting, UINT64_MAX);
	/* What was there before is not in the event. */
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

static struct judge_finding
finding_of(enum logpattern pattern, const char *pci, const char *text)
{
	struct judge_finding finding = {
		.pattern = pattern, .text = text, .length = strlen(text), .time_ns = START_NS};
	snprintf(finding.pci, sizeof finding.pci, "%s", pci);
	if (pattern_of(pattern)->stateful)
		finding.lockup = (struct lockup_finding){pattern, 9, 22, ""};
	return finding;
}

/* The event as it would be written, to be given back with json_decref(). */
static json_t *
event_of(struct bench *bench, const struct judge_finding *finding)
{
	struct event_stream stream = {.strategy = "STORE_ONLY"};
	char id[STANDING_ID_SIZE], *line = malloc(REC_EVENT_MAX_BYTES + 1);
	strcpy(stream.source, "0123456789abcdef");
	snprintf(id, sizeof id, "e-%llu", (unsigned long long)++bench->seq);
	judge_report(&bench->setting, bench->memory, finding, bench->facts, id, bench->report);
	size_t length = event_format(&stream, &bench->report->event, line);
	CHECK(length > 0 && length <= REC_EVENT_MAX_BYTES);
	json_error_t error;
	json_t *json = json_loadb(line, length, 0, &error);
	if (!CHECK(json != NULL))
		CHECK_STR(error.text, line);
	free(line);
	return json;
}

static json_t *
event_text(struct bench *bench, enum logpattern pattern, const char *pci, const char *text)
{
	struct judge_finding finding = finding_of(pattern, pci, text);
	return event_of(bench, &finding);
}

/* "": not there */
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
		enum judge_function function;
		bool fatal, healthy;
		const char *says;
	} rows[] = {
		{LOGPATTERN_CMD_EXEC_TIMEOUT, JUDGE_FUNCTION_UNKNOWN, true, false, ""},
		{LOGPATTERN_CMD_EXEC_TIMEOUT, JUDGE_FUNCTION_VF, true, false, ""},
		{LOGPATTERN_ACCESS_REG_FAILED, JUDGE_FUNCTION_PF, false, false, ""},
		{LOGPATTERN_PROBE_FAILED, JUDGE_FUNCTION_PF, true, false, "PF"},
		{LOGPATTERN_PROBE_FAILED, JUDGE_FUNCTION_VF, false, false, "VF"},
		{LOGPATTERN_PROBE_FAILED, JUDGE_FUNCTION_UNKNOWN, false, false, "unknown"},
		{LOGPATTERN_RECOVERY_SUCCEEDED, JUDGE_FUNCTION_PF, false, true, ""},
		{LOGPATTERN_NAPI_SOFT_LOCKUP, JUDGE_FUNCTION_UNKNOWN, true, false, ""},
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

static void
metadata(void)
{
	struct bench bench = bench_new();
	bench.facts->name_count = 2;
	strcpy(bench.facts->names[0], "mlx5_0");
	strcpy(bench.facts->names[1], "mlx5_1");
	struct judge_finding finding =
		finding_of(LOGPATTERN_NAPI_SOFT_LOCKUP, PCI, " \t frame+0x1");
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

	finding = finding_of(LOGPATTERN_NAPI_SOFT_LOCKUP, "", "");
	finding.lockup.cpu = finding.lockup.seconds = LOCKUP_UNKNOWN;
	bench.facts->name_count = 0;
	event = event_of(&bench, &finding);
	CHECK_STR(text_at(event, "message"), "");
	CHECK_U64(json_object_size(json_object_get(event, "metadata")), 0);
	json_decref(event);
	bench_free(&bench);
}

/* --- what is answered --- */

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
	json_t *event = event_text(&bench, LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "recovered");
	json_t *codes = json_object_get(event, "errorCode");
	char *text = json_dumps(codes, JSON_COMPACT);
	CHECK_STR(text, "[\"recovery_succeeded\",\"cmd_exec_timeout\",\"health_poll_failed\"]");
	CHECK_STR(metadata_at(event, "answers"), "e-3,e-1");
	free(text);
	json_decref(event);
	/* Each is answered once, and only that function's. */
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
recovery_ends_windows(void)
{
	struct bench bench = bench_new();
	struct judge_finding note = finding_of(LOGPATTERN_CMD_NO_COMPLETION, PCI, "a note");
	CHECK(judge_is_news(&bench.setting, bench.memory, &note));
	CHECK(!judge_is_news(&bench.setting, bench.memory, &note));
	json_decref(event_text(&bench, LOGPATTERN_RECOVERY_SUCCEEDED, PCI, "recovered"));
	CHECK(judge_is_news(&bench.setting, bench.memory, &note));
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
		/* This one never says which, and of two commands it may be either. */
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
windows(void)
{
	struct judge_setting setting;
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		const struct pattern *meaning = pattern_of(pattern);
		bool fatal = meaning->severity == PATTERN_FATAL ||
			     meaning->severity == PATTERN_FATAL_ON_PF;
		check_row("%s", logpattern_name(pattern));
		judge_set_windows(&setting, UINT64_MAX);
		CHECK_U64(setting.window_ns[pattern], meaning->window_s * SECOND_NS);
		judge_set_windows(&setting, 7 * SECOND_NS);
		CHECK_U64(setting.window_ns[pattern], fatal || meaning->window_s == 0
							      ? meaning->window_s * SECOND_NS
							      : 7 * SECOND_NS);
		judge_set_windows(&setting, 0);
		CHECK_U64(setting.window_ns[pattern], 0);
	}
}

static void
news(void)
{
	struct bench bench = bench_new();
	struct judge_finding fatal = finding_of(LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "a");
	struct judge_finding note = finding_of(LOGPATTERN_ACCESS_REG_FAILED, PCI, "syndrome (0x1)");
	struct judge_finding other =
		finding_of(LOGPATTERN_ACCESS_REG_FAILED, PCI, "syndrome (0x2)");
	struct judge_finding report = finding_of(LOGPATTERN_UNRECOVERABLE_ERR, PCI, "one wording");
	struct judge_finding again = finding_of(LOGPATTERN_UNRECOVERABLE_ERR, PCI, "another one");
	/* What is fatal is always told, but for the lines of one report. */
	CHECK(judge_is_news(&bench.setting, bench.memory, &fatal));
	CHECK(judge_is_news(&bench.setting, bench.memory, &fatal));
	CHECK(judge_is_news(&bench.setting, bench.memory, &report));
	CHECK(!judge_is_news(&bench.setting, bench.memory, &again));
	CHECK(judge_is_news(&bench.setting, bench.memory, &note));
	CHECK(!judge_is_news(&bench.setting, bench.memory, &other));
	other.time_ns += 60 * SECOND_NS;
	CHECK(judge_is_news(&bench.setting, bench.memory, &other));
	CHECK_U64(other.repeats, 1);
	judge_set_windows(&bench.setting, 0);
	CHECK(judge_is_news(&bench.setting, bench.memory, &again));
	CHECK(judge_is_news(&bench.setting, bench.memory, &note));
	bench_free(&bench);
}

/* --- what comes from outside --- */

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
		struct judge_finding finding = finding_of(LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "");
		finding.text = rows[i].text;
		finding.length = rows[i].length;
		json_t *event = event_of(&bench, &finding);
		CHECK_STR(text_at(event, "message"), rows[i].message);
		json_decref(event);
		bench_free(&bench);
	}
}

/* The longest of everything at once, and messages of any bytes and lengths. */
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
		struct judge_finding finding =
			finding_of(LOGPATTERN_DRIVER_HARD_LOCKUP, "10000:18:1f.7", "");
		finding.text = text;
		finding.length = length;
		finding.time_ns = UINT64_MAX;
		finding.repeats = UINT64_MAX;
		finding.lockup.header = header;
		finding.lockup.cpu = finding.lockup.seconds = LOCKUP_UNKNOWN - 1;
		bench.facts->name_count = JUDGE_NICS_MAX;
		for (size_t nic = 0; nic < JUDGE_NICS_MAX; nic++)
			memset(bench.facts->names[nic], 'n', JUDGE_NAME_MAX_BYTES);
		json_t *event = event_of(&bench, &finding);
		check_row("%zu bytes %02x", length, (unsigned char)fills[i % strlen(fills)]);
		const char *message = text_at(event, "message");
		CHECK(is_safe(message, strlen(message)));
		CHECK(strncmp(message, header, LOCKUP_HEADER_MAX_BYTES) == 0);
		json_decref(event);
		free(text);
		free(header);
		bench_free(&bench);
	}
}

/* A recovery that answers all that can be, with the longest ids. */
static void
answers_all(void)
{
	struct bench bench = bench_new();
	size_t expected = 0;
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		struct standing_entry entry = {.pci = PCI, .pattern = pattern};
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

/* Every pattern with everything that it may have: no more pairs than there is room for. */
static void
all_pairs(void)
{
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		struct bench bench = bench_new();
		json_decref(event_text(&bench, LOGPATTERN_CMD_EXEC_TIMEOUT, PCI, "A(0x1) timeout"));
		struct judge_finding finding = finding_of(pattern, "0000:18:00.1", "A(0x1)");
		finding.repeats = 5;
		judge_report(
			&bench.setting, bench.memory, &finding, bench.facts, "e-2", bench.report);
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
		struct judge_finding finding = finding_of(pattern, PCI, "");
		finding.text = text;
		finding.length = length;
		CHECK(judge_is_news(&bench.setting, bench.memory, &finding));
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
	{"an event is fatal or healthy as its pattern says, and by function where that counts",
		severities},
	{"an event has the finding's facts, and nothing that is not known", metadata},
	{"a recovery names what it answers, once", recovery},
	{"after a recovery what was counted is news again", recovery_ends_windows},
	{"a command that came back names the event that it softens", softening},
	{"events of two functions of a card name the first one", groups},
	{"a window that is asked for is for what is not fatal, and 0 for all", windows},
	{"what is said again within the window is no news", news},
	{"control bytes and what is no UTF-8 are shown, not written", control_bytes},
	{"the longest of everything makes an event that fits", longest},
	{"a recovery may answer everything at once", answers_all},
	{"there is room for all that an event may have", all_pairs},
	{"any bytes make a safe message", random_bytes},
};
CHECK_MAIN(tests)
