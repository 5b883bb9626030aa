/* stateidentities - identities of devices and ports in the state file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stateidentities.h"

#include <string.h>

#define ROW(fact, name, noun) \
	{name, FIELD_TEXT, FIELD_AT(struct identity_entry, told.facts[IDENTITY_##fact]), \
		FIELD_IF_ANY},
static const struct field identity_fields[] = {
	IDENTITY_FACTS(ROW){"look", FIELD_U64, FIELD_AT(struct identity_entry, look),
		.why = "has a bad \"look\""},
	{"since_ns", FIELD_U64, FIELD_AT(struct identity_entry, since_ns),
		.why = "has a \"since_ns\" that is not a time"},
	{.key = NULL},
};

static void *
find_identity(struct decoder *decoder, const json_t *item)
{
	if (!json_is_object(item) || *decoder->key == '\0' ||
		strlen(decoder->key) >= TABLE_KEY_SIZE) {
		codec_refuse(decoder, decoder->section->nameless);
		return NULL;
	}
	struct identity_entry *entry =
		state_find_or_add_identity(decoder->file->state, decoder->key);
	if (entry == NULL)
		codec_no_entry(decoder);
	return entry;
}

const struct section stateidentities_all = {"identities", ROUND_LAST, .keyed = true,
	SECTION_ENTRIES(identities, identity_fields), .find = find_identity, .what = "an identity",
	.nameless = "is not an object, or has no place"};
