/* Unit tests of emit's inputs: any number of files and pipes at once. */
#include "../../tools/emit/inputs.h"

#include "check.h"
#include "diag.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char taken[1000];

/* Notes the number of a record, or `?`: a line was lost. */
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

/* Reads everything. */
static void
read_all(struct inputs *inputs)
{
	*taken = '\0';
	while (inputs_are_open(inputs)) {
		struct pollfd fds[INPUTS_MAX];
		size_t count = inputs_poll(inputs, fds);
		CHECK(poll(fds, count, 1000) > 0);
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

static void
too_many(void)
{
	struct inputs inputs;
	char path[400], *names[INPUTS_MAX + 2] = {NULL};
	snprintf(path, sizeof path, "%s", check_file("there", RECORD(1)));
	for (int i = 0; i < INPUTS_MAX; i++)
		names[i] = path;
	CHECK_INT(inputs_open(&inputs, names, NULL), 0);
	inputs_close(&inputs);
	CHECK(!inputs_are_open(&inputs));
	names[INPUTS_MAX] = path;
	diag_init("t");
	check_capture(STDERR_FILENO);
	CHECK_INT(inputs_open(&inputs, names, NULL), EXIT_USAGE);
	char *said = check_captured_new(STDERR_FILENO);
	CHECK_STR(said, "t: error: too many inputs: at most 32\n");
	free(said);
	CHECK(!inputs_are_open(&inputs));
}

static void
no_memory(void)
{
	struct inputs inputs;
	struct pollfd fds[INPUTS_MAX];
	char path[400];
	snprintf(path, sizeof path, "%s", check_file("there", RECORD(1) RECORD(2)));
	char *names[] = {path, NULL};
	CHECK_INT(inputs_open(&inputs, names, NULL), 0);
	CHECK(poll(fds, inputs_poll(&inputs, fds), 1000) > 0);
	inputs_polled(&inputs, fds);
	CHECK_INT(inputs_read(&inputs, refuse, NULL), -1);
	inputs_close(&inputs);
}

static const struct check_test tests[] = {
	{"files are read one after the other", in_order},
	{"a damaged line is told of between the records around it", losses_in_order},
	{"what cannot be opened is said, and the others are read", not_all_can_be_opened},
	{"there is a limit to inputs", too_many},
	{"who cannot take a record ends the reading", no_memory},
};
CHECK_MAIN(tests)
