/* Unit tests of confcopy: the copy of the checked configuration, independent of later changes of
 * the file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/supervisor/confcopy.h"

#include "check.h"
#include "conf.h"
#include "diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOOD "homogeneity: {settleSeconds: 7}\n"

/* Load the file by its descriptor's name, as a stage does; return settleSeconds, or 0 on
 * failure. */
static unsigned
settle_seconds_of(int fd)
{
	char name[64];
	struct conf conf;
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	if (!CHECK_INT(conf_load(&conf, name), 0))
		return 0;
	unsigned seconds = conf.settle_seconds;
	conf_fini(&conf);
	return seconds;
}

static void
keeps(void)
{
	int fd;
	const char *path = check_file("config.yaml", GOOD);
	CHECK_INT(confcopy_make(path, &fd), 0);
	check_file("config.yaml", "broken: [");
	CHECK_INT(settle_seconds_of(fd), 7);
	CHECK_INT(settle_seconds_of(fd), 7);
	CHECK(write(fd, "x", 1) < 0 && errno == EPERM);
	CHECK(ftruncate(fd, 0) < 0 && errno == EPERM);
	close(fd);
}

static void
toml(void)
{
	int fd;
	const char *path = check_file("config.toml", "[homogeneity]\nsettleSeconds = 9\n");
	if (!CHECK_INT(confcopy_make(path, &fd), 0))
		return;
	CHECK_INT(settle_seconds_of(fd), 9);
	close(fd);
}

/* The file can be read, but the copy made from it would be too large. */
static void
too_long(void)
{
	static const char row[] =
		"    - {name: c%05d, path: counters/%0*d, thresholdType: delta}\n";
	char *text = NULL;
	size_t length = 0;
	int fd;
	FILE *out = open_memstream(&text, &length);
	fputs("counterDetection:\n  counters:\n", out);
	for (int i = 0; i < 2700; i++)
		fprintf(out, row, i, 310, 0);
	fclose(out);
	const char *path = check_file("config.yaml", text);
	check_capture(STDERR_FILENO);
	CHECK_INT(confcopy_make(path, &fd), EXIT_CONFIG);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_INT(fd, -1);
	CHECK_HAS(said, "/config.yaml: cannot copy all its rules: File too large\n");
	free(said);
	free(text);
}

static void
refuses(void)
{
	static const struct {
		const char *text;
		int status;
		const char *said;
	} rows[] = {
		{"nonsense: 1\n", EXIT_CONFIG, "config.yaml:1:1: "},
		{"broken: [", EXIT_CONFIG, "config.yaml:"},
		{"homogeneity: {settleSeconds: x, y: 1}\n", EXIT_CONFIG, "config.yaml:1:30: "},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		int fd = 7;
		check_row("%s", rows[i].text);
		const char *path = check_file("config.yaml", rows[i].text);
		check_capture(STDERR_FILENO);
		int status = confcopy_make(path, &fd);
		char *said = check_captured_new(STDERR_FILENO);
		CHECK_INT(status, rows[i].status);
		CHECK_INT(fd, -1);
		CHECK_HAS(said, rows[i].said);
		free(said);
	}
}

static void
unreadable(void)
{
	static const struct {
		const char *path;
		int status;
	} rows[] = {
		{"/no/such/file", EXIT_NO_INPUT}, {"/", EXIT_CONFIG}, {"/dev/zero", EXIT_CONFIG}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		int fd;
		check_row("%s", rows[i].path);
		check_capture(STDERR_FILENO);
		int status = confcopy_make(rows[i].path, &fd);
		char *said = check_captured_new(STDERR_FILENO);
		CHECK_INT(status, rows[i].status);
		CHECK_INT(check_occurrences(said, "\n"), 1);
		CHECK_HAS(said, rows[i].path);
		free(said);
	}
}

static const struct check_test tests[] = {
	{"a copy keeps the checked configuration, and can be read repeatedly", keeps},
	{"a stage gets the rules of a TOML file, too", toml},
	{"rules that are too large for a stage are refused", too_long},
	{"a bad configuration is refused with file, line and column", refuses},
	{"a file that cannot be read is named once", unreadable},
};

CHECK_MAIN(tests)
