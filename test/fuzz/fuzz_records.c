/* fuzz_records - feeds arbitrary bytes, as a stream of records, to the line reader, the decoders
 * and ctreval's evaluation. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/check/eval.h"
#include "../unit/readall.h"
#include "conf.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Evaluate a scan: its events must be valid records of at most 4096 bytes. */
static void
judge(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	struct scan *scan)
{
	struct eval_result result;
	size_t i;
	const json_t *event;

	assert(eval_scan(setting, state, stream, scan, &result) == 0);
	json_array_foreach (result.events, i, event) {
		assert(json_dumpb(event, NULL, 0, JSON_COMPACT) < REC_EVENT_MAX_BYTES);
		assert(json_is_string(json_object_get(event, "checkName")));
	}
	eval_result_fini(&result);
	scan_clear(scan);
}

static void
judge_stall(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	const json_t *json)
{
	struct scanrec_stall stall;
	struct rec_error error;
	struct eval_result result;

	if (!scanrec_decode_stall(json, &stall, &error))
		return;
	assert(eval_stall(setting, state, stream, &stall, &result) == 0);
	eval_result_fini(&result);
}

/* A record must equal its parsed text, whether it was recalled or not. */
static void
compare(const struct intake_record *record)
{
	struct rec_error error;
	json_t *parsed = rec_parse_new(record->text, record->length, &error);
	assert(parsed != NULL && json_equal(parsed, record->json));
	json_decref(parsed);
}

static void
take(const struct eval_setting *setting, struct state *state, struct event_stream *stream,
	struct scan *scan, json_t *json)
{
	struct rec_error error;
	enum scanrec_kind kind = scanrec_kind(json);

	if (kind == SCANREC_BEGIN && scan->open)
		judge(setting, state, stream, scan);
	if (kind == SCANREC_STALL)
		judge_stall(setting, state, stream, json);
	if (scan_accept(scan, kind, json, &error) == SCAN_FINISHED)
		judge(setting, state, stream, scan);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct counter_list counters;
	if (counters.count == 0)
		assert(counter_list_init(&counters) == 0);

	const struct eval_setting setting = {.counters = &counters,
		.counter_detection = true,
		.enabled = {true, true, true, true},
		.hold_down_ns = 1,
		.poll_stall_deadline_ns = SCANREC_STALL_DEADLINE_NS,
		.confirm_scans = 1};
	struct event_stream stream;
	struct state state;
	struct scan scan = {0};
	struct intake intake;
	struct intake_record record;
	struct rec_writer writer;

	int fd = memfd_create("input", MFD_CLOEXEC);
	int copy = memfd_create("copy", MFD_CLOEXEC);
	assert(copy >= 0 && fd >= 0 && write(fd, data, size) == (ssize_t)size &&
		lseek(fd, 0, SEEK_SET) == 0);
	state_init(&state, counters.count);
	event_stream_init(&stream, "fuzz", "node", NULL, "ts", "STORE_ONLY");
	intake_init(&intake, fd, "input");
	intake.recall = recall_new();
	rec_writer_init(&writer, copy);
	for (enum intake_status status; (status = read_record(&intake, &record)) != INTAKE_END;) {
		assert(status == INTAKE_RECORD || status == INTAKE_LOST);
		if (status == INTAKE_LOST)
			continue;
		compare(&record);
		/* Write the record like a stage that passes it on. */
		assert(rec_write_text(&writer, record.text, record.length) == 0);
		bool is_end = scanrec_kind(record.json) == SCANREC_END;
		take(&setting, &state, &stream, &scan, record.json);
		if (is_end)
			recall_turn(intake.recall);
	}
	if (scan.open)
		judge(&setting, &state, &stream, &scan);
	recall_free(intake.recall);
	intake_fini(&intake);
	rec_writer_fini(&writer);
	close(copy);
	scan_fini(&scan);
	state_fini(&state);
	close(fd);
	return 0;
}
