/* memory - encodes logmatch's memory of earlier lines as JSON for its state file, and decodes it.
 *
 *   {"lockup":{"frame_left":0,"frame_ns":N,"frame_cpu":3,
 *              "windows":{"soft":{"lines_left":12,"concluded":false,"cpus":[9],"seconds":22,
 *                                 "since_ns":N,"header":"..."}},
 *              "backtrace_cpu":3,"quiet_until_ns":{"<pattern>":N}},
 *    "noise":[["<key>","<device>",since_ns,told,repeats],...],
 *    "standing":[{"device":"<pci>","pattern":"<name>","id":"<id>","command":"<command>",
 *                 "nics":["mlx5_0"],"fatal":true,"over":false,"strategy":"EXECUTE_REMEDIATION",
 *                 "last_ns":N,"text":true},...],
 *    "cards":[["<first pci>","<first id>",last_ns,several],...]}
 *
 * Keys of noise are hexadecimal strings, because JSON's integers are signed. Unknown values and
 * closed windows are omitted. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "memory.h"

#include "num.h"
#include "rec.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const kinds[LOCKUP_KIND_N] = {
	[LOCKUP_SOFT] = "soft",
	[LOCKUP_HARD] = "hard",
	[LOCKUP_RCU] = "rcu",
	[LOCKUP_TASK] = "task",
};

/* --- to JSON --- */

static json_t *
number_new(uint64_t value)
{
	return json_integer((json_int_t)(value & INT64_MAX));
}

static json_t *
hex_new(uint64_t value)
{
	char text[24];
	snprintf(text, sizeof text, "0x%" PRIx64, value);
	return json_string(text);
}

static json_t *
window_new(const struct lockup_window *window)
{
	json_t *cpus = json_array();
	for (size_t i = 0; i < window->cpu_count; i++)
		json_array_append_new(cpus, number_new(window->cpus[i]));
	return json_pack("{s:i, s:b, s:o, s:s, s:o*, s:o*}", "lines_left", (int)window->lines_left,
		"concluded", window->concluded, "cpus", cpus, "header", window->header, "seconds",
		window->seconds != LOCKUP_UNKNOWN ? number_new(window->seconds) : NULL, "since_ns",
		window->since_ns > 0 ? number_new(window->since_ns) : NULL);
}

static json_t *
lockup_new(const struct lockup *lockup)
{
	json_t *windows = json_object(), *quiet = json_object();
	for (enum lockup_kind kind = 0; kind < LOCKUP_KIND_N; kind++) {
		if (lockup->windows[kind].lines_left > 0)
			json_object_set_new(
				windows, kinds[kind], window_new(&lockup->windows[kind]));
	}
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		if (lockup->quiet_until_ns[pattern] > 0)
			json_object_set_new(quiet, logpattern_name(pattern),
				number_new(lockup->quiet_until_ns[pattern]));
	}
	bool has_frame = lockup->frame_left > 0;
	return json_pack("{s:i, s:o, s:o, s:o*, s:o*, s:o*}", "frame_left", (int)lockup->frame_left,
		"windows", windows, "quiet_until_ns", quiet, "backtrace_cpu",
		lockup->in_backtrace ? number_new(lockup->backtrace_cpu) : NULL, "frame_ns",
		has_frame && lockup->frame_ns > 0 ? number_new(lockup->frame_ns) : NULL,
		"frame_cpu",
		has_frame && lockup->frame_cpu != LOCKUP_UNKNOWN ? number_new(lockup->frame_cpu)
								 : NULL);
}

static json_t *
noise_new(const struct noise *noise)
{
	json_t *list = json_array();
	for (size_t i = 0; i < noise->count; i++) {
		const struct noise_entry *entry = &noise->entries[i];
		json_array_append_new(
			list, json_pack("[o, o, o, o, o]", hex_new(entry->key),
				      hex_new(entry->device), number_new(entry->since_ns),
				      number_new(entry->told), number_new(entry->repeats)));
	}
	return list;
}

static json_t *
nics_new(const struct standing_nics *nics)
{
	json_t *list = json_array();
	for (size_t i = 0; i < nics->count; i++)
		json_array_append_new(list, json_string(nics->names[i]));
	return list;
}

static json_t *
standing_new(const struct standing *standing)
{
	json_t *list = json_array();
	for (size_t i = 0; i < standing->count; i++) {
		const struct standing_entry *entry = &standing->entries[i];
		json_array_append_new(list,
			json_pack("{s:s, s:s, s:s, s:s, s:o, s:b, s:b, s:s, s:o, s:o*}", "device",
				entry->device, "pattern", logpattern_name(entry->pattern), "id",
				entry->id, "command", entry->command, "nics",
				nics_new(&entry->nics), "fatal", entry->fatal, "over", entry->over,
				"strategy", entry->strategy, "last_ns", number_new(entry->last_ns),
				"text", entry->is_text ? json_true() : NULL));
	}
	return list;
}

static json_t *
cards_new(const struct noise_cards *cards)
{
	json_t *list = json_array();
	for (size_t i = 0; i < cards->count; i++) {
		const struct noise_card *entry = &cards->entries[i];
		json_array_append_new(
			list, json_pack("[s, s, o, b]", entry->first_pci, entry->first_id,
				      number_new(entry->last_ns), entry->several));
	}
	return list;
}

json_t *
memory_encode_new(const struct eval_memory *memory)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "lockup", lockup_new(&memory->lockup), "noise",
		noise_new(&memory->noise), "standing", standing_new(&memory->standing), "cards",
		cards_new(&memory->cards));
}

/* --- from JSON --- */

/* Copy the text if it is a string without NUL that fits. */
static bool
decode_text(const json_t *json, char *out, size_t size)
{
	const char *text = json_string_value(json);
	size_t length = json_string_length(json);
	if (text == NULL || length >= size || strlen(text) != length)
		return false;
	memcpy(out, text, length + 1);
	return true;
}

static bool
decode_hex(const json_t *json, uint64_t *out)
{
	const char *text = json_string_value(json);
	return text != NULL && num_parse_hex(text, UINT64_MAX, out) == NUM_OK;
}

static bool
decode_number(const json_t *json, uint64_t most, uint64_t *out)
{
	return rec_u64(json, out) == REC_OK && *out <= most;
}

static bool
decode_pattern(const char *name, enum logpattern *out)
{
	*out = name != NULL ? logpattern_find(name, strlen(name)) : LOGPATTERN_N;
	return *out != LOGPATTERN_N;
}

/* An absent value is unknown. */
static bool
decode_u32(const json_t *json, uint32_t *out)
{
	uint64_t value = LOCKUP_UNKNOWN;
	if (json != NULL && !decode_number(json, LOCKUP_UNKNOWN - 1, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

/* An absent time is unknown. */
static bool
decode_moment(const json_t *json, uint64_t *out)
{
	return json == NULL || decode_number(json, INT64_MAX, out);
}

static bool
decode_cpus(const json_t *list, struct lockup_window *out)
{
	for (; out->cpu_count < json_array_size(list); out->cpu_count++) {
		if (out->cpu_count == LOCKUP_CPUS_MAX ||
			!decode_u32(
				json_array_get(list, out->cpu_count), &out->cpus[out->cpu_count]))
			return false;
	}
	return json_is_array(list);
}

static bool
decode_window(const json_t *json, struct lockup_window *out)
{
	uint64_t lines = 0;
	bool taken =
		decode_number(json_object_get(json, "lines_left"), LOCKUP_WINDOW_LINES, &lines);
	out->lines_left = (unsigned)lines;
	return taken && rec_get_bool(json, "concluded", &out->concluded) == REC_OK &&
	       decode_cpus(json_object_get(json, "cpus"), out) &&
	       decode_u32(json_object_get(json, "seconds"), &out->seconds) &&
	       decode_moment(json_object_get(json, "since_ns"), &out->since_ns) &&
	       decode_text(json_object_get(json, "header"), out->header, sizeof out->header);
}

static bool
decode_lockup(const json_t *json, struct lockup *out)
{
	const char *name;
	json_t *value;
	uint64_t left = 0;
	json_t *windows = json_object_get(json, "windows");
	json_t *quiet = json_object_get(json, "quiet_until_ns");
	const json_t *cpu = json_object_get(json, "backtrace_cpu");

	if (!decode_number(json_object_get(json, "frame_left"), LOCKUP_BEFORE_LINES, &left) ||
		!json_is_object(windows) || !json_is_object(quiet) ||
		!decode_u32(cpu, &out->backtrace_cpu) ||
		!decode_moment(json_object_get(json, "frame_ns"), &out->frame_ns) ||
		!decode_u32(json_object_get(json, "frame_cpu"), &out->frame_cpu))
		return false;
	out->frame_left = (unsigned)left;
	out->in_backtrace = cpu != NULL;
	for (enum lockup_kind kind = 0; kind < LOCKUP_KIND_N; kind++) {
		const json_t *window = json_object_get(windows, kinds[kind]);
		if (window != NULL && !decode_window(window, &out->windows[kind]))
			return false;
	}
	json_object_foreach (quiet, name, value) {
		enum logpattern pattern;
		if (!decode_pattern(name, &pattern) ||
			!decode_number(value, INT64_MAX, &out->quiet_until_ns[pattern]))
			return false;
	}
	return true;
}

static bool
decode_noise_entry(const json_t *json, struct noise_entry *out)
{
	return json_array_size(json) == 5 && decode_hex(json_array_get(json, 0), &out->key) &&
	       decode_hex(json_array_get(json, 1), &out->device) &&
	       decode_number(json_array_get(json, 2), INT64_MAX, &out->since_ns) &&
	       decode_number(json_array_get(json, 3), NOISE_TOLD_MAX, &out->told) &&
	       decode_number(json_array_get(json, 4), INT64_MAX, &out->repeats);
}

static bool
decode_noise(const json_t *list, struct noise *out)
{
	size_t i;
	const json_t *json;

	json_array_foreach (list, i, json) {
		/* Entry of an older version, whose windows differed. */
		if (json_array_size(json) == 4)
			continue;
		if (out->count == NOISE_ENTRIES_MAX ||
			!decode_noise_entry(json, &out->entries[out->count]))
			return false;
		out->count++;
	}
	return json_is_array(list);
}

static bool
decode_nics(const json_t *list, struct standing_nics *out)
{
	for (; out->count < json_array_size(list); out->count++) {
		if (out->count == STANDING_NICS_MAX ||
			!decode_text(json_array_get(list, out->count), out->names[out->count],
				sizeof *out->names))
			return false;
	}
	return json_is_array(list);
}

static bool
decode_strategy(const json_t *json, const char **out)
{
	const char *word = json_string_value(json);
	return word != NULL && event_strategy_parse(out, word) == NULL;
}

static bool
decode_standing_entry(const json_t *json, struct standing_entry *out)
{
	return decode_text(json_object_get(json, "device"), out->device, sizeof out->device) &&
	       subject_is(out->device) &&
	       decode_pattern(json_string_value(json_object_get(json, "pattern")), &out->pattern) &&
	       decode_text(json_object_get(json, "id"), out->id, sizeof out->id) &&
	       decode_text(json_object_get(json, "command"), out->command, sizeof out->command) &&
	       decode_nics(json_object_get(json, "nics"), &out->nics) &&
	       rec_get_bool(json, "fatal", &out->fatal) == REC_OK &&
	       rec_get_bool(json, "over", &out->over) == REC_OK &&
	       rec_get_bool(json, "text", &out->is_text) != REC_WRONG_TYPE &&
	       decode_strategy(json_object_get(json, "strategy"), &out->strategy) &&
	       decode_number(json_object_get(json, "last_ns"), INT64_MAX, &out->last_ns);
}

static bool
decode_standing(const json_t *list, struct standing *out)
{
	for (; out->count < json_array_size(list); out->count++) {
		if (out->count == STANDING_MAX ||
			!decode_standing_entry(
				json_array_get(list, out->count), &out->entries[out->count]))
			return false;
	}
	return json_is_array(list);
}

static bool
decode_cards(const json_t *list, struct noise_cards *out)
{
	for (; out->count < json_array_size(list); out->count++) {
		const json_t *json = json_array_get(list, out->count);
		struct noise_card *entry = &out->entries[out->count];
		const json_t *several = json_array_get(json, 3);
		if (out->count == NOISE_CARDS_MAX ||
			!decode_text(json_array_get(json, 0), entry->first_pci,
				sizeof entry->first_pci) ||
			!subject_is_pci(entry->first_pci) ||
			!decode_text(
				json_array_get(json, 1), entry->first_id, sizeof entry->first_id) ||
			!decode_number(json_array_get(json, 2), INT64_MAX, &entry->last_ns) ||
			!json_is_boolean(several))
			return false;
		entry->several = json_is_true(several);
	}
	return json_is_array(list);
}

bool
memory_is_older(const json_t *json)
{
	return json_is_array(json_array_get(json_object_get(json, "standing"), 0));
}

bool
memory_decode(const json_t *json, struct eval_memory *memory)
{
	if (decode_lockup(json_object_get(json, "lockup"), &memory->lockup) &&
		decode_noise(json_object_get(json, "noise"), &memory->noise) &&
		decode_standing(json_object_get(json, "standing"), &memory->standing) &&
		decode_cards(json_object_get(json, "cards"), &memory->cards))
		return true;
	*memory = (struct eval_memory){0};
	return false;
}
