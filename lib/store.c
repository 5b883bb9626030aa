/* store - a state file on its disk. */
#include "store.h"

#include "atomfile.h"
#include "diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OVERSIZE "it is larger than any state"

/* `path` with something behind it; NULL when memory ran out. */
static char *
beside_new(const char *path, const char *suffix)
{
	char *text;
	return asprintf(&text, "%s%s", path, suffix) < 0 ? NULL : text;
}

/* The lock is a file of its own: the state file is another one after each write. `*fresh` when it was not held before. 0, or -1 with errno. */
static int
take_lock(struct store *store, bool *fresh)
{
	char *path = beside_new(store->path, ".lock");
	if (path == NULL) {
		errno = ENOMEM;
		return -1;
	}
	*fresh = store->lock_fd < 0 || !atomfile_is_locked(store->lock_fd, path);
	if (*fresh) {
		int fd = atomfile_lock(path);
		int saved_errno = errno;
		store_close(store);
		store->lock_fd = fd;
		errno = saved_errno;
	}
	int saved_errno = errno;
	free(path);
	errno = saved_errno;
	return store->lock_fd >= 0 ? 0 : -1;
}

void
store_close(struct store *store)
{
	if (store->lock_fd >= 0)
		close(store->lock_fd);
	store->lock_fd = -1;
}

/* --- reading --- */

/* What cannot be used is kept for people to look at, and does not get in the way again. */
static void
move_aside(const struct store *store, const char *reason)
{
	char *path = beside_new(store->path, ".corrupt");
	if (path != NULL && rename(store->path, path) == 0)
		diag_warn("%s: %s: moved to %s, starting without it", store->path, reason, path);
	else
		diag_warn("%s: %s: starting without it, and it cannot be moved aside: %s",
			store->path, reason, strerror(errno));
	free(path);
}

int
store_check_version(const json_t *root, int version, struct rec_error *error)
{
	int64_t found;
	if (!json_is_object(root))
		return rec_refuse(error, "it is no JSON object");
	if (rec_get_int(root, "version", &found) != REC_OK)
		return rec_refuse(error, "it has no version");
	if (found != version)
		return rec_refuse(error, "its version is %lld, not %d", (long long)found, version);
	return 0;
}

/* Hands the content of a file to one of the owner's two takers; what it refuses is moved aside. */
static enum store_verdict
take_text(const struct store *store, const char *text, size_t length,
	enum store_verdict (*decode)(void *, const json_t *, struct rec_error *))
{
	struct rec_error error;
	json_error_t json_error;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &json_error);
	enum store_verdict verdict = STORE_REFUSED;

	if (root != NULL)
		verdict = decode(store->context, root, &error);
	else
		rec_refuse(&error, "byte %d: %.100s", json_error.position, json_error.text);
	json_decref(root);
	if (verdict == STORE_REFUSED)
		move_aside(store, error.reason);
	return verdict;
}

/* A device or FIFO, /dev/null say, must neither be read as a state nor moved aside. */
static bool
is_special(const char *path)
{
	struct stat there;
	return stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
}

int
store_open(struct store *store, const char *path, const struct store_owner *owner, void *context)
{
	bool fresh;
	*store = (struct store){
		.path = path, .owner = owner, .context = context, .lock_fd = -1, .fresh = true};
	if (is_special(path)) {
		diag_error("%s: not a regular file", path);
		return EXIT_CONFIG;
	}
	if (take_lock(store, &fresh) < 0) {
		if (errno == EWOULDBLOCK) {
			diag_error("%s: another process uses it", path);
			return EXIT_TRY_LATER;
		}
		diag_warn("%s.lock: %s: going on, but what is learned now may be lost", path,
			strerror(errno));
		store->failing = true;
	}

	size_t length;
	char *text = atomfile_read_new(path, STORE_MAX_BYTES, &length);
	if (text == NULL && errno == ENOENT)
		return 0;
	if (text == NULL && errno == EFBIG) {
		move_aside(store, OVERSIZE);
		return 0;
	}
	if (text == NULL) {
		/* It may hold events that nobody has received yet: starting without it would overwrite them. */
		diag_error("%s: %s", path, strerror(errno));
		return errno == EACCES ? EXIT_NO_PERMISSION : errno == ENOMEM ? EXIT_OS : EXIT_IO;
	}
	enum store_verdict verdict = take_text(store, text, length, owner->decode);
	free(text);
	switch (verdict) {
	case STORE_TAKEN:
		store->fresh = false;
		break;
	case STORE_REFUSED:
		owner->reset(context);
		break;
	case STORE_NO_MEMORY:
		diag_error("out of memory");
		return EXIT_OS;
	}
	return 0;
}

/* --- writing --- */

/* A file that is there when the lock is taken late is another run's, or this one's before its directory went away. */
static int
take_over(const struct store *store)
{
	size_t length;
	char *text = atomfile_read_new(store->path, STORE_MAX_BYTES, &length);
	if (text == NULL && errno == EFBIG)
		move_aside(store, OVERSIZE);
	else if (text == NULL && errno != ENOENT)
		return -1;
	if (text == NULL)
		return 0;
	enum store_verdict verdict = take_text(store, text, length, store->owner->decode_late);
	free(text);
	if (verdict != STORE_NO_MEMORY)
		return 0;
	errno = ENOMEM;
	return -1;
}

static int
write_file(struct store *store)
{
	bool fresh;
	if (take_lock(store, &fresh) < 0)
		return -1;
	if (fresh && take_over(store) < 0) {
		/* Without the lock the next try begins with the same. */
		int saved_errno = errno;
		store_close(store);
		errno = saved_errno;
		return -1;
	}
	json_t *root = store->owner->encode_new(store->context);
	char *text = root != NULL ? json_dumps(root, JSON_COMPACT) : NULL;
	json_decref(root);
	if (text == NULL) {
		errno = ENOMEM;
		return -1;
	}
	int status = atomfile_write(store->path, text, strlen(text), ATOMFILE_MODE);
	int saved_errno = errno;
	free(text);
	errno = saved_errno;
	return status;
}

int
store_save(struct store *store, uint64_t now_ns)
{
	if (write_file(store) < 0) {
		if (!store->failing)
			diag_warn(
				"%s: %s: what is learned now is lost if this process ends before it can "
				"be written again",
				store->path, strerror(errno));
		store->failing = true;
		return -1;
	}
	if (store->failing)
		diag_note("%s: is written again", store->path);
	store->failing = false;
	store->saved_ns = now_ns;
	return 0;
}
