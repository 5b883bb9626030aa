/* opt - command lines, the same way in every tool: one table gives the parser and the help text.
 *
 * Every tool has -h/--help (stdout, exit 0), -V/--version and -v/--verbose. A wrong option is one line on stderr
 * with a hint, exit 64. */
#ifndef NHM_OPT_H
#define NHM_OPT_H

#include <stdbool.h>
#include <stddef.h>

struct opt_spec {
	const char *name; /* long name without the dashes */
	const char *
		argument; /* what --help calls its value; NULL for a switch; `[=VALUE]`: may be left out */
	const char *help; /* one line */
};

struct opt_tool {
	const char *name;
	const char *purpose;  /* one line: what the tool does */
	const char *operands; /* behind the options in the usage line, "" for none */
	const struct opt_spec *options;
	size_t count;
	bool single_dash; /* long names may also stand behind one dash, as Go's programs have them */
	/* Takes option number `index` of the table and its value (NULL for a switch, or when it was left out; otherwise it lives as long as
	 * argv). Returns NULL, or the reason why the value will not do. */
	const char *(*take)(void *context, size_t index, const char *value);
};

/* Parses argv. Returns the index of the first operand, or -1 when the program is to end with `*exit_code`: help or
 * version was printed, or the command line is wrong and that has been said. */
int opt_parse(const struct opt_tool *tool, int argc, char **argv, void *context, int *exit_code);

/* Says that an operand was not expected; returns EXIT_USAGE for main() to return. */
int opt_unexpected_operand(const char *operand);

#endif
