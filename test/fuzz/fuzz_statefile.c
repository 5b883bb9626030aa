/* fuzz_statefile - parses arbitrary bytes as ctreval's state file: what is accepted survives
 * writing and reading, and a scan can be evaluated with it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/eval.h"
#include "../../tools/ctreval/state/statefile.h"
#include "num.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define TS "2026-01-02T03:04:05.000000Z"
#define NOW_NS (1000 * NUM_NS_PER_S)

struct whole {
	struct state state;
	struct event_stream stream;
	struct outbox outbox;
	struct statefile file;
};

static struct counter_list counters;

static void
begin(struct whole *whole)
{
	*whole = (struct whole){0};
	state_init(&whole->state, counters.count);
	assert(outbox_init(&whole->outbox) == 0);
	whole->file = (struct statefile){
		.state = &whole->state, .stream = &whole->stream, .outbox = &whole->outbox};
	whole->stream.strategy = "STORE_ONLY";
}

static void
end(struct whole *whole)
{
	free(whole->file.left_out);
	state_fini(&whole->state);
	outbox_fini(&whole->outbox);
}

static char *
text_new(const struct whole *whole)
{
	char *text = statefile_encode_new(&whole->file, &counters, TS, NOW_NS);
	assert(text != NULL);
	return text;
}

/* The encoded state must be accepted, and encode to the same text again. */
static void
check_round(const struct whole *whole, bool counter_detection)
{
	struct whole again;
	struct rec_error error;
	char *once = text_new(whole);
	json_t *root = json_loads(once, JSON_REJECT_DUPLICATES, NULL);

	begin(&again);
	assert(root != NULL);
	assert(statefile_decode(root,
		       &(const struct statefile_rules){
			       .counters = &counters, .counter_detection = counter_detection},
		       &again.file, &error) == 0);
	json_decref(root);
	char *twice = text_new(&again);
	assert(strcmp(once, twice) == 0);
	free(once);
	free(twice);
	end(&again);
}

static void
give(struct scan *scan, json_t *json)
{
	struct rec_error error;
	assert(json != NULL);
	scan_accept(scan, scanrec_kind(json), json, &error);
}

/* Evaluate a scan of three NICs in the seeds, one of them slow and one down; one that cannot be
 * read; and two more for a majority. */
static void
judge(struct whole *whole, bool counter_detection, uint64_t at_ns)
{
	const struct eval_setting setting = {.counters = &counters,
		.counter_detection = counter_detection,
		.enabled = {true, true, true, true},
		.settle_ns = 30,
		.confirm_scans = 2,
		.clear_check = true,
		.baselines = true,
		.explain = true};
	struct scan scan = {0};
	struct eval_result result;
	size_t i;
	const json_t *event;

	give(&scan, json_pack("{s:s, s:i, s:s, s:s, s:I}", "kind", "scan.begin", "scan", 1,
			    "boot_id", "b1", "ts", TS, "boottime_ns", (json_int_t)at_ns));
	for (int nic = 0; nic < 6; nic++) {
		char name[8] = "mlx5_0", pci[16] = "0000:18:00.0";
		name[5] = (char)('0' + nic);
		pci[6] = (char)('0' + nic);
		give(&scan, json_pack("{s:s, s:i, s:s, s:s, s:i, s:s, s:b, s:s?}", "kind", "device",
				    "scan", 1, "device", name, "pci", pci, "ports", nic != 3,
				    "role", "compute", "monitored", nic != 1, "error",
				    nic == 3 ? "timeout" : NULL));
		if (nic == 3)
			continue;
		give(&scan,
			json_pack("{s:s, s:i, s:s, s:I, s:s, s:i, s:s, s:s, s:s, s:{s:i, s:i}, "
				  "s:i, s:s, s:s}",
				"kind", "port", "scan", 1, "ts", TS, "boottime_ns",
				(json_int_t)at_ns, "device", name, "port", 1, "link_layer",
				"InfiniBand", "state", nic == 2 ? "DOWN" : "ACTIVE", "phys_state",
				nic == 2 ? "Disabled" : "LinkUp", "counters", "link_downed", 3,
				"symbol_error", 65535, "rate_gbps", nic == 0 ? 200 : 400, "rate",
				nic == 0 ? "200 Gb/sec (2X NDR)" : "400 Gb/sec (4X NDR)", "role",
				"compute"));
	}
	give(&scan, json_pack("{s:s, s:i, s:i, s:i, s:b}", "kind", "scan.end", "scan", 1, "devices",
			    6, "ports", 5, "complete", 0));
	assert(scan.whole);
	assert(eval_scan(&setting, &whole->state, &whole->stream, &scan, &result) == 0);
	json_array_foreach (result.events, i, event)
		assert(json_dumpb(event, NULL, 0, JSON_COMPACT) < REC_EVENT_MAX_BYTES);
	assert(outbox_add(&whole->outbox, result.events) == 0);
	eval_result_fini(&result);
	scan_fini(&scan);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (counters.count == 0)
		assert(counter_list_init(&counters) == 0);
	/* Choose by the size, so that every input is a whole file. */
	bool counter_detection = size % 8 != 0;
	struct whole whole;
	struct rec_error error;
	json_t *root = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
	if (root == NULL)
		return 0;

	begin(&whole);
	error.reason[0] = '\0';
	if (statefile_decode(root,
		    &(const struct statefile_rules){
			    .counters = &counters, .counter_detection = counter_detection},
		    &whole.file, &error) == 0) {
		check_round(&whole, counter_detection);
		judge(&whole, counter_detection, NOW_NS);
		check_round(&whole, counter_detection);
		judge(&whole, counter_detection, NOW_NS + 100);
		check_round(&whole, counter_detection);
	} else {
		assert(error.reason[0] != '\0');
	}
	json_decref(root);
	end(&whole);
	return 0;
}
