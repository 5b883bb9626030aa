/* store - the state file on its disk: locked, read once, replaced as a whole. SPEC section 4.5. */
#ifndef CTREVAL_STORE_H
#define CTREVAL_STORE_H

#include "statefile.h"

/* How long snapshots may lag behind in the file, in the time of the records. */
#define STORE_LAG_NS (UINT64_C(5) * 1000 * 1000 * 1000)

/* Longest state file that is read, bytes. */
#define STORE_MAX_BYTES ((size_t)64 << 20)

struct store {
	const char *path;  /* NULL: nothing is kept */
	int lock_fd;       /* -1: not locked yet */
	bool fresh;        /* there was no file, or none that could be used */
	bool failing;      /* the last write did not succeed, which has been said */
	uint64_t saved_ns; /* CLOCK_BOOTTIME of the records at the last write */
	json_t *found; /* events of a file that appeared after the start; NULL: none. To be written, and then released by the caller */
};

/* Locks the file and reads it into an empty state, stream and outbox. A missing file leaves them empty, and so does, with a warning, one that is corrupt, which is
 * moved aside; a disk that cannot be written to is a warning. Returns 0, or the exit code to end with: EXIT_TRY_LATER when another process uses the file. */
int store_open(struct store *store, const char *path, const struct counter_list *counters,
	bool counter_detection, struct statefile *file);

/* Writes the file, as the records are now. A file that could not be seen at the start, because its directory was missing, and now is there, first
 * gives its outbox to this one, and to store->found. 0, or -1 after a warning (one, until it succeeds again). */
int store_save(struct store *store, const struct statefile *file,
	const struct counter_list *counters, const char *ts, uint64_t boottime_ns);

/* Gives up the lock. */
void store_close(struct store *store);

#endif
