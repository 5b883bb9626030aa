/* opt - command lines, the same way in every tool. */
#include "opt.h"

#include "diag.h"
#include "version.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct opt_spec common[] = {
	{"help", NULL, "print this help and exit"},
	{"version", NULL, "print the version and exit"},
	{"verbose", NULL, "say more on stderr; twice for debugging"},
};
enum { HELP, VERSION, VERBOSE, COMMON_N };
static const char common_letters[] = "hVv";

/* What getopt_long() returns for the first option of a tool's table; beyond every character. They must differ, or an
 * abbreviation that fits two options would silently be the first. */
#define FIRST_LONG 256

/* Column at which the help texts begin. */
#define HELP_COLUMN 30

static bool
is_optional(const struct opt_spec *option)
{
	return option->argument != NULL && *option->argument == '[';
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
	printf("%*s%s\n", HELP_COLUMN - used, "", option->help);
}

static void
print_help(const struct opt_tool *tool)
{
	printf("Usage: %s [OPTION]...%s%s\n%s\n\n", tool->name, *tool->operands != '\0' ? " " : "",
		tool->operands, tool->purpose);
	for (size_t i = 0; i < tool->count; i++)
		print_option(&tool->options[i], '\0');
	for (size_t i = 0; i < COMMON_N; i++)
		print_option(&common[i], common_letters[i]);
	printf("\nRecords go to stdout, messages to stderr. Full manual: man %s\n", tool->name);
}

/* Help that did not arrive (a full disk, a closed pipe) is a failed run. */
static int
finish_stdout(void)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return 0;
	diag_error("stdout: %s", strerror(errno));
	return EXIT_IO;
}

static void
complain(const struct opt_tool *tool, const char *what, const char *subject)
{
	diag_error("%s '%s' (try '%s --help')", what, subject, tool->name);
}

/* getopt_long() says only '?' or ':'; the words are ours. `argument` is the argv element it stopped at. */
static void
complain_unparsed(const struct opt_tool *tool, int result, const char *argument, int letter)
{
	char shown[3] = {'-', (char)letter, '\0'};
	/* Only a long option can be unknown without a letter, or wrong although it is known. */
	bool is_long =
		letter == 0 || letter >= FIRST_LONG || strchr(common_letters, letter) != NULL;

	if (result == ':')
		complain(tool, "a value is missing after", is_long ? argument : shown);
	else if (is_long && strchr(argument, '=') != NULL && letter != 0)
		complain(tool, "no value belongs to", argument);
	else
		complain(tool, "unknown option", is_long ? argument : shown);
}

/* The word that getopt_long_only() has just taken a long option from, when it has one dash and less than the whole name; else NULL. With two dashes a name
 * may be cut short, but `-s` must not be whatever begins with an s. */
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

static int
take_all(const struct opt_tool *tool, const struct option *longs, int argc, char **argv,
	void *context, int *exit_code)
{
	static const char letters[] = ":hVv";
	int verbosity = 0;

	*exit_code = EXIT_USAGE;
	opterr = 0;
	optind = 0;
	for (;;) {
		int result = tool->single_dash ? getopt_long_only(argc, argv, letters, longs, NULL)
					       : getopt_long(argc, argv, letters, longs, NULL);
		if (result == -1)
			return optind;

		if (result == '?' || result == ':') {
			complain_unparsed(tool, result, argv[optind - 1], optopt);
			return -1;
		}
		if (result == 'h') {
			print_help(tool);
			*exit_code = finish_stdout();
			return -1;
		}
		if (result == 'V') {
			printf("%s (nic-health-monitor) %s\n", tool->name, NHM_VERSION);
			*exit_code = finish_stdout();
			return -1;
		}
		if (result == 'v') {
			diag_set_verbosity(++verbosity);
			continue;
		}

		size_t index = (size_t)(result - FIRST_LONG);
		const char *cut = find_cut_name(tool->options[index].name, argv);
		if (cut != NULL) {
			complain(tool, "unknown option", cut);
			return -1;
		}
		const char *reason = tool->take(context, index, optarg);
		if (reason != NULL) {
			diag_error("--%s '%s': %s (try '%s --help')", tool->options[index].name,
				optarg != NULL ? optarg : "", reason, tool->name);
			return -1;
		}
	}
}

int
opt_parse(const struct opt_tool *tool, int argc, char **argv, void *context, int *exit_code)
{
	struct option *longs = calloc(tool->count + COMMON_N + 1, sizeof *longs);
	if (longs == NULL) {
		diag_error("out of memory");
		*exit_code = EXIT_OS;
		return -1;
	}
	for (size_t i = 0; i < tool->count; i++) {
		longs[i].name = tool->options[i].name;
		longs[i].has_arg = is_optional(&tool->options[i])      ? optional_argument
				   : tool->options[i].argument != NULL ? required_argument
								       : no_argument;
		longs[i].val = FIRST_LONG + (int)i;
	}
	for (size_t i = 0; i < COMMON_N; i++) {
		longs[tool->count + i].name = common[i].name;
		longs[tool->count + i].val = common_letters[i];
	}

	int first = take_all(tool, longs, argc, argv, context, exit_code);
	free(longs);
	return first;
}

int
opt_unexpected_operand(const char *operand)
{
	diag_error("unexpected operand '%s' (try '%s --help')", operand, diag_name());
	return EXIT_USAGE;
}
