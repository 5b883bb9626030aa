/* fuzz_prometheus - any bytes as a stream of records, shown as metrics: every line is one of the text format, and no series is there twice. */
#include "intake.h"
#include "scanmetrics.h"
#include "utf8.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* Behind the labels that begin at `at`. */
static const char *
skip_labels(const char *at)
{
	do {
		at++; /* { or , */
		size_t key = strspn(at, LOWER "_");
		assert(key > 0 && at[key] == '=' && at[key + 1] == '"');
		for (at += key + 2; *at != '"'; at++) {
			assert(*at != '\0' && (*at != '\\' || strchr("\\n\"", at[1]) != NULL));
			if (*at == '\\')
				at++;
		}
		at++;
	} while (*at == ',');
	assert(*at == '}');
	return at + 1;
}

/* Cuts the value off a line that is a sample, so that the series is left. */
static void
check_sample(char *line)
{
	const char *at = line + strspn(line, LOWER DIGITS "_");
	assert(strncmp(line, "nic_", 4) == 0);
	if (*at == '{')
		at = skip_labels(at);
	assert(*at == ' ');
	size_t value = strspn(at + 1, DIGITS ".e+");
	assert(value > 0 && at[1 + value] == '\0');
	line[at - line] = '\0';
}

static int
compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void
check_text(char *text)
{
	char **series = calloc(strlen(text) + 1, sizeof *series);
	size_t count = 0;

	assert(series != NULL && utf8_is_valid(text) && text[strlen(text) - 1] == '\n');
	for (char *line = text; *line != '\0';) {
		char *next = strchr(line, '\n');
		*next++ = '\0';
		if (*line == '#') {
			assert(strncmp(line, "# HELP ", 7) == 0 ||
				strncmp(line, "# TYPE ", 7) == 0);
		} else {
			check_sample(line);
			series[count++] = line;
		}
		line = next;
	}
	qsort(series, count, sizeof *series, compare);
	for (size_t i = 1; i < count; i++)
		assert(strcmp(series[i - 1], series[i]) != 0);
	free(series);
}

static void
show(struct scan *scan)
{
	char *text = NULL;
	size_t length = 0;
	FILE *out = open_memstream(&text, &length);
	assert(out != NULL && scanmetrics_print(scan, out) == 0 && fclose(out) == 0);
	assert(strlen(text) == length);
	check_text(text);
	free(text);
	scan_clear(scan);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct scan scan = {0};
	struct intake intake;
	struct intake_record record;
	struct rec_error error;

	int fd = memfd_create("input", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, data, size) == (ssize_t)size && lseek(fd, 0, SEEK_SET) == 0);
	intake_init(&intake, fd, "input");
	for (enum intake_status status; (status = intake_read(&intake, &record)) != INTAKE_END;) {
		if (status != INTAKE_RECORD)
			continue;
		enum scanrec_kind kind = scanrec_kind(record.json);
		if (kind == SCANREC_BEGIN && scan.open)
			show(&scan);
		enum scan_status taken = scan_take(&scan, kind, record.json, &error);
		if (taken == SCAN_FINISHED || (taken == SCAN_BAD && kind == SCANREC_END))
			show(&scan);
	}
	if (scan.open)
		show(&scan);
	intake_fini(&intake);
	scan_fini(&scan);
	close(fd);
	return 0;
}
