/* store - reads, locks and replaces a state file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include "atomfile.h"
#include "diag.h"
#include "fd.h"
#include "ownfile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Longest path shown in a message. */
#define SHOWN_PATH_BYTES 500

#define OVERSIZE "it is too large for a state file"

/* Endings of the files kept beside the state file, except .tmp, which is created anew each time. */
static const char *const beside[] = {".lock", NULL};

/* Return `path` with a suffix, from malloc, or NULL when out of memory. */
static char *
beside_new(const char *path, const char *suffix)
{
	char *text;
	return asprintf(&text, "%s%s", path, suffix) < 0 ? NULL : text;
}

/* Lock a separate file: each write replaces the state file. Set `*fresh` if the lock was not held
 * before. Return 0, or -1 with errno. */
static int
lock_file(struct store *store, bool *fresh)
{
	char *path = beside_new(store->path, ".lock");
	if (path == NULL) {
		errno = ENOMEM;
		return -1;
	}
	*fresh = store->lock_fd < 0 || !atomfile_is_locked(store->lock_fd, path);
	if (*fresh) {
		int fd = atomfile_lock(path);
		store_close(store);
		store->lock_fd = fd;
	}
	free(path);
	return store->lock_fd >= 0 ? 0 : -1;
}

void
store_close(struct store *store)
{
	fd_close(store->lock_fd);
	store->lock_fd = -1;
}

/* --- reading --- */

/* Give the file a second name, so that it has a name at any moment. Where hard links are not
 * supported, rename it. */
static int
give_name(const char *path, const char *name)
{
	unlink(name);
	return link(path, name) == 0 ? 0 : rename(path, name);
}

/* Keep an unusable file for people to examine, where it is not read again. */
static void
keep_aside(const struct store *store, const char *reason)
{
	char *path = beside_new(store->path, ".corrupt");
	if (path != NULL && give_name(store->path, path) == 0)
		diag_warn("%s: %s: kept as %s, starting without it", store->path, reason, path);
	else
		diag_warn("%s: %s: starting without it; it cannot be moved aside: %s", store->path,
			reason, strerror(errno));
	free(path);
}

int
store_check_version(const json_t *root, int version, struct rec_error *error)
{
	int64_t found;
	if (!json_is_object(root))
		return rec_refuse(error, "it is not a JSON object");
	if (rec_get_int(root, "version", &found) != REC_OK)
		return rec_refuse(error, "it has no version");
	if (found != version)
		return rec_refuse(error, "its version is %lld, not %d", (long long)found, version);
	return 0;
}

/* Decode the content with one of the owner's two decoders. Keep a refused file aside. */
static enum store_verdict
decode_text(const struct store *store, const char *text, size_t length,
	enum store_verdict (*decode)(void *, const json_t *, struct rec_error *))
{
	struct rec_error error;
	json_error_t json_error;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &json_error);
	enum store_verdict verdict = STORE_REFUSED;

	/* This program writes integers that jansson cannot hold as strings; others write them as
	 * numbers. */
	if (root == NULL && json_error_code(&json_error) == json_error_numeric_overflow)
		root = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_INT_AS_REAL,
			&json_error);

	if (root != NULL)
		verdict = decode(store->context, root, &error);
	else
		rec_refuse(&error, "byte %d: %.100s", json_error.position, json_error.text);
	json_decref(root);
	if (verdict == STORE_REFUSED)
		keep_aside(store, error.reason);
	return verdict;
}

/* Return what a special file at `path` is, or NULL. A device or FIFO, such as /dev/null, must be
 * neither read nor replaced, nor get a lock file. A link is not followed: a new file would replace
 * the link, not its target. */
static const char *
find_special(const char *path)
{
	struct stat there;
	if (lstat(path, &there) < 0 || S_ISREG(there.st_mode) || S_ISDIR(there.st_mode))
		return NULL;
	return S_ISLNK(there.st_mode) ? "a symbolic link" : "not a regular file";
}

/* Report the first reason for not using the file. Cut a path that is too long for any file, to
 * leave room for the reason. */
static void
note_unusable(struct store *store, const char *what, const char *reason)
{
	bool fits = strlen(store->path) <= SHOWN_PATH_BYTES;
	if (!store->failing)
		diag_warn("%.*s%s: %s: continuing without it: new state is lost if this process "
			  "ends before it can be written",
			SHOWN_PATH_BYTES, store->path, fits ? what : "...", reason);
	store->failing = true;
	store->start = STORE_UNKNOWN;
}

static int
decode_start(struct store *store, const char *text, size_t length)
{
	switch (decode_text(store, text, length, store->owner->decode)) {
	case STORE_ACCEPTED:
		store->start = STORE_RESTORED;
		return 0;
	case STORE_REFUSED:
		store->owner->reset(store->context);
		store->start = STORE_UNKNOWN;
		return 0;
	case STORE_NO_MEMORY:
		break;
	}
	return diag_no_memory();
}

static int
read_start(struct store *store)
{
	size_t length;
	char *text = atomfile_read_new(store->path, STORE_MAX_BYTES, &length);
	if (text != NULL) {
		int status = decode_start(store, text, length);
		free(text);
		return status;
	}
	switch (errno) {
	case ENOENT:
		return 0;
	case EFBIG:
		keep_aside(store, OVERSIZE);
		store->start = STORE_UNKNOWN;
		return 0;
	case ENOMEM:
		return diag_no_memory();
	default:
		store->unread = true;
		note_unusable(store, "", strerror(errno));
		return 0;
	}
}

/* Report which process holds the lock. */
static void
report_holder(const struct store *store)
{
	char holder[ATOMFILE_HOLDER_SIZE] = "another process";
	char *lock = beside_new(store->path, ".lock");
	if (lock != NULL)
		atomfile_describe_holder(lock, holder);
	free(lock);
	diag_error("%s: in use by %s", store->path, holder);
}

int
store_open(struct store *store, const char *path, const struct store_owner *owner, void *context)
{
	bool fresh;
	char reason[OWNFILE_REASON_SIZE];
	*store = (struct store){.path = path,
		.owner = owner,
		.context = context,
		.start = STORE_FRESH,
		.lock_fd = -1};
	if (!ownfile_may_keep_all(path, beside, reason)) {
		diag_error("%s: %s: refusing to use it as the state file", path, reason);
		return EXIT_NO_PERMISSION;
	}
	const char *special = find_special(path);
	if (special != NULL) {
		store->unread = true;
		note_unusable(store, "", special);
		return 0;
	}
	if (lock_file(store, &fresh) == 0)
		return read_start(store);
	if (errno == EWOULDBLOCK) {
		report_holder(store);
		return EXIT_TRY_LATER;
	}
	note_unusable(store, ".lock", strerror(errno));
	return read_start(store);
}

/* --- writing --- */

/* Read a file found when the lock is taken late: another run wrote it, or this one before its
 * directory disappeared; or read a file that could not be read before. */
static int
read_late(const struct store *store)
{
	size_t length;
	char *text = atomfile_read_new(store->path, STORE_MAX_BYTES, &length);
	if (text == NULL && errno == EFBIG)
		keep_aside(store, OVERSIZE);
	else if (text == NULL && errno != ENOENT)
		return -1;
	if (text == NULL)
		return 0;
	enum store_verdict verdict = decode_text(store, text, length, store->owner->decode_late);
	free(text);
	if (verdict != STORE_NO_MEMORY)
		return 0;
	errno = ENOMEM;
	return -1;
}

char *
store_text_new(json_t *root)
{
	char *text = root != NULL ? json_dumps(root, JSON_COMPACT) : NULL;
	json_decref(root);
	return text;
}

/* Return 0, or -1 with errno. */
static int
replace_file(struct store *store)
{
	bool fresh;
	if (lock_file(store, &fresh) < 0)
		return -1;
	store->unread |= fresh;
	if (store->unread && read_late(store) < 0)
		return -1;
	store->unread = false;
	char *text = store->owner->encode_new(store->context);
	if (text == NULL) {
		errno = ENOMEM;
		return -1;
	}
	int status = atomfile_write(store->path, text, strlen(text), ATOMFILE_MODE);
	free(text);
	return status;
}

/* Return 0, or -1 with the reason. */
static int
write_file(struct store *store, char reason[OWNFILE_REASON_SIZE])
{
	bool is_special = find_special(store->path) != NULL;
	if (!is_special && !ownfile_may_keep_all(store->path, beside, reason))
		return -1;
	if (!is_special && replace_file(store) == 0)
		return 0;
	snprintf(reason, OWNFILE_REASON_SIZE, "%s", strerror(is_special ? EEXIST : errno));
	return -1;
}

int
store_save(struct store *store, uint64_t now_ns)
{
	char reason[OWNFILE_REASON_SIZE];
	if (write_file(store, reason) < 0) {
		if (!store->failing)
			diag_warn("%s: %s: new state is lost if this process ends before it can be "
				  "written again",
				store->path, reason);
		store->failing = true;
		return -1;
	}
	if (store->failing)
		diag_note("%s: can be written again", store->path);
	store->failing = false;
	store->saved_ns = now_ns;
	return 0;
}
