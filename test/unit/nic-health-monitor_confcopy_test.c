/* Unit tests of confcopy: what is in force is what was found to be good, whatever becomes of the file. */
#include "../../tools/supervisor/confcopy.h"

#include "check.h"
#include "diag.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GOOD "homogeneity: {settleSeconds: 7}\n"

/* All that can be read by way of a descriptor's name, as a stage does it. */
static const char *
text_of(int fd)
{
	static char text[256];
	char name[64];
	snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
	FILE *file = fopen(name, "re");
	size_t n = file != NULL ? fread(text, 1, sizeof text - 1, file) : 0;
	text[n] = '\0';
	if (file != NULL)
		fclose(file);
	return text;
}

static void
keeps(void)
{
	int fd;
	const char *path = check_file("config.yaml", GOOD);
	CHECK_INT(confcopy_make(path, &fd), 0);
	check_file("config.yaml", "broken: [");
	CHECK_STR(text_of(fd), GOOD);
	CHECK_STR(text_of(fd), GOOD);
	CHECK(write(fd, "x", 1) < 0 && errno == EPERM);
	CHECK(ftruncate(fd, 0) < 0 && errno == EPERM);
	close(fd);
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
	{"a copy stays as it was found to be good, and can be read again and again", keeps},
	{"a bad configuration is refused by file, line and column", refuses},
	{"what cannot be read is named once", unreadable},
};

CHECK_MAIN(tests)
