/* judge - what is to be said of a line that a pattern was found in. */
#include "judge.h"

#include "clock.h"
#include "hash.h"
#include "num.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AGENT "syslog-health-monitor"
#define CHECK "SysLogsNICDriverError"

void
judge_set_windows(struct judge_setting *setting, uint64_t window_ns)
{
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		const struct pattern *meaning = pattern_of(pattern);
		bool fatal = meaning->severity == PATTERN_FATAL ||
			     meaning->severity == PATTERN_FATAL_ON_PF;
		setting->window_ns[pattern] = meaning->window_s * NUM_NS_PER_S;
		if (window_ns == 0 || (window_ns != UINT64_MAX && !fatal && meaning->window_s > 0))
			setting->window_ns[pattern] = window_ns;
	}
}

/* noise_key() of the finding, whose address is that in its text. */
static uint64_t
key_of(struct judge_memory *memory, const struct judge_finding *finding)
{
	if (pattern_of(finding->pattern)->any_text)
		return noise_key(
			finding->pattern, finding->pci, finding->text, finding->length, true);
	uint64_t text = hash_words(HASH_START + finding->pattern, finding->text, finding->length);
	size_t slot = text % JUDGE_KEYS;
	if (memory->keys[slot].text != text || memory->keys[slot].key == 0) {
		memory->keys[slot].text = text;
		memory->keys[slot].key = noise_key(
			finding->pattern, finding->pci, finding->text, finding->length, false);
	}
	return memory->keys[slot].key;
}

bool
judge_is_news(const struct judge_setting *setting, struct judge_memory *memory,
	struct judge_finding *finding)
{
	uint64_t window_ns = setting->window_ns[finding->pattern];
	if (window_ns == 0)
		return true;
	return noise_take(&memory->noise, key_of(memory, finding), finding->pci, finding->time_ns,
		window_ns, &finding->repeats);
}

static bool
is_plain(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	return true;
}

/* The text, safe for a terminal, behind what is in the message already. */
static void
add_text(struct judge_report *out, const char *text, size_t length)
{
	size_t used = out->event.message_length;
	size_t room = sizeof out->message - used;

	if (length < room && is_plain(text, length)) {
		memcpy(out->message + used, text, length);
		out->event.message_length = used + length;
	} else {
		out->event.message_length += utf8_escape(text, length, out->message + used, room);
	}
}

/* `watchdog: BUG: soft lockup - CPU#9 stuck for 22s! [ksoftirqd/9:62]: mlx5e_napi_poll+0x1a2/0x6b0 [mlx5_core]` */
static void
set_message(struct judge_report *out, const struct judge_finding *finding)
{
	const char *text = finding->text;
	size_t length = finding->length;

	out->event.message = out->message;
	out->event.message_length = 0;
	while (length > 0 && (*text == ' ' || *text == '\t')) {
		text++;
		length--;
	}
	if (pattern_of(finding->pattern)->stateful && *finding->lockup.header != '\0') {
		add_text(out, finding->lockup.header, strlen(finding->lockup.header));
		add_text(out, ": ", 2);
	}
	add_text(out, text, length);
}

static bool
is_answered_by_recovery(enum logpattern pattern)
{
	return pattern_of(pattern)->recoverable;
}

/* To be acted upon is more than to be analysed, and that is more than to be stored. */
static bool
goes_further(const char *strategy, const char *than)
{
	const char *all = event_strategies[EVENT_EXECUTE_REMEDIATION];
	const char *least = event_strategies[EVENT_STORE_ONLY];
	return strcmp(strategy, than) != 0 &&
	       (strcmp(strategy, all) == 0 || strcmp(than, least) == 0);
}

/* A recovery names the conditions that end with it, and their events; and where one of these was acted upon, so is the recovery. */
static void
set_answers(const struct judge_setting *setting, struct judge_memory *memory,
	const struct judge_finding *finding, struct judge_report *out)
{
	struct standing_entry answered[LOGPATTERN_N];
	size_t used = 0;
	size_t count =
		standing_take(&memory->standing, finding->pci, is_answered_by_recovery, answered);

	for (size_t i = 0; i < count; i++) {
		const char *strategy = setting->strategy[answered[i].pattern];
		if (goes_further(strategy, out->event.strategy))
			out->event.strategy = strategy;
		out->codes[out->event.code_count++] = logpattern_name(answered[i].pattern);
		used += (size_t)snprintf(out->answers + used, sizeof out->answers - used, "%s%s",
			i > 0 ? "," : "", answered[i].id);
	}
	noise_end_device(&memory->noise, finding->pci);
}

/* A command that was thought lost has come back after all: which event said that it was lost. */
static void
set_softens(const struct judge_memory *memory, const struct judge_finding *finding,
	struct judge_report *out)
{
	char command[STANDING_COMMAND_SIZE];
	standing_command(finding->text, finding->length, command);
	const struct standing_entry *entry = standing_find(
		&memory->standing, finding->pci, LOGPATTERN_CMD_EXEC_TIMEOUT, command);
	if (entry != NULL)
		strcpy(out->softens, entry->id);
}

static void
remember(struct judge_memory *memory, const struct judge_finding *finding, const char *id)
{
	struct standing_entry entry = {.pattern = finding->pattern};
	strcpy(entry.pci, finding->pci);
	strcpy(entry.id, id);
	if (finding->pattern == LOGPATTERN_CMD_EXEC_TIMEOUT)
		standing_command(finding->text, finding->length, entry.command);
	standing_add(&memory->standing, &entry);
}

static bool
is_fatal(enum logpattern pattern, const struct judge_facts *facts)
{
	switch (pattern_of(pattern)->severity) {
	case PATTERN_FATAL:
		return true;
	case PATTERN_FATAL_ON_PF:
		return facts->function == JUDGE_FUNCTION_PF;
	case PATTERN_NONFATAL:
	case PATTERN_HEALTHY:
		break;
	}
	return false;
}

static void
add_pair(struct judge_report *out, const char *name, const char *value)
{
	if (*value != '\0')
		out->metadata[out->event.metadata_count++] = (struct event_pair){name, value};
}

static void
set_metadata(struct judge_report *out, const struct judge_finding *finding,
	const struct judge_facts *facts)
{
	if (pattern_of(finding->pattern)->stateful) {
		if (finding->lockup.cpu != LOCKUP_UNKNOWN)
			snprintf(out->cpu, sizeof out->cpu, "%" PRIu32, finding->lockup.cpu);
		if (finding->lockup.seconds != LOCKUP_UNKNOWN)
			snprintf(out->seconds, sizeof out->seconds, "%" PRIu32,
				finding->lockup.seconds);
	}
	if (finding->repeats > 0)
		snprintf(out->repeats, sizeof out->repeats, "%" PRIu64, finding->repeats);

	out->event.metadata = out->metadata;
	add_pair(out, "pci", finding->pci);
	add_pair(out, "card", out->card);
	add_pair(out, "function",
		pattern_of(finding->pattern)->severity != PATTERN_FATAL_ON_PF ? ""
		: facts->function == JUDGE_FUNCTION_PF                        ? "PF"
		: facts->function == JUDGE_FUNCTION_VF                        ? "VF"
									      : "unknown");
	add_pair(out, "cpu", out->cpu);
	add_pair(out, "durationSeconds", out->seconds);
	add_pair(out, "repeats", out->repeats);
	add_pair(out, "group", out->group);
	add_pair(out, "softens", out->softens);
	add_pair(out, "answers", out->answers);
}

static void
set_entities(struct judge_report *out, const struct judge_facts *facts)
{
	for (size_t i = 0; i < facts->name_count; i++)
		out->entities[i] = (struct event_pair){"NIC", facts->names[i]};
	out->event.entities = out->entities;
	out->event.entity_count = facts->name_count;
}

void
judge_report(const struct judge_setting *setting, struct judge_memory *memory,
	const struct judge_finding *finding, const struct judge_facts *facts, const char *id,
	struct judge_report *out)
{
	const struct pattern *meaning = pattern_of(finding->pattern);

	*out->card = *out->cpu = *out->seconds = *out->repeats = '\0';
	*out->group = *out->softens = *out->answers = '\0';
	out->codes[0] = logpattern_name(finding->pattern);
	clock_format(finding->time_ns, out->stamp);
	out->event = (struct event){
		.agent = AGENT,
		.check = CHECK,
		.fatal = is_fatal(finding->pattern, facts),
		.healthy = meaning->severity == PATTERN_HEALTHY,
		.codes = out->codes,
		.code_count = 1,
		.timestamp = out->stamp,
		.strategy = setting->strategy[finding->pattern],
	};
	set_message(out, finding);
	set_entities(out, facts);
	if (*finding->pci != '\0') {
		pciaddr_card(finding->pci, out->card);
		strcpy(out->group, cards_take(&memory->cards, finding->pci, id, finding->time_ns));
	}
	if (finding->pattern == LOGPATTERN_RECOVERY_SUCCEEDED)
		set_answers(setting, memory, finding, out);
	if (finding->pattern == LOGPATTERN_CMD_RECOVERED)
		set_softens(memory, finding, out);
	if (meaning->recoverable && *finding->pci != '\0')
		remember(memory, finding, id);
	set_metadata(out, finding, facts);
}
