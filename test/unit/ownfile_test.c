/* Unit tests of ownfile: whether a file's owner and mode make it trustworthy. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "ownfile.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Users of the tables. */
enum { ROOT = 0, US = 998, EVE = 1001, NOBODY = 65534 };

/* Users of a long map: every second number. */
enum { FIRST_MAPPED = 1000, LAST_MAPPED = 1598 };

struct row {
	mode_t mode;
	uid_t owner, uid;
	bool in_group;
	enum ownfile_verdict file, directory;
};

static const struct row rows[] = {
	/* our own */
	{0640, US, US, true, OWNFILE_OURS, OWNFILE_OURS},
	{0600, ROOT, ROOT, true, OWNFILE_OURS, OWNFILE_OURS},
	/* root may do anything anyway */
	{0644, ROOT, US, false, OWNFILE_OURS, OWNFILE_OURS},
	/* root does not trust other users' files either */
	{0644, US, ROOT, true, OWNFILE_FOREIGN, OWNFILE_FOREIGN},
	{0400, EVE, US, true, OWNFILE_FOREIGN, OWNFILE_FOREIGN},
	{0600, EVE, ROOT, false, OWNFILE_FOREIGN, OWNFILE_FOREIGN},
	{0600, NOBODY, ROOT, false, OWNFILE_FOREIGN, OWNFILE_FOREIGN},
	{01777, EVE, ROOT, false, OWNFILE_FOREIGN, OWNFILE_FOREIGN},
	/* others may write */
	{0646, US, US, true, OWNFILE_SHARED, OWNFILE_SHARED},
	{0602, ROOT, ROOT, true, OWNFILE_SHARED, OWNFILE_SHARED},
	{0666, ROOT, US, true, OWNFILE_SHARED, OWNFILE_SHARED},
	/* a group may write: our own, as on a volume in Kubernetes, or another */
	{0660, US, US, true, OWNFILE_OURS, OWNFILE_OURS},
	{02770, ROOT, US, true, OWNFILE_OURS, OWNFILE_OURS},
	{0660, US, US, false, OWNFILE_SHARED, OWNFILE_SHARED},
	{0664, ROOT, ROOT, false, OWNFILE_SHARED, OWNFILE_SHARED},
	/* the sticky bit protects the entries of a directory; on a file it means nothing */
	{01777, ROOT, ROOT, true, OWNFILE_SHARED, OWNFILE_OURS},
	{01770, ROOT, US, false, OWNFILE_SHARED, OWNFILE_OURS},
	{0777, ROOT, US, true, OWNFILE_SHARED, OWNFILE_SHARED},
	/* others may read */
	{0755, US, US, true, OWNFILE_OURS, OWNFILE_OURS},
};

static struct stat
status_of(mode_t mode, uid_t owner)
{
	return (struct stat){.st_mode = mode, .st_uid = owner};
}

static void
table(void)
{
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct row *row = &rows[i];
		struct stat file = status_of(S_IFREG | row->mode, row->owner);
		struct stat directory = status_of(S_IFDIR | row->mode, row->owner);
		check_row("mode %04o of %u for %u", row->mode, row->owner, row->uid);
		CHECK_INT(ownfile_eval(&file, row->uid, row->in_group), row->file);
		CHECK_INT(ownfile_eval_directory(&directory, row->uid, row->in_group),
			row->directory);
	}
}

static void
types(void)
{
	/* Any user may write to /dev/null, and in a container it may belong to a user from
	 * outside. */
	struct stat status = status_of(S_IFCHR | 0666, NOBODY);
	CHECK_INT(ownfile_eval(&status, ROOT, false), OWNFILE_OURS);
	status = status_of(S_IFLNK | 0777, US);
	CHECK_INT(ownfile_eval(&status, US, true), OWNFILE_OURS);
	status = status_of(S_IFLNK | 0777, EVE);
	CHECK_INT(ownfile_eval(&status, US, true), OWNFILE_FOREIGN);
	status = status_of(S_IFIFO | 0622, US);
	CHECK_INT(ownfile_eval(&status, US, true), OWNFILE_SHARED);
	status = status_of(S_IFIFO | 0600, EVE);
	CHECK_INT(ownfile_eval(&status, US, true), OWNFILE_FOREIGN);
}

static void
shown(void)
{
	static const struct {
		mode_t mode;
		uid_t owner;
		mode_t directory_mode;
		uid_t directory_owner, uid;
		enum ownfile_verdict verdict;
	} cases[] = {
		/* root, or a member of its group, reads the service's files in the service's own
		 * directory */
		{0640, US, 0750, US, ROOT, OWNFILE_OURS},
		{0640, US, 0750, US, EVE, OWNFILE_OURS},
		{0640, ROOT, 0755, US, EVE, OWNFILE_OURS},
		/* a file that a third user has put there */
		{0640, EVE, 0750, US, ROOT, OWNFILE_FOREIGN},
		{0640, EVE, 0755, ROOT, ROOT, OWNFILE_FOREIGN},
		/* in a directory where any user may have put it, each user trusts only itself and
		 * root */
		{0644, EVE, 01777, ROOT, ROOT, OWNFILE_FOREIGN},
		{0644, EVE, 01777, EVE, ROOT, OWNFILE_FOREIGN},
		{0644, EVE, 01777, ROOT, EVE, OWNFILE_OURS},
		{0644, ROOT, 01777, ROOT, EVE, OWNFILE_OURS},
		/* others may write */
		{0666, US, 0755, US, ROOT, OWNFILE_FOREIGN},
		{0666, US, 0755, US, US, OWNFILE_SHARED},
		{0660, US, 0755, US, US, OWNFILE_SHARED},
	};
	for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
		struct stat file = status_of(S_IFREG | cases[i].mode, cases[i].owner);
		struct stat directory =
			status_of(S_IFDIR | cases[i].directory_mode, cases[i].directory_owner);
		check_row("case %zu", i);
		CHECK_INT(ownfile_eval_shown(&file, &directory, cases[i].uid, false, false),
			cases[i].verdict);
	}
}

static void
directories(void)
{
	static const struct {
		const char *path, *directory;
	} paths[] = {
		{"state.json", "."},
		{"/state.json", "/"},
		{"/run/x/state.json", "/run/x"},
		{"x/state.json", "x"},
	};
	for (size_t i = 0; i < CHECK_COUNT(paths); i++) {
		char *directory = ownfile_directory_new(paths[i].path);
		CHECK_STR(directory, paths[i].directory);
		free(directory);
	}
}

/* Make one of a store's files with this mode. */
static void
make(const char *name, mode_t mode)
{
	CHECK_INT(chmod(check_file(name, "x"), mode), 0);
}

static void
there(void)
{
	static const char *const endings[] = {".lock", "-wal", NULL};
	char path[300], reason[OWNFILE_REASON_SIZE] = "";
	snprintf(path, sizeof path, "%s/f", check_dir());
	/* A missing file or directory is no reason. */
	CHECK(ownfile_may_keep_all(path, endings, reason));
	CHECK(ownfile_may_keep("/no/such/directory/f", reason));
	make("f", 0640);
	make("f.lock", 0600);
	CHECK(ownfile_may_keep_all(path, endings, reason));
	CHECK(ownfile_may_show(path, reason));
	CHECK_STR(reason, "");
	make("f-wal", 0622);
	CHECK(!ownfile_may_keep_all(path, endings, reason));
	CHECK_STR(reason, "others may write to its file -wal (mode 0622)");
	make("f", 0646);
	CHECK(!ownfile_may_keep(path, reason));
	CHECK_STR(reason, "others may write to it (mode 0646)");
	CHECK(!ownfile_may_show(path, reason));
	CHECK_INT(chmod(check_dir(), 0777), 0);
	CHECK(!ownfile_may_keep(path, reason));
	CHECK_STR(reason, "others may write to its directory (mode 0777)");
	/* Also where the file's own directory is still to be created. */
	snprintf(path, sizeof path, "%s/new/newer/f", check_dir());
	CHECK(!ownfile_may_keep(path, reason));
	CHECK_HAS(reason, " above it (mode 0777)");
	CHECK_INT(chmod(check_dir(), 0700), 0);
	CHECK(ownfile_may_keep(path, reason));
}

static void
above(void)
{
	char path[300], directory[300], link[300], reason[OWNFILE_REASON_SIZE] = "";
	snprintf(directory, sizeof directory, "%s/above", check_dir());
	snprintf(link, sizeof link, "%s/link", check_dir());
	snprintf(path, sizeof path, "%s/above/own", check_dir());
	CHECK_INT(mkdir(directory, 0755), 0);
	CHECK_INT(mkdir(path, 0700), 0);
	CHECK_INT(symlink("above/own", link), 0);
	snprintf(path, sizeof path, "%s/above/own/f", check_dir());
	snprintf(link, sizeof link, "%s/link/f", check_dir());
	CHECK(ownfile_may_keep(path, reason));
	CHECK(ownfile_may_keep(link, reason));
	/* A user who can rename our directory can replace it. */
	CHECK_INT(chmod(directory, 0777), 0);
	CHECK(!ownfile_may_keep(path, reason));
	CHECK_HAS(reason, "others may write to the directory ");
	CHECK_HAS(reason, "/above above it (mode 0777)");
	/* Also where a link points to. */
	*reason = '\0';
	CHECK(!ownfile_may_keep(link, reason));
	CHECK_HAS(reason, "/above above it (mode 0777)");
	CHECK_INT(chmod(directory, 01777), 0);
	CHECK(ownfile_may_keep(path, reason));
	CHECK(ownfile_may_keep(link, reason));
}

static void
outside(void)
{
	static const struct {
		const char *map;
		uid_t uid;
		bool is_outside;
	} cases[] = {
		{"         0          0 4294967295\n", NOBODY, false},
		{"         0       1000          1\n", NOBODY, true},
		{"         0       1000          1\n", ROOT, false},
		{"0 1000 1\n1 100000 65536\n", NOBODY, false},
		{"0 1000 1\n1 100000 65536\n", 65537, true},
		{"", ROOT, true},
	};
	for (size_t i = 0; i < CHECK_COUNT(cases); i++) {
		check_row("case %zu", i);
		CHECK_INT(ownfile_is_outside(cases[i].map, cases[i].uid), cases[i].is_outside);
	}
}

/* Map root and 300 more users in the user namespace of `pid`. Return false where this is not
 * allowed. */
static bool
map_users(pid_t pid)
{
	char path[64], map[4096];
	size_t length = (size_t)snprintf(map, sizeof map, "0 0 1\n");
	for (unsigned user = FIRST_MAPPED; user <= LAST_MAPPED; user += 2)
		length += (size_t)snprintf(
			map + length, sizeof map - length, "%u %u 1\n", user, user);
	snprintf(path, sizeof path, "/proc/%d/uid_map", (int)pid);
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	bool is_mapped = fd >= 0 && write(fd, map, length) == (ssize_t)length;
	close(fd);
	return is_mapped;
}

/* Only root may map other users. */
static void
long_map(void)
{
	char path[PATH_MAX], reason[OWNFILE_REASON_SIZE] = "", byte = 0;
	int entered[2], mapped[2], status = -1;
	snprintf(path, sizeof path, "%s/above", check_dir());
	if (geteuid() != 0 || mkdir(path, 0755) < 0 || chown(path, LAST_MAPPED, 0) < 0)
		return;
	/* Its own directory must be ours in any case. */
	CHECK_INT(mkdir(strcat(path, "/own"), 0755), 0);
	strcat(path, "/f");
	CHECK(pipe2(entered, O_CLOEXEC) == 0 && pipe2(mapped, O_CLOEXEC) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		byte = unshare(CLONE_NEWUSER) == 0;
		if (write(entered[1], &byte, 1) != 1 || read(mapped[0], &byte, 1) != 1)
			_exit(2);
		_exit(ownfile_may_keep(path, reason));
	}
	CHECK_INT(read(entered[0], &byte, 1), 1);
	bool is_ready = byte == 1 && map_users(pid);
	CHECK_INT(write(mapped[1], &byte, 1), 1);
	CHECK_INT(waitpid(pid, &status, 0), pid);
	if (is_ready)
		CHECK_INT(status, 0);
}

static void
opened(void)
{
	char reason[OWNFILE_REASON_SIZE] = "";
	int fd = open(check_file("f", "x"), O_RDONLY | O_CLOEXEC);
	CHECK(ownfile_may_believe(fd, reason));
	CHECK_INT(ownfile_require(fd), 0);
	CHECK_INT(fchmod(fd, 0606), 0);
	CHECK(!ownfile_may_believe(fd, reason));
	CHECK_STR(reason, "others may write to it (mode 0606)");
	errno = 0;
	CHECK_INT(ownfile_require(fd), -1);
	CHECK_INT(errno, EPERM);
	close(fd);
}

static void
links(void)
{
	char path[300];
	snprintf(path, sizeof path, "%s/link", check_dir());
	CHECK_INT(ownfile_link_flag(path), O_NOFOLLOW);
	CHECK_INT(symlink("nowhere", path), 0);
	CHECK_INT(ownfile_link_flag(path), 0);
	CHECK_INT(ownfile_link_flag(check_file("f", "x")), O_NOFOLLOW);
	if (geteuid() != 0)
		return;
	CHECK_INT(lchown(path, NOBODY, (gid_t)-1), 0);
	CHECK_INT(ownfile_link_flag(path), O_NOFOLLOW);
}

/* As root only: a file that belongs to another user. */
static void
given_away(void)
{
	char reason[OWNFILE_REASON_SIZE] = "";
	const char *path = check_file("f", "x");
	if (geteuid() != 0)
		return;
	CHECK_INT(chown(path, NOBODY, (gid_t)-1), 0);
	CHECK(!ownfile_may_keep(path, reason));
	CHECK_STR(reason, "it belongs to user 65534, not to root");
	CHECK(!ownfile_may_show(path, reason));
	CHECK_INT(chown(check_dir(), NOBODY, (gid_t)-1), 0);
	CHECK(!ownfile_may_keep(path, reason));
	CHECK_STR(reason, "its directory belongs to user 65534, not to root");
	CHECK(ownfile_may_show(path, reason));
	CHECK_INT(chown(check_dir(), ROOT, (gid_t)-1), 0);
}

static const struct check_test tests[] = {
	{"each mode and owner has the verdict of the table", table},
	{"devices, links and FIFOs have their own rules", types},
	{"a file that is only read may belong to the service", shown},
	{"a path without a slash is in the current directory", directories},
	{"a file, those beside it and its directory are checked, and the reason names the bad one",
		there},
	{"directories above are checked, also through symbolic links", above},
	{"in a user namespace a user outside its map is recognised", outside},
	{"every user of a long map is in the user namespace", long_map},
	{"a file is checked again after it was opened", opened},
	{"a symbolic link is followed only if it is our own or root's", links},
	{"a file of another user is refused, and the reason names the user", given_away},
};
CHECK_MAIN(tests)
