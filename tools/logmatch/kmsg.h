/* kmsg - the kernel's log as it grows: /dev/kmsg, or a file or pipe that stands in for it. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_KMSG_H
#define LOGMATCH_KMSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KMSG_DEFAULT_PATH "/dev/kmsg"

/* The longest record of the device with its dictionary, and one byte more: a buffer that is too
 * small loses the record (kernel#kmsg-size). */
#define KMSG_BUFFER_BYTES 8193

struct kmsg {
	const char *path;
	int fd;
	bool device;    /* one record per read(2) */
	bool growing;   /* a regular file: its end is not the end */
	bool expecting; /* a pipe that has had no writer yet */
	char *buffer;
	size_t capacity, start,
		/* of what is not a device: bytes read and not handed out are buffer[start..end) */
		end;
	bool at_end, skipping;
};

enum kmsg_status {
	KMSG_RECORD,    /* a record, or of what is not a device a line */
	KMSG_OVERSIZED, /* a line that is longer than a record can be is passed over */
	KMSG_OVERRUN,   /* records were lost; the numbers of the next ones say how many */
	KMSG_NOTHING,   /* no more for now */
	KMSG_END,       /* the last writer of a pipe is gone */
	KMSG_ERROR,     /* see errno */
};

/* Opens `path`, which is kept; see logstdin_is_meant(). 0, or the exit code after a message. Close
 * with kmsg_close(). */
int kmsg_open(struct kmsg *kmsg, const char *path);

void kmsg_close(struct kmsg *kmsg);

/* The next record, not terminated; valid until the next call. Never waits. */
enum kmsg_status kmsg_read(struct kmsg *kmsg, const char **bytes, size_t *length);

/* Begins anew with the oldest record of the device. */
void kmsg_rewind(struct kmsg *kmsg);

/* Waits until there may be more, at most `timeout_ns` (UINT64_MAX: for ever), or until a request to
 * stop. */
void kmsg_wait(struct kmsg *kmsg, uint64_t timeout_ns);

#endif
