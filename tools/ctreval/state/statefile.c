/* statefile - encodes and decodes the state file (spec#state-file). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "statefile.h"

#include "array.h"
#include "original.h"
#include "statechardevs.h"
#include "statecounters.h"
#include "statedevices.h"
#include "stateidentities.h"
#include "stateorphans.h"
#include "stateports.h"
#include "store.h"

#include <stdlib.h>
#include <string.h>

/* --- cards and planes --- */

static const struct field card_fields[] = {
	{"card", FIELD_KEY, FIELD_AT(struct card_entry, card)},
	{"link_layer", FIELD_LAYER, FIELD_AT(struct card_entry, layer)},
	{"reported", FIELD_CHOICE, FIELD_AT(struct card_entry, below.memory), .low = BELOW_WAITING,
		.high = BELOW_REPORTED},
	{"code", FIELD_TEXT, FIELD_AT(struct card_entry, said.code)},
	{"id", FIELD_TEXT, FIELD_AT(struct card_entry, said.id)},
	{"below_since_ns", FIELD_U64, FIELD_AT(struct card_entry, below.since_ns),
		.why = "has no name or no time"},
	{.key = NULL},
};

static void
complete_card(void *entry)
{
	struct card_entry *card = entry;
	card->said.stands = card->said.fatal = card->below.memory == BELOW_REPORTED;
}

static void *
find_card(struct decoder *decoder, const json_t *item)
{
	static const struct field layer_field[] = {
		{"link_layer", FIELD_LAYER, .offset = 0}, {.key = NULL}};
	const char *name = codec_name(item, "card");
	enum layer layer = LAYER_INFINIBAND;

	if (name == NULL) {
		codec_refuse(decoder, decoder->section->nameless);
		return NULL;
	}
	if (codec_decode(decoder, layer_field, item, &layer) < 0)
		return NULL;
	struct card_entry *card = state_find_or_add_card(decoder->file->state, name, layer);
	if (card == NULL)
		codec_no_entry(decoder);
	return card;
}

static const struct section anomalous_cards = {"anomalous_cards", ROUND_STANDINGS,
	SECTION_ENTRIES(cards, card_fields), FIELD_AT(struct card_entry, below.memory),
	.find = find_card, .complete = complete_card, .what = "an anomalous card",
	.nameless = "has no name or no time"};

static const struct field exempt_fields[] = {
	{"card", FIELD_KEY, FIELD_AT(struct card_entry, card)},
	{"link_layer", FIELD_LAYER, FIELD_AT(struct card_entry, layer)},
	{"function", FIELD_TEXT, FIELD_AT(struct card_entry, exempt_function)},
	{.key = NULL},
};

static const struct section exempt_cards = {"exempt_cards", ROUND_STANDINGS,
	SECTION_ENTRIES(cards, exempt_fields), FIELD_AT(struct card_entry, exempt_function),
	.find = find_card, .what = "an exempt card", .nameless = "has no name"};

static const struct field plane_fields[] = {
	FIELD_KEYS(struct plane_entry),
	{"parent", FIELD_TEXT, FIELD_AT(struct plane_entry, parent)},
	{"link_layer", FIELD_LAYER, FIELD_AT(struct plane_entry, layer)},
	{"said", FIELD_SAID, FIELD_AT(struct plane_entry, said), FIELD_OR_NULL},
	{.key = NULL},
};

static void *
find_plane(struct decoder *decoder, const json_t *item)
{
	int64_t number;
	const char *device = codec_name(item, "device");
	if (device == NULL || codec_name(item, "parent") == NULL ||
		!codec_port_number(item, &number)) {
		codec_refuse(decoder, decoder->section->nameless);
		return NULL;
	}
	struct plane_entry *plane = state_find_or_add_plane(decoder->file->state, device, number);
	if (plane == NULL)
		codec_no_entry(decoder);
	return plane;
}

static const struct section planes = {"planes", ROUND_STANDINGS,
	SECTION_ENTRIES(planes, plane_fields), .find = find_plane, .what = "a plane",
	.nameless = "has no device, port and parent"};

/* --- members of the state itself --- */

static void
encode_members(struct encoder *encoder, const struct section *section)
{
	codec_encode(&encoder->out, section->fields, encoder->file->state);
}

static int
decode_members(struct decoder *decoder, const struct section *section)
{
	return codec_decode(decoder, section->fields, decoder->root, decoder->file->state);
}

static const struct field boot_fields[] = {
	{"boot_id", FIELD_TEXT, FIELD_AT(struct state, boot_id), FIELD_OR_NULL},
	{"former_node", FIELD_TEXT, FIELD_AT(struct state, former_node), FIELD_IF_ANY},
	{.key = NULL},
};

static const struct section boot = {NULL, ROUND_PORTS, .encode = encode_members,
	.decode = decode_members, .fields = boot_fields};

static const struct field scope_fields[] = {
	{"scope", FIELD_LENT, FIELD_AT(struct state, scope), FIELD_OR_NULL},
	{.key = NULL},
};

static int
decode_scope(struct decoder *decoder, const struct section *section)
{
	struct state *state = decoder->file->state;
	const char *scope = NULL;
	if (rec_get_string(decoder->root, section->fields->key, &scope) == REC_WRONG_TYPE)
		return rec_refuse(
			decoder->error, "\"%s\" has the wrong type", section->fields->key);
	if (scope != NULL && (state->scope = strdup(scope)) == NULL)
		return codec_no_entry(decoder);
	return 0;
}

static const struct section scope = {
	NULL, ROUND_LAST, .encode = encode_members, .decode = decode_scope, .fields = scope_fields};

static const struct field verdict_fields[] = {
	{"settled", FIELD_FLAG, FIELD_AT(struct state, settled)},
	{"unknown_past", FIELD_FLAG, FIELD_AT(struct state, unknown_past)},
	{"executed", FIELD_FLAG, FIELD_AT(struct state, executed)},
	{"waited_scans", FIELD_COUNT, FIELD_AT(struct state, waited)},
	{"chardev_issm_mode", FIELD_TEXT, FIELD_AT(struct state, issm_mode), FIELD_IF_ANY},
	{"poll_stall_reported", FIELD_FLAG, FIELD_AT(struct state, pollstall.reported)},
	{"poll_stall_owed", FIELD_FLAG, FIELD_AT(struct state, pollstall.owed)},
	{.key = NULL},
};

/* Defaults for members that older versions do not write. */
static int
decode_verdicts(struct decoder *decoder, const struct section *section)
{
	static const struct field before[] = {
		{"baseline_owed", FIELD_FLAG, .offset = 0}, {.key = NULL}};
	struct state *state = decoder->file->state;
	bool owed = false;

	/* The original stores devices only after its first verdicts. */
	state->settled = state->devices.count > 0;
	/* Older versions have one baseline_owed for all checks. */
	if (codec_decode(decoder, before, decoder->root, &owed) < 0)
		return -1;
	state_owe_baselines(state, owed);
	return decode_members(decoder, section);
}

static const struct section verdicts = {NULL, ROUND_LAST, .encode = encode_members,
	.decode = decode_verdicts, .fields = verdict_fields};

static void
encode_checks(struct encoder *encoder, const struct section *section)
{
	const bool *checks = (const bool *)((const char *)encoder->file->state + section->offset);
	jsonout_key(&encoder->out, section->key);
	jsonout_open(&encoder->out, '[');
	for (enum check check = 0; check < CHECK_N; check++) {
		if (checks[check])
			jsonout_string(&encoder->out, check_name(check));
	}
	jsonout_close(&encoder->out, ']');
}

static int
decode_check(struct decoder *decoder, const json_t *item)
{
	bool *checks = (bool *)((char *)decoder->file->state + decoder->section->offset);
	const char *name = json_string_value(item);
	enum check check = name != NULL ? check_find(name, strlen(name)) : CHECK_N;
	if (check == CHECK_N)
		return rec_refuse(
			decoder->error, "\"%s\" is not a list of checks", decoder->section->key);
	checks[check] = true;
	return 0;
}

static const struct section baseline_owed_checks = {"baseline_owed_checks", ROUND_LAST,
	SECTION_ITEMS(encode_checks, decode_check),
	.offset = offsetof(struct state, baseline_owed)};
static const struct section clear_owed = {"clear_owed", ROUND_STANDINGS,
	SECTION_ITEMS(encode_checks, decode_check), .offset = offsetof(struct state, clear_owed)};

/* Write `count` texts as a list; each begins `size` bytes after the one before. */
static void
encode_texts(struct encoder *encoder, const char *key, const char *texts, size_t size, size_t count)
{
	jsonout_key(&encoder->out, key);
	jsonout_open(&encoder->out, '[');
	for (size_t i = 0; i < count; i++)
		jsonout_string(&encoder->out, texts + i * size);
	jsonout_close(&encoder->out, ']');
}

static void
encode_cleared(struct encoder *encoder, const struct section *section)
{
	const struct cleared *cleared = &encoder->file->state->cleared;
	encode_texts(encoder, section->key, (const char *)cleared->ids, sizeof cleared->ids[0],
		cleared->count);
}

static int
decode_cleared(struct decoder *decoder, const json_t *item)
{
	struct cleared *cleared = &decoder->file->state->cleared;
	const char *id = json_string_value(item);
	if (id == NULL || strlen(id) >= sizeof cleared->ids[0] || cleared->count == SILENCE_MAX)
		return rec_refuse(
			decoder->error, "\"%s\" is not a list of ids", decoder->section->key);
	strcpy(cleared->ids[cleared->count++], id);
	return 0;
}

static const struct section cleared_acts = {
	"cleared", ROUND_LAST, SECTION_ITEMS(encode_cleared, decode_cleared)};

static void
encode_host_nics(struct encoder *encoder, const struct section *section)
{
	const struct host_nics *nics = &encoder->file->state->host_nics;
	encode_texts(encoder, section->key, (const char *)nics->functions,
		sizeof nics->functions[0], nics->count);
}

static int
decode_host_nic(struct decoder *decoder, const json_t *item)
{
	struct host_nics *nics = &decoder->file->state->host_nics;
	const char *function = json_string_value(item);
	if (function == NULL || !codec_is_name(function) || nics->count == HOST_NICS_MAX)
		return rec_refuse(
			decoder->error, "\"%s\" is not a list of functions", decoder->section->key);
	strcpy(nics->functions[nics->count++], function);
	return 0;
}

static const struct section host_nics = {
	"default_route_functions", ROUND_LAST, SECTION_ITEMS(encode_host_nics, decode_host_nic)};

static void
encode_outbox(struct encoder *encoder, const struct section *section)
{
	json_t *members = json_object();

	(void)section;
	if (outbox_encode(encoder->file->outbox, encoder->file->stream, members) < 0)
		encoder->out.text->is_short = true;
	jsonout_members(&encoder->out, members);
	json_decref(members);
}

static int
decode_outbox(struct decoder *decoder, const struct section *section)
{
	(void)section;
	return outbox_decode(
		decoder->file->outbox, decoder->file->stream, decoder->root, decoder->error);
}

static const struct section outbox = {
	NULL, ROUND_LAST, .encode = encode_outbox, .decode = decode_outbox};

/* --- the whole file --- */

/* In the order of the file, after "version". Sections of the same round are decoded in this
 * order. */
static const struct section *const sections[] = {
	&boot,
	&statecounters_snapshots,
	&statecounters_breaches,
	&stateorphans_unplaced,
	&stateports_states,
	&statedevices_known,
	&scope,
	&outbox,
	&anomalous_cards,
	&exempt_cards,
	&planes,
	&statechardevs_missing,
	&statedevices_gone,
	&stateports_gone,
	&stateports_slow,
	&stateports_flapping,
	&stateports_held,
	&statedevices_unreadable,
	&statecounters_saturations,
	&stateorphans_orphans,
	&statedevices_missing,
	&statedevices_all,
	&verdicts,
	&baseline_owed_checks,
	&statedevices_baseline_owed,
	&clear_owed,
	&statedevices_clear_owed,
	&cleared_acts,
	&host_nics,
	&stateidentities_all,
};

#define SECTION_COUNT ARRAY_COUNT(sections)

static bool
list_new(const struct table *table, struct codec_list *list)
{
	list->nodes = table_sorted_new(table, &list->count);
	return list->nodes != NULL;
}

/* The file of a node with 18 NICs has 50 KiB. Reserving this avoids moving the text as it grows. */
#define USUAL_SIZE ((size_t)64 * 1024)

char *
statefile_encode_new(const struct statefile *file, const struct counter_list *counters,
	const char *ts, uint64_t boottime_ns)
{
	const struct state *state = file->state;
	struct strbuf text = {0};
	struct encoder encoder = {.file = file,
		.counters = counters,
		.now_boot_ns = boottime_ns,
		.out = {.text = &text}};

	encoder.has_wall = clock_parse(ts, &encoder.now_wall_ns);
	text.is_short = !list_new(&state->ports, &encoder.ports) ||
			!list_new(&state->devices, &encoder.devices) ||
			!list_new(&state->cards, &encoder.cards) ||
			!list_new(&state->planes, &encoder.planes) ||
			!list_new(&state->chardevs, &encoder.chardevs) ||
			!list_new(&state->identities, &encoder.identities);
	strbuf_reserve(&text, USUAL_SIZE);
	jsonout_open(&encoder.out, '{');
	jsonout_key(&encoder.out, "version");
	jsonout_u64(&encoder.out, STATEFILE_VERSION);
	for (size_t i = 0; i < SECTION_COUNT; i++)
		sections[i]->encode(&encoder, sections[i]);
	jsonout_close(&encoder.out, '}');
	free(encoder.ports.nodes);
	free(encoder.devices.nodes);
	free(encoder.cards.nodes);
	free(encoder.planes.nodes);
	free(encoder.chardevs.nodes);
	free(encoder.identities.nodes);
	return strbuf_detach_new(&text);
}

static int
decode_ours(const json_t *root, const struct statefile_rules *rules, struct statefile *file,
	struct rec_error *error)
{
	struct decoder decoder = {.root = root, .rules = rules, .file = file, .error = error};

	if (store_check_version(root, STATEFILE_VERSION, error) < 0)
		return -1;
	for (enum round round = 0; round < ROUND_N; round++) {
		if (round == ROUND_LAST && statedevices_check(&decoder) < 0)
			return -1;
		for (size_t i = 0; i < SECTION_COUNT; i++) {
			if (sections[i]->round == round &&
				sections[i]->decode(&decoder, sections[i]) < 0)
				return -1;
		}
	}
	return 0;
}

int
statefile_decode(const json_t *root, const struct statefile_rules *rules, struct statefile *file,
	struct rec_error *error)
{
	if (!original_is(root))
		return decode_ours(root, rules, file, error);
	json_t *ours = original_ours_new(root, &file->left_out, error);
	int status = ours != NULL ? decode_ours(ours, rules, file, error) : -1;
	json_decref(ours);
	/* The original does not store poll stalls. */
	file->state->pollstall.owed |= status == 0;
	if (status == 0)
		return 0;
	free(file->left_out);
	file->left_out = NULL;
	return -1;
}
