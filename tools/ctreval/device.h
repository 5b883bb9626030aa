/* device - when a device that is gone or cannot be read is an event: SPEC sections 4.2 and 4.3, as a pure function and one table. */
#ifndef CTREVAL_DEVICE_H
#define CTREVAL_DEVICE_H

/* Scans in a row in which a device cannot be read before that is said (SPEC section 4.2). */
#define DEVICE_UNREADABLE_SCANS 3

/* What the scans so far say about a device. */
enum device_sight {
	DEVICE_SEEN_HEALTHY,     /* read in full, and a port of it is healthy */
	DEVICE_SEEN,             /* read in full */
	DEVICE_UNREADABLE,       /* listed, but not read in full, and not for long yet */
	DEVICE_STILL_UNREADABLE, /* the same for DEVICE_UNREADABLE_SCANS scans */
	DEVICE_MISSING, /* not listed, but not often enough yet, or in a scan that is no evidence */
	DEVICE_CONFIRMED_MISSING,
	DEVICE_SIGHT_N,
};

/* What has been said about a device so far. */
enum device_memory {
	DEVICE_FINE,
	DEVICE_SILENT, /* reported as unreadable */
	DEVICE_GONE,   /* reported as disappeared; stays so until it is back with a healthy port */
	DEVICE_GONE_SILENT,
	DEVICE_MEMORY_N,
};

/* What to say, as bits. */
enum device_action {
	DEVICE_SAY_NOTHING = 0,
	DEVICE_SAY_GONE = 1,
	DEVICE_SAY_BACK = 2,
	DEVICE_SAY_UNREADABLE = 4,
	DEVICE_SAY_READABLE = 8,
};

/* What to do about a sight, and what to remember. */
unsigned device_step(enum device_memory *memory, enum device_sight sight);

#endif
