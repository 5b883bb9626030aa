/* kmsg - reads the kernel's log as it grows: /dev/kmsg, or a file or pipe instead. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_KMSG_H
#define LOGMATCH_KMSG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KMSG_DEFAULT_PATH "/dev/kmsg"

/* One byte more than the longest record with its dictionary: the kernel drops a record that does
 * not fit the buffer (kernel#kmsg-size). */
#define KMSG_BUFFER_BYTES 8193

struct kmsg {
	const char *path;
	int fd;
	bool device;    /* one record per read(2) */
	bool growing;   /* regular file: it may grow after its end was read */
	bool expecting; /* pipe that has had no writer yet */
	char *buffer;
	size_t capacity, start,
		/* file or pipe: pending bytes are buffer[start..end) */
		end;
	bool at_end, skipping;
};

enum kmsg_status {
	KMSG_RECORD,    /* a record; a line if it is no device */
	KMSG_OVERSIZED, /* skipping a line that is too long for a record */
	KMSG_OVERRUN,   /* records were lost; the next sequence number shows how many */
	KMSG_NOTHING,   /* no more for now */
	KMSG_END,       /* the last writer of a pipe is gone */
	KMSG_ERROR,     /* see errno */
};

/* Open `path`; the string must outlive kmsg. See logstdin_is_meant(). Return 0, or the exit code
 * after a message. Close with kmsg_close(). */
int kmsg_open(struct kmsg *kmsg, const char *path);

void kmsg_close(struct kmsg *kmsg);

/* Read the next record, not terminated and valid until the next call. Never blocks. */
enum kmsg_status kmsg_read(struct kmsg *kmsg, const char **bytes, size_t *length);

/* Seek to the oldest record of the device. */
void kmsg_rewind(struct kmsg *kmsg);

/* Wait for more input, at most `timeout_ns` (UINT64_MAX: no limit), or for a stop request. */
void kmsg_wait(struct kmsg *kmsg, uint64_t timeout_ns);

#endif
