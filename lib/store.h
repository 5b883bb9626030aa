/* store - a state file on its disk: locked, read once, replaced as a whole. SPEC section 4.5. */
#ifndef NHM_STORE_H
#define NHM_STORE_H

#include "rec.h"

/* Longest state file that is read, bytes. */
#define STORE_MAX_BYTES ((size_t)64 << 20)

enum store_verdict {
	STORE_TAKEN,
	STORE_REFUSED, /* it is not what this version writes; why has been filled in */
	STORE_NO_MEMORY,
};

/* What the owner of a file does with its content, which is a JSON object once it has been accepted. Each gets the owner's context. */
struct store_owner {
	/* Takes the content, any JSON value, into what is empty. */
	enum store_verdict (*decode)(void *context, const json_t *root, struct rec_error *error);

	/* Makes empty again what decode() has refused in the middle of it. */
	void (*reset)(void *context);

	/* Takes what still counts from a file that appeared after the start, and is about to be replaced. Refused, it must have taken nothing. */
	enum store_verdict (*decode_late)(
		void *context, const json_t *root, struct rec_error *error);

	/* The content as it is to be written; NULL when memory ran out. */
	json_t *(*encode_new)(void *context);
};

struct store {
	const char *path; /* NULL: nothing is kept */
	const struct store_owner *owner;
	void *context;
	int lock_fd;       /* -1: not locked yet */
	bool fresh;        /* there was no file, or none that could be used */
	bool failing;      /* the last write did not succeed, which has been said */
	uint64_t saved_ns; /* when the last write was, as store_save() was told; 0: not yet */
};

/* Locks the file and lets the owner take its content. Without a file the owner is asked nothing; a corrupt one is moved aside, with a warning, and leaves the owner
 * empty; a disk that cannot be written to is a warning. `path`, `owner` and `context` are kept, not copied. Returns 0, or the exit code to end with, which has been
 * said: EXIT_TRY_LATER when another process uses the file; EXIT_CONFIG, EXIT_NO_PERMISSION, EXIT_IO or EXIT_OS when it cannot be read and so must not be replaced.
 * store_close() in any case. */
int store_open(
	struct store *store, const char *path, const struct store_owner *owner, void *context);

/* Replaces the file by what the owner gives. A file that could not be seen at the start, because its directory was missing, and now is there, is
 * handed to decode_late() before. `now_ns` is a time of the caller's, for saved_ns. 0, or -1 after a warning (one, until it succeeds again). */
int store_save(struct store *store, uint64_t now_ns);

/* Gives up the lock. Harmless when there is none, but lock_fd must be -1 then. */
void store_close(struct store *store);

/* For decode functions: 0 when a content is a JSON object whose "version" is this one, else -1 with `*error`. */
int store_check_version(const json_t *root, int version, struct rec_error *error);

#endif
