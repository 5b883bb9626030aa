/* batch - some events in a row, as lines, copied out of wherever they are kept. */
#ifndef EMIT_BATCH_H
#define EMIT_BATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct batch_event {
	uint64_t
		number; /* its place in the order of arrival, from 1; later events have higher ones, not always the next */
	size_t at;     /* where its line begins, in `bytes` */
	size_t length; /* of the line, with its newline */
};

/* Zeroed, it is empty and ready. */
struct batch {
	char *bytes;
	size_t length, capacity;
	struct batch_event *events;
	size_t count, room;
};

/* Appends a record of `length` bytes, without its newline. 0, or -1 when memory ran out. */
int batch_add(struct batch *batch, uint64_t number, const char *record, size_t length);

/* The line of event `index` (below count), with its newline, not NUL-terminated. Valid until the next add. */
const char *batch_line(const struct batch *batch, size_t index);

/* Empties it; the memory stays for the next. */
void batch_clear(struct batch *batch);

void batch_fini(struct batch *batch);

#endif
