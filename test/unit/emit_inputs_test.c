/* Unit tests of emit's inputs: reading any number of files and pipes at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/emit/in/inputs.h"

#include "check.h"
#include "diag.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATIENCE_MS 20000

static char taken[1000];

/* Note the number of a record, or `?` for a lost line. */
static int
take(void *context, struct intake_record *record)
{
	size_t used = strlen(taken);
	(void)context;
	if (record == NULL) {
		snprintf(taken + used, sizeof taken - used, "? ");
		return 0;
	}
	snprintf(taken + used, sizeof taken - used, "%d ",
		(int)json_integer_value(json_object_get(record->json, "n")));
	json_decref(record->json);
	return 0;
}

static int
refuse(void *context, struct intake_record *record)
{
	(void)context;
	json_decref(record->json);
	return -1;
}

#define FDS 60

/* Read all inputs to their end. */
static void
read_all(struct inputs *inputs)
{
	*taken = '\0';
	while (inputs_are_open(inputs)) {
		struct pollfd fds[FDS];
		size_t count = inputs_poll(inputs, fds);
		CHECK(count > 0);
		CHECK(poll(fds, count, PATIENCE_MS) > 0);
		inputs_polled(inputs, fds);
		CHECK_INT(inputs_read(inputs, take, NULL), 0);
	}
}

#define RECORD(n) "{\"kind\":\"event\",\"n\":" #n "}\n"

static void
in_order(void)
{
	struct inputs inputs;
	char first[400], second[400];
	snprintf(first, sizeof first, "%s", check_file("first", RECORD(1) RECORD(2)));
	snprintf(second, sizeof second, "%s", check_file("second", RECORD(3) RECORD(4)));
	char *names[] = {first, second, first, NULL};
	CHECK_INT(inputs_open(&inputs, names, NULL), 0);
	read_all(&inputs);
	CHECK_STR(taken, "1 2 3 4 1 2 ");
	CHECK_INT(inputs.status, 0);
	inputs_close(&inputs);
}

static void
losses_in_order(void)
{
	struct inputs inputs;
	char path[400];
	snprintf(path, sizeof path, "%s",
		check_file("damaged",
			RECORD(1) "{\"kind\":\"ev\n" RECORD(2) "\xff\n[]\n" RECORD(3) "{\"kin"));
	char *names[] = {path, NULL};
	diag_init("t");
	CHECK_INT(inputs_open(&inputs, names, NULL), 0);
	check_capture(STDERR_FILENO);
	read_all(&inputs);
	free(check_captured_new(STDERR_FILENO));
	CHECK_STR(taken, "1 ? 2 ? ? 3 ? ");
	inputs_close(&inputs);
}

static void
not_all_can_be_opened(void)
{
	struct inputs inputs;
	char path[400], missing[400];
	snprintf(path, sizeof path, "%s", check_file("there", RECORD(1)));
	snprintf(missing, sizeof missing, "%s/missing", check_dir());
	char *names[] = {missing, path, NULL};
	diag_init("t");
	check_capture(STDERR_FILENO);
	CHECK_INT(inputs_open(&inputs, names, NULL), 0);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "missing: No such file or directory");
	free(said);
	read_all(&inputs);
	CHECK_STR(taken, "1 ");
	CHECK_INT(inputs.status, EXIT_NO_INPUT);
	inputs_close(&inputs);
}

/* Then no input is open. */
static void
gone_before_its_turn(void)
{
	struct inputs inputs;
	char first[400], gone[400];
	snprintf(first, sizeof first, "%s", check_file("first", RECORD(1)));
	snprintf(gone, sizeof gone, "%s", check_file("gone", RECORD(2)));
	char *names[] = {first, gone, NULL};
	diag_init("t");
	CHECK_INT(inputs_open(&inputs, names, NULL), 0);
	CHECK_INT(unlink(gone), 0);
	check_capture(STDERR_FILENO);
	read_all(&inputs);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_HAS(said, "gone: No such file or directory");
	free(said);
	CHECK_STR(taken, "1 ");
	CHECK_INT(inputs.status, EXIT_NO_INPUT);
	inputs_close(&inputs);
}

/* More than a process may have open. */
static void
as_many_as_there_are(void)
{
	enum { COUNT = 300 };
	struct rlimit before, few;
	struct inputs inputs;
	char path[400], *names[COUNT + 1] = {NULL};
	snprintf(path, sizeof path, "%s", check_file("there", RECORD(1)));
	for (int i = 0; i < COUNT; i++)
		names[i] = path;
	CHECK_INT(getrlimit(RLIMIT_NOFILE, &before), 0);
	few = before;
	few.rlim_cur = 32;
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &few), 0);
	CHECK_INT(inputs_open(&inputs, names, NULL), 0);
	read_all(&inputs);
	CHECK_U64(strlen(taken), 2 * COUNT);
	CHECK_INT(inputs.status, 0);
	inputs_close(&inputs);
	CHECK(!inputs_are_open(&inputs));
	CHECK_INT(setrlimit(RLIMIT_NOFILE, &before), 0);
}

/* Fifty pipes, written to from the last to the first, and behind them a file, which does not wait
 * for the pipes. */
static void
pipes_at_once(void)
{
	enum { COUNT = 50 };
	struct inputs inputs;
	int writers[COUNT];
	char paths[COUNT][400], file[400], *names[COUNT + 2] = {NULL}, expected[20];
	snprintf(file, sizeof file, "%s", check_file("there", RECORD(7)));
	for (int i = 0; i < COUNT; i++) {
		snprintf(paths[i], sizeof paths[i], "%s/fifo-%d", check_dir(), i);
		CHECK_INT(mkfifo(paths[i], 0600), 0);
		names[i] = paths[i];
	}
	names[COUNT] = file;
	CHECK_INT(inputs_open(&inputs, names, NULL), 0);
	for (int i = 0; i < COUNT; i++)
		writers[i] = open(paths[i], O_WRONLY);
	*taken = '\0';
	for (int i = COUNT; i > 0; i--) {
		struct pollfd fds[FDS];
		if (i < COUNT) {
			CHECK(write(writers[i], RECORD(1), strlen(RECORD(1))) > 0);
			close(writers[i]);
		}
		size_t count = inputs_poll(&inputs, fds);
		CHECK(poll(fds, count, 1000) > 0);
		inputs_polled(&inputs, fds);
		*taken = '\0';
		CHECK_INT(inputs_read(&inputs, take, NULL), 0);
		snprintf(expected, sizeof expected, i == COUNT ? "7 " : "1 ");
		CHECK_STR(taken, expected);
	}
	CHECK(inputs_are_open(&inputs));
	close(writers[0]);
	inputs_close(&inputs);
}

static void
no_memory(void)
{
	struct inputs inputs;
	struct pollfd fds[FDS];
	char path[400];
	snprintf(path, sizeof path, "%s", check_file("there", RECORD(1) RECORD(2)));
	char *names[] = {path, NULL};
	CHECK_INT(inputs_open(&inputs, names, NULL), 0);
	CHECK(poll(fds, inputs_poll(&inputs, fds), PATIENCE_MS) > 0);
	inputs_polled(&inputs, fds);
	CHECK_INT(inputs_read(&inputs, refuse, NULL), -1);
	inputs_close(&inputs);
}

static const struct check_test tests[] = {
	{"files are read one after the other", in_order},
	{"a damaged line is reported between the records around it", losses_in_order},
	{"an input that cannot be opened is reported, and the others are read",
		not_all_can_be_opened},
	{"a file that can no longer be opened when its turn comes is reported and skipped",
		gone_before_its_turn},
	{"more files can be read than may be open at once", as_many_as_there_are},
	{"any number of pipes is read, each when it has data", pipes_at_once},
	{"a failing callback ends the reading", no_memory},
};
CHECK_MAIN(tests)
