/* codec - encodes and decodes JSON objects of a state file by tables that describe each member
 * once. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_CODEC_H
#define CTREVAL_CODEC_H

#include "content.h"
#include "jsonout.h"

/* The entries of a table in natural order. */
struct codec_list {
	struct table_node **nodes;
	size_t count;
};

/* A state file being encoded. */
struct encoder {
	const struct statefile *file;
	const struct counter_list *counters;
	struct codec_list ports, devices, cards, planes, chardevs, identities;
	bool has_wall; /* now_wall_ns is known */
	uint64_t now_wall_ns, now_boot_ns;
	uint64_t stamped_ns; /* the wall-clock time formatted in `stamp` */
	char stamp[CLOCK_STAMP_SIZE];
	struct jsonout out;
};

/* A state file being decoded. */
struct decoder {
	const json_t *root;
	const struct statefile_rules *rules;
	struct statefile *file;
	struct rec_error *error;
	const struct section *section; /* section whose item is being read */
	const char *key;               /* key of that item; NULL: an array item */
	char what[sizeof((struct rec_error *)0)->reason]; /* name of the item, for error messages */
};

/* Type of a member. When a member is absent or null, decoding leaves the field unchanged; only a
 * char[] field becomes "". */
enum field_kind {
	FIELD_TEXT,      /* char[size] */
	FIELD_TEXT_ONCE, /* char[size]; keeps a text that is already set */
	FIELD_LENT,      /* const char *, borrowed from the JSON */
	FIELD_FLAG,      /* bool */
	FIELD_CHOICE,    /* an enum, stored as a bool: true for `high`, false for `low` */
	FIELD_LAYER,     /* enum layer, stored as the link layer's name */
	FIELD_COUNT,     /* unsigned, at most COUNT_MAX */
	FIELD_U64,       /* uint64_t */
	FIELD_HEALTH,    /* enum port_memory, stored by name */
	FIELD_DOWNS,     /* struct flap_memory: its latest link-downs */
	FIELD_SAID,      /* struct said */
	/* Keys of an entry: char[], char * and long long. The section reads them first to find the
	 * entry, and codec_decode() skips them. */
	FIELD_KEY,
	FIELD_KEY_LENT,
	FIELD_KEY_PORT,
};

/* What to write for a member that is unknown: a text that is "" or NULL, a false flag, a number
 * whose bool at `known` is false, or a struct said that does not stand. */
enum field_unknown {
	FIELD_ALWAYS, /* write the value */
	FIELD_NULL,
	FIELD_LEFT_OUT,
};

/* One member: its key in the file and its place in the struct. A row without a key ends the
 * table. */
struct field {
	const char *key;
	enum field_kind kind;
	size_t offset, size;
	enum field_unknown unknown;
	size_t known;
	unsigned low, high;
	/* Error text when the type is wrong, appended to decoder.what. NULL: a message about the
	 * member. */
	const char *why;
};

#define FIELD_AT(type, member) .offset = offsetof(type, member), .size = sizeof(((type *)0)->member)

#define FIELD_OR_NULL .unknown = FIELD_NULL
#define FIELD_IF_ANY .unknown = FIELD_LEFT_OUT

/* The two rows of an entry that is found by device and port. */
#define FIELD_KEYS(type) \
	{"device", FIELD_KEY, FIELD_AT(type, device)}, \
	{ \
		"port", FIELD_KEY_PORT, FIELD_AT(type, number) \
	}

/* Encode the members of `entry` in the order of `fields`, as an object, or without its braces;
 * decode them from `object`. codec_decode() returns 0, or -1 with the decoder's error. */
void codec_encode_object(struct jsonout *out, const struct field *fields, const void *entry);
void codec_encode(struct jsonout *out, const struct field *fields, const void *entry);
int codec_decode(
	struct decoder *decoder, const struct field *fields, const json_t *object, void *entry);

/* Reject the file with the message "<decoder.what> <why>". Always returns -1. */
int codec_refuse(struct decoder *decoder, const char *why);

/* Report by errno why an entry could not be added. Always returns -1. */
int codec_no_entry(struct decoder *decoder);

/* Return the name in member `key`, or NULL if it is missing, empty or too long. Names are 1 to
 * STATE_NAME_SIZE - 1 bytes. */
const char *codec_name(const json_t *object, const char *key);
bool codec_is_name(const char *text);

/* Parse the member "port". Return false if it is missing or not a port number. */
bool codec_port_number(const json_t *object, int64_t *out);

#endif
