/* Unit tests of sysfs: reading below a root, with the results present, absent and unreadable. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "sysfs.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char root_path[200];
static int root = -1;

static void
make_dir(const char *path)
{
	char full[400];
	snprintf(full, sizeof full, "%s/%s", check_dir(), path);
	CHECK_INT(mkdir(full, 0700), 0);
}

static void
make_link(const char *target, const char *path)
{
	char full[400];
	snprintf(full, sizeof full, "%s/%s", check_dir(), path);
	CHECK_INT(symlink(target, full), 0);
}

/* A tree `root` beside a file and a directory that must not be reachable from it. */
static void
make_tree(void)
{
	make_dir("outside");
	check_file("outside/secret", "secret\n");
	make_dir("root");
	make_dir("root/class");
	make_dir("root/dev");
	check_file("root/dev/plain", "4: ACTIVE\n");
	check_file("root/dev/bare", "no newline");
	check_file("root/dev/doubled", "text\n\n");
	check_file("root/dev/spaces", " \t text \t \n");
	check_file("root/dev/lines", "first\nsecond\n");
	check_file("root/dev/empty", "");
	check_file("root/dev/blank", "\n \n");
	check_file("root/dev/crlf", "text\r\n");
	check_file("root/dev/uevent", "A=1\nB=2\n");
	make_dir("root/dev/directory");
	make_link("plain", "root/dev/link");
	make_link("loop", "root/dev/loop");
	make_link("../dev", "root/class/inside");
	make_link("/dev", "root/class/absolute");
	make_link("../../../../outside", "root/class/escape");
	make_link("../../outside/secret", "root/class/secret");
	make_link("../no/such/0000:18:00.0", "root/class/dangling");
	make_link("../no/such/mlx5_core/", "root/class/slash");
	make_link("name", "root/class/short");

	snprintf(root_path, sizeof root_path, "%s/root", check_dir());
	root = sysfs_open_root(root_path);
	CHECK(root >= 0);
}

/* Return true if the kernel confines links to the root; otherwise sysfs.h promises nothing about
 * them. */
static bool
has_openat2(void)
{
	struct open_how how = {.flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
	long fd = syscall(SYS_openat2, root, "dev", &how, sizeof how);
	if (fd >= 0)
		close((int)fd);
	return fd >= 0;
}

static void
reads(void)
{
	static const struct {
		const char *name, *text;
	} rows[] = {
		{"plain", "4: ACTIVE"},
		{"bare", "no newline"},
		{"doubled", "text"},
		{"spaces", "text"},
		{"lines", "first"},
		{"empty", ""},
		{"blank", ""},
		{"crlf", "text"},
	};
	int dir;
	make_tree();
	if (!CHECK_INT(sysfs_open_dir(root, "dev", &dir), SYSFS_OK))
		return;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[64], path[100];
		check_row("%s", rows[i].name);
		CHECK_INT(sysfs_read(dir, rows[i].name, text, sizeof text), SYSFS_OK);
		CHECK_STR(text, rows[i].text);
		snprintf(path, sizeof path, "dev/%s", rows[i].name);
		CHECK_INT(sysfs_read_path(root, path, text, sizeof text), SYSFS_OK);
		CHECK_STR(text, rows[i].text);
		snprintf(path, sizeof path, "%.80s/dev/%s", root_path, rows[i].name);
		CHECK_INT(sysfs_read_file(path, text, sizeof text), SYSFS_OK);
		CHECK_STR(text, rows[i].text);
	}
	close(dir);
}

static void
reads_again(void)
{
	int dir, fd;
	char text[64];
	make_tree();
	CHECK_INT(sysfs_open_dir(root, "dev", &dir), SYSFS_OK);
	CHECK_INT(sysfs_open_attribute(dir, "plain", &fd), SYSFS_OK);
	CHECK_INT(sysfs_pread(fd, text, sizeof text), SYSFS_OK);
	CHECK_STR(text, "4: ACTIVE");
	check_file("root/dev/plain", "1: DOWN\n");
	CHECK_INT(sysfs_pread(fd, text, sizeof text), SYSFS_OK);
	CHECK_STR(text, "1: DOWN");
	close(fd);
	close(dir);
}

static void
all_lines(void)
{
	char text[64];
	make_tree();
	CHECK_INT(sysfs_read_lines(root, "dev/uevent", text, sizeof text), SYSFS_OK);
	CHECK_STR(text, "A=1\nB=2\n");
	CHECK_INT(sysfs_read_lines(root, "dev/empty", text, sizeof text), SYSFS_OK);
	CHECK_STR(text, "");
	CHECK_INT(sysfs_read_lines(root, "dev/uevent", text, 8), SYSFS_UNREADABLE);
	CHECK_INT(errno, EOVERFLOW);
	CHECK_INT(sysfs_read_lines(root, "dev/none", text, sizeof text), SYSFS_ABSENT);
}

static void
absent(void)
{
	static const char *const paths[] = {
		"none", "dev/none", "none/none", "dev/plain/below", "class/dangling"};
	int dir, fd = 99;
	char text[64];
	make_tree();
	for (size_t i = 0; i < CHECK_COUNT(paths); i++) {
		check_row("%s", paths[i]);
		CHECK_INT(sysfs_read_path(root, paths[i], text, sizeof text), SYSFS_ABSENT);
		CHECK_INT(sysfs_open_dir(root, paths[i], &dir), SYSFS_ABSENT);
		CHECK_INT(dir, -1);
	}
	check_row("%s", "");
	CHECK_INT(sysfs_open_dir(root, "dev/plain", &dir), SYSFS_ABSENT);
	CHECK_INT(sysfs_read(root, "none", text, sizeof text), SYSFS_ABSENT);
	CHECK_INT(sysfs_open_attribute(root, "none", &fd), SYSFS_ABSENT);
	CHECK_INT(fd, -1);
	CHECK_INT(sysfs_read_file("/no/such/file", text, sizeof text), SYSFS_ABSENT);
	CHECK(sysfs_open_root("/no/such/root") < 0);
	CHECK_INT(errno, ENOENT);
}

static void
unreadable(void)
{
	int dir;
	char text[64];
	make_tree();
	CHECK_INT(sysfs_open_dir(root, "dev", &dir), SYSFS_OK);
	CHECK_INT(sysfs_read(dir, "directory", text, sizeof text), SYSFS_UNREADABLE);
	CHECK_INT(errno, EISDIR);
	/* Attributes are never links. */
	CHECK_INT(sysfs_read(dir, "link", text, sizeof text), SYSFS_UNREADABLE);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(sysfs_read(dir, "loop", text, sizeof text), SYSFS_UNREADABLE);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(sysfs_read_path(root, "dev/loop", text, sizeof text), SYSFS_UNREADABLE);
	CHECK_INT(errno, ELOOP);
	CHECK_INT(sysfs_read_path(root, "dev/link", text, sizeof text), SYSFS_OK);
	close(dir);
}

static void
too_long(void)
{
	/* The text of `plain` has 9 bytes, and a newline behind them. */
	char text[64];
	make_tree();
	for (size_t size = 1; size <= 12; size++) {
		check_row("room for %zu", size);
		memset(text, 'X', sizeof text);
		enum sysfs_status status = sysfs_read_path(root, "dev/plain", text, size);
		if (size > 10) {
			CHECK_INT(status, SYSFS_OK);
			CHECK_STR(text, "4: ACTIVE");
		} else {
			CHECK_INT(status, SYSFS_UNREADABLE);
			CHECK_INT(errno, EOVERFLOW);
		}
		CHECK_INT(text[size], 'X');
	}
}

static void
refused_paths(void)
{
	static const char *const paths[] = {"", "/", "/dev", "/etc/passwd", "..", "../outside",
		"dev/..", "dev/../dev/plain", "dev/../../outside/secret", "dev//..", "./..",
		"dev/directory/.."};
	make_tree();
	for (size_t i = 0; i < CHECK_COUNT(paths); i++) {
		char text[64];
		int fd = 99;
		check_row("\"%s\"", paths[i]);
		CHECK_INT(sysfs_open_dir(root, paths[i], &fd), SYSFS_UNREADABLE);
		CHECK_INT(errno, EINVAL);
		CHECK_INT(fd, -1);
		CHECK_INT(sysfs_read_path(root, paths[i], text, sizeof text), SYSFS_UNREADABLE);
		CHECK_INT(errno, EINVAL);
		CHECK_INT(sysfs_read_lines(root, paths[i], text, sizeof text), SYSFS_UNREADABLE);
		CHECK_INT(errno, EINVAL);
		CHECK_INT(sysfs_link_name(root, paths[i], text, sizeof text), SYSFS_UNREADABLE);
		CHECK_INT(errno, EINVAL);
	}
}

static void
dotted_names(void)
{
	char text[64];
	make_tree();
	check_file("root/dev/..x", "dots\n");
	CHECK_INT(sysfs_read_path(root, "dev/..x", text, sizeof text), SYSFS_OK);
	CHECK_STR(text, "dots");
	CHECK_INT(sysfs_read_path(root, "./dev//plain", text, sizeof text), SYSFS_OK);
}

static void
names(void)
{
	static const struct {
		const char *name;
		bool good;
	} rows[] = {{"mlx5_0", true}, {"..x", true}, {"...", true}, {" ", true}, {"", false},
		{".", false}, {"..", false}, {"/", false}, {"a/b", false}, {"a/", false},
		{"/a", false}, {"../a", false}};
	make_tree();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		int fd = 99;
		check_row("\"%s\"", rows[i].name);
		CHECK_INT(sysfs_is_name(rows[i].name), rows[i].good);
		if (rows[i].good)
			continue;
		CHECK_INT(sysfs_open_attribute(root, rows[i].name, &fd), SYSFS_UNREADABLE);
		CHECK_INT(errno, EINVAL);
		CHECK_INT(fd, -1);
	}
}

static void
links_inside(void)
{
	char text[64];
	int fd;
	make_tree();
	CHECK_INT(sysfs_read_path(root, "class/inside/plain", text, sizeof text), SYSFS_OK);
	CHECK_STR(text, "4: ACTIVE");
	CHECK_INT(sysfs_open_dir(root, "class/inside", &fd), SYSFS_OK);
	close(fd);
}

static void
links_outside(void)
{
	char text[64] = "";
	int fd;
	make_tree();
	if (!has_openat2())
		return;
	/* For a link the root is `/`: a target outside is looked up inside, and is not there. */
	CHECK_INT(sysfs_read_path(root, "class/escape/secret", text, sizeof text), SYSFS_ABSENT);
	CHECK_INT(sysfs_read_path(root, "class/secret", text, sizeof text), SYSFS_ABSENT);
	CHECK_INT(sysfs_open_dir(root, "class/escape", &fd), SYSFS_ABSENT);
	CHECK_STR(text, "");
	CHECK_INT(sysfs_read_path(root, "class/absolute/plain", text, sizeof text), SYSFS_OK);
	CHECK_STR(text, "4: ACTIVE");
}

static void
link_names(void)
{
	static const struct {
		const char *path, *name;
	} rows[] = {
		{"class/inside", "dev"},
		{"class/dangling", "0000:18:00.0"},
		{"class/slash", "mlx5_core"},
		{"class/short", "name"},
		{"class/absolute", "dev"},
		{"dev/loop", "loop"},
		{"class/inside/link", "plain"},
	};
	char name[64];
	make_tree();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].path);
		CHECK_INT(sysfs_link_name(root, rows[i].path, name, sizeof name), SYSFS_OK);
		CHECK_STR(name, rows[i].name);
	}
	check_row("%s", "");
	CHECK_INT(sysfs_link_name(root, "class/none", name, sizeof name), SYSFS_ABSENT);
	CHECK_INT(sysfs_link_name(root, "dev/plain", name, sizeof name), SYSFS_ABSENT);
	CHECK_INT(sysfs_link_name(root, "dev", name, sizeof name), SYSFS_ABSENT);
	CHECK_INT(sysfs_link_name(root, "class/short", name, 5), SYSFS_OK);
	CHECK_INT(sysfs_link_name(root, "class/short", name, 4), SYSFS_UNREADABLE);
	CHECK_INT(errno, EOVERFLOW);
}

/* Make a directory with mlx5_0 to mlx5_<count-1>, created unsorted. */
static int
many_entries(size_t count)
{
	int fd = -1;
	make_tree();
	for (size_t i = 0; i < count; i++) {
		char name[64];
		snprintf(name, sizeof name, "root/dev/directory/mlx5_%zu", (i * 7) % count);
		check_file(name, "");
	}
	CHECK_INT(sysfs_open_dir(root, "dev/directory", &fd), SYSFS_OK);
	return fd;
}

static void
lists(void)
{
	struct sysfs_names names_out;
	int dir = many_entries(100);
	/* Twice: the descriptor's own position does not matter. */
	for (int round = 0; round < 2; round++) {
		CHECK_INT(sysfs_list(dir, 1000, &names_out), SYSFS_OK);
		CHECK_INT((int64_t)names_out.count, 100);
		for (size_t i = 0; i < names_out.count; i++) {
			char expected[40];
			snprintf(expected, sizeof expected, "mlx5_%zu", i);
			CHECK_STR(names_out.names[i], expected);
		}
		sysfs_names_fini(&names_out);
		CHECK_INT((int64_t)names_out.count, 0);
	}
	close(dir);
}

static void
lists_nothing(void)
{
	struct sysfs_names names_out;
	int dir = many_entries(0);
	CHECK_INT(sysfs_list(dir, 0, &names_out), SYSFS_OK);
	CHECK_INT((int64_t)names_out.count, 0);
	sysfs_names_fini(&names_out);
	close(dir);
}

static void
lists_up_to(void)
{
	struct sysfs_names names_out;
	int dir = many_entries(10);
	CHECK_INT(sysfs_list(dir, 10, &names_out), SYSFS_OK);
	CHECK_INT((int64_t)names_out.count, 10);
	sysfs_names_fini(&names_out);
	CHECK_INT(sysfs_list(dir, 9, &names_out), SYSFS_UNREADABLE);
	CHECK_INT(errno, E2BIG);
	CHECK_INT((int64_t)names_out.count, 9);
	sysfs_names_fini(&names_out);
	close(dir);
}

static void
hidden_entries(void)
{
	struct sysfs_names names_out;
	int dir = many_entries(1);
	check_file("root/dev/directory/.hidden", "");
	check_file("root/dev/directory/..also", "");
	CHECK_INT(sysfs_list(dir, 10, &names_out), SYSFS_OK);
	CHECK_INT((int64_t)names_out.count, 3);
	sysfs_names_fini(&names_out);
	close(dir);
}

static void
a_pipe(void)
{
	/* The simulator's hung register. */
	char path[400], text[64];
	make_tree();
	snprintf(path, sizeof path, "%s/root/dev/pipe", check_dir());
	CHECK_INT(mkfifo(path, 0600), 0);
	int both = open(path, O_RDWR | O_CLOEXEC);
	CHECK(write(both, "slow\n", 5) == 5);
	int dir;
	CHECK_INT(sysfs_open_dir(root, "dev", &dir), SYSFS_OK);
	CHECK_INT(sysfs_read(dir, "pipe", text, sizeof text), SYSFS_OK);
	CHECK_STR(text, "slow");
	close(dir);
	close(both);
}

static void
no_waiting(void)
{
	char path[400], text[64];
	make_tree();
	snprintf(path, sizeof path, "%s/root/dev/pipe", check_dir());
	CHECK_INT(mkfifo(path, 0600), 0);
	CHECK_INT(sysfs_read_plain(root, "dev/plain", text, sizeof text), SYSFS_OK);
	CHECK_STR(text, "4: ACTIVE");
	CHECK_INT(sysfs_read_plain(root, "dev/none", text, sizeof text), SYSFS_ABSENT);
	/* Without a writer, and then with one. */
	for (int both = -1; both < 0; both = open(path, O_RDWR | O_CLOEXEC)) {
		CHECK_INT(sysfs_read_plain(root, "dev/pipe", text, sizeof text), SYSFS_UNREADABLE);
		CHECK_INT(errno, ESPIPE);
		CHECK_INT(sysfs_read_file(path, text, sizeof text), SYSFS_UNREADABLE);
		CHECK_INT(errno, ESPIPE);
	}
	CHECK_INT(sysfs_read_plain(root, "dev/pipe", text, sizeof text), SYSFS_UNREADABLE);
	CHECK_INT(errno, ESPIPE);
}

static void
errno_names(void)
{
	CHECK_STR(sysfs_errno_name(ENODEV), "ENODEV");
	CHECK_STR(sysfs_errno_name(EIO), "EIO");
	CHECK_STR(sysfs_errno_name(EOVERFLOW), "EOVERFLOW");
	CHECK_STR(sysfs_errno_name(99999), "EUNKNOWN");
	CHECK_STR(sysfs_errno_name(-1), "EUNKNOWN");
}

static const struct check_test tests[] = {
	{"an attribute's first line is returned without its newline", reads},
	{"a kept descriptor reads the current text from its start", reads_again},
	{"all lines are returned unchanged", all_lines},
	{"a missing file is absent", absent},
	{"a file that cannot be read is unreadable, with its errno", unreadable},
	{"a text that does not fit is unreadable, never cut", too_long},
	{"absolute paths and parent components are refused", refused_paths},
	{"dots inside a name are harmless", dotted_names},
	{"a name is one component", names},
	{"links are followed below the root", links_inside},
	{"a link that points outside the root stays inside", links_outside},
	{"a link's name is returned even if its target does not exist", link_names},
	{"a directory is listed in natural order, any number of times", lists},
	{"an empty directory is an empty list", lists_nothing},
	{"more entries than allowed are E2BIG", lists_up_to},
	{"hidden entries are listed", hidden_entries},
	{"a pipe in the place of a device's attribute is read", a_pipe},
	{"sysfs_read_plain() does not wait for a pipe: it is unreadable", no_waiting},
	{"errno values have names", errno_names},
};
CHECK_MAIN(tests)
