/* fuzz_scan - evaluates arbitrary bytes as scans, twice: the second time with the state of the
 * first, written to its file and read back. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/eval.h"
#include "../../tools/ctreval/state/forget.h"
#include "../../tools/ctreval/state/statefile.h"
#include "scans.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct run {
	struct eval_setting setting;
	struct state state;
	struct event_stream stream;
	struct outbox outbox;
	struct statefile file;
	struct scan scan;
};

static struct counter_list counters;

/* Evaluate a scan: its events are numbered without gaps, and each fits in a line. */
static void
judge(struct scan *scan, void *context)
{
	struct run *run = context;
	struct eval_result result;
	size_t i;
	const json_t *event;
	uint64_t seq = run->stream.seq;

	assert(eval_scan(&run->setting, &run->state, &run->stream, scan, &result) == 0);
	assert(run->stream.seq == seq + json_array_size(result.events));
	json_array_foreach (result.events, i, event) {
		const json_t *number = json_object_get(event, "seq");
		assert(json_dumpb(event, NULL, 0, JSON_COMPACT) < REC_EVENT_MAX_BYTES);
		assert(json_integer_value(number) == (json_int_t)(seq + i + 1));
	}
	json_array_foreach (result.decisions, i, event)
		assert(json_is_string(json_object_get(event, "reason")));
	eval_result_fini(&result);
	scan_clear(scan);
}

/* Write the state to its file and read it back: it must not change. */
static void
restart(struct run *run)
{
	struct rec_error error;
	char *once = statefile_encode_new(&run->file, &counters, "T", 0);
	json_t *root = json_loads(once, JSON_REJECT_DUPLICATES, NULL);
	assert(root != NULL);
	state_fini(&run->state);
	state_init(&run->state, counters.count);
	assert(statefile_decode(root,
		       &(const struct statefile_rules){
			       .counters = &counters, .counter_detection = true},
		       &run->file, &error) == 0);
	char *twice = statefile_encode_new(&run->file, &counters, "T", 0);
	assert(strcmp(once, twice) == 0);
	json_decref(root);
	free(once);
	free(twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (counters.count == 0)
		assert(counter_list_init(&counters) == 0);

	struct run run = {.setting = {.counters = &counters,
				  .counter_detection = true,
				  .enabled = {true, true, true, true},
				  .settle_ns = UINT64_C(5000000000),
				  .confirm_scans = 1 + size % 2,
				  .clear_check = true,
				  .baselines = true}};
	state_init(&run.state, counters.count);
	event_stream_init(&run.stream, "fuzz", "node", NULL, "ts", "STORE_ONLY");
	assert(outbox_init(&run.outbox) == 0);
	run.file = (struct statefile){
		.state = &run.state, .stream = &run.stream, .outbox = &run.outbox};
	state_owe_baselines(&run.state, true);

	scans_read(&run.scan, data, size, judge, &run);
	restart(&run);
	forget_scope(&run.state);
	run.setting.explain = true;
	scans_read(&run.scan, data, size, judge, &run);
	restart(&run);
	scan_fini(&run.scan);
	state_fini(&run.state);
	outbox_fini(&run.outbox);
	return 0;
}
