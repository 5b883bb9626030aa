/* memory - what logmatch remembers of the lines before, as JSON for its state file, and back.
 *
 *   {"lockup":{"frame_left":0,"windows":{"soft":{"lines_left":12,"concluded":false,"cpus":[9],"seconds":22,"header":"..."}},"backtrace_cpu":3,
 *              "quiet_until_ns":{"<pattern>":N}},
 *    "noise":[["<key>","<device>",since_ns,repeats],...],
 *    "standing":[["<pci>","<pattern>","<id>","<command>"],...],
 *    "cards":[["<first pci>","<first id>",last_ns,several],...]}
 *
 * Keys of noise are hexadecimal texts: JSON's integers have a sign. What is unknown or closed is left out. */
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
	json_t *json = json_pack("{s:i, s:b, s:o, s:s}", "lines_left", (int)window->lines_left,
		"concluded", window->concluded, "cpus", cpus, "header", window->header);
	if (json != NULL && window->seconds != LOCKUP_UNKNOWN)
		json_object_set_new(json, "seconds", number_new(window->seconds));
	return json;
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
	json_t *json = json_pack("{s:i, s:o, s:o}", "frame_left", (int)lockup->frame_left,
		"windows", windows, "quiet_until_ns", quiet);
	if (json != NULL && lockup->in_backtrace)
		json_object_set_new(json, "backtrace_cpu", number_new(lockup->backtrace_cpu));
	return json;
}

static json_t *
noise_new(const struct noise *noise)
{
	json_t *list = json_array();
	for (size_t i = 0; i < noise->count; i++) {
		const struct noise_entry *entry = &noise->entries[i];
		json_array_append_new(
			list, json_pack("[o, o, o, o]", hex_new(entry->key), hex_new(entry->device),
				      number_new(entry->since_ns), number_new(entry->repeats)));
	}
	return list;
}

static json_t *
standing_new(const struct standing *standing)
{
	json_t *list = json_array();
	for (size_t i = 0; i < standing->count; i++) {
		const struct standing_entry *entry = &standing->entries[i];
		json_array_append_new(
			list, json_pack("[s, s, s, s]", entry->pci, logpattern_name(entry->pattern),
				      entry->id, entry->command));
	}
	return list;
}

static json_t *
cards_new(const struct cards *cards)
{
	json_t *list = json_array();
	for (size_t i = 0; i < cards->count; i++) {
		const struct cards_entry *entry = &cards->entries[i];
		json_array_append_new(
			list, json_pack("[s, s, o, b]", entry->first_pci, entry->first_id,
				      number_new(entry->last_ns), entry->several));
	}
	return list;
}

json_t *
memory_encode_new(const struct judge_memory *memory)
{
	return json_pack("{s:o, s:o, s:o, s:o}", "lockup", lockup_new(&memory->lockup), "noise",
		noise_new(&memory->noise), "standing", standing_new(&memory->standing), "cards",
		cards_new(&memory->cards));
}

/* --- and back --- */

/* The text, if it fits and is one. */
static bool
take_text(const json_t *json, char *out, size_t size)
{
	const char *text = json_string_value(json);
	size_t length = json_string_length(json);
	if (text == NULL || length >= size || strlen(text) != length)
		return false;
	memcpy(out, text, length + 1);
	return true;
}

static bool
take_hex(const json_t *json, uint64_t *out)
{
	const char *text = json_string_value(json);
	return text != NULL && num_parse_hex(text, UINT64_MAX, out) == NUM_OK;
}

static bool
take_number(const json_t *json, uint64_t most, uint64_t *out)
{
	return rec_u64(json, out) == REC_OK && *out <= most;
}

static bool
take_pattern(const char *name, enum logpattern *out)
{
	*out = name != NULL ? logpattern_find(name, strlen(name)) : LOGPATTERN_N;
	return *out != LOGPATTERN_N;
}

/* Absent: unknown. */
static bool
take_u32(const json_t *json, uint32_t *out)
{
	uint64_t value = LOCKUP_UNKNOWN;
	if (json != NULL && !take_number(json, LOCKUP_UNKNOWN - 1, &value))
		return false;
	*out = (uint32_t)value;
	return true;
}

static bool
take_cpus(const json_t *list, struct lockup_window *out)
{
	for (; out->cpu_count < json_array_size(list); out->cpu_count++) {
		if (out->cpu_count == LOCKUP_CPUS_MAX ||
			!take_u32(json_array_get(list, out->cpu_count), &out->cpus[out->cpu_count]))
			return false;
	}
	return json_is_array(list);
}

static bool
take_window(const json_t *json, struct lockup_window *out)
{
	uint64_t lines = 0;
	bool taken = take_number(json_object_get(json, "lines_left"), LOCKUP_WINDOW_LINES, &lines);
	out->lines_left = (unsigned)lines;
	return taken && rec_get_bool(json, "concluded", &out->concluded) == REC_OK &&
	       take_cpus(json_object_get(json, "cpus"), out) &&
	       take_u32(json_object_get(json, "seconds"), &out->seconds) &&
	       take_text(json_object_get(json, "header"), out->header, sizeof out->header);
}

static bool
take_lockup(const json_t *json, struct lockup *out)
{
	const char *name;
	json_t *value;
	uint64_t left = 0;
	json_t *windows = json_object_get(json, "windows");
	json_t *quiet = json_object_get(json, "quiet_until_ns");
	const json_t *cpu = json_object_get(json, "backtrace_cpu");

	if (!take_number(json_object_get(json, "frame_left"), LOCKUP_BEFORE_LINES, &left) ||
		!json_is_object(windows) || !json_is_object(quiet) ||
		!take_u32(cpu, &out->backtrace_cpu))
		return false;
	out->frame_left = (unsigned)left;
	out->in_backtrace = cpu != NULL;
	for (enum lockup_kind kind = 0; kind < LOCKUP_KIND_N; kind++) {
		const json_t *window = json_object_get(windows, kinds[kind]);
		if (window != NULL && !take_window(window, &out->windows[kind]))
			return false;
	}
	json_object_foreach (quiet, name, value) {
		enum logpattern pattern;
		if (!take_pattern(name, &pattern) ||
			!take_number(value, INT64_MAX, &out->quiet_until_ns[pattern]))
			return false;
	}
	return true;
}

static bool
take_noise(const json_t *list, struct noise *out)
{
	for (; out->count < json_array_size(list); out->count++) {
		const json_t *json = json_array_get(list, out->count);
		struct noise_entry *entry = &out->entries[out->count];
		if (out->count == NOISE_ENTRIES_MAX ||
			!take_hex(json_array_get(json, 0), &entry->key) ||
			!take_hex(json_array_get(json, 1), &entry->device) ||
			!take_number(json_array_get(json, 2), INT64_MAX, &entry->since_ns) ||
			!take_number(json_array_get(json, 3), INT64_MAX, &entry->repeats))
			return false;
	}
	return json_is_array(list);
}

static bool
take_standing(const json_t *list, struct standing *out)
{
	for (; out->count < json_array_size(list); out->count++) {
		const json_t *json = json_array_get(list, out->count);
		struct standing_entry *entry = &out->entries[out->count];
		if (out->count == STANDING_MAX ||
			!take_text(json_array_get(json, 0), entry->pci, sizeof entry->pci) ||
			!pciaddr_is(entry->pci) ||
			!take_pattern(
				json_string_value(json_array_get(json, 1)), &entry->pattern) ||
			!take_text(json_array_get(json, 2), entry->id, sizeof entry->id) ||
			!take_text(json_array_get(json, 3), entry->command, sizeof entry->command))
			return false;
	}
	return json_is_array(list);
}

static bool
take_cards(const json_t *list, struct cards *out)
{
	for (; out->count < json_array_size(list); out->count++) {
		const json_t *json = json_array_get(list, out->count);
		struct cards_entry *entry = &out->entries[out->count];
		const json_t *several = json_array_get(json, 3);
		if (out->count == CARDS_MAX ||
			!take_text(json_array_get(json, 0), entry->first_pci,
				sizeof entry->first_pci) ||
			!pciaddr_is(entry->first_pci) ||
			!take_text(
				json_array_get(json, 1), entry->first_id, sizeof entry->first_id) ||
			!take_number(json_array_get(json, 2), INT64_MAX, &entry->last_ns) ||
			!json_is_boolean(several))
			return false;
		entry->several = json_is_true(several);
	}
	return json_is_array(list);
}

bool
memory_decode(const json_t *json, struct judge_memory *memory)
{
	if (take_lockup(json_object_get(json, "lockup"), &memory->lockup) &&
		take_noise(json_object_get(json, "noise"), &memory->noise) &&
		take_standing(json_object_get(json, "standing"), &memory->standing) &&
		take_cards(json_object_get(json, "cards"), &memory->cards))
		return true;
	*memory = (struct judge_memory){0};
	return false;
}
