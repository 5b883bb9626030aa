/* store - the state file on its disk. */
#include "store.h"

#include "atomfile.h"
#include "diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Empties what a file that turned out to be corrupt has left behind. */
static int
start_over(struct statefile *file)
{
	size_t counter_count = file->state->counter_count;
	state_fini(file->state);
	state_init(file->state, counter_count);
	*file->stream->source = '\0';
	file->stream->seq = 0;
	outbox_clear(file->outbox);
	return 0;
}

static int
take_text(struct store *store, const char *text, size_t length, const struct counter_list *counters,
	bool counter_detection, struct statefile *file)
{
	struct rec_error error;
	json_error_t json_error;
	json_t *root = json_loadb(text, length, JSON_REJECT_DUPLICATES, &json_error);

	if (root == NULL) {
		snprintf(error.reason, sizeof error.reason, "byte %d: %.100s", json_error.position,
			json_error.text);
		move_aside(store, error.reason);
		return 0;
	}
	int status = statefile_decode(root, counters, counter_detection, file, &error);
	json_decref(root);
	if (status == 0) {
		store->fresh = false;
		return 0;
	}
	move_aside(store, error.reason);
	return start_over(file);
}

/* A device or FIFO, /dev/null say, must neither be read as a state nor moved aside. */
static bool
is_special(const char *path)
{
	struct stat there;
	return stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
}

int
store_open(struct store *store, const char *path, const struct counter_list *counters,
	bool counter_detection, struct statefile *file)
{
	bool fresh;
	*store = (struct store){.path = path, .lock_fd = -1, .fresh = true};
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
		move_aside(store, "it is larger than any state");
		return 0;
	}
	if (text == NULL) {
		/* It may hold events that nobody has received yet: starting without it would overwrite them. */
		diag_error("%s: %s", path, strerror(errno));
		return errno == EACCES ? EXIT_NO_PERMISSION : errno == ENOMEM ? EXIT_OS : EXIT_IO;
	}
	int status = take_text(store, text, length, counters, counter_detection, file);
	free(text);
	return status;
}

/* --- writing --- */

/* A file that is there when the lock is taken late is another run's, or this one's before its directory went away: its events may not have been
 * received. What else it knows is older than what this process knows. */
static int
take_over(struct store *store, const struct statefile *file, const struct counter_list *counters)
{
	struct state state;
	struct event_stream stream = {.source = ""};
	struct outbox outbox;
	struct statefile other = {.state = &state, .stream = &stream, .outbox = &outbox};
	size_t length;
	char *text = atomfile_read_new(store->path, STORE_MAX_BYTES, &length);

	if (text == NULL)
		return errno == ENOENT ? 0 : -1;
	if (outbox_init(&outbox) < 0) {
		free(text);
		errno = ENOMEM;
		return -1;
	}
	state_init(&state, counters->count);
	int status = take_text(store, text, length, counters, true, &other);
	free(text);
	/* Those that this process has in its own outbox have been written. */
	if (status == 0)
		status = outbox_merge(file->outbox, outbox.events, &store->found);
	outbox_fini(&outbox);
	state_fini(&state);
	if (status < 0)
		errno = ENOMEM;
	return status;
}

static int
write_file(struct store *store, const struct statefile *file, const struct counter_list *counters,
	const char *ts, uint64_t boottime_ns)
{
	bool fresh;
	if (take_lock(store, &fresh) < 0)
		return -1;
	if (fresh && take_over(store, file, counters) < 0)
		return -1;
	json_t *root = statefile_encode_new(file, counters, ts, boottime_ns);
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
store_save(struct store *store, const struct statefile *file, const struct counter_list *counters,
	const char *ts, uint64_t boottime_ns)
{
	if (write_file(store, file, counters, ts, boottime_ns) < 0) {
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
	store->saved_ns = boottime_ns;
	return 0;
}
