/* Unit tests of store: reading, locking and saving a state file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "store.h"

#include "atomfile.h"
#include "check.h"
#include "diag.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* An owner whose content is a text, rejected if "bad" follows it. */
struct whole {
	char path[500];
	char text[20];
	char late[20]; /* the text of a file that appeared after the start */
	bool no_memory;
	struct store store;
};

static enum store_verdict
take(struct whole *whole, const json_t *root, char text[20], struct rec_error *error)
{
	const char *found = NULL;
	if (store_check_version(root, 1, error) < 0)
		return STORE_REFUSED;
	if (whole->no_memory)
		return STORE_NO_MEMORY;
	rec_get_string(root, "text", &found);
	snprintf(text, 20, "%s", found != NULL ? found : "");
	if (json_object_get(root, "bad") != NULL) {
		rec_refuse(error, "it is bad");
		return STORE_REFUSED;
	}
	return STORE_ACCEPTED;
}

static enum store_verdict
decode(void *context, const json_t *root, struct rec_error *error)
{
	struct whole *whole = context;
	return take(whole, root, whole->text, error);
}

static enum store_verdict
decode_late(void *context, const json_t *root, struct rec_error *error)
{
	struct whole *whole = context;
	return take(whole, root, whole->late, error);
}

static void
reset(void *context)
{
	*((struct whole *)context)->text = '\0';
}

static char *
encode_new(void *context)
{
	const struct whole *whole = context;
	return store_text_new(whole->no_memory
				      ? NULL
				      : json_pack("{s:i, s:s}", "version", 1, "text", whole->text));
}

static const struct store_owner owner = {decode, reset, decode_late, encode_new};

static void
begin(struct whole *whole, const char *name)
{
	*whole = (struct whole){.store.lock_fd = -1};
	diag_init("t");
	snprintf(whole->path, sizeof whole->path, "%s/%s", check_dir(), name);
}

static void
end(struct whole *whole)
{
	store_close(&whole->store);
}

/* Return the messages, with FILE for the path, to free(). */
static char *
said_new(const struct whole *whole)
{
	return check_replaced_new(check_captured_new(STDERR_FILENO), whole->path, "FILE");
}

static void
open_store(struct whole *whole, int status, const char *said)
{
	check_capture(STDERR_FILENO);
	int got = store_open(&whole->store, whole->path, &owner, whole);
	char *messages = said_new(whole);
	CHECK_INT(got, status);
	CHECK_STR(messages, said);
	free(messages);
}

static void
save_store(struct whole *whole, uint64_t at_ns, int status, const char *said)
{
	check_capture(STDERR_FILENO);
	int got = store_save(&whole->store, at_ns);
	char *messages = said_new(whole);
	CHECK_INT(got, status);
	CHECK_STR(messages, said);
	free(messages);
}

/* Return whether there is a file with this suffix beside the state file. */
static bool
is_there(const struct whole *whole, const char *suffix)
{
	char path[520];
	snprintf(path, sizeof path, "%s%s", whole->path, suffix);
	return access(path, F_OK) == 0;
}

#define GOING_ON \
	": continuing without it: new state is lost if this process ends before it can " \
	"be " \
	"written\n"
#define NO_DIRECTORY "t: warning: FILE.lock: No such file or directory" GOING_ON

static void
missing(void)
{
	struct whole whole;
	begin(&whole, "state");
	open_store(&whole, 0, "");
	CHECK_INT(whole.store.start, STORE_FRESH);
	CHECK(whole.store.lock_fd >= 0 && !whole.store.failing);
	CHECK_STR(whole.text, "");
	/* No file is written before there is any content. */
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
		snprintf(whole.text, sizeof whole.text, "what was learned");
		save_store(&whole, 4711, 0, "");
		_exit(whole.store.saved_ns == 4711 && !whole.store.failing ? 0 : 1);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	CHECK(!is_there(&whole, ".tmp"));
	open_store(&whole, 0, "");
	CHECK_INT(whole.store.start, STORE_RESTORED);
	CHECK_STR(whole.text, "what was learned");
	end(&whole);
}

/* Check the content of the file with this suffix beside the state file. */
static void
check_content(const struct whole *whole, const char *suffix, const char *content)
{
	char path[520];
	size_t length;
	snprintf(path, sizeof path, "%s%s", whole->path, suffix);
	char *text = atomfile_read_new(path, 1000, &length);
	CHECK_STR(text, content);
	free(text);
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
		{"[]", "it is not a JSON object"},
		{"{\"version\":2}", "its version is 2, not 1"},
		/* The text parsed before the bad section must not stay. */
		{"{\"version\":1,\"text\":\"half\",\"bad\":true}", "it is bad"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char name[20], expected[300];
		struct whole whole;
		snprintf(name, sizeof name, "state%zu", i);
		check_row("%s", rows[i].content);
		check_file(name, rows[i].content);
		begin(&whole, name);
		check_capture(STDERR_FILENO);
		CHECK_INT(store_open(&whole.store, whole.path, &owner, &whole), 0);
		char *messages = said_new(&whole);
		CHECK_HAS(messages, "t: warning: FILE: ");
		CHECK_HAS(messages, "kept as FILE.corrupt, starting without it\n");
		CHECK_INT((int64_t)check_occurrences(messages, "\n"), 1);
		/* The message about JSON is the library's. */
		if (strncmp(rows[i].reason, "byte", 4) != 0) {
			snprintf(expected, sizeof expected, "FILE: %s: kept", rows[i].reason);
			CHECK_HAS(messages, expected);
		} else {
			CHECK_HAS(messages, "FILE: byte ");
		}
		free(messages);
		CHECK_INT(whole.store.start, STORE_UNKNOWN);
		/* The file has both names until it is replaced: after a kill now the next start
		 * finds it again. */
		check_content(&whole, "", rows[i].content);
		check_content(&whole, ".corrupt", rows[i].content);
		CHECK_STR(whole.text, "");
		/* The next save writes a good one. */
		save_store(&whole, 1, 0, "");
		check_content(&whole, "", "{\"version\":1,\"text\":\"\"}");
		check_content(&whole, ".corrupt", rows[i].content);
		end(&whole);
	}
}

static void
corrupt_is_kept(void)
{
	struct whole whole;
	check_file("state.corrupt", "of last year");
	check_file("state", "of today");
	begin(&whole, "state");
	check_capture(STDERR_FILENO);
	CHECK_INT(store_open(&whole.store, whole.path, &owner, &whole), 0);
	free(check_captured_new(STDERR_FILENO));
	check_content(&whole, ".corrupt", "of today");
	end(&whole);
}

static void
immovable(void)
{
	/* It does not block the next save. */
	struct whole whole;
	begin(&whole, "state");
	char path[520];
	snprintf(path, sizeof path, "%s.corrupt", whole.path);
	CHECK_INT(mkdir(path, 0700), 0);
	check_file("state", "nonsense");
	check_capture(STDERR_FILENO);
	CHECK_INT(store_open(&whole.store, whole.path, &owner, &whole), 0);
	char *messages = said_new(&whole);
	CHECK_HAS(messages, "starting without it; it cannot be moved aside: ");
	free(messages);
	CHECK_INT(whole.store.start, STORE_UNKNOWN);
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
		"t: warning: FILE: it is too large for a state file: kept as FILE.corrupt, "
		"starting "
		"without it\n");
	CHECK_INT(whole.store.start, STORE_UNKNOWN);
	end(&whole);
}

/* Check that the file is neither kept aside nor replaced, however often, and reported once. */
static void
stays_unusable(struct whole *whole, const char *said)
{
	open_store(whole, 0, said);
	CHECK_INT(whole->store.start, STORE_UNKNOWN);
	CHECK_STR(whole->text, "");
	save_store(whole, 1, -1, "");
	save_store(whole, 2, -1, "");
	CHECK(!is_there(whole, ".corrupt"));
	CHECK(!is_there(whole, ".tmp"));
}

/* Check that its events are read once it is readable, and that it is then replaced. */
static void
can_be_read(struct whole *whole)
{
	save_store(whole, 3, 0, "t: note: FILE: can be written again\n");
	CHECK_STR(whole->late, "other");
	check_content(whole, "", "{\"version\":1,\"text\":\"\"}");
	end(whole);
}

#define OTHER "{\"version\":1,\"text\":\"other\"}"

static void
unreadable(void)
{
	/* It may hold events that were not received. */
	struct whole whole;
	begin(&whole, "state");
	CHECK_INT(mkdir(whole.path, 0700), 0);
	stays_unusable(&whole, "t: warning: FILE: Is a directory" GOING_ON);
	CHECK_INT(rmdir(whole.path), 0);
	check_file("state", OTHER);
	can_be_read(&whole);
}

/* Our own symbolic link is left alone, wherever it points. */
static void
stays_a_link(const char *target)
{
	struct whole whole;
	begin(&whole, "state");
	CHECK_INT(symlink(target, whole.path), 0);
	stays_unusable(&whole, "t: warning: FILE: a symbolic link" GOING_ON);
	CHECK_INT(unlink(whole.path), 0);
	check_file("state", OTHER);
	can_be_read(&whole);
	CHECK_INT(unlink(whole.path), 0);
}

static void
links(void)
{
	stays_a_link("elsewhere");
	stays_a_link("state");
	check_file("elsewhere", OTHER);
	stays_a_link("elsewhere");
}

/* Another user with write access could have written any state. */
static void
open_to_others(void)
{
	static const char *const names[] = {"state", "state.lock"};
	struct whole whole;
	begin(&whole, "state");
	for (size_t i = 0; i < CHECK_COUNT(names); i++) {
		char said[200];
		check_row("%s", names[i]);
		CHECK_INT(chmod(check_file(names[i], OTHER), 0666), 0);
		snprintf(said, sizeof said,
			"t: error: FILE: others may write to %s (mode 0666): refusing to use it as "
			"the state file\n",
			i == 0 ? "it" : "its file .lock");
		open_store(&whole, EXIT_NO_PERMISSION, said);
		CHECK_STR(whole.text, "");
		char path[200];
		snprintf(path, sizeof path, "%s/%s", check_dir(), names[i]);
		CHECK_INT(unlink(path), 0);
	}
	CHECK_INT(chmod(check_dir(), 0777), 0);
	open_store(&whole, EXIT_NO_PERMISSION,
		"t: error: FILE: others may write to its directory (mode 0777): refusing to use it "
		"as "
		"the state file\n");
	CHECK_INT(chmod(check_dir(), 01777), 0);
	open_store(&whole, 0, "");
	end(&whole);
}

/* It is not written to either when that happens later. */
static void
opened_to_others(void)
{
	struct whole whole;
	begin(&whole, "state");
	check_file("state", OTHER);
	open_store(&whole, 0, "");
	CHECK_INT(chmod(whole.path, 0666), 0);
	save_store(&whole, 1, -1,
		"t: warning: FILE: others may write to it (mode 0666): new state is lost if this "
		"process ends before it can be written again\n");
	CHECK(!is_there(&whole, ".tmp"));
	CHECK_INT(chmod(whole.path, 0600), 0);
	save_store(&whole, 2, 0, "t: note: FILE: can be written again\n");
	end(&whole);
}

static void
fifo(void)
{
	struct whole whole;
	begin(&whole, "state");
	CHECK_INT(mkfifo(whole.path, 0600), 0);
	stays_unusable(&whole, "t: warning: FILE: not a regular file" GOING_ON);
	/* A device's directory is not ours. */
	CHECK(!is_there(&whole, ".lock"));
	CHECK_INT(unlink(whole.path), 0);
	check_file("state", OTHER);
	can_be_read(&whole);
}

static void
below_a_file(void)
{
	struct whole whole;
	char path[200];
	check_file("plain", "");
	begin(&whole, "plain/state");
	stays_unusable(&whole, "t: warning: FILE.lock: Not a directory" GOING_ON);
	snprintf(path, sizeof path, "%s/plain", check_dir());
	CHECK_INT(unlink(path), 0);
	CHECK_INT(mkdir(path, 0700), 0);
	check_file("plain/state", OTHER);
	can_be_read(&whole);
}

static void
long_name(void)
{
	/* The file's own name is short enough, but those beside it are not; then not even that. */
	for (size_t length = 252; length <= 300; length += 48) {
		struct whole whole;
		char *name = check_repeat_new('n', length);
		begin(&whole, name);
		check_row("%zu bytes", length);
		stays_unusable(&whole, "t: warning: FILE.lock: File name too long" GOING_ON);
		end(&whole);
		free(name);
	}
}

static void
lock_that_is_none(void)
{
	/* The file's content is read, but new content cannot be saved. */
	struct whole whole;
	begin(&whole, "state");
	check_file("state", OTHER);
	char path[620];
	snprintf(path, sizeof path, "%s.lock", whole.path);
	CHECK_INT(mkdir(path, 0700), 0);
	open_store(&whole, 0, "t: warning: FILE.lock: Is a directory" GOING_ON);
	CHECK_INT(whole.store.start, STORE_RESTORED);
	CHECK_STR(whole.text, "other");
	save_store(&whole, 1, -1, "");
	check_content(&whole, "", OTHER);
	end(&whole);
}

/* Fork a process that holds the lock until it is killed. */
static pid_t
hold_lock(const struct whole *whole)
{
	int ready[2];
	char byte, path[520];
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
	char said[80];
	snprintf(said, sizeof said, "t: error: FILE: in use by process %d\n", (int)pid);
	open_store(&whole, EXIT_TRY_LATER, said);
	/* The other's file is not touched, whatever its content. */
	CHECK(is_there(&whole, ""));
	CHECK(!is_there(&whole, ".corrupt"));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	check_capture(STDERR_FILENO);
	CHECK_INT(store_open(&whole.store, whole.path, &owner, &whole), 0);
	free(check_captured_new(STDERR_FILENO));
	end(&whole);
}

static void
no_directory(void)
{
	struct whole whole;
	begin(&whole, "sub/state");
	open_store(&whole, 0, NO_DIRECTORY);
	CHECK_INT(whole.store.start, STORE_UNKNOWN);
	CHECK(whole.store.failing && whole.store.lock_fd < 0);
	/* That was reported before. */
	save_store(&whole, 1, -1, "");
	save_store(&whole, 2, -1, "");
	CHECK_U64(whole.store.saved_ns, 0);
	char path[200];
	snprintf(path, sizeof path, "%s/sub", check_dir());
	CHECK_INT(mkdir(path, 0700), 0);
	save_store(&whole, 3, 0, "t: note: FILE: can be written again\n");
	CHECK(whole.store.lock_fd >= 0 && !whole.store.failing);
	CHECK_U64(whole.store.saved_ns, 3);
	save_store(&whole, 4, 0, "");
	end(&whole);
}

static void
lost_directory(void)
{
	struct whole whole;
	char path[200], lock[520];
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
		"t: warning: FILE: No such file or directory: new state is lost if this "
		"process ends before it can be written again\n");
	save_store(&whole, 3, -1, "");
	save_store(&whole, 4, -1, "");
	CHECK_U64(whole.store.saved_ns, 1);
	CHECK_INT(mkdir(path, 0700), 0);
	save_store(&whole, 5, 0, "t: note: FILE: can be written again\n");
	CHECK(is_there(&whole, ""));
	/* The second time is reported again. */
	unlink(whole.path);
	unlink(lock);
	CHECK_INT(rmdir(path), 0);
	check_capture(STDERR_FILENO);
	CHECK_INT(store_save(&whole.store, 6), -1);
	char *messages = said_new(&whole);
	CHECK_HAS(messages, "t: warning: FILE: No such file or directory");
	free(messages);
	end(&whole);
}

/* Start without the directory, then create it with another run's file of this content. */
static void
come_late(struct whole *whole, const char *content)
{
	char path[200];
	snprintf(path, sizeof path, "%s/late", check_dir());
	begin(whole, "late/state");
	open_store(whole, 0, NO_DIRECTORY);
	CHECK_INT(mkdir(path, 0700), 0);
	check_file("late/state", content);
	snprintf(whole->text, sizeof whole->text, "own");
}

/* Return the file's content now, to free(). */
static char *
content_new(const struct whole *whole)
{
	size_t length;
	char *text = atomfile_read_new(whole->path, 1000, &length);
	CHECK(text != NULL);
	return text;
}

static void
appears_late(void)
{
	struct whole whole;
	come_late(&whole, "{\"version\":1,\"text\":\"other\"}");
	save_store(&whole, 2, 0, "t: note: FILE: can be written again\n");
	CHECK_STR(whole.late, "other");
	CHECK_STR(whole.text, "own");
	char *text = content_new(&whole);
	CHECK_HAS(text, "\"own\"");
	free(text);
	/* Only once. */
	*whole.late = '\0';
	save_store(&whole, 3, 0, "");
	CHECK_STR(whole.late, "");
	end(&whole);
}

static void
corrupt_late(void)
{
	/* It is kept for analysis and does not block; this process's content stays. */
	struct whole whole;
	come_late(&whole, "{\"version\":2}");
	save_store(&whole, 2, 0,
		"t: warning: FILE: its version is 2, not 1: kept as FILE.corrupt, starting without "
		"it\n"
		"t: note: FILE: can be written again\n");
	CHECK(is_there(&whole, ".corrupt"));
	CHECK_STR(whole.text, "own");
	char *text = content_new(&whole);
	CHECK_HAS(text, "\"own\"");
	free(text);
	end(&whole);
}

static void
no_memory(void)
{
	struct whole whole;
	static const char good[] = "{\"version\":1,\"text\":\"good\"}";
	check_file("state", good);
	begin(&whole, "state");
	whole.no_memory = true;
	open_store(&whole, EXIT_OS, "t: error: out of memory\n");
	char *text = content_new(&whole);
	CHECK_STR(text, good);
	free(text);
	end(&whole);

	come_late(&whole, good);
	whole.no_memory = true;
	save_store(&whole, 2, -1, "");
	text = content_new(&whole);
	CHECK_STR(text, good);
	free(text);
	/* It is read later. */
	whole.no_memory = false;
	save_store(&whole, 3, 0, "t: note: FILE: can be written again\n");
	CHECK_STR(whole.late, "good");
	end(&whole);
}

static void
unreadable_late(void)
{
	/* As at the start: an unreadable file is never overwritten, however often that is tried. */
	struct whole whole;
	char path[200];
	snprintf(path, sizeof path, "%s/late", check_dir());
	begin(&whole, "late/state");
	open_store(&whole, 0, NO_DIRECTORY);
	CHECK_INT(mkdir(path, 0700), 0);
	CHECK_INT(mkdir(whole.path, 0700), 0);
	save_store(&whole, 2, -1, "");
	save_store(&whole, 3, -1, "");
	CHECK_INT(rmdir(whole.path), 0);
	check_file("late/state", "{\"version\":1,\"text\":\"other\"}");
	save_store(&whole, 4, 0, "t: note: FILE: can be written again\n");
	CHECK_STR(whole.late, "other");
	end(&whole);
}

static void
oversize_late(void)
{
	struct whole whole;
	come_late(&whole, "");
	CHECK_INT(truncate(whole.path, (off_t)STORE_MAX_BYTES + 1), 0);
	save_store(&whole, 2, 0,
		"t: warning: FILE: it is too large for a state file: kept as FILE.corrupt, "
		"starting "
		"without it\n"
		"t: note: FILE: can be written again\n");
	end(&whole);
}

static void
versions(void)
{
	static const struct {
		const char *content, *reason;
	} rows[] = {
		{"7", "it is not a JSON object"},
		{"{}", "it has no version"},
		{"{'version':'3'}", "it has no version"},
		{"{'version':2}", "its version is 2, not 3"},
		{"{'version':-3}", "its version is -3, not 3"},
		{"{'version':3}", ""},
		{"{'version':3.0}", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct rec_error error = {.reason = ""};
		char *content = check_replaced_new(strdup(rows[i].content), "'", "\"");
		json_t *root = json_loads(content, JSON_DECODE_ANY, NULL);
		check_row("%s", rows[i].content);
		CHECK_INT(store_check_version(root, 3, &error), *rows[i].reason == '\0' ? 0 : -1);
		CHECK_STR(error.reason, rows[i].reason);
		json_decref(root);
		free(content);
	}
}

static const struct check_test tests[] = {
	{"a file that appears late is passed to the owner before it is replaced", appears_late},
	{"a corrupt file that appears late is kept aside", corrupt_late},
	{"a file that appears late and cannot be read is not overwritten", unreadable_late},
	{"a file that appears late and is larger than any state is kept aside", oversize_late},
	{"a file that cannot be parsed for lack of memory is left unchanged", no_memory},
	{"a content must be an object of the right version", versions},
	{"a missing file is a fresh start", missing},
	{"a process reads the content that the one before saved", saved_and_read},
	{"a corrupt file is also kept aside until it is replaced, and nothing of it is used",
		corrupt},
	{"of corrupt files the latest is kept", corrupt_is_kept},
	{"a corrupt file that cannot be kept aside does not block the next save", immovable},
	{"a file larger than any state is corrupt", oversize},
	{"a file that cannot be read is not overwritten until it can be", unreadable},
	{"a symbolic link is left alone, wherever it points", links},
	{"a file or directory that others may write to is refused", open_to_others},
	{"a file that others may write to later is no longer written", opened_to_others},
	{"a FIFO is left alone, and has no lock", fifo},
	{"a path below a file is retried until it is below a directory", below_a_file},
	{"a name that is too long is reported once", long_name},
	{"without a lock the file is still read", lock_that_is_none},
	{"a file that another process uses is left alone, and the process is named",
		locked_elsewhere},
	{"a missing directory is reported once, and again when it is there", no_directory},
	{"a directory that vanishes is reported once, and again when it is back", lost_directory},
};
CHECK_MAIN(tests)
