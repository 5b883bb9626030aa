/* opt - command lines, the same way in every tool: one table gives the parser and the help text.
 *
 * Every tool has -h/--help (stdout, exit 0), -V/--version and -v/--verbose. A wrong option is one
 * line on stderr with a hint, exit 64.
 *
 * A row has a name, what --help says, and what becomes of the value:
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

/* What the value of an option is, and where it goes. */
enum opt_type {
	OPT_TYPE_NOTED,        /* nowhere: the tool's `note` has it */
	OPT_TYPE_FLAG,         /* a bool becomes true; a value is somebody else's to parse */
	OPT_TYPE_BOOL,         /* a bool, as true or false; true without a value */
	OPT_TYPE_TEXT,         /* const char *, which lives as long as argv */
	OPT_TYPE_TEXT_OR_NULL, /* the same; NULL for an empty one */
	OPT_TYPE_NUMBER,       /* uint64_t */
	OPT_TYPE_DURATION,     /* uint64_t, nanoseconds */
	OPT_TYPE_SIZE,         /* uint64_t, bytes */
	OPT_TYPE_WORD,         /* an enum, whose words are in its order */
	OPT_TYPE_OTHER,        /* `accept` says */
	/* no option, but the rows of another table; the second: all as OPT_TYPE_NOTED, since their
	 * values are parsed by another program */
	OPT_TYPE_TABLE,
	OPT_TYPE_FOREIGN_TABLE,
};

/* Limits of a value, which is a number, nanoseconds, bytes, or the length of a text; and the
 * reasons for which one is refused. */
struct opt_limits {
	uint64_t least, most;
	const char *malformed;     /* it is not of this type at all */
	const char *below, *above; /* NULL: as malformed */
};

struct opt_words {
	const char *const *words;
	size_t count;
	const char *unknown; /* why any other will not do */
};

struct opt_spec;

/* An option on the command line. */
struct opt_given {
	const struct opt_spec *spec; /* NULL: none */
	const char *name; /* the option's name or its alias, whichever was used; never cut */
	/* NULL for a switch, or when it was left out; else it lives as long as argv */
	const char *value;
};

/* The reason when nothing is wrong with a value but that memory ran out. */
extern const char opt_no_memory[];

/* A row: the texts of --help, then one of the macros below, then fields by their names. */
struct opt_spec {
	const char *name; /* long name without the dashes */
	/* what --help calls its value; NULL for a switch; `[=VALUE]`: may be left out */
	const char *argument;
	const char *help; /* without a line feed: what is too long for a line is wrapped */

	enum opt_type type;
	size_t offset; /* of what it sets, in the struct that the table is about */
	const struct opt_limits *limits;
	const struct opt_words *words;
	/* Accepts it for `target`, the struct that the table is about. Returns NULL, or the reason
	 * why the value will not do, or opt_no_memory. */
	const char *(*accept)(void *target, const struct opt_given *given);
	const struct opt_spec *table;
	size_t count; /* of the table */

	const char *alias; /* another name, which --help does not have; NULL: none */
	unsigned scope;    /* what a tool makes of it */
};

/* Where `member` is in `struct_type`; it is an error if it is not a `member_type`. */
/* NOLINTBEGIN(bugprone-macro-parentheses): a type has none */
#define OPT_MEMBER(member_type, struct_type, member) \
	(offsetof(struct_type, member) + _Generic(((struct_type *)0)->member, member_type : 0))
/* NOLINTEND(bugprone-macro-parentheses) */

#define OPT_NOTED .type = OPT_TYPE_NOTED
#define OPT_FLAG(struct_type, member) \
	.type = OPT_TYPE_FLAG, .offset = OPT_MEMBER(bool, struct_type, member)
/* Its argument is OPT_BOOL_ARGUMENT. */
#define OPT_BOOL(struct_type, member) \
	.type = OPT_TYPE_BOOL, .offset = OPT_MEMBER(bool, struct_type, member)
#define OPT_BOOL_ARGUMENT "[=true|false]"
#define OPT_TEXT(struct_type, member) \
	.type = OPT_TYPE_TEXT, .offset = OPT_MEMBER(const char *, struct_type, member)
#define OPT_TEXT_OR_NULL(struct_type, member) \
	.type = OPT_TYPE_TEXT_OR_NULL, .offset = OPT_MEMBER(const char *, struct_type, member)
#define OPT_TEXT_WITHIN(struct_type, member, its_limits) \
	OPT_TEXT(struct_type, member), .limits = (its_limits)
/* A text that is not empty, else `reason`. */
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

/* In the place of a row: the rows of a table that is about a member. */
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
	/* After the options in the usage line: "" for none, "..." in it for many, else one. */
	const char *operands;
	const struct opt_spec *options;
	size_t count;
	/* long names may also stand after one dash, as Go's programs have them */
	bool single_dash;
	/* Told of each option before its value is parsed, in the order of the command line; `index`
	 * is its place in --help, from 0. `target` is what opt_parse() got. Nullable. */
	void (*note)(void *target, size_t index, const struct opt_given *given);
};

/* Parses argv into `target`, the struct that the tool's table is about. Returns the index of the
 * first operand, which may be missing, or -1 when the program is to end with `*exit_code`: help or
 * version was printed, or the command line is wrong and that has been reported. */
int opt_parse(const struct opt_tool *tool, int argc, char **argv, void *target, int *exit_code);

/* Reports that an operand was not expected; returns EXIT_USAGE for main() to return. */
int opt_unexpected_operand(const char *operand);

#endif
