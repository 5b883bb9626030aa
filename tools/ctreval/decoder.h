/* decoder - what the parts of reading a state file share: values taken from JSON, and checked. */
#ifndef CTREVAL_DECODER_H
#define CTREVAL_DECODER_H

#include "statefile.h"

/* One file being read. */
struct decoder {
	const json_t *root;
	const struct counter_list *counters;
	bool counter_detection;
	struct statefile *file;
	struct rec_error *error;
};

/* Says why an entry could not be made, by errno; always -1. */
int decoder_no_entry(struct decoder *decoder);

/* A member of the root of this type, or NULL; `*status` becomes -1 when it is there and something else. */
const json_t *decoder_member(struct decoder *decoder, const char *key, json_type type, int *status);

/* Each takes a member of `object`; 0, or -1 when it is not what it should be. Absent and null are "" for a text, and leave `*out` as it is
 * for the others. */
int decoder_text(
	struct decoder *decoder, const json_t *object, const char *key, char *field, size_t size);
int decoder_flag(struct decoder *decoder, const json_t *object, const char *key, bool *out);
int decoder_count(struct decoder *decoder, const json_t *object, const char *key, unsigned *out);

/* True for a text that a record could have as a name. */
bool decoder_is_name(const char *text);

/* The member "port"; false when there is none. */
bool decoder_port_number(const json_t *object, int64_t *out);

/* Calls `take` for each item of an array, which may be absent. 0, or -1 when it is no array or a call says so. */
int decoder_each(struct decoder *decoder, const char *section,
	int (*take)(struct decoder *decoder, const json_t *item));

/* Takes the three sections keyed by counter. 0, or -1. */
int decodecounters_take(struct decoder *decoder);

#endif
