/* store - reads, locks and replaces a state file (spec#state-file). */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_STORE_H
#define NHM_STORE_H

#include "rec.h"

/* Largest state file that is read, bytes. It must exceed what any tool writes: correlate keeps up
 * to 100,000 groups of events, most of them below 4 KiB. */
#define STORE_MAX_BYTES ((size_t)512 << 20)

enum store_verdict {
	STORE_ACCEPTED,
	STORE_REFUSED, /* this version does not write such a content; error is set */
	STORE_NO_MEMORY,
};

/* Functions of the file's owner. An accepted content is a JSON object. Each function gets the
 * owner's context. */
struct store_owner {
	/* Decode the content, any JSON value, into an empty state. */
	enum store_verdict (*decode)(void *context, const json_t *root, struct rec_error *error);

	/* Empty the state after decode() refused a content. */
	void (*reset)(void *context);

	/* Take the parts that are still valid from a file that appeared after the start and is
	 * about to be replaced. Take nothing on refusal. */
	enum store_verdict (*decode_late)(
		void *context, const json_t *root, struct rec_error *error);

	/* Return the content to write, text from malloc, or NULL when out of memory. */
	char *(*encode_new)(void *context);
};

/* What the owner knows from earlier runs. */
enum store_start {
	STORE_RESTORED, /* the content of the file */
	STORE_FRESH,    /* nothing: there was no file */
	/* nothing, although there may be a state: the file cannot be used, or not created there */
	STORE_UNKNOWN,
};

struct store {
	const char *path; /* NULL: no state is kept */
	const struct store_owner *owner;
	void *context;
	enum store_start start;
	int lock_fd;       /* -1: not locked yet */
	bool unread;       /* the file exists, but could not be read yet */
	bool failing;      /* the last write failed, and that was reported */
	uint64_t saved_ns; /* now_ns of the last successful store_save(); 0: none */
};

/* Lock the file and decode it with the owner's decode(). Without a file, call none of the owner's
 * functions.
 *
 * A file, lock or directory of another user, or one to which others may write, makes this fail: its
 * content cannot be trusted (ownfile). Any other unusable file or path causes one warning and
 * leaves the owner empty. Links, devices and FIFOs are left alone. A file that the owner refuses is
 * kept under another name, and replaced by the first store_save(). If no file can be created at the
 * path, each store_save() tries again. A file that cannot be read is left alone until it can be: it
 * may hold events that nobody received.
 *
 * `path`, `owner` and `context` are kept, not copied. Return 0, or the exit code after reporting
 * the error: EXIT_NO_PERMISSION if the file is not ours, EXIT_TRY_LATER if another process uses it,
 * EXIT_OS when out of memory. Call store_close() in every case. */
int store_open(
	struct store *store, const char *path, const struct store_owner *owner, void *context);

/* Replace the file by the owner's content. First pass a file that was not visible or readable at
 * the start, and now is, to decode_late(). `now_ns` is any time of the caller's, for saved_ns.
 * Return 0, or -1 after a warning, which is not repeated until a write succeeds. */
int store_save(struct store *store, uint64_t now_ns);

/* Release the lock. Without one, lock_fd must be -1. */
void store_close(struct store *store);

/* For encode functions: return the text of a tree, and release the tree. Return NULL when out of
 * memory; a NULL tree means that its maker was. */
char *store_text_new(json_t *root);

/* For decode functions: return 0 if the content is a JSON object with this "version", else -1 with
 * `*error`. */
int store_check_version(const json_t *root, int version, struct rec_error *error);

#endif
