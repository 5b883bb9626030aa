/* stateorphans - counters without a port in the state file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stateorphans.h"

#include "standing.h"
#include "statecounters.h"

#include <string.h>

/* A report that is no longer watched, or whose check is disabled. If its counter is watched again,
 * that counter gets a memory of its own. */
static const struct field orphan_fields[] = {
	{"device", FIELD_KEY, FIELD_AT(struct orphan, device)},
	{"port", FIELD_KEY_PORT, FIELD_AT(struct orphan, port)},
	{"name", FIELD_KEY_LENT, FIELD_AT(struct orphan, name)},
	{"saturated", FIELD_FLAG, FIELD_AT(struct orphan, saturated)},
	{.key = NULL},
};

static void
encode_orphans(struct encoder *encoder, const struct section *section)
{
	const struct state *state = encoder->file->state;
	struct jsonout *out = &encoder->out;

	jsonout_key(out, section->key);
	jsonout_open(out, '[');
	for (const struct orphan *orphan = state->orphans; orphan != NULL; orphan = orphan->next) {
		struct breach breach = orphan->breach;
		breach.check = standing_check_of_orphan(state, orphan);
		jsonout_open(out, '{');
		statecounters_encode_breach(encoder, &breach);
		codec_encode(out, orphan_fields, orphan);
		jsonout_close(out, '}');
	}
	jsonout_close(out, ']');
}

static int
decode_orphan(struct decoder *decoder, const json_t *item)
{
	struct counter_key key = {.name = NULL};
	struct orphan orphan = {.saturated = false};
	const char *device = codec_name(item, "device"), *check = NULL;
	int64_t port;

	if (device == NULL || !codec_port_number(item, &port) ||
		rec_get_string(item, "name", &key.name) != REC_OK || *key.name == '\0')
		return rec_refuse(decoder->error, "an orphan has no device, port and name");
	state_copy(key.device, sizeof key.device, device);
	key.port = port;
	if (codec_decode(decoder, orphan_fields, item, &orphan) < 0)
		return -1;
	if (!orphan.saturated)
		return statecounters_read_breach(decoder, item, &key, NULL);
	if (rec_get_string(item, "check_name", &check) != REC_OK)
		return rec_refuse(decoder->error, "an orphan has no check_name");
	if (state_add_orphan(decoder->file->state, key.device, key.port, key.name, true,
		    &(struct breach){.check = check_find(check, strlen(check))}) < 0)
		return codec_no_entry(decoder);
	return 0;
}

const struct section stateorphans_orphans = {
	"orphans", ROUND_THINGS, SECTION_ITEMS(encode_orphans, decode_orphan)};

/* Counters of interfaces whose port no scan has shown yet: a snapshot, a breach, or both. */
static void
encode_unplaced(struct encoder *encoder, const struct section *section)
{
	struct jsonout *out = &encoder->out;

	jsonout_key(out, section->key);
	jsonout_open(out, '[');
	for (const struct unplaced *unplaced = encoder->file->state->unplaced; unplaced != NULL;
		unplaced = unplaced->next) {
		const struct counter_memory *memory = &unplaced->memory;
		jsonout_open(out, '{');
		jsonout_key(out, "interface");
		jsonout_string(out, unplaced->interface);
		jsonout_key(out, "counter");
		jsonout_string(out, unplaced->name);
		if (memory->seen) {
			jsonout_key(out, "snapshot");
			jsonout_open(out, '{');
			statecounters_encode_snapshot(encoder, memory);
			jsonout_close(out, '}');
		}
		if (memory->breached) {
			jsonout_key(out, "flag");
			jsonout_open(out, '{');
			statecounters_encode_breach(encoder, &memory->breach);
			jsonout_close(out, '}');
		}
		jsonout_close(out, '}');
	}
	jsonout_close(out, ']');
}

static int
decode_unplaced(struct decoder *decoder, const json_t *item)
{
	const char *interface = codec_name(item, "interface"), *name = NULL;
	const json_t *snapshot = json_object_get(item, "snapshot");
	const json_t *flag = json_object_get(item, "flag");

	if (interface == NULL || rec_get_string(item, "counter", &name) != REC_OK || *name == '\0')
		return rec_refuse(decoder->error, "an unplaced counter has no interface and name");
	if ((snapshot != NULL && !json_is_object(snapshot)) ||
		(flag != NULL && !json_is_object(flag)))
		return rec_refuse(decoder->error,
			"unplaced counter \"%.64s\" of \"%.64s\" has a part that is not an object",
			name, interface);
	struct unplaced *unplaced = state_add_unplaced(decoder->file->state, interface, name);
	if (unplaced == NULL)
		return codec_no_entry(decoder);
	/* -1: the port is unknown. */
	struct counter_key key = {.port = -1, .name = name};
	state_copy(key.device, sizeof key.device, interface);
	if (snapshot != NULL &&
		statecounters_read_snapshot(decoder, snapshot, &key, &unplaced->memory) < 0)
		return -1;
	return flag != NULL ? statecounters_read_breach(decoder, flag, &key, &unplaced->memory) : 0;
}

const struct section stateorphans_unplaced = {
	"unplaced_counters", ROUND_THINGS, SECTION_ITEMS(encode_unplaced, decode_unplaced)};
