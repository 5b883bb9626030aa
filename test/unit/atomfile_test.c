/* Unit tests of atomfile: files that are replaced atomically, and locks. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "atomfile.h"

#include "check.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Return a path in this test's directory, valid until the next call. */
static const char *
path_of(const char *name)
{
	static char path[200];
	snprintf(path, sizeof path, "%s/%s", check_dir(), name);
	return path;
}

static void
check_content(const char *path, const char *bytes, size_t length)
{
	size_t got = 0;
	char *text = atomfile_read_new(path, 1 << 20, &got);
	if (CHECK(text != NULL)) {
		CHECK_INT((int64_t)got, (int64_t)length);
		CHECK(got == length && memcmp(text, bytes, length) == 0);
		CHECK_INT(text[got], '\0');
	}
	free(text);
}

/* Return the number of names in this test's directory. */
static int
names(void)
{
	int count = 0;
	DIR *dir = opendir(check_dir());
	while (dir != NULL && readdir(dir) != NULL)
		count++;
	closedir(dir);
	return count - 2;
}

static void
replaces(void)
{
	static const char *const rows[] = {"first", "", "a longer text than the first\n", "x"};
	const char *path = path_of("f");
	struct stat status;

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("\"%s\"", rows[i]);
		CHECK_INT(atomfile_write(path, rows[i], strlen(rows[i]), ATOMFILE_MODE), 0);
		check_content(path, rows[i], strlen(rows[i]));
		CHECK_INT(names(), 1);
	}
	CHECK_INT(stat(path, &status), 0);
	CHECK_INT(status.st_mode & 07777 & ~(mode_t)ATOMFILE_MODE, 0);
}

static void
any_bytes(void)
{
	static const char bytes[] = "a\0b\xFF\n\0";
	const char *path = path_of("f");
	char *large = check_repeat_new('\0', 300000);
	CHECK_INT(atomfile_write(path, bytes, sizeof bytes, ATOMFILE_MODE), 0);
	check_content(path, bytes, sizeof bytes);
	CHECK_INT(atomfile_write(path, large, 300000, ATOMFILE_MODE), 0);
	check_content(path, large, 300000);
	free(large);
}

static void
readers_keep_theirs(void)
{
	char text[8] = "";
	const char *path = path_of("f");
	CHECK_INT(atomfile_write(path, "old", 3, ATOMFILE_MODE), 0);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK_INT(atomfile_write(path, "new", 3, ATOMFILE_MODE), 0);
	CHECK_INT(read(fd, text, sizeof text - 1), 3);
	CHECK_STR(text, "old");
	close(fd);
}

static void
replaces_leftovers(void)
{
	/* A temporary file that a crash left must neither block the write nor add bytes to the
	 * file. */
	check_file("f.tmp", "half of something that was longer");
	const char *path = path_of("f");
	CHECK_INT(atomfile_write(path, "whole", 5, ATOMFILE_MODE), 0);
	check_content(path, "whole", 5);
	CHECK_INT(names(), 1);
}

static void
missing_directory(void)
{
	errno = 0;
	CHECK_INT(atomfile_write(path_of("none/f"), "x", 1, ATOMFILE_MODE), -1);
	CHECK_INT(errno, ENOENT);
	CHECK_INT(names(), 0);
}

static void
bare_name(void)
{
	CHECK_INT(chdir(check_dir()), 0);
	CHECK_INT(atomfile_write("f", "here", 4, ATOMFILE_MODE), 0);
	check_content("f", "here", 4);
	CHECK_INT(names(), 1);
}

static void
failed_rename(void)
{
	/* rename() cannot replace a directory by a file. */
	const char *path = path_of("f");
	CHECK_INT(mkdir(path, 0700), 0);
	errno = 0;
	CHECK_INT(atomfile_write(path, "x", 1, ATOMFILE_MODE), -1);
	CHECK(errno == EISDIR || errno == EEXIST || errno == ENOTEMPTY);
	CHECK_INT(names(), 1);
}

static void
follows_no_link(void)
{
	/* A user with write access to the directory must not choose which file is overwritten
	 * ... */
	char victim[200], link[200];
	snprintf(victim, sizeof victim, "%s", check_file("victim", "precious"));
	snprintf(link, sizeof link, "%s", path_of("f.tmp"));
	CHECK_INT(symlink(victim, link), 0);
	CHECK_INT(atomfile_write(path_of("f"), "x", 1, ATOMFILE_MODE), 0);
	check_content(path_of("f"), "x", 1);
	check_content(victim, "precious", 8);
	/* ... nor which one is read. */
	size_t length;
	CHECK_INT(symlink(victim, link), 0);
	errno = 0;
	CHECK(atomfile_read_new(link, 100, &length) == NULL);
	CHECK_INT(errno, ELOOP);
}

static void
writes_to_no_open_file(void)
{
	char text[10] = "";
	const char *path = check_file("f.tmp", "");
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	CHECK_INT(chmod(path, 0666), 0);
	CHECK_INT(atomfile_write(path_of("f"), "x", 1, ATOMFILE_MODE), 0);
	CHECK_INT(read(fd, text, sizeof text), 0);
	close(fd);
}

static void
distrusts_what_others_write(void)
{
	size_t length;
	const char *path = check_file("f", "x");
	CHECK_INT(chmod(path, 0666), 0);
	errno = 0;
	CHECK(atomfile_read_new(path, 100, &length) == NULL);
	CHECK_INT(errno, EPERM);
	errno = 0;
	CHECK_INT(atomfile_lock(path), -1);
	CHECK_INT(errno, EPERM);
}

/* As root, replacing it would destroy /dev/null. */
static void
spares_what_is_no_file(void)
{
	const char *path = path_of("fifo");
	struct stat status;

	CHECK_INT(mkfifo(path, 0600), 0);
	errno = 0;
	CHECK_INT(atomfile_write(path, "x", 1, ATOMFILE_MODE), -1);
	CHECK_INT(errno, EEXIST);
	CHECK(lstat(path, &status) == 0 && S_ISFIFO(status.st_mode));
	char link[220];
	snprintf(link, sizeof link, "%s.link", path);
	CHECK_INT(symlink(path, link), 0);
	CHECK_INT(atomfile_write(link, "x", 1, ATOMFILE_MODE), -1);
	CHECK(lstat(link, &status) == 0 && S_ISLNK(status.st_mode));
	CHECK_INT(names(), 2);
}

static void
full_disk(void)
{
	char link[220];
	snprintf(link, sizeof link, "%s", check_file("f", "old"));
	/* RLIMIT_FSIZE stands for a full disk. */
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		struct rlimit limit = {.rlim_cur = 1000, .rlim_max = 1000};
		signal(SIGXFSZ, SIG_IGN);
		setrlimit(RLIMIT_FSIZE, &limit);
		char *text = check_repeat_new('x', 5000);
		int status = atomfile_write(link, text, 5000, ATOMFILE_MODE);
		int code = status == -1 && errno == EFBIG ? 0 : 1;
		free(text);
		_exit(code);
	}
	int status = -1;
	waitpid(pid, &status, 0);
	CHECK_INT(status, 0);
	check_content(link, "old", 3);
	CHECK_INT(names(), 1);
}

static void
read_limits(void)
{
	static const size_t lengths[] = {0, 1, 4094, 4095, 4096, 8191, 8192, 100000};
	for (size_t i = 0; i < CHECK_COUNT(lengths); i++) {
		size_t length = lengths[i], got = 0;
		char *content = check_repeat_new('x', length);
		const char *path = check_file("f", content);
		check_row("%zu bytes", length);
		char *text = atomfile_read_new(path, length, &got);
		CHECK_STR(text, content);
		CHECK_INT((int64_t)got, (int64_t)length);
		free(text);
		if (length > 0) {
			errno = 0;
			text = atomfile_read_new(path, length - 1, &got);
			CHECK(text == NULL);
			CHECK_INT(errno, EFBIG);
			free(text);
		}
		free(content);
	}
}

static void
read_failures(void)
{
	size_t length = 0;
	errno = 0;
	CHECK(atomfile_read_new(path_of("none"), 100, &length) == NULL);
	CHECK_INT(errno, ENOENT);
	CHECK(atomfile_read_new(check_dir(), 100, &length) == NULL);
	CHECK_INT(errno, EISDIR);
	CHECK(atomfile_read_new("/dev/zero", 100000, &length) == NULL);
	CHECK_INT(errno, EFBIG);
}

static void
fifo(void)
{
	/* The harness kills a test that hangs. */
	size_t length = 0;
	const char *path = path_of("fifo");
	CHECK_INT(mkfifo(path, 0600), 0);
	char *text = atomfile_read_new(path, 100, &length);
	CHECK_STR(text, "");
	free(text);
	/* With a writer that writes nothing. */
	int fd = open(path, O_RDWR | O_CLOEXEC);
	errno = 0;
	CHECK(atomfile_read_new(path, 100, &length) == NULL);
	CHECK_INT(errno, EAGAIN);
	close(fd);
}

static void
fifo_for_temporary(void)
{
	char temporary[210];
	const char *path = path_of("blocked");
	snprintf(temporary, sizeof temporary, "%s.tmp", path);
	CHECK_INT(mkfifo(temporary, 0600), 0);
	CHECK_INT(atomfile_write(path, "x", 1, ATOMFILE_MODE), 0);
}

/* Call atomfile_lock() in another process; return 0, or its errno. */
static int
lock_elsewhere(const char *path)
{
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		_exit(atomfile_lock(path) >= 0 ? 0 : errno);
	int status = -1;
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void
locks(void)
{
	const char *path = path_of("lock");
	CHECK_INT(lock_elsewhere(path), 0);
	/* The process that held the lock has exited, and the file is still there. */
	CHECK_INT(access(path, F_OK), 0);
	CHECK(atomfile_lock(path) >= 0);
	CHECK_INT(lock_elsewhere(path), EWOULDBLOCK);
	CHECK_INT(lock_elsewhere(path), EWOULDBLOCK);
}

static void
lock_of_another_file(void)
{
	const char *path = path_of("lock");
	int fd = atomfile_lock(path);
	CHECK(fd >= 0 && atomfile_is_locked(fd, path));
	unlink(path);
	CHECK(!atomfile_is_locked(fd, path));
	CHECK_INT(lock_elsewhere(path), 0);
	CHECK(!atomfile_is_locked(fd, path));
	close(fd);
}

static void
lock_ends_with_its_process(void)
{
	int ready[2], done[2];
	char byte = 0;
	const char *path = path_of("lock");
	CHECK_INT(pipe2(ready, O_CLOEXEC), 0);
	CHECK_INT(pipe2(done, O_CLOEXEC), 0);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		close(done[1]);
		byte = atomfile_lock(path) >= 0 ? 'y' : 'n';
		ssize_t ignored = write(ready[1], &byte, 1);
		ignored = read(done[0], &byte, 1);
		(void)ignored;
		_exit(0);
	}
	CHECK_INT(read(ready[0], &byte, 1), 1);
	CHECK_INT(byte, 'y');
	errno = 0;
	CHECK_INT(atomfile_lock(path), -1);
	CHECK_INT(errno, EWOULDBLOCK);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK(atomfile_lock(path) >= 0);
}

/* Return the holder of the lock as text. */
static const char *
holder(const char *path)
{
	static char text[ATOMFILE_HOLDER_SIZE];
	return atomfile_describe_holder(path, text);
}

static void
lock_has_an_owner(void)
{
	int ready[2];
	char byte = 0, expected[40];
	pid_t owner = 0;
	const char *path = path_of("lock");
	CHECK_INT(atomfile_find_holder(path, &owner), ATOMFILE_NOBODY);
	CHECK_INT(access(path, F_OK), -1);
	CHECK_INT(pipe2(ready, O_CLOEXEC), 0);
	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		byte = atomfile_lock(path) >= 0 ? 'y' : 'n';
		ssize_t ignored = write(ready[1], &byte, 1);
		(void)ignored;
		pause();
	}
	CHECK_INT(read(ready[0], &byte, 1), 1);
	/* Asking takes no lock, however often. */
	for (int i = 0; i < 3; i++) {
		CHECK_INT(atomfile_find_holder(path, &owner), ATOMFILE_PROCESS);
		CHECK_INT(owner, pid);
	}
	snprintf(expected, sizeof expected, "process %d", (int)pid);
	CHECK_STR(holder(path), expected);
	CHECK_INT(lock_elsewhere(path), EWOULDBLOCK);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK_INT(atomfile_find_holder(path, &owner), ATOMFILE_NOBODY);
}

static void
lock_of_an_earlier_version(void)
{
	/* The owner is unknown, but the lock is held. */
	pid_t owner;
	const char *path = check_file("lock", "");
	int fd = open(path, O_RDWR | O_CLOEXEC);
	CHECK_INT(flock(fd, LOCK_EX | LOCK_NB), 0);
	CHECK_INT(atomfile_find_holder(path, &owner), ATOMFILE_NOBODY);
	CHECK_STR(holder(path), "another process");
	CHECK_INT(lock_elsewhere(path), EWOULDBLOCK);
	close(fd);
}

static void
lock_failures(void)
{
	errno = 0;
	CHECK_INT(atomfile_lock(path_of("none/lock")), -1);
	CHECK_INT(errno, ENOENT);
	CHECK_INT(symlink("elsewhere", path_of("link")), 0);
	CHECK_INT(atomfile_lock(path_of("link")), -1);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(access(path_of("elsewhere"), F_OK), -1);
}

static void
lock_keeps_content(void)
{
	const char *path = check_file("lock", "text");
	CHECK(atomfile_lock(path) >= 0);
	check_content(path, "text", 4);
}

static const struct check_test tests[] = {
	{"a file is replaced as a whole, and no temporary file is left", replaces},
	{"any bytes are written and read back", any_bytes},
	{"a reader with the old file open keeps reading the old content", readers_keep_theirs},
	{"a temporary file that a crash left is replaced", replaces_leftovers},
	{"a missing directory fails with ENOENT and creates nothing", missing_directory},
	{"a name without a directory is written to the current directory", bare_name},
	{"a failed rename leaves no temporary file behind", failed_rename},
	{"a link in the temporary file's place is not followed", follows_no_link},
	{"a reader with the temporary file open cannot read the new file", writes_to_no_open_file},
	{"a file that others may write to is neither read nor used as a lock",
		distrusts_what_others_write},
	{"a FIFO or a symbolic link is not replaced", spares_what_is_no_file},
	{"a full disk leaves the old file and no temporary one", full_disk},
	{"a file of exactly the limit is read, and one byte more is too long", read_limits},
	{"a file that cannot be read fails with its errno", read_failures},
	{"a FIFO in a file's place does not block", fifo},
	{"a FIFO in the temporary file's place does not block either", fifo_for_temporary},
	{"only one process holds a lock at a time", locks},
	{"a lock is lost when another file takes its name", lock_of_another_file},
	{"a lock is released when its process ends, even by a kill", lock_ends_with_its_process},
	{"the holder of a lock can be found without touching the lock", lock_has_an_owner},
	{"a lock that does not name its owner is still a lock", lock_of_an_earlier_version},
	{"a lock file that cannot be created fails with its errno, and symbolic links are not "
	 "followed",
		lock_failures},
	{"locking leaves the file's content alone", lock_keeps_content},
};
CHECK_MAIN(tests)
