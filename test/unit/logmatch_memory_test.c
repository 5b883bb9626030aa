/* Unit tests of logmatch's memory: writing it as JSON, reading it back, and rejecting anything
 * else. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/memory.h"

#include "check.h"
#include "randomness.h"

#include <stdio.h>
#include <stdlib.h>

#define LATEST_NS ((uint64_t)INT64_MAX)

static struct eval_memory *
empty_new(void)
{
	struct eval_memory *memory = calloc(1, sizeof *memory);
	CHECK(memory != NULL);
	return memory;
}

static void
fill_lockup(struct lockup *lockup)
{
	*lockup = (struct lockup){.in_backtrace = true,
		.backtrace_cpu = 999999999,
		.frame_left = LOCKUP_BEFORE_LINES,
		.frame_ns = LATEST_NS,
		.frame_cpu = 999999998};
	for (enum lockup_kind kind = 0; kind < LOCKUP_KIND_N; kind++) {
		struct lockup_window *window = &lockup->windows[kind];
		*window = (struct lockup_window){.lines_left = LOCKUP_WINDOW_LINES - (unsigned)kind,
			.concluded = kind % 2 != 0,
			.cpu_count = kind == LOCKUP_SOFT ? LOCKUP_CPUS_MAX : (size_t)kind,
			.seconds = kind == LOCKUP_HARD ? LOCKUP_UNKNOWN : 999999999,
			.since_ns = kind == LOCKUP_RCU ? 0 : LATEST_NS};
		for (uint32_t i = 0; i < window->cpu_count; i++)
			window->cpus[i] = i * 7;
		memset(window->header, 'x', LOCKUP_HEADER_MAX_BYTES);
	}
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		lockup->quiet_until_ns[pattern] = LATEST_NS - pattern;
}

/* A memory with every value at its bound. */
static struct eval_memory *
full_new(void)
{
	struct eval_memory *memory = empty_new();
	fill_lockup(&memory->lockup);
	for (size_t i = 0; i < NOISE_ENTRIES_MAX; i++)
		memory->noise.entries[i] = (struct noise_entry){
			UINT64_MAX - i, UINT64_MAX - 2 * i, LATEST_NS, NOISE_TOLD_MAX, LATEST_NS};
	memory->noise.count = NOISE_ENTRIES_MAX;
	for (size_t i = 0; i < STANDING_MAX; i++) {
		struct standing_entry *entry = &memory->standing.entries[i];
		snprintf(entry->device, sizeof entry->device, "2%04zx:ff:1f.7", i % 65536);
		entry->pattern = (enum logpattern)(i % LOGPATTERN_N);
		entry->nics.count = i % (STANDING_NICS_MAX + 1);
		for (size_t nic = 0; nic < entry->nics.count; nic++)
			memset(entry->nics.names[nic], 'n', STANDING_NIC_MAX_BYTES);
		entry->fatal = i % 2 != 0;
		entry->over = i % 3 != 0;
		entry->strategy = event_strategies[i % EVENT_STRATEGY_N];
		entry->last_ns = LATEST_NS;
		memset(entry->id, 'f', sizeof entry->id - 1);
		memset(entry->command, 'C', sizeof entry->command - 1);
	}
	memory->standing.count = STANDING_MAX;
	for (size_t i = 0; i < NOISE_CARDS_MAX; i++) {
		struct noise_card *entry = &memory->cards.entries[i];
		snprintf(entry->first_pci, sizeof entry->first_pci, "1%04zx:ff:1f.7", i % 65536);
		memset(entry->first_id, 'f', sizeof entry->first_id - 1);
		entry->last_ns = LATEST_NS;
		entry->several = i % 2 != 0;
	}
	memory->cards.count = NOISE_CARDS_MAX;
	return memory;
}

static char *
text_new(const struct eval_memory *memory)
{
	json_t *json = memory_encode_new(memory);
	char *text = json_dumps(json, JSON_COMPACT | JSON_SORT_KEYS);
	CHECK(text != NULL);
	json_decref(json);
	return text;
}

static void
check_round_trip(const struct eval_memory *memory)
{
	struct eval_memory *back = empty_new();
	char *text = text_new(memory);
	json_t *json = json_loads(text, 0, NULL);
	if (CHECK(json != NULL) && CHECK(memory_decode(json, back))) {
		char *again = text_new(back);
		CHECK_STR(again, text);
		free(again);
	}
	json_decref(json);
	free(text);
	free(back);
}

static void
round_trip(void)
{
	struct eval_memory *memory = empty_new();
	check_round_trip(memory);
	free(memory);
	memory = full_new();
	check_round_trip(memory);
	free(memory);
}

static void
left_out(void)
{
	struct eval_memory *memory = empty_new();
	/* A closed window and the CPU of a finished backtrace are no longer needed. */
	memory->lockup.windows[LOCKUP_SOFT].concluded = true;
	memory->lockup.backtrace_cpu = 7;
	char *text = text_new(memory);
	CHECK_STR(text, "{\"cards\":[],\"lockup\":{\"frame_left\":0,\"quiet_until_ns\":{},"
			"\"windows\":{}},\"noise\":[],\"standing\":[]}");
	free(text);
	free(memory);
}

/* --- rejected memories --- */

/* Check that the memory is empty after a rejection, and otherwise encodes to the same JSON. */
static bool
decode(const json_t *json)
{
	static const struct eval_memory empty;
	struct eval_memory *memory = empty_new();
	bool taken = memory_decode(json, memory);
	if (!taken)
		CHECK(memcmp(memory, &empty, sizeof empty) == 0);
	else
		check_round_trip(memory);
	free(memory);
	return taken;
}

static struct eval_memory *
small_new(void)
{
	struct eval_memory *memory = full_new();
	memory->noise.count = memory->standing.count = memory->cards.count = 2;
	memset(&memory->noise.entries[2], 0,
		sizeof memory->noise.entries - 2 * sizeof(struct noise_entry));
	memset(&memory->standing.entries[2], 0,
		sizeof memory->standing.entries - 2 * sizeof(struct standing_entry));
	memset(&memory->cards.entries[2], 0,
		sizeof memory->cards.entries - 2 * sizeof(struct noise_card));
	return memory;
}

static void
foreign_roots(void)
{
	static const char *const texts[] = {"null", "true", "1", "'x'", "[]", "{}",
		"{'lockup':{},'noise':[],'standing':[],'cards':[]}"};
	CHECK(!decode(NULL));
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		json_t *json = check_json_new(texts[i]);
		check_row("%s", texts[i]);
		CHECK(!decode(json));
		json_decref(json);
	}
}

/* Windows of the version that counted by text do not apply to these. */
static void
older_windows(void)
{
	struct eval_memory *memory = empty_new();
	json_t *json = memory_encode_new(memory);
	json_object_set_new(json, "noise",
		check_json_new("[['0x1','0x2',3,4],['0x5','0x6',7,8,9],['0x1','0x2',3,4]]"));
	CHECK(memory_decode(json, memory));
	CHECK_U64(memory->noise.count, 1);
	CHECK_U64(memory->noise.entries[0].key, 5);
	CHECK_U64(memory->noise.entries[0].told, 8);
	json_decref(json);
	free(memory);
}

static void
older(void)
{
	static const struct {
		const char *text;
		bool older;
	} rows[] = {
		{"{'standing':[['0000:18:00.0','cmd_exec_timeout','a-1','']]}", true},
		{"{'standing':[{}]}", false},
		{"{'standing':[]}", false},
		{"{}", false},
		{"[]", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		json_t *json = check_json_new(rows[i].text);
		check_row("%s", rows[i].text);
		CHECK_INT(memory_is_older(json), rows[i].older);
		CHECK(!decode(json));
		json_decref(json);
	}
	CHECK(!memory_is_older(NULL));
}

/* Collect every value of the tree. */
static void
collect(json_t *json, json_t **values, size_t *count, size_t room)
{
	const char *name;
	json_t *value;
	size_t i;
	if (*count < room)
		values[(*count)++] = json;
	json_object_foreach (json, name, value)
		collect(value, values, count, room);
	json_array_foreach (json, i, value)
		collect(value, values, count, room);
}

static void
replace(json_t *container, const json_t *old, json_t *new)
{
	const char *name;
	json_t *value;
	size_t i;
	json_object_foreach (container, name, value) {
		if (value == old) {
			json_object_set(container, name, new);
			return;
		}
	}
	json_array_foreach (container, i, value) {
		if (value == old) {
			json_array_set(container, i, new);
			return;
		}
	}
}

static bool
contains(const json_t *container, const json_t *value)
{
	const char *name;
	json_t *each;
	size_t i;
	json_object_foreach ((json_t *)container, name, each) {
		if (each == value)
			return true;
	}
	json_array_foreach (container, i, each) {
		if (each == value)
			return true;
	}
	return false;
}

#define VALUES_MAX 400

/* Each value has one type: any other value in its place is rejected. */
static void
foreign_values(void)
{
	static const char *const foreign[] = {
		"null", "-1", "1.5", "[[]]", "'x y'", "{'x':1}", "9223372036854775807", "true"};
	struct eval_memory *memory = small_new();
	char *text = text_new(memory);
	for (size_t each = 0; each < CHECK_COUNT(foreign); each++) {
		size_t count = VALUES_MAX, refused = 0;
		for (size_t which = 1; which < count; which++) {
			json_t *json = json_loads(text, 0, NULL), *values[VALUES_MAX];
			count = 0;
			collect(json, values, &count, VALUES_MAX);
			CHECK(count < VALUES_MAX);
			json_t *old = json_incref(values[which]);
			json_t *new = check_json_new(foreign[each]);
			for (size_t i = 0; i < count; i++) {
				if (contains(values[i], old)) {
					replace(values[i], old, new);
					break;
				}
			}
			check_row("%s in place %zu", foreign[each], which);
			refused += !decode(json);
			json_decref(old);
			json_decref(new);
			json_decref(json);
		}
		check_row("%s: %zu of %zu refused", foreign[each], refused, count - 1);
		CHECK(refused > (count - 1) / 2);
		/* No value may be null, negative, a fraction, or a list in an empty list. */
		if (each < 4)
			CHECK_U64(refused, count - 1);
	}
	free(text);
	free(memory);
}

static void
beyond_bounds(void)
{
	static const struct {
		const char *from, *to;
	} rows[] = {
		{"\"lines_left\":150", "\"lines_left\":151"},
		{"\"frame_left\":60", "\"frame_left\":61"},
		{"\"backtrace_cpu\":999999999", "\"backtrace_cpu\":4294967295"},
		{"\"frame_cpu\":999999998", "\"frame_cpu\":4294967295"},
		{"\"cpus\":[0,7,14,21,28,35,42,49]", "\"cpus\":[0,7,14,21,28,35,42,49,56]"},
		{"\"cpus\":[0,7,14,21,28,35,42,49]", "\"cpus\":[0,null]"},
		{"\"cpus\":[0,7,14,21,28,35,42,49]", "\"cpus\":{}"},
		{"\"header\":\"x", "\"header\":\"xx"},
		{"10001:ff:1f.7", "10001:ff:1f.8"},
		{"10001:ff:1f.7", "x0001:ff:1f.7"},
		{"10001:ff:1f.7", "10001:FF:1f.7"},
		{"20001:ff:1f.7", "20001:ff:1f.7 "},
		{"\"nics\":[\"n", "\"nics\":[\"nn"},
		{"\"nics\":[]", "\"nics\":[1]"},
		{"\"strategy\":\"STORE_ONLY\"", "\"strategy\":\"STORE\""},
		{"\"last_ns\":9223372036854775807", "\"last_ns\":-1"},
		{"\"cmd_exec_timeout\"", "\"no_such_pattern\""},
		{"\"0xffffffffffffffff\"", "\"0x1ffffffffffffffff\""},
		{"\"0xffffffffffffffff\"", "\"0x\""},
		{"\"0xffffffffffffffff\"", "18"},
		{",9223372036854775807,10,", ",9223372036854775807,11,"},
		{"\"CC", "\"CCC"},
		{"\"ff", "\"fff"},
	};
	struct eval_memory *memory = small_new();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char *text = text_new(memory);
		check_row("%s instead of %s", rows[i].to, rows[i].from);
		CHECK_HAS(text, rows[i].from);
		text = check_replaced_new(text, rows[i].from, rows[i].to);
		json_t *json = json_loads(text, 0, NULL);
		CHECK(json != NULL && !decode(json));
		json_decref(json);
		free(text);
	}
	free(memory);
}

static void
too_many(void)
{
	static const char *const lists[] = {"noise", "standing", "cards"};
	for (size_t i = 0; i < CHECK_COUNT(lists); i++) {
		struct eval_memory *memory = full_new();
		json_t *json = memory_encode_new(memory);
		json_t *list = json_object_get(json, lists[i]);
		check_row("%s", lists[i]);
		CHECK(decode(json));
		json_array_append(list, json_array_get(list, 0));
		CHECK(!decode(json));
		json_decref(json);
		free(memory);
	}
}

/* A text that is cut or changed anywhere is rejected or gives a valid memory. */
static void
mutations(void)
{
	struct eval_memory *memory = small_new();
	char *text = text_new(memory);
	size_t length = strlen(text), parsed = 0;
	uint64_t state = 9;

	for (size_t cut = 0; cut < length; cut++)
		CHECK(json_loadb(text, cut, 0, NULL) == NULL);
	for (size_t i = 0; i < 4000; i++) {
		static const char bytes[] = "0123456789\"[]{},:-.exfn\\ u";
		char *copy = strdup(text);
		for (size_t changes = 1 + randomness_below(&state, 2); changes > 0; changes--)
			copy[randomness_below(&state, length)] =
				bytes[randomness_below(&state, sizeof bytes - 1)];
		json_t *json = json_loads(copy, JSON_DECODE_ANY, NULL);
		check_row("%s", copy);
		if (json != NULL) {
			decode(json);
			parsed++;
		}
		json_decref(json);
		free(copy);
	}
	CHECK(parsed > 500);
	free(text);
	free(memory);
}

static const struct check_test tests[] = {
	{"everything in the memory reads back the same, at all bounds", round_trip},
	{"closed windows are not written", left_out},
	{"windows of an older version are ignored", older_windows},
	{"standing conditions of an older version are recognised as such", older},
	{"a root of another type is refused", foreign_roots},
	{"a value of another type or range is refused", foreign_values},
	{"a value beyond its bounds is refused", beyond_bounds},
	{"a list that is too long is refused", too_many},
	{"a changed text is refused or gives a valid memory", mutations},
};
CHECK_MAIN(tests)
