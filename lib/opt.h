/* opt - parses command lines the same way in every tool: one table drives the parser and --help.
 *
 * Every tool has -h/--help (stdout, exit 0), -V/--version and -v/--verbose. A wrong option is
 * reported in one line on stderr with a hint, and exits 64.
 *
 * A row holds an option's name, its help text, and how to parse and store its value:
 *
 *	static const struct opt_limits day = {1, DAY_NS, "not a duration such as 1s", "too short",
 *		"more than a day"};
 *	static const struct opt_spec specs[] = {
 *		{"interval", "DURATION", "scan every DURATION (1s)",
 *			OPT_DURATION(struct options, live.interval_ns, &day)},
 *		{"gids", NULL, "count GIDs", OPT_FLAG(struct options, gids)},
 *	}; */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_OPT_H
#define NHM_OPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Type of an option's value, and where it is stored. */
enum opt_type {
	OPT_TYPE_NOTED,        /* not stored: the tool's note() receives it */
	OPT_TYPE_FLAG,         /* bool, set to true; a value is not parsed */
	OPT_TYPE_BOOL,         /* bool: "true" or "false"; true without a value */
	OPT_TYPE_TEXT,         /* const char *, valid as long as argv */
	OPT_TYPE_TEXT_OR_NULL, /* the same; NULL for an empty value */
	OPT_TYPE_NUMBER,       /* uint64_t */
	OPT_TYPE_DURATION,     /* uint64_t, nanoseconds */
	OPT_TYPE_SIZE,         /* uint64_t, bytes */
	OPT_TYPE_WORD,         /* enum, as the index of the word */
	OPT_TYPE_OTHER,        /* parsed by accept() */
	/* not an option, but the rows of another table; those of a foreign table all count as
	 * OPT_TYPE_NOTED, because another program parses their values */
	OPT_TYPE_TABLE,
	OPT_TYPE_FOREIGN_TABLE,
};

/* Limits of a value (a number, nanoseconds, bytes, or the length of a text), and the reasons for
 * rejecting it. */
struct opt_limits {
	uint64_t least, most;
	const char *malformed;     /* not of this type */
	const char *below, *above; /* outside the limits; NULL: `malformed` */
};

struct opt_words {
	const char *const *words;
	size_t count;
	const char *unknown; /* reason for rejecting any other word */
};

struct opt_spec;

/* An option as given on the command line. */
struct opt_given {
	const struct opt_spec *spec; /* NULL: none */
	const char *name;            /* the name or alias that was used, never abbreviated */
	/* NULL for a switch or an omitted value; else valid as long as argv */
	const char *value;
};

/* The reason when a value could not be parsed because memory ran out. */
extern const char opt_no_memory[];

/* A row: the texts for --help, then one of the macros below, then designated fields. */
struct opt_spec {
	const char *name; /* long name without the dashes */
	/* name of the value in --help; NULL for a switch; `[=VALUE]`: may be omitted */
	const char *argument;
	const char *help; /* without line feeds; --help wraps it */

	enum opt_type type;
	size_t offset; /* of the target in the struct that the table fills */
	const struct opt_limits *limits;
	const struct opt_words *words;
	/* Parse the value into `target`, the struct that the table fills. Return NULL, the reason
	 * for rejecting the value, or opt_no_memory. */
	const char *(*accept)(void *target, const struct opt_given *given);
	const struct opt_spec *table;
	size_t count; /* of the table */

	const char *alias; /* second name, not in --help; NULL: none */
	unsigned scope;    /* meaning is up to the tool */
};

/* Offset of `member` in `struct_type`; does not compile unless it is a `member_type`. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type cannot have parentheses */
#define OPT_MEMBER(member_type, struct_type, member) \
	(offsetof(struct_type, member) + _Generic(((struct_type *)0)->member, member_type : 0))
/* NOLINTEND(bugprone-macro-parentheses) */

#define OPT_NOTED .type = OPT_TYPE_NOTED
#define OPT_FLAG(struct_type, member) \
	.type = OPT_TYPE_FLAG, .offset = OPT_MEMBER(bool, struct_type, member)
/* Its argument must be OPT_BOOL_ARGUMENT. */
#define OPT_BOOL(struct_type, member) \
	.type = OPT_TYPE_BOOL, .offset = OPT_MEMBER(bool, struct_type, member)
#define OPT_BOOL_ARGUMENT "[=true|false]"
#define OPT_TEXT(struct_type, member) \
	.type = OPT_TYPE_TEXT, .offset = OPT_MEMBER(const char *, struct_type, member)
#define OPT_TEXT_OR_NULL(struct_type, member) \
	.type = OPT_TYPE_TEXT_OR_NULL, .offset = OPT_MEMBER(const char *, struct_type, member)
#define OPT_TEXT_WITHIN(struct_type, member, its_limits) \
	OPT_TEXT(struct_type, member), .limits = (its_limits)
/* A text that must not be empty; `reason` rejects an empty one. */
#define OPT_PATH(struct_type, member, reason) \
	OPT_TEXT_WITHIN(struct_type, member, \
		(&(const struct opt_limits){1, SIZE_MAX, .malformed = (reason)}))
#define OPT_NUMBER(struct_type, member, its_limits) \
	.type = OPT_TYPE_NUMBER, .offset = OPT_MEMBER(uint64_t, struct_type, member), \
	.limits = (its_limits)
#define OPT_DURATION(struct_type, member, its_limits) \
	.type = OPT_TYPE_DURATION, .offset = OPT_MEMBER(uint64_t, struct_type, member), \
	.limits = (its_limits)
#define OPT_SIZE(struct_type, member, its_limits) \
	.type = OPT_TYPE_SIZE, .offset = OPT_MEMBER(uint64_t, struct_type, member), \
	.limits = (its_limits)
#define OPT_WORD(struct_type, member, its_words) \
	.type = OPT_TYPE_WORD, .offset = OPT_MEMBER(unsigned, struct_type, member), \
	.words = (its_words)
#define OPT_OTHER(its_accept) .type = OPT_TYPE_OTHER, .accept = (its_accept)

/* In place of a row: the rows of another table, which fills a member. */
#define OPT_TABLE(its_table, its_count, struct_type, member) \
	{ \
		.type = OPT_TYPE_TABLE, .table = (its_table), .count = (its_count), \
		.offset = offsetof(struct_type, member) \
	}
#define OPT_FOREIGN_TABLE(its_table, its_count) \
	{ \
		.type = OPT_TYPE_FOREIGN_TABLE, .table = (its_table), .count = (its_count) \
	}

struct opt_tool {
	const char *name;
	const char *purpose; /* one line: what the tool does */
	/* After the options in the usage line: "" for none, with "..." for many, else one. */
	const char *operands;
	const struct opt_spec *options;
	size_t count;
	/* also accept long names after one dash, as Go programs do */
	bool single_dash;
	/* Called for each option in command-line order, before its value is parsed. `index` is its
	 * position in --help, from 0; `target` is that of opt_parse(). Nullable. */
	void (*note)(void *target, size_t index, const struct opt_given *given);
};

/* Parse argv into `target`, the struct that the tool's table fills. Return the index of the first
 * operand, argc if there is none, or -1 if the program must exit with `*exit_code`: it has printed
 * help or version, or reported an error. */
int opt_parse(const struct opt_tool *tool, int argc, char **argv, void *target, int *exit_code);

/* Report an unexpected operand. Return EXIT_USAGE, for main() to return. */
int opt_unexpected_operand(const char *operand);

#endif
