/* fuzz_memory - parses arbitrary bytes as logmatch's state file: what is accepted survives writing
 * and reading, and lines can be evaluated with it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/memory.h"
#include "num.h"
#include "outbox.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define NOW_NS (UINT64_C(1767323045) * NUM_NS_PER_S)

/* The state from the file, and from its own encoding. Static because they are large. */
static struct eval_memory first, second;

static void
check_bounds(const struct eval_memory *memory)
{
	assert(memory->noise.count <= NOISE_ENTRIES_MAX && memory->cards.count <= NOISE_CARDS_MAX);
	assert(memory->standing.count <= STANDING_MAX);
	for (size_t i = 0; i < memory->standing.count; i++) {
		const struct standing_entry *entry = &memory->standing.entries[i];
		assert(entry->pattern < LOGPATTERN_N && entry->nics.count <= STANDING_NICS_MAX);
		assert(entry->strategy != NULL && subject_is(entry->device));
	}
}

/* Encode, decode and encode again: both texts must be equal. */
static void
check_round(void)
{
	json_t *once = memory_encode_new(&first);
	assert(once != NULL && memory_decode(once, &second));
	json_t *twice = memory_encode_new(&second);
	assert(json_equal(once, twice) && !memory_is_older(once));
	json_decref(once);
	json_decref(twice);
}

/* Evaluate a lock-up, and a message that noise control counts. */
static void
judge(struct eval_memory *memory, uint64_t time_ns)
{
	static const char line[] = "watchdog: BUG: soft lockup - CPU#9 stuck for 22s! [mlx5:71]";
	static struct eval_setting setting = {.window_ns = EVAL_WINDOW_NS};
	struct lockup_finding lockup;
	memset(setting.enabled, true, sizeof setting.enabled);
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++)
		setting.strategy[pattern] = *event_strategies;
	lockup_step(&memory->lockup, setting.enabled,
		&(struct lockup_line){
			.text = line, .length = strlen(line), .is_timed = true, .time_ns = time_ns},
		&lockup);
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		struct eval_finding finding = {.pattern = pattern,
			.text = line,
			.length = strlen(line),
			.time_ns = time_ns,
			.pci = "0000:18:00.0",
			.device = "0000:18:00.0"};
		eval_is_reported(&setting, memory, &finding);
	}
	check_bounds(memory);
}

/* Check the part of the file that ctreval's state file has, too. */
static void
check_outbox(const json_t *root)
{
	struct outbox outbox, again;
	struct event_stream stream = {.seq = 0}, same = {.seq = 0};
	struct rec_error error = {.reason = ""};
	json_t *content = json_object();
	assert(outbox_init(&outbox) == 0 && outbox_init(&again) == 0);
	if (outbox_decode(&outbox, &stream, root, &error) == 0) {
		assert(outbox_encode(&outbox, &stream, content) == 0);
		assert(outbox_decode(&again, &same, content, &error) == 0);
		assert(stream.seq == same.seq && json_equal(outbox.events, again.events));
	} else {
		assert(*error.reason != '\0');
	}
	json_decref(content);
	outbox_fini(&outbox);
	outbox_fini(&again);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	const json_t *memory = json_object_get(root, "memory");

	memset(&first, 0, sizeof first);
	memset(&second, 0, sizeof second);
	memory_is_older(memory);
	if (memory_decode(memory, &first)) {
		check_bounds(&first);
		check_round();
		judge(&first, NOW_NS);
		memset(&second, 0, sizeof second);
		check_round();
	}
	if (json_is_object(root))
		check_outbox(root);
	json_decref(root);
	return 0;
}
