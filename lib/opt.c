/* opt - parses command lines the same way in every tool. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "opt.h"

#include "array.h"
#include "diag.h"
#include "num.h"
#include "text.h"
#include "version.h"
#include "words.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct opt_spec common[] = {
	{"help", NULL, "print this help and exit", OPT_NOTED},
	{"version", NULL, "print the version and exit", OPT_NOTED},
	{"verbose", NULL, "print more on stderr; twice for debug messages", OPT_NOTED},
};
enum { COMMON_N = ARRAY_COUNT(common) };
static const char common_letters[] = "hVv";

/* An option, from the tool's own table or from a nested one. */
struct entry {
	const struct opt_spec *spec;
	enum opt_type type;
	void *target; /* the struct that its table fills */
};

/* State of one opt_parse() call. */
struct parser {
	const struct opt_tool *tool;
	void *target; /* the struct that the tool's table fills */
	struct entry *entries;
	size_t count;
	struct option *longs; /* for getopt_long(): names, aliases, common options */
};

/* Value that getopt_long() returns for the first option of a tool's table, above every character.
 * The values must differ: if they were equal, getopt_long() would silently take the first of two
 * options that an abbreviation fits. */
#define FIRST_LONG 256

/* Column at which the help texts begin, and longest line. */
#define HELP_COLUMN 30
#define HELP_WIDTH 100

static bool
is_optional(const struct opt_spec *option)
{
	return option->argument != NULL && *option->argument == '[';
}

/* Print the help text, wrapped. The cursor must be at HELP_COLUMN. */
static void
print_text(const char *text)
{
	size_t column = HELP_COLUMN;
	while (true) {
		size_t length = strcspn(text, " ");
		printf("%.*s", (int)length, text);
		column += length;
		text += length;
		if (*text == '\0')
			break;
		text++;
		if (column + 1 + strcspn(text, " ") <= HELP_WIDTH)
			column += (size_t)printf(" ");
		else {
			printf("\n%*s", HELP_COLUMN, "");
			column = HELP_COLUMN;
		}
	}
	printf("\n");
}

static void
print_option(const struct opt_spec *option, char letter)
{
	int used = letter != '\0' ? printf("  -%c, --%s", letter, option->name)
				  : printf("      --%s", option->name);
	if (option->argument != NULL)
		used += printf("%s%s", is_optional(option) ? "" : " ", option->argument);
	if (used >= HELP_COLUMN)
		used = printf("\n") - 1;
	printf("%*s", HELP_COLUMN - used, "");
	print_text(option->help);
}

static void
print_help(const struct parser *parser)
{
	const struct opt_tool *tool = parser->tool;
	printf("Usage: %s [OPTION]...%s%s\n%s\n\n", tool->name, *tool->operands != '\0' ? " " : "",
		tool->operands, tool->purpose);
	for (size_t i = 0; i < parser->count; i++)
		print_option(parser->entries[i].spec, '\0');
	for (size_t i = 0; i < COMMON_N; i++)
		print_option(&common[i], common_letters[i]);
	printf("\nRecords go to stdout, messages to stderr. Full manual: man %s\n", tool->name);
}

/* Help that cannot be written (a full disk, a closed pipe) is a failed run. */
static int
finish_stdout(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	return diag_io_failure("stdout");
}

static void
complain(const struct opt_tool *tool, const char *what, const char *subject)
{
	diag_error("%s '%s' (try '%s --help')", what, subject, tool->name);
}

/* Report the error behind a '?' or ':' of getopt_long(), which prints none itself because opterr is
 * 0. `argument` is the argv element at which it stopped, `letter` is optopt. */
static void
complain_unparsed(const struct opt_tool *tool, int result, const char *argument, int letter)
{
	char shown[3] = {'-', (char)letter, '\0'};
	/* optopt is 0 for an unknown long option, and the option's value for a known one. -h, -V
	 * and -v take no value, so that their letters stand for the long names here. */
	bool is_long =
		letter == 0 || letter >= FIRST_LONG || strchr(common_letters, letter) != NULL;

	if (result == ':')
		complain(tool, "a value is missing after", is_long ? argument : shown);
	else if (is_long && strchr(argument, '=') != NULL && letter != 0)
		complain(tool, "no value is allowed for", argument);
	else
		complain(tool, "unknown option", is_long ? argument : shown);
}

/* --- values --- */

/* Return NULL, or the reason for rejecting a parsed value. */
static const char *
check_limits(const struct opt_limits *limits, enum num_status status, uint64_t value)
{
	const char *reason = NULL;
	if (status == NUM_MALFORMED)
		return limits->malformed;
	if (status == NUM_OK && value >= limits->least && value <= limits->most)
		return NULL;
	reason = status == NUM_OK && value < limits->least ? limits->below : limits->above;
	return reason != NULL ? reason : limits->malformed;
}

static const char *
parse_text(const struct opt_limits *limits, const char *value, const char **out)
{
	*out = value;
	return limits != NULL ? check_limits(limits, NUM_OK, strlen(value)) : NULL;
}

typedef enum num_status parse_number(const char *text, uint64_t max, uint64_t *out);

static const char *
parse_quantity(
	parse_number *parse, const struct opt_limits *limits, const char *value, uint64_t *out)
{
	enum num_status status = parse(value, limits->most, out);
	return check_limits(limits, status, *out);
}

static const char *
parse_bool(const char *value, bool *out)
{
	*out = value == NULL || strcmp(value, "true") == 0;
	return *out || strcmp(value, "false") == 0 ? NULL : "neither true nor false";
}

static const char *
parse_word(const struct opt_words *words, const char *value, unsigned *out)
{
	size_t index = words_find(words->words, words->count, value);
	if (index == words->count)
		return words->unknown;
	*out = (unsigned)index;
	return NULL;
}

/* Parse the value into the target. Return NULL, or the reason for rejecting it. */
static const char *
parse_value(const struct entry *entry, const struct opt_given *given)
{
	const struct opt_spec *spec = entry->spec;
	void *out = (char *)entry->target + spec->offset;

	switch (entry->type) {
	case OPT_TYPE_FLAG:
		*(bool *)out = true;
		return NULL;
	case OPT_TYPE_BOOL:
		return parse_bool(given->value, out);
	case OPT_TYPE_TEXT:
		return parse_text(spec->limits, given->value, out);
	case OPT_TYPE_TEXT_OR_NULL:
		*(const char **)out = *given->value != '\0' ? given->value : NULL;
		return NULL;
	case OPT_TYPE_NUMBER:
		return parse_quantity(num_parse_u64, spec->limits, given->value, out);
	case OPT_TYPE_DURATION:
		return parse_quantity(num_parse_duration, spec->limits, given->value, out);
	case OPT_TYPE_SIZE:
		return parse_quantity(num_parse_size, spec->limits, given->value, out);
	case OPT_TYPE_WORD:
		return parse_word(spec->words, given->value, out);
	case OPT_TYPE_OTHER:
		return spec->accept(entry->target, given);
	case OPT_TYPE_NOTED:
	case OPT_TYPE_TABLE:
	case OPT_TYPE_FOREIGN_TABLE:
		break;
	}
	return NULL;
}

/* --- options --- */

/* Return the argument that getopt_long_only() has just parsed if it has one dash and only part of
 * the option's name, else NULL. Names may be abbreviated after two dashes, but `-s` must not match
 * an option that merely begins with s. */
static const char *
find_cut_name(const char *name, char **argv)
{
	const char *word = argv[optind - 1];
	size_t length = strlen(name);
	if (word == optarg)
		word = argv[optind - 2];
	if (word[1] == '-' || (strncmp(word + 1, name, length) == 0 &&
				      (word[1 + length] == '\0' || word[1 + length] == '=')))
		return NULL;
	return word;
}

/* Return whether the next option has one dash. Options with two are for getopt_long(): it accepts
 * an abbreviation that fits an option and its alias, and getopt_long_only() does not. */
static bool
is_single_dash_next(int argc, char **argv)
{
	for (int i = optind > 0 ? optind : 1; i < argc; i++) {
		if (argv[i][0] == '-' && argv[i][1] != '\0')
			return argv[i][1] != '-';
	}
	return false;
}

/* Return the result of getopt_long(); `*place` is the option's index in `longs`. */
static int
next_option(const struct parser *parser, int argc, char **argv, int *place)
{
	static const char letters[] = ":hVv";
	if (parser->tool->single_dash && is_single_dash_next(argc, argv))
		return getopt_long_only(argc, argv, letters, parser->longs, place);
	return getopt_long(argc, argv, letters, parser->longs, place);
}

const char opt_no_memory[] = "out of memory";

/* Return 0, or the exit code after reporting the error. */
static int
parse_option(const struct parser *parser, size_t index, const char *name, char **argv)
{
	const struct opt_tool *tool = parser->tool;
	const struct entry *entry = &parser->entries[index];
	/* getopt_long() returns only values from `longs`, which was made from `entries`. */
	assert(entry->spec != NULL);
	const struct opt_given given = {.spec = entry->spec, .name = name, .value = optarg};

	const char *cut = find_cut_name(name, argv);
	if (cut != NULL) {
		complain(tool, "unknown option", cut);
		return EXIT_USAGE;
	}
	if (tool->note != NULL)
		tool->note(parser->target, index, &given);
	const char *reason = parse_value(entry, &given);
	if (reason == NULL)
		return 0;
	if (reason == opt_no_memory)
		return diag_no_memory();
	diag_error(
		"--%s '%s': %s (try '%s --help')", name, text_or_empty(optarg), reason, tool->name);
	return EXIT_USAGE;
}

static int
parse_all(const struct parser *parser, int argc, char **argv, int *exit_code)
{
	int verbosity = 0;

	*exit_code = EXIT_USAGE;
	opterr = 0;
	optind = 0;
	for (;;) {
		int place, result = next_option(parser, argc, argv, &place);
		if (result == -1)
			return optind;

		if (result == '?' || result == ':') {
			complain_unparsed(parser->tool, result, argv[optind - 1], optopt);
			return -1;
		}
		if (result == 'h') {
			print_help(parser);
			*exit_code = finish_stdout();
			return -1;
		}
		if (result == 'V') {
			printf("%s (nic-health-monitor) %s\n", parser->tool->name, NHM_VERSION);
			*exit_code = finish_stdout();
			return -1;
		}
		if (result == 'v') {
			diag_set_verbosity(++verbosity);
			continue;
		}
		int status = parse_option(
			parser, (size_t)(result - FIRST_LONG), parser->longs[place].name, argv);
		if (status != 0) {
			*exit_code = status;
			return -1;
		}
	}
}

/* --- tables --- */

static bool
is_table(const struct opt_spec *spec)
{
	return spec->type == OPT_TYPE_TABLE || spec->type == OPT_TYPE_FOREIGN_TABLE;
}

/* Count the options, including those of nested tables. */
static size_t
count_options(const struct opt_tool *tool)
{
	size_t count = 0;
	for (size_t i = 0; i < tool->count; i++)
		count += is_table(&tool->options[i]) ? tool->options[i].count : 1;
	return count;
}

/* Append the option's name and its alias. Return the position after them. */
static struct option *
name_option(struct option *out, const struct opt_spec *spec, int result)
{
	const struct option named = {
		.name = spec->name,
		.has_arg = is_optional(spec)        ? optional_argument
			   : spec->argument != NULL ? required_argument
						    : no_argument,
		.val = result,
	};
	*out++ = named;
	if (spec->alias != NULL) {
		*out = named;
		out++->name = spec->alias;
	}
	return out;
}

static void
add_table(struct parser *parser, const struct opt_spec *within)
{
	for (size_t i = 0; i < within->count; i++) {
		const struct opt_spec *spec = &within->table[i];
		parser->entries[parser->count++] = (struct entry){.spec = spec,
			.type = within->type == OPT_TYPE_TABLE ? spec->type : OPT_TYPE_NOTED,
			.target = (char *)parser->target + within->offset};
	}
}

/* Return 0, or -1 when out of memory. */
static int
parser_init(struct parser *parser, const struct opt_tool *tool, void *target)
{
	size_t count = count_options(tool);
	*parser = (struct parser){.tool = tool,
		.target = target,
		.entries = calloc(count + 1, sizeof *parser->entries), /* calloc(0) may be NULL */
		.longs = calloc(2 * count + COMMON_N + 1, sizeof *parser->longs)};
	if (parser->entries == NULL || parser->longs == NULL)
		return -1;
	for (size_t i = 0; i < tool->count; i++) {
		const struct opt_spec *spec = &tool->options[i];
		if (is_table(spec))
			add_table(parser, spec);
		else
			parser->entries[parser->count++] =
				(struct entry){.spec = spec, .type = spec->type, .target = target};
	}

	struct option *next = parser->longs;
	for (size_t i = 0; i < parser->count; i++)
		next = name_option(next, parser->entries[i].spec, FIRST_LONG + (int)i);
	for (size_t i = 0; i < COMMON_N; i++)
		next = name_option(next, &common[i], common_letters[i]);
	return 0;
}

static void
parser_fini(struct parser *parser)
{
	free(parser->entries);
	free(parser->longs);
}

/* --- entry points --- */

static int
most_operands(const struct opt_tool *tool)
{
	if (strstr(tool->operands, "...") != NULL)
		return INT_MAX;
	return *tool->operands != '\0' ? 1 : 0;
}

int
opt_parse(const struct opt_tool *tool, int argc, char **argv, void *target, int *exit_code)
{
	struct parser parser;
	int first = -1;
	if (parser_init(&parser, tool, target) == 0) {
		first = parse_all(&parser, argc, argv, exit_code);
		if (first >= 0 && argc - first > most_operands(tool)) {
			*exit_code = opt_unexpected_operand(argv[first + most_operands(tool)]);
			first = -1;
		}
	} else {
		*exit_code = diag_no_memory();
	}
	parser_fini(&parser);
	return first;
}

int
opt_unexpected_operand(const char *operand)
{
	diag_error("unexpected operand '%s' (try '%s --help')", operand, diag_name());
	return EXIT_USAGE;
}
