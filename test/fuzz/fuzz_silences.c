/* fuzz_silences - parses arbitrary bytes as the file of silences: each accepted silence keeps its
 * limits, has its own id, and survives writing and reading. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "silence.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
count(void *context, size_t line, const char *reason)
{
	size_t *last = context;
	assert(line > *last && *reason != '\0');
	*last = line;
}

static void
check(const struct silence *silence)
{
	assert(strlen(silence->id) == EVENT_SOURCE_SIZE - 1);
	assert(*silence->device != '\0' && strlen(silence->device) <= SILENCE_NAME_BYTES);
	assert(silence->code == NULL || *silence->code != '\0');
	assert(*silence->why != '\0' && strlen(silence->why) <= SILENCE_WHY_BYTES);
	assert(*silence->by != '\0' && strlen(silence->by) <= SILENCE_NAME_BYTES);

	struct silence again;
	struct rec_error error;
	size_t length;
	char *line = rec_dump_new(silence->record, &length);
	assert(line != NULL && silence_parse(line, length - 1, &again, &error));
	assert(strcmp(silence->id, again.id) == 0 && silence->port == again.port);
	assert(silence->until_ns == again.until_ns);
	silence_fini(&again);
	free(line);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct silences silences;
	size_t last = 0;
	assert(silences_read(&silences, (const char *)data, size, count, &last) == 0);
	assert(silences.count <= SILENCE_MAX && silences_count(&silences, 0) <= silences.count);
	assert(silences_next_end_ns(&silences, 0) > 0);
	for (size_t i = 0; i < silences.count; i++) {
		const struct silence *silence = &silences.items[i];
		const struct silence_subject own = {
			silence->device, silence->device, "1", silence->code};
		check(silence);
		for (size_t j = 0; j < i; j++)
			assert(strcmp(silence->id, silences.items[j].id) != 0);
		/* A record that clears silences nothing. A device name with a comma would read as
		 * two devices. */
		if (!silence->clears && silence->until_ns > 0 && silence->port <= 1 &&
			silence->code != NULL && strchr(silence->device, ',') == NULL)
			assert(silences_find(&silences, &own, 0) != NULL);
		/* An event about a card with several devices is silenced if one of them is. */
		const struct silence_subject card = {"0000:18:00", silence->device, "", ""};
		if (!silence->clears && silence->until_ns > 0 && silence->code == NULL &&
			strchr(silence->device, ',') == NULL)
			assert(silences_find(&silences, &card, 0) != NULL);
	}
	silences_fini(&silences);
	return 0;
}
