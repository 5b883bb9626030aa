/* eval - decides how a line in which a pattern was found is reported. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "eval.h"

#include "checks.h"
#include "clock.h"
#include "strbuf.h"
#include "utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define AGENT "syslog-health-monitor"

bool
eval_is_reported(const struct eval_setting *setting, struct eval_memory *memory,
	struct eval_finding *finding)
{
	/* Never drop a recovery: it ends conditions. */
	if (pattern_of(finding->pattern)->severity == PATTERN_HEALTHY)
		return true;
	return noise_accept(&memory->noise, finding->pattern, finding->device, finding->time_ns,
		setting->window_ns, &finding->repeats);
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

/* Append the text to the message, escaped for terminals. */
static void
add_text(struct eval_report *out, const char *text, size_t length)
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

/* `watchdog: BUG: soft lockup - CPU#9 stuck for 22s! [ksoftirqd/9:62]: mlx5e_napi_poll+0x1a2/0x6b0
 * [mlx5_core]` */
static void
set_message(struct eval_report *out, const struct eval_finding *finding)
{
	const char *text = finding->text;
	size_t length = finding->length;

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

/* --- memory --- */

/* A command recovered after its timeout: name the event that reported the timeout. */
static void
set_softens(const struct eval_memory *memory, const struct eval_finding *finding,
	struct eval_report *out)
{
	char command[STANDING_COMMAND_SIZE];
	standing_command(finding->text, finding->length, command);
	const struct standing_entry *entry = standing_find(
		&memory->standing, finding->device, LOGPATTERN_CMD_EXEC_TIMEOUT, command);
	if (entry != NULL && *finding->device != '\0')
		strcpy(out->softens, entry->id);
}

static void
remember(struct eval_memory *memory, const struct eval_finding *finding, const char *id,
	const struct eval_report *made)
{
	struct standing_entry entry = {.pattern = finding->pattern,
		.is_text = finding->is_text,
		.nics = made->nics,
		.fatal = made->event.fatal,
		.strategy = made->event.strategy,
		.last_ns = finding->time_ns};
	strcpy(entry.device, finding->device);
	strcpy(entry.id, id);
	if (finding->pattern == LOGPATTERN_CMD_EXEC_TIMEOUT)
		standing_command(finding->text, finding->length, entry.command);
	standing_add(&memory->standing, &entry);
}

/* Once seen as a physical function, always one: sysfs may stop showing it, so the conditions in
 * memory also count. */
bool
eval_is_fatal(const struct eval_memory *memory, const struct eval_finding *finding,
	const struct eval_facts *facts)
{
	if (finding->is_doubted)
		return false;
	switch (pattern_of(finding->pattern)->severity) {
	case PATTERN_FATAL:
		return true;
	case PATTERN_FATAL_ON_PF:
		return facts->function == EVAL_FUNCTION_PF ||
		       (facts->function == EVAL_FUNCTION_UNKNOWN && *finding->pci != '\0' &&
			       standing_is_fatal(
				       &memory->standing, finding->device, finding->pattern));
	case PATTERN_NONFATAL:
	case PATTERN_HEALTHY:
		break;
	}
	return false;
}

/* --- the event --- */

/* Any program may have written a text, so an event based on text alone must not trigger
 * remediation. */
static bool
is_weak(const struct eval_setting *setting, const struct eval_finding *finding)
{
	return finding->is_text && !setting->trusts_text;
}

static const char *
strategy_of(const struct eval_setting *setting, const struct eval_finding *finding)
{
	return is_weak(setting, finding) ? event_strategies[EVENT_STORE_ONLY]
					 : setting->strategy[finding->pattern];
}

static void
begin_report(bool healthy, const char *strategy, uint64_t time_ns, struct eval_report *out)
{
	*out->message = *out->card = *out->cpu = *out->seconds = *out->repeats = '\0';
	*out->group = *out->softens = *out->answers = '\0';
	clock_format(time_ns, out->stamp);
	out->event = (struct event){
		.agent = AGENT,
		.check = CHECKS_LOG,
		.healthy = healthy,
		.message = out->message,
		.codes = out->codes,
		.entities = out->entities,
		.metadata = out->metadata,
		.timestamp = out->stamp,
		.strategy = strategy,
	};
}

static void
add_pair(struct eval_report *out, const char *name, const char *value)
{
	if (*value != '\0')
		out->metadata[out->event.metadata_count++] = (struct event_pair){name, value};
}

static void
set_metadata(
	struct eval_report *out, const struct eval_finding *finding, const struct eval_facts *facts)
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

	add_pair(out, "evidence", finding->is_text ? "text" : "");
	add_pair(out, "pci", finding->pci);
	add_pair(out, "card", out->card);
	add_pair(out, "function",
		pattern_of(finding->pattern)->severity != PATTERN_FATAL_ON_PF ? ""
		: facts->function == EVAL_FUNCTION_PF                         ? "PF"
		: facts->function == EVAL_FUNCTION_VF                         ? "VF"
									      : "unknown");
	add_pair(out, "cpu", out->cpu);
	add_pair(out, "durationSeconds", out->seconds);
	add_pair(out, "repeats", out->repeats);
	add_pair(out, "group", out->group);
	add_pair(out, "softens", out->softens);
	add_pair(out, "answers", out->answers);
}

static void
set_entities(struct eval_report *out, const struct standing_nics *nics)
{
	out->nics = *nics;
	for (size_t i = 0; i < nics->count; i++)
		out->entities[i] = (struct event_pair){"NIC", out->nics.names[i]};
	out->event.entity_count = nics->count;
}

static void
set_card(struct eval_memory *memory, const struct eval_finding *finding, const char *id,
	struct eval_report *out)
{
	if (*finding->pci == '\0')
		return;
	subject_card(finding->pci, out->card);
	if (finding->reports == 0)
		strcpy(out->group,
			noise_accept_card(&memory->cards, finding->pci, id, finding->time_ns));
}

static bool
report_trouble(const struct eval_setting *setting, struct eval_memory *memory,
	struct eval_finding *finding, const struct eval_facts *facts, const char *id,
	struct eval_report *out)
{
	if (finding->reports > 0)
		return false;
	begin_report(false, strategy_of(setting, finding), finding->time_ns, out);
	out->codes[out->event.code_count++] = logpattern_name(finding->pattern);
	out->event.fatal = eval_is_fatal(memory, finding, facts);
	set_message(out, finding);
	set_entities(out, &facts->nics);
	set_card(memory, finding, id, out);
	if (finding->pattern == LOGPATTERN_CMD_RECOVERED)
		set_softens(memory, finding, out);
	remember(memory, finding, id, out);
	set_metadata(out, finding, facts);
	return true;
}

/* --- recoveries --- */

/* Append the patterns of the group to the event's codes, list the ids of its events as answers, and
 * widen the event's strategy to that of the group. */
static void
set_answers(struct eval_report *out, const struct standing_group *group)
{
	struct strbuf answers;
	strbuf_init(&answers, out->answers, sizeof out->answers);
	out->event.strategy = standing_further(out->event.strategy, group->strategy);
	for (size_t i = 0; i < group->count; i++) {
		out->codes[out->event.code_count++] = logpattern_name(group->patterns[i]);
		strbuf_addf(&answers, "%s%s", i > 0 ? "," : "", group->ids[i]);
	}
}

/* The recovery of a device. If only text reported it, it ends only conditions that text reported,
 * and none that is newer: files of text may be read in any order. */
struct recovery {
	const struct eval_finding *finding;
	bool is_weak;
};

static bool
ends_with_recovery(const void *context, const struct standing_entry *entry)
{
	const struct recovery *recovery = context;
	const struct eval_finding *finding = recovery->finding;
	return pattern_of(entry->pattern)->recoverable &&
	       strcmp(entry->device, finding->device) == 0 &&
	       (entry->is_text || !recovery->is_weak) &&
	       (!finding->is_text || entry->last_ns <= finding->time_ns);
}

/* NICs to name in a recovery that ends no condition. An event without a NIC would end all
 * conditions, so name the device if need be. While ended conditions still wait, do not name their
 * NICs: that could end them too early. */
static struct standing_nics
named(const struct eval_finding *finding, const struct eval_facts *facts, bool waits)
{
	struct standing_nics nics = {.count = 1};
	if (facts->nics.count > 0 && !waits)
		return facts->nics;
	snprintf(nics.names[0], sizeof *nics.names, "%s",
		*finding->device != '\0' ? finding->device : "unknown");
	return nics;
}

static bool
report_recovery(const struct eval_setting *setting, struct eval_memory *memory,
	struct eval_finding *finding, const struct eval_facts *facts, const char *id,
	struct eval_report *out)
{
	struct standing_group ended = {.count = 0}, taken;

	/* A line without a device does not tell which device recovered. */
	if (finding->reports == 0 && *finding->device != '\0') {
		const struct recovery recovery = {finding, is_weak(setting, finding)};
		standing_end(&memory->standing, ends_with_recovery, &recovery, &ended);
		noise_end_device(&memory->noise, finding->device);
	}
	bool takes = standing_consume(&memory->standing, &taken);
	if (!takes && finding->reports > 0)
		return false;
	begin_report(true, strategy_of(setting, finding), finding->time_ns, out);
	out->codes[out->event.code_count++] = logpattern_name(finding->pattern);
	set_message(out, finding);
	if (!takes)
		taken.nics = named(finding, facts, ended.count > 0);
	set_entities(out, &taken.nics);
	if (takes || ended.count > 0)
		set_answers(out, takes ? &taken : &ended);
	set_card(memory, finding, id, out);
	set_metadata(out, finding, facts);
	return true;
}

bool
eval_report(const struct eval_setting *setting, struct eval_memory *memory,
	struct eval_finding *finding, const struct eval_facts *facts, const char *id,
	struct eval_report *out)
{
	bool healthy = pattern_of(finding->pattern)->severity == PATTERN_HEALTHY;

	standing_expire(&memory->standing, finding->time_ns);
	bool made = healthy ? report_recovery(setting, memory, finding, facts, id, out)
			    : report_trouble(setting, memory, finding, facts, id, out);
	finding->reports += made;
	return made;
}

static bool
is_unwanted(const void *setting, const struct standing_entry *entry)
{
	return !((const struct eval_setting *)setting)->enabled[entry->pattern];
}

bool
eval_take_back(const struct eval_setting *setting, struct eval_memory *memory, uint64_t time_ns,
	struct eval_report *out)
{
	struct standing_group group;
	struct strbuf message;

	standing_end(&memory->standing, is_unwanted, setting, &group);
	if (!standing_consume(&memory->standing, &group))
		return false;
	begin_report(true, group.strategy, time_ns, out);
	set_entities(out, &group.nics);
	set_answers(out, &group);
	strbuf_init(&message, out->message, sizeof out->message);
	strbuf_addf(&message, "No longer monitored:");
	for (size_t i = 0; i < group.count; i++)
		strbuf_addf(
			&message, "%s %s", i > 0 ? "," : "", logpattern_name(group.patterns[i]));
	out->event.message_length = message.length;
	add_pair(out, "answers", out->answers);
	return true;
}

/* --- the baseline --- */

const char *
eval_baseline_strategy(const struct eval_setting *setting, const struct eval_memory *memory)
{
	const char *strategy = event_strategies[EVENT_STORE_ONLY];
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		strategy = standing_further(strategy, setting->strategy[pattern]);
	for (size_t i = 0; i < memory->standing.count; i++)
		strategy = standing_further(strategy, memory->standing.entries[i].strategy);
	return strategy;
}

void
eval_baseline(const char *strategy, uint64_t time_ns, struct eval_report *out)
{
	begin_report(true, strategy, time_ns, out);
	out->event.message_length = (size_t)snprintf(out->message, sizeof out->message,
		"Baseline reset: earlier conditions of %s on this node are cleared", CHECKS_LOG);
}
