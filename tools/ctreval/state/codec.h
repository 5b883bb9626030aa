/* codec - what the sections of a state file are made with: rows that describe the members of a JSON
 * object and of a struct once, for both ways. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CODEC_H
#define CTREVAL_CODEC_H

#include "content.h"

/* The entries of a table, in natural order. */
struct codec_list {
	struct table_node **nodes;
	size_t count;
};

/* A file being written. */
struct encoder {
	const struct statefile *file;
	const struct counter_list *counters;
	struct codec_list ports, devices, cards, planes, chardevs, identities;
	bool has_wall; /* now_wall_ns is known */
	uint64_t now_wall_ns, now_boot_ns;
	struct strbuf snapshots; /* of counters, as the text of a member */
	uint64_t stamped_ns;     /* the time that `stamp` has, by the wall clock */
	char stamp[CLOCK_STAMP_SIZE];
	bool failed; /* memory ran out */
};

/* A file being read. */
struct decoder {
	const json_t *root;
	const struct statefile_rules *rules;
	struct statefile *file;
	struct rec_error *error;
	const struct section *section; /* whose item is being read, ... */
	const char *key;               /* ... and under which key; NULL: in an array */
	char what[sizeof((struct rec_error *)0)->reason]; /* what is being read, for a refusal */
};

/* How a member goes into the file and comes back. Absent and null leave it as it is, but for a
 * bounded text, which becomes "". */
enum field_kind {
	FIELD_TEXT,      /* char[size] */
	FIELD_TEXT_ONCE, /* the same; what is known already is kept */
	FIELD_LENT,      /* const char *, which belongs to the JSON */
	FIELD_FLAG,      /* bool */
	FIELD_CHOICE,    /* an enum, as a bool: `high` when it is true, else `low` */
	FIELD_LAYER,     /* enum layer, as a link layer */
	FIELD_COUNT,     /* unsigned, and small */
	FIELD_U64,       /* uint64_t */
	FIELD_HEALTH,    /* enum port_memory, by name */
	FIELD_DOWNS,     /* struct flap_memory, of which these are the last link-downs */
	FIELD_SAID,      /* struct said */
	/* By which the entry is found, read before the others: char[], char * and long long. */
	FIELD_KEY,
	FIELD_KEY_LENT,
	FIELD_KEY_PORT,
};

/* What the file has of a member that is not known: a text that is "" or NULL, a flag that is not
 * set, a number whose bool at `known` is not, of struct said nothing that stands. */
enum field_unknown {
	FIELD_ALWAYS, /* it is as it is */
	FIELD_NULL,
	FIELD_LEFT_OUT,
};

/* One row: a member's name in the file, and where it is in the struct. The last row has no key. */
struct field {
	const char *key;
	enum field_kind kind;
	size_t offset, size;
	enum field_unknown unknown;
	size_t known;
	unsigned low, high;
	/* Of a member that is of another type, after what is being read; NULL: says so of the
	 * member. */
	const char *why;
};

#define FIELD_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

#define FIELD_OR_NULL .unknown = FIELD_NULL
#define FIELD_IF_ANY .unknown = FIELD_LEFT_OUT

/* The two rows of what is found by device and port. */
#define FIELD_KEYS(type) \
	{"device", FIELD_KEY, FIELD_AT(type, device)}, \
	{ \
		"port", FIELD_KEY_PORT, FIELD_AT(type, number) \
	}

/* An object of the rows' members in their order; and back. NULL, or -1 with the decoder's error. */
json_t *codec_encode_new(struct encoder *encoder, const struct field *fields, const void *entry);
void codec_encode(
	struct encoder *encoder, const struct field *fields, json_t *object, const void *entry);
int codec_decode(
	struct decoder *decoder, const struct field *fields, const json_t *object, void *entry);

/* Sets a member to, or appends, a value that was just made: it is taken. NULL: memory ran out. */
void codec_put(struct encoder *encoder, json_t *object, const char *key, json_t *value);
void codec_append(struct encoder *encoder, json_t *array, json_t *value);

/* Refuses the file, for what is being read is so; always -1. */
int codec_refuse(struct decoder *decoder, const char *why);

/* Says why an entry could not be made, by errno; always -1. */
int codec_no_entry(struct decoder *decoder);

/* The member `key`, the name of something: "" never is one. NULL when there is none. */
const char *codec_name(const json_t *object, const char *key);
bool codec_is_name(const char *text);

/* The member "port"; false when there is none. */
bool codec_port_number(const json_t *object, int64_t *out);

#endif
