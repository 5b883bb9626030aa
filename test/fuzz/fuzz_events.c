/* fuzz_events - feeds arbitrary bytes to emit's input: each event is shipped as a record with the
 * same facts, in the order of its stream, and ends the conditions that the rules name. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/in/facts.h"
#include "../../tools/emit/in/sources.h"
#include "../../tools/emit/store/clearing.h"
#include "utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_same(const struct facts *a, const struct facts *b)
{
	assert(strcmp(a->id, b->id) == 0 && strcmp(a->check, b->check) == 0);
	assert(strcmp(a->source, b->source) == 0 && a->seq == b->seq);
	assert(strcmp(a->about, b->about) == 0 && strcmp(a->code, b->code) == 0);
	assert(a->fatal == b->fatal && a->healthy == b->healthy && a->baseline == b->baseline);
	assert(a->time_ns == b->time_ns);
}

/* The shipped event must be one line: a record with a node and a strategy. */
static void
check_line(const struct facts *facts, const struct intake_record *record, bool has_changed)
{
	struct facts shipped;
	struct facts_room room;
	size_t length;
	char *line = facts_line_new(record, "node-1", has_changed, &length);
	assert(line != NULL && memchr(line, '\n', length) == line + length - 1);
	json_t *json = facts_parse_new(&shipped, &room, line, length - 1);
	assert(json != NULL && json_object_get(json, "nodeName") != NULL);
	assert(json_object_get(json, "processingStrategy") != NULL);
	check_same(facts, &shipped);
	json_decref(json);
	free(line);
}

/* A fault gets a runbook once, unless it has one, and is still the same fault. */
static void
check_runbook(const struct facts *facts, const struct intake_record *record)
{
	static const char url[] = "https://runbooks.example/nic";
	struct intake_record fault = *record;
	fault.json = json_deep_copy(record->json);
	bool has_changed = facts_add_runbook(fault.json, url);
	const json_t *metadata = json_object_get(fault.json, "metadata");
	assert(!(has_changed && facts->healthy));
	assert(facts->healthy || json_object_get(metadata, FACTS_RUNBOOK_KEY) != NULL);
	assert(!facts_add_runbook(fault.json, url));
	check_line(facts, &fault, has_changed);
	json_decref(fault.json);
}

static void
check_facts(const struct facts *facts)
{
	assert(utf8_is_valid(facts->about) && strlen(facts->about) < FACTS_TEXT_SIZE);
	assert(utf8_is_valid(facts->code) && strlen(facts->code) < FACTS_TEXT_SIZE);
	assert(strlen(facts->source) <= FACTS_SOURCE_MAX);
	assert(!facts->baseline || (facts->healthy && facts_are_urgent(facts)));
	/* An event about the same subject ends it. */
	assert(clearing_ends(facts, facts->about, facts->code));
	struct facts *copy = facts_copy_new(facts);
	assert(copy != NULL);
	check_same(facts, copy);
	free(copy);
}

static void
check_order(struct sources *sources, const struct facts *facts)
{
	enum arrival arrival;
	if (*facts->source == '\0' || facts->seq == 0)
		return;
	assert(sources_arrive(sources, facts->source, facts->seq, false, 1, &arrival) == 0);
	const struct source *source = sources_find(sources, facts->source);
	assert(source != NULL && source_bound(source) <= source->accepted);
	assert(arrival != ARRIVAL_ACCEPT || source->accepted >= facts->seq);
	assert(arrival != ARRIVAL_HOLD || source->accepted < facts->seq);
}

static void
take(struct intake_record *record, struct sources *sources)
{
	struct facts facts;
	struct facts_room room;
	json_t *json = json_deep_copy(record->json);
	facts_read(&facts, &room, json);
	check_facts(&facts);
	check_order(sources, &facts);
	check_runbook(&facts, record);
	check_line(&facts, record, false);
	json_decref(json);
	json_decref(record->json);
}

/* Read like emit: fill the buffer, then process each record in it. */
static void
read_all(struct intake *intake, struct sources *sources)
{
	struct intake_record record;
	while (intake_fill(intake) == LINE_OK) {
		for (enum intake_status status;
			(status = intake_next(intake, &record)) != INTAKE_MORE;) {
			if (status == INTAKE_RECORD)
				take(&record, sources);
			else
				sources_doubt(sources);
		}
	}
}

/* If the first byte is 1, prepend a line that is longer than any record. */
int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct intake intake;
	struct sources sources = {.acknowledges = true};
	int fd = memfd_create("input", MFD_CLOEXEC);

	off_t before = size > 0 && data[0] == 1 ? (off_t)LINE_RECORD_MAX_BYTES : 0;
	assert(fd >= 0 && pwrite(fd, data, size, before) == (ssize_t)size);
	intake_init(&intake, fd, "input");
	read_all(&intake, &sources);
	intake_fini(&intake);
	sources_fini(&sources);
	close(fd);
	return 0;
}
