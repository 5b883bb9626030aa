/* Unit tests of ctreval's store: the state file on its disk. */
#include "../../tools/ctreval/store.h"

#include "atomfile.h"
#include "check.h"
#include "diag.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TS "2026-01-02T03:04:05.000000Z"

struct whole {
	char path[200];
	struct counter_list counters;
	struct state state;
	struct event_stream stream;
	struct outbox outbox;
	struct statefile file;
	struct store store;
};

static void
begin(struct whole *whole, const char *name)
{
	*whole = (struct whole){0};
	diag_init("t");
	snprintf(whole->path, sizeof whole->path, "%s/%s", check_dir(), name);
	CHECK_INT(counter_list_init(&whole->counters), 0);
	CHECK_INT(outbox_init(&whole->outbox), 0);
	state_init(&whole->state, whole->counters.count);
	whole->file = (struct statefile){&whole->state, &whole->stream, &whole->outbox};
}

static void
end(struct whole *whole)
{
	store_close(&whole->store);
	state_fini(&whole->state);
	outbox_fini(&whole->outbox);
	counter_list_fini(&whole->counters);
}

/* What was said, with FILE for the path, to free(). */
static char *
said_new(const struct whole *whole)
{
	return check_replaced_new(check_captured_new(STDERR_FILENO), whole->path, "FILE");
}

static void
open_store(struct whole *whole, int status, const char *said)
{
	check_capture(STDERR_FILENO);
	int got = store_open(&whole->store, whole->path, &whole->counters, true, &whole->file);
	char *messages = said_new(whole);
	CHECK_INT(got, status);
	CHECK_STR(messages, said);
	free(messages);
}

static void
save_store(struct whole *whole, uint64_t at_ns, int status, const char *said)
{
	check_capture(STDERR_FILENO);
	int got = store_save(&whole->store, &whole->file, &whole->counters, TS, at_ns);
	char *messages = said_new(whole);
	CHECK_INT(got, status);
	CHECK_STR(messages, said);
	free(messages);
}

/* Whether there is a file beside the state file. */
static bool
is_there(const struct whole *whole, const char *suffix)
{
	char path[260];
	snprintf(path, sizeof path, "%s%s", whole->path, suffix);
	return access(path, F_OK) == 0;
}

static void
missing(void)
{
	struct whole whole;
	begin(&whole, "state");
	open_store(&whole, 0, "");
	CHECK(whole.store.fresh && whole.store.lock_fd >= 0 && !whole.store.failing);
	CHECK_INT((int64_t)whole.state.ports.count, 0);
	CHECK_STR(whole.stream.source, "");
	/* Nothing is written before there is something to write. */
	CHECK(!is_there(&whole, ""));
	CHECK(is_there(&whole, ".lock"));
	end(&whole);
}

static void
saved_and_read(void)
{
	struct whole whole;
	begin(&whole, "state");
	/* Another process, whose lock ends with it. */
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		open_store(&whole, 0, "");
		snprintf(whole.state.boot_id, sizeof whole.state.boot_id, "b1");
		state_device(&whole.state, "mlx5_0");
		snprintf(whole.stream.source, sizeof whole.stream.source, "s");
		whole.stream.seq = 7;
		json_t *events = check_json_new("[{'kind':'event','source':'s','seq':7}]");
		outbox_add(&whole.outbox, events);
		save_store(&whole, 4711, 0, "");
		_exit(whole.store.saved_ns == 4711 && !whole.store.failing ? 0 : 1);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	CHECK(!is_there(&whole, ".tmp"));
	open_store(&whole, 0, "");
	CHECK(!whole.store.fresh);
	CHECK_STR(whole.state.boot_id, "b1");
	CHECK(state_find_device(&whole.state, "mlx5_0") != NULL);
	CHECK_STR(whole.stream.source, "s");
	CHECK_U64(whole.stream.seq, 7);
	CHECK_INT((int64_t)json_array_size(whole.outbox.events), 1);
	end(&whole);
}

static void
corrupt(void)
{
	static const struct {
		const char *content, *reason;
	} rows[] = {
		{"", "byte 0: '[' or '{' expected near end of file"},
		{"{\"version\":1", "byte 12: '}' expected near end of file"},
		{"nonsense", "byte 8: '[' or '{' expected near 'nonsense'"},
		{"{\"version\":1,\"version\":1}", "byte 22: duplicate object key"},
		{"[]", "it is no JSON object"},
		{"{\"version\":2}", "its version is 2, not 1"},
		/* What was taken before the bad section must not stay. */
		{"{\"version\":1,\"boot_id\":\"b\",\"known_devices\":[\"a\"],\"source\":\"s\","
		 "\"seq\":7,\"outbox\":[{\"kind\":\"event\",\"source\":\"s\",\"seq\":1}],\"settled\":7}",
			"\"settled\" is neither true nor false"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char name[20], expected[300];
		struct whole whole;
		snprintf(name, sizeof name, "state%zu", i);
		check_row("%s", rows[i].content);
		check_file(name, rows[i].content);
		begin(&whole, name);
		check_capture(STDERR_FILENO);
		CHECK_INT(store_open(&whole.store, whole.path, &whole.counters, true, &whole.file),
			0);
		char *messages = said_new(&whole);
		CHECK_HAS(messages, "t: warning: FILE: ");
		CHECK_HAS(messages, "moved to FILE.corrupt, starting without it\n");
		CHECK_INT((int64_t)check_occurrences(messages, "\n"), 1);
		/* The wording about JSON is the library's. */
		if (strncmp(rows[i].reason, "byte", 4) != 0) {
			snprintf(expected, sizeof expected, "FILE: %s: moved", rows[i].reason);
			CHECK_HAS(messages, expected);
		} else {
			CHECK_HAS(messages, "FILE: byte ");
		}
		free(messages);
		CHECK(whole.store.fresh);
		CHECK(!is_there(&whole, ""));
		CHECK(is_there(&whole, ".corrupt"));
		CHECK_STR(whole.state.boot_id, "");
		CHECK_INT((int64_t)whole.state.devices.count, 0);
		CHECK_INT((int64_t)whole.state.counter_count, (int64_t)whole.counters.count);
		CHECK_STR(whole.stream.source, "");
		CHECK_U64(whole.stream.seq, 0);
		CHECK_INT((int64_t)json_array_size(whole.outbox.events), 0);
		/* And the next write is a good one. */
		save_store(&whole, 1, 0, "");
		CHECK(is_there(&whole, ""));
		end(&whole);
	}
}

static void
corrupt_is_kept(void)
{
	struct whole whole;
	size_t length;
	check_file("state.corrupt", "of last year");
	check_file("state", "of today");
	begin(&whole, "state");
	check_capture(STDERR_FILENO);
	CHECK_INT(store_open(&whole.store, whole.path, &whole.counters, true, &whole.file), 0);
	free(check_captured_new(STDERR_FILENO));
	char path[260];
	snprintf(path, sizeof path, "%s.corrupt", whole.path);
	char *text = atomfile_read_new(path, 100, &length);
	CHECK_STR(text, "of today");
	free(text);
	end(&whole);
}

static void
immovable(void)
{
	/* What cannot be moved aside is in the way of nothing. */
	struct whole whole;
	begin(&whole, "state");
	char path[260];
	snprintf(path, sizeof path, "%s.corrupt", whole.path);
	CHECK_INT(mkdir(path, 0700), 0);
	check_file("state", "nonsense");
	check_capture(STDERR_FILENO);
	CHECK_INT(store_open(&whole.store, whole.path, &whole.counters, true, &whole.file), 0);
	char *messages = said_new(&whole);
	CHECK_HAS(messages, "starting without it, and it cannot be moved aside: ");
	free(messages);
	CHECK(whole.store.fresh);
	save_store(&whole, 1, 0, "");
	end(&whole);
}

static void
oversize(void)
{
	struct whole whole;
	begin(&whole, "state");
	check_file("state", "");
	CHECK_INT(truncate(whole.path, (off_t)STORE_MAX_BYTES + 1), 0);
	open_store(&whole, 0,
		"t: warning: FILE: it is larger than any state: moved to FILE.corrupt, starting without it\n");
	CHECK(whole.store.fresh);
	end(&whole);
}

static void
unreadable(void)
{
	/* It may hold events that nobody has received: it is not overwritten. */
	struct whole whole;
	begin(&whole, "state");
	CHECK_INT(mkdir(whole.path, 0700), 0);
	open_store(&whole, EXIT_IO, "t: error: FILE: Is a directory\n");
	CHECK(!is_there(&whole, ".corrupt"));
	end(&whole);
}

/* Another process that holds the lock until it is killed. */
static pid_t
hold_lock(const struct whole *whole)
{
	int ready[2];
	char byte, path[260];
	snprintf(path, sizeof path, "%s.lock", whole->path);
	CHECK_INT(pipe(ready), 0);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		byte = atomfile_lock(path) >= 0 ? 'y' : 'n';
		ssize_t ignored = write(ready[1], &byte, 1);
		(void)ignored;
		pause();
		_exit(0);
	}
	CHECK_INT(read(ready[0], &byte, 1), 1);
	CHECK_INT(byte, 'y');
	close(ready[0]);
	close(ready[1]);
	return pid;
}

static void
locked_elsewhere(void)
{
	struct whole whole;
	check_file("state", "nonsense");
	begin(&whole, "state");
	pid_t pid = hold_lock(&whole);
	open_store(&whole, EXIT_TRY_LATER, "t: error: FILE: another process uses it\n");
	/* The other's file is not touched, whatever it holds. */
	CHECK(is_there(&whole, ""));
	CHECK(!is_there(&whole, ".corrupt"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check_capture(STDERR_FILENO);
	CHECK_INT(store_open(&whole.store, whole.path, &whole.counters, true, &whole.file), 0);
	free(check_captured_new(STDERR_FILENO));
	end(&whole);
}

static void
no_directory(void)
{
	struct whole whole;
	begin(&whole, "sub/state");
	open_store(&whole, 0,
		"t: warning: FILE.lock: No such file or directory: going on, but what is learned now "
		"may be lost\n");
	CHECK(whole.store.fresh && whole.store.failing && whole.store.lock_fd < 0);
	/* That has been said. */
	save_store(&whole, 1, -1, "");
	save_store(&whole, 2, -1, "");
	CHECK_U64(whole.store.saved_ns, 0);
	char path[200];
	snprintf(path, sizeof path, "%s/sub", check_dir());
	CHECK_INT(mkdir(path, 0700), 0);
	save_store(&whole, 3, 0, "t: note: FILE: is written again\n");
	CHECK(whole.store.lock_fd >= 0 && !whole.store.failing);
	CHECK_U64(whole.store.saved_ns, 3);
	save_store(&whole, 4, 0, "");
	end(&whole);
}

static void
lost_directory(void)
{
	/* The directory goes while the process runs, and comes back. */
	struct whole whole;
	char path[200], lock[260];
	snprintf(path, sizeof path, "%s/sub", check_dir());
	CHECK_INT(mkdir(path, 0700), 0);
	begin(&whole, "sub/state");
	open_store(&whole, 0, "");
	save_store(&whole, 1, 0, "");
	unlink(whole.path);
	snprintf(lock, sizeof lock, "%s.lock", whole.path);
	unlink(lock);
	CHECK_INT(rmdir(path), 0);
	save_store(&whole, 2, -1,
		"t: warning: FILE: No such file or directory: what is learned now is lost if this "
		"process ends before it can be written again\n");
	save_store(&whole, 3, -1, "");
	save_store(&whole, 4, -1, "");
	CHECK_U64(whole.store.saved_ns, 1);
	CHECK_INT(mkdir(path, 0700), 0);
	save_store(&whole, 5, 0, "t: note: FILE: is written again\n");
	CHECK(is_there(&whole, ""));
	/* The second time is said again. */
	unlink(whole.path);
	unlink(lock);
	CHECK_INT(rmdir(path), 0);
	check_capture(STDERR_FILENO);
	CHECK_INT(store_save(&whole.store, &whole.file, &whole.counters, TS, 6), -1);
	char *messages = said_new(&whole);
	CHECK_HAS(messages, "t: warning: FILE: No such file or directory");
	free(messages);
	end(&whole);
}

/* A file that another run has left in a directory that was missing at the start. */
static void
appears_late(void)
{
	struct whole whole, other;
	char path[200];
	snprintf(path, sizeof path, "%s/late", check_dir());
	begin(&whole, "late/state");
	open_store(&whole, 0,
		"t: warning: FILE.lock: No such file or directory: going on, but what is learned now "
		"may be lost\n");
	CHECK_INT(mkdir(path, 0700), 0);
	begin(&other, "late/state");
	open_store(&other, 0, "");
	json_array_append_new(
		other.outbox.events, json_pack("{s:s, s:s, s:s, s:i}", "kind", "event", "id", "s-1",
					     "source", "s", "seq", 1));
	save_store(&other, 1, 0, "");
	end(&other);

	save_store(&whole, 2, 0, "t: note: FILE: is written again\n");
	CHECK_INT((int64_t)json_array_size(whole.store.found), 1);
	CHECK_INT((int64_t)json_array_size(whole.outbox.events), 1);
	json_decref(whole.store.found);
	whole.store.found = NULL;
	/* Once. */
	save_store(&whole, 3, 0, "");
	CHECK(whole.store.found == NULL);
	end(&whole);
}

static const struct check_test tests[] = {
	{"a file that appears late gives its events before it is replaced", appears_late},
	{"a missing file is a fresh start", missing},
	{"what one process saves the next one reads", saved_and_read},
	{"a corrupt file is moved aside, and nothing of it stays", corrupt},
	{"of corrupt files the latest is kept", corrupt_is_kept},
	{"a corrupt file that cannot be moved aside is no obstacle", immovable},
	{"a file larger than any state is corrupt", oversize},
	{"a file that cannot be read is not overwritten", unreadable},
	{"a file that another process uses is left alone", locked_elsewhere},
	{"a missing directory is said once, and when it is there after all", no_directory},
	{"a directory that goes is said once, and when it is back", lost_directory},
};
CHECK_MAIN(tests)
