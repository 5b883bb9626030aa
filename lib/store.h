/* store - a state file on its disk: locked, read once, replaced as a whole (spec#state-file). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_STORE_H
#define NHM_STORE_H

#include "rec.h"

/* Longest state file that is read, bytes. */
#define STORE_MAX_BYTES ((size_t)64 << 20)

enum store_verdict {
	STORE_ACCEPTED,
	STORE_REFUSED, /* it is not what this version writes; why has been filled in */
	STORE_NO_MEMORY,
};

/* What the owner of a file does with its content, which is a JSON object once it has been accepted.
 * Each gets the owner's context. */
struct store_owner {
	/* Takes the content, any JSON value, into what is empty. */
	enum store_verdict (*decode)(void *context, const json_t *root, struct rec_error *error);

	/* Makes empty again what decode() has refused in the middle of it. */
	void (*reset)(void *context);

	/* Takes what still counts from a file that appeared after the start, and is about to be
	 * replaced. Refused, it must have taken nothing. */
	enum store_verdict (*decode_late)(
		void *context, const json_t *root, struct rec_error *error);

	/* The content as it is to be written, a text from malloc; NULL when memory ran out. */
	char *(*encode_new)(void *context);
};

/* What the owner knows of the time before. */
enum store_start {
	STORE_RESTORED, /* what was in the file */
	STORE_FRESH,    /* there was no file: nothing, and there is nothing to know */
	/* nothing, and there may be: the file cannot be used, or none can be kept there */
	STORE_UNKNOWN,
};

struct store {
	const char *path; /* NULL: nothing is kept */
	const struct store_owner *owner;
	void *context;
	enum store_start start;
	int lock_fd;       /* -1: not locked yet */
	bool unread;       /* the file is there, and could not be read yet */
	bool failing;      /* the last write did not succeed, which has been said */
	uint64_t saved_ns; /* when the last write was, as store_save() was told; 0: not yet */
};

/* Locks the file and lets the owner take its content. Without a file the owner is asked nothing.
 *
 * A file, lock or directory of another user, or one to which others may write, is a reason to end
 * (ownfile): what it says could be anybody's. No other file and no path is: each of these is one
 * warning, and leaves the owner empty. A link, a device and a FIFO stay as they are. A file that
 * the owner refuses is kept under another name, and replaced by the first store_save(). A path at
 * which nothing can be kept is tried again by each store_save(). A file that cannot be read is left
 * as it is, since it may hold events that nobody has received, until it can be.
 *
 * `path`, `owner` and `context` are kept, not copied. Returns 0, or the exit code to end with,
 * which has been said: EXIT_NO_PERMISSION when it is not ours, EXIT_TRY_LATER when another process
 * uses the file, EXIT_OS when memory ran out. store_close() in any case. */
int store_open(
	struct store *store, const char *path, const struct store_owner *owner, void *context);

/* Replaces the file by what the owner gives. A file that could not be seen or read at the start,
 * and now can, is handed to decode_late() before. `now_ns` is a time of the caller's, for saved_ns.
 * 0, or -1 after a warning (one, until it succeeds again). */
int store_save(struct store *store, uint64_t now_ns);

/* Gives up the lock. Harmless when there is none, but lock_fd must be -1 then. */
void store_close(struct store *store);

/* For encode functions: the text of a tree, which is taken; NULL: memory ran out while it was made,
 * or now. */
char *store_text_new(json_t *root);

/* For decode functions: 0 when a content is a JSON object whose "version" is this one, else -1 with
 * `*error`. */
int store_check_version(const json_t *root, int version, struct rec_error *error);

#endif
