/* Unit tests of opt: parsing command lines the same way in every tool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "opt.h"

#include "check.h"
#include "diag.h"
#include "version.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *accept(void *target, const struct opt_given *given);

static const struct opt_spec options[] = {
	{"sysfs-root", "DIR", "where sysfs is", OPT_OTHER(accept)},
	{"count", "N", "how many scans", OPT_OTHER(accept)},
	{"counters", "LIST", "which counters", OPT_OTHER(accept)},
	{"once", NULL, "only once", OPT_OTHER(accept)},
	{"a-name-too-long-for-its-column", "VALUE", "help on a line of its own", OPT_OTHER(accept)},
	{"kmsg", "[=PATH]", "with a value or without", OPT_OTHER(accept)},
	{"node", "NAME", "with an alias", OPT_OTHER(accept), .alias = "node-name"},
	{"fits", NULL, "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123",
		OPT_OTHER(accept)},
	{"wraps", NULL, "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 01234",
		OPT_OTHER(accept)},
};
enum { SYSFS_ROOT, COUNT, COUNTERS, ONCE, LONG_NAME, KMSG, NODE };

/* The accepted options, in order: "0=/x 3". */
static char taken[200];

/* accept() rejects an option without its value. */
static bool refusing;

static const char *
accept(void *target, const struct opt_given *given)
{
	size_t index = (size_t)(given->spec - options);
	const char *value = given->value;
	char item[100];
	CHECK(target == taken);
	if (index != KMSG)
		CHECK((value == NULL) == (options[index].argument == NULL));
	if (((index == COUNT || index == NODE) && value != NULL && value[0] == 'x') ||
		(index == KMSG && value == NULL && refusing))
		return "not a number";
	if (index == SYSFS_ROOT && strcmp(value, "none") == 0)
		return opt_no_memory;
	snprintf(item, sizeof item, "%s%s%s%s", *taken != '\0' ? " " : "", given->name,
		value != NULL ? "=" : "", value != NULL ? value : "");
	strncat(taken, item, sizeof taken - strlen(taken) - 1);
	return NULL;
}

static struct opt_tool tool = {
	.name = "tool",
	.purpose = "Does a thing.",
	.operands = "[FILE]...",
	.options = options,
	.count = CHECK_COUNT(options),
};

struct run {
	int first, exit_code;
	char *out, *err;
	char *argv[8];
};

/* Parse the words of `line`. */
static struct run
parse(const char *line)
{
	struct run run = {.exit_code = -1};
	static char words[200];
	int argc = 0;
	snprintf(words, sizeof words, "tool %s", line);
	for (char *word = strtok(words, " "); word != NULL; word = strtok(NULL, " "))
		run.argv[argc++] = word;

	diag_init("tool");
	diag_set_verbosity(0);
	*taken = '\0';
	check_capture(STDOUT_FILENO);
	check_capture(STDERR_FILENO);
	run.first = opt_parse(&tool, argc, run.argv, taken, &run.exit_code);
	run.err = check_captured_new(STDERR_FILENO);
	run.out = check_captured_new(STDOUT_FILENO);
	return run;
}

static void
run_free(struct run *run)
{
	free(run->out);
	free(run->err);
}

static void
taking(void)
{
	static const struct {
		const char *line, *taken;
		int first;
		const char *operand;
	} rows[] = {
		{"", "", 1, NULL},
		{"file", "", 1, "file"},
		{"--once", "once", 2, NULL},
		{"--sysfs-root /x", "sysfs-root=/x", 3, NULL},
		{"--sysfs-root=/x", "sysfs-root=/x", 2, NULL},
		{"--sysfs-root=", "sysfs-root=", 2, NULL},
		{"--sysfs-root --once", "sysfs-root=--once", 3, NULL},
		{"--count 1 --count 2 --once", "count=1 count=2 once", 6, NULL},
		{"--once a b", "once", 2, "a"},
		{"-- --once", "", 2, "--once"},
		{"--once -- -x", "once", 3, "-x"},
		{"-v --once -vv", "once", 4, NULL},
		{"--verbose -", "", 2, "-"},
		/* Operands may come first. */
		{"a --once", "once", 2, "a"},
		/* An optional value belongs to the option only behind "=". */
		{"--kmsg", "kmsg", 2, NULL},
		{"--kmsg file", "kmsg", 2, "file"},
		{"--kmsg=file", "kmsg=file", 2, NULL},
		{"--kmsg=", "kmsg=", 2, NULL},
		{"--kmsg --once", "kmsg once", 3, NULL},
		{"--km=x --km", "kmsg=x kmsg", 3, NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct run run = parse(rows[i].line);
		check_row("%s", rows[i].line);
		CHECK_INT(run.first, rows[i].first);
		CHECK_STR(taken, rows[i].taken);
		CHECK_STR(run.out, "");
		CHECK_STR(run.err, "");
		if (run.first > 0)
			CHECK_STR(run.argv[run.first], rows[i].operand);
		run_free(&run);
	}
}

static void
check_refused(const char *line, const char *message)
{
	struct run run = parse(line);
	check_row("%s", line);
	CHECK_INT(run.first, -1);
	CHECK_INT(run.exit_code, 64);
	CHECK_STR(run.out, "");
	CHECK_STR(run.err, message);
	run_free(&run);
}

static void
unknown(void)
{
	check_refused("--bogus", "tool: error: unknown option '--bogus' (try 'tool --help')\n");
	check_refused("--bogus=1", "tool: error: unknown option '--bogus=1' (try 'tool --help')\n");
	check_refused("-x", "tool: error: unknown option '-x' (try 'tool --help')\n");
	check_refused("-vx", "tool: error: unknown option '-x' (try 'tool --help')\n");
	check_refused(
		"--once --bogus", "tool: error: unknown option '--bogus' (try 'tool --help')\n");
	check_refused("--ONCE", "tool: error: unknown option '--ONCE' (try 'tool --help')\n");
}

static void
unknown_behind_operand(void)
{
	check_refused(
		"file --bogus", "tool: error: unknown option '--bogus' (try 'tool --help')\n");
	check_refused("file -x", "tool: error: unknown option '-x' (try 'tool --help')\n");
	check_refused("file --count",
		"tool: error: a value is missing after '--count' (try 'tool --help')\n");
	check_refused("file --once=1",
		"tool: error: no value is allowed for '--once=1' (try 'tool --help')\n");
}

static void
values(void)
{
	check_refused(
		"--count", "tool: error: a value is missing after '--count' (try 'tool --help')\n");
	check_refused("--once --count",
		"tool: error: a value is missing after '--count' (try 'tool --help')\n");
	check_refused("--once=1",
		"tool: error: no value is allowed for '--once=1' (try 'tool --help')\n");
	check_refused("--help=1",
		"tool: error: no value is allowed for '--help=1' (try 'tool --help')\n");
	check_refused(
		"--count xyz", "tool: error: --count 'xyz': not a number (try 'tool --help')\n");
}

static void
no_memory(void)
{
	struct run run = parse("--sysfs-root none");
	CHECK_INT(run.first, -1);
	CHECK_INT(run.exit_code, EXIT_OS);
	CHECK_STR(run.err, "tool: error: out of memory\n");
	run_free(&run);
}

static void
refused_without_value(void)
{
	refusing = true;
	check_refused("--kmsg", "tool: error: --kmsg '': not a number (try 'tool --help')\n");
}

static void
abbreviated(void)
{
	struct run run = parse("--sys=/x --onc");
	CHECK_INT(run.first, 3);
	CHECK_STR(taken, "sysfs-root=/x once");
	run_free(&run);
	/* The start of one name may be another whole name. */
	run = parse("--count 3");
	CHECK_STR(taken, "count=3");
	run_free(&run);
}

static void
single_dash(void)
{
	static const struct {
		const char *line, *taken;
		int first;
	} rows[] = {
		{"-sysfs-root /x", "sysfs-root=/x", 3},
		{"-sysfs-root=/x -once", "sysfs-root=/x once", 3},
		{"--sysfs-root /x --once", "sysfs-root=/x once", 4},
		{"-sysfs-root -count -count 3", "sysfs-root=-count count=3", 5},
		{"-sysfs-root= -kmsg -kmsg=", "sysfs-root= kmsg kmsg=", 4},
		{"--onc -v -vv file", "once", 4},
		{"-verbose -- -once", "", 3},
	};
	tool.single_dash = true;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct run run = parse(rows[i].line);
		check_row("%s", rows[i].line);
		CHECK_INT(run.first, rows[i].first);
		CHECK_STR(taken, rows[i].taken);
		CHECK_STR(run.err, "");
		run_free(&run);
	}
	static const char *const wordy[] = {"-h", "-help", "-V", "-version", "-vh"};
	for (size_t i = 0; i < CHECK_COUNT(wordy); i++) {
		struct run run = parse(wordy[i]);
		check_row("%s", wordy[i]);
		CHECK_INT(run.exit_code, 0);
		CHECK(*run.out != '\0');
		run_free(&run);
	}
	/* As with two dashes; but only a whole name is an option, no part of it and no letter. */
	check_refused("-bogus", "tool: error: unknown option '-bogus' (try 'tool --help')\n");
	check_refused("-x", "tool: error: unknown option '-x' (try 'tool --help')\n");
	check_refused("-vx", "tool: error: unknown option '-x' (try 'tool --help')\n");
	check_refused("-o", "tool: error: unknown option '-o' (try 'tool --help')\n");
	check_refused("-s /x", "tool: error: unknown option '-s' (try 'tool --help')\n");
	check_refused("-sysfs=/x", "tool: error: unknown option '-sysfs=/x' (try 'tool --help')\n");
	check_refused("-sysfs /x", "tool: error: unknown option '-sysfs' (try 'tool --help')\n");
	check_refused(
		"-count", "tool: error: a value is missing after '-count' (try 'tool --help')\n");
	check_refused(
		"-once=1", "tool: error: no value is allowed for '-once=1' (try 'tool --help')\n");
	tool.single_dash = false;
}

/* Both names are one option: an abbreviation of both is not ambiguous, and each is reported as
 * spelled. */
static void
alias(void)
{
	static const struct {
		const char *line, *taken;
	} rows[] = {
		{"--node a", "node=a"},
		{"--node-name a --node=b", "node-name=a node=b"},
		{"--nod a --node- b --no=c", "node=a node-name=b node=c"},
	};
	for (int dashes = 2; dashes > 0; dashes--) {
		tool.single_dash = dashes == 1;
		for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
			struct run run = parse(rows[i].line);
			check_row("%d: %s", dashes, rows[i].line);
			CHECK_STR(taken, rows[i].taken);
			CHECK_STR(run.err, "");
			run_free(&run);
		}
		check_refused("--node-name x",
			"tool: error: --node-name 'x': not a number (try 'tool --help')\n");
		check_refused("--node- x",
			"tool: error: --node-name 'x': not a number (try 'tool --help')\n");
		check_refused(
			"--no=x", "tool: error: --node 'x': not a number (try 'tool --help')\n");
		check_refused("--node-name", "tool: error: a value is missing after '--node-name' "
					     "(try 'tool --help')\n");
	}
	struct run run = parse("-node-name a -v file --nod=b -node c");
	CHECK_STR(taken, "node-name=a node=b node=c");
	run_free(&run);
	check_refused("-nod a", "tool: error: unknown option '-nod' (try 'tool --help')\n");
	tool.single_dash = false;
	run = parse("--help");
	CHECK_HAS(run.out, "      --node NAME ");
	CHECK_U64(check_occurrences(run.out, "node-name"), 0);
	run_free(&run);
}

static void
ambiguous(void)
{
	/* --count and --counters: guessing could choose the wrong one. */
	struct run run = parse("--coun 3");
	CHECK_INT(run.first, -1);
	CHECK_INT(run.exit_code, 64);
	CHECK_STR(taken, "");
	CHECK_HAS(run.err, "--coun");
	run_free(&run);
	run = parse("--ver");
	CHECK_INT(run.first, -1);
	CHECK_INT(run.exit_code, 64);
	CHECK_STR(run.out, "");
	run_free(&run);
}

static void
help(void)
{
	static const char *const lines[] = {"--help", "-h", "--once --help", "file --help", "-vh"};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		struct run run = parse(lines[i]);
		check_row("%s", lines[i]);
		CHECK_INT(run.first, -1);
		CHECK_INT(run.exit_code, 0);
		CHECK_STR(run.err, "");
		CHECK_HAS(run.out, "Usage: tool [OPTION]... [FILE]...\nDoes a thing.\n");
		CHECK_HAS(run.out, "      --sysfs-root DIR        where sysfs is\n");
		CHECK_HAS(run.out, "      --once                  only once\n");
		CHECK_HAS(run.out, "      --a-name-too-long-for-its-column VALUE\n"
				   "                              help on a line of its own\n");
		CHECK_HAS(run.out, "      --kmsg[=PATH]           with a value or without\n");
		CHECK_HAS(run.out, "0123456789 0123\n"); /* the line ends at column 100 */
		CHECK_HAS(run.out, "0123456789\n                              01234\n");
		CHECK_HAS(run.out, "  -h, --help");
		CHECK_HAS(run.out, "  -V, --version");
		CHECK_HAS(run.out, "  -v, --verbose");
		run_free(&run);
	}
}

static void
version(void)
{
	static const char *const lines[] = {"--version", "-V"};
	for (size_t i = 0; i < CHECK_COUNT(lines); i++) {
		struct run run = parse(lines[i]);
		CHECK_INT(run.first, -1);
		CHECK_INT(run.exit_code, 0);
		CHECK_STR(run.out, "tool (nic-health-monitor) " NHM_VERSION "\n");
		CHECK_STR(run.err, "");
		run_free(&run);
	}
}

static void
stdout_full(void)
{
	char *argv[] = {(char[]){"tool"}, (char[]){"--help"}, NULL};
	int exit_code = -1;
	diag_init("tool");
	check_capture(STDERR_FILENO);
	/* Only this process has lost its stdout; the verdict goes elsewhere. */
	CHECK(freopen("/dev/full", "w", stdout) != NULL);
	CHECK_INT(opt_parse(&tool, 2, argv, taken, &exit_code), -1);
	char *err = check_captured_new(STDERR_FILENO);
	CHECK_INT(exit_code, EXIT_IO);
	CHECK_STR(err, "tool: error: stdout: No space left on device\n");
	free(err);
	clearerr(stdout);
}

static void
verbosity(void)
{
	static const struct {
		const char *line;
		size_t shown;
	} rows[] = {{"", 0}, {"-v", 1}, {"--verbose", 1}, {"-vv", 2}, {"-v --verbose", 2}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct run run = parse(rows[i].line);
		check_row("%s", rows[i].line);
		check_capture(STDERR_FILENO);
		diag_info("i");
		diag_debug("d");
		char *err = check_captured_new(STDERR_FILENO);
		CHECK_INT((int64_t)check_occurrences(err, "\n"), (int64_t)rows[i].shown);
		free(err);
		run_free(&run);
	}
}

static void
operand(void)
{
	diag_init("tool");
	check_capture(STDERR_FILENO);
	CHECK_INT(opt_unexpected_operand("x\n"), 64);
	char *err = check_captured_new(STDERR_FILENO);
	CHECK_STR(err, "tool: error: unexpected operand 'x\\x0a' (try 'tool --help')\n");
	free(err);
}

static void
too_many_operands(void)
{
	static const struct {
		const char *operands, *line;
		int first;
		const char *err;
	} rows[] = {
		{"", "--once", 2, ""},
		{"", "--once a", -1, "tool: error: unexpected operand 'a' (try 'tool --help')\n"},
		{"[FILE|-]", "--once", 2, ""},
		{"[FILE|-]", "--once a", 2, ""},
		{"[FILE|-]", "a b c", -1,
			"tool: error: unexpected operand 'b' (try 'tool --help')\n"},
		{"[FILE]...", "a b c", 1, ""},
	};
	const char *were = tool.operands;
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		tool.operands = rows[i].operands;
		struct run run = parse(rows[i].line);
		CHECK_INT(run.first, rows[i].first);
		if (rows[i].first < 0)
			CHECK_INT(run.exit_code, 64);
		CHECK_STR(run.err, rows[i].err);
		CHECK_STR(run.out, "");
		run_free(&run);
	}
	tool.operands = were;
}

/* --- typed rows --- */

enum colour { RED, GREEN, COLOUR_N };

struct values {
	bool flag, bool_given;
	const char *text, *path, *or_null, *name;
	uint64_t number, duration_ns, size_bytes;
	enum colour colour;
};

static struct outer {
	size_t noted; /* options; the last one is */
	size_t index;
	const char *name;
	struct values values;
} outer;

static const char *const colour_names[COLOUR_N] = {[RED] = "red", [GREEN] = "green"};
static const struct opt_words colours = {colour_names, COLOUR_N, "no colour"};
static const struct opt_limits few = {2, 5, "no number", "too few", "too many"};
static const struct opt_limits second = {1, 1000000000, .malformed = "no time", .below = "none"};
static const struct opt_limits kibibytes = {2048, 4096, .malformed = "no size"};
static const struct opt_limits short_name = {1, 3, .malformed = "no name", .above = "too long"};

static const struct opt_spec typed_rows[] = {
	{"flag", NULL, "", OPT_FLAG(struct values, flag)},
	{"bool", OPT_BOOL_ARGUMENT, "", OPT_BOOL(struct values, bool_given)},
	{"text", "TEXT", "", OPT_TEXT(struct values, text)},
	{"path", "FILE", "", OPT_PATH(struct values, path, "no path")},
	{"or-null", "TEXT", "", OPT_TEXT_OR_NULL(struct values, or_null)},
	{"name", "NAME", "", OPT_TEXT_WITHIN(struct values, name, &short_name)},
	{"number", "N", "", OPT_NUMBER(struct values, number, &few)},
	{"duration", "DURATION", "", OPT_DURATION(struct values, duration_ns, &second)},
	{"size", "SIZE", "", OPT_SIZE(struct values, size_bytes, &kibibytes)},
	{"colour", "COLOUR", "", OPT_WORD(struct values, colour, &colours)},
};

static void
note(void *target, size_t index, const struct opt_given *given)
{
	CHECK(target == &outer);
	outer.noted++;
	outer.index = index;
	outer.name = given->name;
}

/* Parse `word` with `row` as the only option; return the messages, to free(). */
static char *
parse_typed_new(const struct opt_spec *row, const char *word)
{
	const struct opt_tool typed_tool = {
		.name = "tool", .operands = "", .options = row, .count = 1, .note = note};
	char *argv[] = {(char[]){"tool"}, (char *)word, NULL};
	int exit_code;
	outer = (struct outer){.values.or_null = "set"};
	check_capture(STDERR_FILENO);
	opt_parse(&typed_tool, 2, argv, &outer, &exit_code);
	return check_captured_new(STDERR_FILENO);
}

static void
typed(void)
{
	static const struct {
		const char *word, *reason; /* NULL: accepted */
	} rows[] = {
		{"--number=1", "too few"},
		{"--number=6", "too many"},
		{"--number=-2", "no number"},
		{"--number=", "no number"},
		{"--duration=0", "none"},
		{"--duration=1001ms", "no time"},
		{"--duration=1", "no time"},
		{"--size=1KiB", "no size"},
		{"--size=5KiB", "no size"},
		{"--size=4096", "no size"},
		{"--path=", "no path"},
		{"--name=", "no name"},
		{"--name=long", "too long"},
		{"--colour=blue", "no colour"},
		{"--colour=", "no colour"},
		{"--bool=yes", "neither true nor false"},
		{"--bool=", "neither true nor false"},
		{"--bool", NULL},
		{"--bool=true", NULL},
		{"--bool=false", NULL},
		{"--flag", NULL},
		{"--text=", NULL},
		{"--path=p", NULL},
		{"--or-null=", NULL},
		{"--name=abc", NULL},
		{"--number=5", NULL},
		{"--duration=1s", NULL},
		{"--size=4KiB", NULL},
		{"--colour=green", NULL},
	};
	const struct opt_spec table =
		OPT_TABLE(typed_rows, CHECK_COUNT(typed_rows), struct outer, values);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].word);
		char *said = parse_typed_new(&table, rows[i].word);
		if (rows[i].reason != NULL)
			CHECK_HAS(said, rows[i].reason);
		else
			CHECK_STR(said, "");
		const struct values *values = &outer.values;
		bool is_good = rows[i].reason == NULL;
		CHECK_INT(values->flag, strcmp(rows[i].word, "--flag") == 0);
		CHECK_INT(values->bool_given, strcmp(rows[i].word, "--bool") == 0 ||
						      strcmp(rows[i].word, "--bool=true") == 0);
		CHECK_INT(values->or_null == NULL, strcmp(rows[i].word, "--or-null=") == 0);
		CHECK_INT(is_good && values->text != NULL, strcmp(rows[i].word, "--text=") == 0);
		CHECK_INT(is_good && values->path != NULL, strcmp(rows[i].word, "--path=p") == 0);
		CHECK_INT(is_good && values->name != NULL, strcmp(rows[i].word, "--name=abc") == 0);
		CHECK_INT(values->number == 5, strcmp(rows[i].word, "--number=5") == 0);
		CHECK_INT(values->duration_ns == 1000000000,
			strcmp(rows[i].word, "--duration=1s") == 0);
		CHECK_INT(values->size_bytes == 4096, strcmp(rows[i].word, "--size=4KiB") == 0);
		CHECK_INT(values->colour == GREEN, strcmp(rows[i].word, "--colour=green") == 0);
		free(said);
	}
}

static void
tables(void)
{
	const struct opt_spec ours =
		OPT_TABLE(typed_rows, CHECK_COUNT(typed_rows), struct outer, values);
	const struct opt_spec foreign = OPT_FOREIGN_TABLE(typed_rows, CHECK_COUNT(typed_rows));
	char *said = parse_typed_new(&ours, "--number=4");
	CHECK_STR(said, "");
	CHECK_U64(outer.values.number, 4);
	CHECK_U64(outer.noted, 1);
	CHECK_U64(outer.index, 6);
	CHECK_STR(outer.name, "number");
	free(said);
	/* The other program checks the limits. */
	said = parse_typed_new(&foreign, "--number=many");
	CHECK_STR(said, "");
	CHECK_U64(outer.values.number, 0);
	CHECK_U64(outer.noted, 1);
	free(said);
}

static const struct check_test tests[] = {
	{"options are accepted in order, and the index of the first operand is returned", taking},
	{"an unknown option is one line with a hint, exit 64", unknown},
	{"a wrong option after an operand is still reported", unknown_behind_operand},
	{"a missing, needless or bad value is one line with a hint, exit 64", values},
	{"memory that runs out is no error of the value, exit 71", no_memory},
	{"an option rejected without its value is named", refused_without_value},
	{"a name may be abbreviated if it stays unique", abbreviated},
	{"in a tool that allows it, a whole name may follow one dash", single_dash},
	{"an option and its alias are one option", alias},
	{"an ambiguous abbreviation is refused", ambiguous},
	{"a row sets its member within its limits", typed},
	{"options of another table are noted, or set a part of the struct", tables},
	{"help goes to stdout and is a success", help},
	{"the version goes to stdout and is a success", version},
	{"help that cannot be written is a failure", stdout_full},
	{"each -v adds messages", verbosity},
	{"an unexpected operand is reported, exit 64", operand},
	{"operands beyond those in the usage line are refused", too_many_operands},
};
CHECK_MAIN(tests)
