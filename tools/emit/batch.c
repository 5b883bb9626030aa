/* batch - some events in a row, as lines. */
#include "batch.h"

#include "array.h"

#include <stdlib.h>
#include <string.h>

/* Room for a few events, so that the first lines do not grow it one after the other. */
#define FIRST_BYTES ((size_t)16 << 10)

static int
make_room(struct batch *batch, size_t more)
{
	size_t capacity = batch->capacity == 0 ? FIRST_BYTES : batch->capacity;
	while (capacity < batch->length + more)
		capacity *= 2;
	if (capacity == batch->capacity)
		return 0;
	char *bytes = realloc(batch->bytes, capacity);
	if (bytes == NULL)
		return -1;
	batch->bytes = bytes;
	batch->capacity = capacity;
	return 0;
}

int
batch_add(struct batch *batch, uint64_t number, const char *record, size_t length)
{
	struct batch_event *events =
		array_grown(batch->events, batch->count, &batch->room, sizeof *events);
	if (events == NULL)
		return -1;
	batch->events = events;
	if (make_room(batch, length + 1) < 0)
		return -1;
	events[batch->count++] =
		(struct batch_event){.number = number, .at = batch->length, .length = length + 1};
	memcpy(batch->bytes + batch->length, record, length);
	batch->bytes[batch->length + length] = '\n';
	batch->length += length + 1;
	return 0;
}

const char *
batch_line(const struct batch *batch, size_t index)
{
	return batch->bytes + batch->events[index].at;
}

void
batch_clear(struct batch *batch)
{
	batch->length = batch->count = 0;
}

void
batch_fini(struct batch *batch)
{
	free(batch->bytes);
	free(batch->events);
	*batch = (struct batch){0};
}
