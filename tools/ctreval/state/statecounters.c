/* statecounters - snapshots, breaches and saturations of counters in the state file. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "statecounters.h"

#include "num.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- counters by key --- */

/* Set the name for error messages: `flag of "link_downed" on "mlx5_0"`. */
static void
set_subject(struct decoder *decoder, const char *what, const struct counter_key *key)
{
	snprintf(decoder->what, sizeof decoder->what, "%s of \"%s\" on \"%s\"", what, key->name,
		key->device);
}

/* conf rejects counter names with a colon, so any further colons belong to the device. */
static bool
parse_key(const char *key, struct counter_key *out)
{
	char rest[STATE_NAME_SIZE + 24];
	uint64_t port;
	const char *name = strrchr(key, ':');

	if (name == NULL || (size_t)(name - key) >= sizeof rest)
		return false;
	memcpy(rest, key, (size_t)(name - key));
	rest[name - key] = '\0';
	char *number = strrchr(rest, ':');
	if (number == NULL || num_parse_u64(number + 1, INT32_MAX, &port) != NUM_OK)
		return false;
	*number = '\0';
	if (!codec_is_name(rest))
		return false;
	state_copy(out->device, sizeof out->device, rest);
	out->port = (long long)port;
	out->name = name + 1;
	return *out->name != '\0';
}

/* Begin a counter's object. Its key looks like `mlx5_0:1:link_downed`. */
static void
open_counter(struct jsonout *out, const struct port_entry *port, const struct counter_def *def)
{
	jsonout_key_of(out, (const char *const[]){port->node.key, ":", def->name, NULL});
	jsonout_open(out, '{');
}

static void
encode(struct encoder *encoder, const struct section *section)
{
	struct jsonout *out = &encoder->out;

	jsonout_key(out, section->key);
	jsonout_open(out, '{');
	for (size_t i = 0; i < encoder->ports.count; i++) {
		const struct port_entry *port = (const struct port_entry *)encoder->ports.nodes[i];
		for (size_t c = 0; c < port->counter_count; c++) {
			const struct counter_def *def = &encoder->counters->items[c];
			const struct counter_memory *memory = &port->counters[c];
			if (section_has(section, memory))
				section->encode_counter(encoder, port, def, memory);
		}
	}
	jsonout_close(out, '}');
}

/* Return true if the counter was read from another file, by its snapshot. Its value is no base for
 * the new file's growth, and nothing in the new file ends what was reported about the old one: such
 * a counter is no longer watched, and starts anew under the same name. */
static bool
has_moved(const struct decoder *decoder, const char *key, const struct counter_def *def)
{
	const json_t *snapshots = json_object_get(decoder->root, "counter_snapshots");
	const char *group = counter_group_key(def->group), *file = NULL;
	size_t length = strlen(group);
	return rec_get_string(json_object_get(snapshots, key), "file", &file) == REC_OK &&
	       (strncmp(file, group, length) != 0 || file[length] != '/' ||
		       strcmp(file + length + 1, def->file) != 0);
}

/* Return the counter's memory. NULL if it is not watched, or, with `*status` -1, if the key is
 * malformed or the table is full. */
static struct counter_memory *
memory_of(struct decoder *decoder, const char *key, struct counter_key *parsed, int *status)
{
	if (!parse_key(key, parsed)) {
		*status = rec_refuse(
			decoder->error, "\"%.64s\" is not a <device>:<port>:<counter>", key);
		return NULL;
	}
	const struct counter_def *def = counter_list_find(decoder->rules->counters, parsed->name);
	if (def == NULL || !def->enabled || !decoder->rules->counter_detection ||
		has_moved(decoder, key, def))
		return NULL;
	struct port_entry *port =
		state_find_or_add_port(decoder->file->state, parsed->device, parsed->port);
	if (port == NULL) {
		*status = codec_no_entry(decoder);
		return NULL;
	}
	return &port->counters[def - decoder->rules->counters->items];
}

static int
decode_one(struct decoder *decoder, const json_t *item)
{
	int status = 0;
	struct counter_key parsed = {.name = NULL};
	struct counter_memory *memory = memory_of(decoder, decoder->key, &parsed, &status);
	if (status < 0)
		return -1;
	if (!json_is_object(item))
		return rec_refuse(decoder->error, "\"%s\": \"%.64s\" is not an object",
			decoder->section->key, decoder->key);
	return decoder->section->read_counter(decoder, item, &parsed, memory);
}

#define COUNTERS(member) \
	.keyed = true, SECTION_ITEMS(encode, decode_one), FIELD_AT(struct counter_memory, member)

/* --- snapshots --- */

/* A snapshot as in the file. Decoding uses the boot time; the wall-clock time is for people and for
 * the original, which has no other. */
struct snapshot {
	bool has_value, has_boottime, has_previous;
	uint64_t value, boottime_ns;
	const char *timestamp;
	/* The value of the last scan, if it differs: it reveals a reset within a window. */
	uint64_t previous;
	const char *file; /* file that the value was read from */
};

#define KNOWN(member) .known = offsetof(struct snapshot, member)

static const struct field snapshot_fields[] = {
	{"value", FIELD_U64, FIELD_AT(struct snapshot, value), FIELD_IF_ANY, KNOWN(has_value),
		.why = "has no value"},
	{"timestamp", FIELD_LENT, FIELD_AT(struct snapshot, timestamp), FIELD_OR_NULL,
		.why = "has a bad time"},
	{"boottime_ns", FIELD_U64, FIELD_AT(struct snapshot, boottime_ns), FIELD_IF_ANY,
		KNOWN(has_boottime), .why = "has a bad time"},
	{"previous", FIELD_U64, FIELD_AT(struct snapshot, previous), FIELD_IF_ANY,
		KNOWN(has_previous), .why = "is not of its kind"},
	{"file", FIELD_LENT, FIELD_AT(struct snapshot, file), FIELD_IF_ANY,
		.why = "is not of its kind"},
	{.key = NULL},
};

/* Return the snapshot's wall-clock time, valid until the next call; NULL: not known. */
static const char *
wall_stamp(struct encoder *encoder, const struct counter_memory *memory)
{
	uint64_t at_ns = memory->snapshot.boottime_ns;

	if (!memory->wall) {
		if (!encoder->has_wall || at_ns > encoder->now_boot_ns ||
			encoder->now_boot_ns - at_ns > encoder->now_wall_ns)
			return NULL;
		at_ns = encoder->now_wall_ns - (encoder->now_boot_ns - at_ns);
	}
	/* Usually all counters are read in the same scan, so format the time only once. */
	if (*encoder->stamp == '\0' || encoder->stamped_ns != at_ns)
		clock_format(at_ns, encoder->stamp);
	encoder->stamped_ns = at_ns;
	return encoder->stamp;
}

static bool
has_previous(const struct counter_memory *memory)
{
	return memory->has_previous && memory->previous != memory->snapshot.value;
}

void
statecounters_encode_snapshot(struct encoder *encoder, const struct counter_memory *memory)
{
	const struct snapshot snapshot = {
		.has_value = true,
		.value = memory->snapshot.value,
		.timestamp = wall_stamp(encoder, memory),
		.has_boottime = !memory->wall,
		.boottime_ns = memory->snapshot.boottime_ns,
	};
	codec_encode(&encoder->out, snapshot_fields, &snapshot);
}

/* Room for a snapshot without its names. */
#define SNAPSHOT_SIZE 320

static void
put_text(struct jsontext *to, const char *text)
{
	jsontext_put_escaped(to, text, strlen(text));
}

/* Must match snapshot_fields. Encoding by that table takes twice as long, and most of the file are
 * snapshots. */
static void
encode_snapshot(struct encoder *encoder, const struct port_entry *port,
	const struct counter_def *def, const struct counter_memory *memory)
{
	const char *place = port->node.key, *group = counter_group_key(def->group);
	size_t names = strlen(place) + strlen(def->name) + strlen(def->file);
	struct jsontext to =
		jsonout_reserve(&encoder->out, SNAPSHOT_SIZE + JSONTEXT_ESCAPED_SIZE * names);

	JSONTEXT_PUT(&to, "\"");
	put_text(&to, place);
	JSONTEXT_PUT(&to, ":");
	put_text(&to, def->name);
	JSONTEXT_PUT(&to, "\":{\"value\":");
	jsontext_put_u64(&to, memory->snapshot.value);
	JSONTEXT_PUT(&to, ",\"timestamp\":");
	jsontext_put_nullable(&to, wall_stamp(encoder, memory));
	if (!memory->wall) {
		JSONTEXT_PUT(&to, ",\"boottime_ns\":");
		jsontext_put_u64(&to, memory->snapshot.boottime_ns);
	}
	if (has_previous(memory)) {
		JSONTEXT_PUT(&to, ",\"previous\":");
		jsontext_put_u64(&to, memory->previous);
	}
	JSONTEXT_PUT(&to, ",\"file\":\"");
	jsontext_put(&to, group, strlen(group));
	JSONTEXT_PUT(&to, "/");
	put_text(&to, def->file);
	JSONTEXT_PUT(&to, "\"}");
	jsonout_wrote(&encoder->out, &to);
}

int
statecounters_read_snapshot(struct decoder *decoder, const json_t *object,
	const struct counter_key *key, struct counter_memory *memory)
{
	struct snapshot snapshot = {.file = NULL};

	set_subject(decoder, "snapshot", key);
	if (codec_decode(decoder, snapshot_fields, object, &snapshot) < 0)
		return -1;
	if (!snapshot.has_value)
		return codec_refuse(decoder, "has no value");
	if (!snapshot.has_boottime &&
		(snapshot.timestamp == NULL ||
			!clock_parse(snapshot.timestamp, &snapshot.boottime_ns)))
		return codec_refuse(decoder, "has no time");
	if (memory == NULL)
		return 0;
	memory->seen = true;
	memory->snapshot = (struct counter_sample){snapshot.value, snapshot.boottime_ns};
	memory->has_previous = snapshot.has_previous && snapshot.previous != snapshot.value;
	memory->previous = snapshot.has_previous ? snapshot.previous : snapshot.value;
	memory->wall = !snapshot.has_boottime;
	if (memory->wall)
		decoder->file->state->has_wall_snapshots = true;
	return 0;
}

const struct section statecounters_snapshots = {"counter_snapshots", ROUND_THINGS, COUNTERS(seen),
	.encode_counter = encode_snapshot, .read_counter = statecounters_read_snapshot};

/* --- breaches --- */

/* A breach as in the file. The original stores no message, and reports, or reported, breaches
 * without a code. */
struct flag {
	bool breached, fatal, uncoded, has_value, has_told;
	const char *check, *since, *message;
	char id[EVENT_ID_SIZE];
	uint64_t began_at, told;
};

#define NO_TEXT .why = "has a member that is not a string"

static const struct field flag_fields[] = {
	{"breached", FIELD_FLAG, FIELD_AT(struct flag, breached)},
	{"check_name", FIELD_LENT, FIELD_AT(struct flag, check), FIELD_OR_NULL, NO_TEXT},
	{"is_fatal", FIELD_FLAG, FIELD_AT(struct flag, fatal)},
	{"since", FIELD_LENT, FIELD_AT(struct flag, since), FIELD_OR_NULL, .why = "has a bad time"},
	{"message", FIELD_LENT, FIELD_AT(struct flag, message), FIELD_OR_NULL, NO_TEXT},
	{"uncoded", FIELD_FLAG, FIELD_AT(struct flag, uncoded), FIELD_IF_ANY},
	{"id", FIELD_TEXT, FIELD_AT(struct flag, id), FIELD_IF_ANY},
	{"began_at", FIELD_U64, FIELD_AT(struct flag, began_at), FIELD_IF_ANY,
		.known = offsetof(struct flag, has_value), .why = "has a bad value"},
	{"told", FIELD_U64, FIELD_AT(struct flag, told), FIELD_IF_ANY,
		.known = offsetof(struct flag, has_told), .why = "has a bad value"},
	{.key = NULL},
};

/* If `breached` is false, the other members are not validated. */
static const struct field quiet_fields[] = {
	{"breached", FIELD_FLAG, FIELD_AT(struct flag, breached)},
	{"check_name", FIELD_LENT, FIELD_AT(struct flag, check), FIELD_OR_NULL, NO_TEXT},
	{"is_fatal", FIELD_FLAG, FIELD_AT(struct flag, fatal)},
	{"message", FIELD_LENT, FIELD_AT(struct flag, message), FIELD_OR_NULL, NO_TEXT},
	{.key = NULL},
};

void
statecounters_encode_breach(struct encoder *encoder, const struct breach *breach)
{
	struct flag flag = {
		.breached = true,
		.check = check_name(breach->check),
		.fatal = breach->fatal,
		.since = *breach->since != '\0' ? breach->since : NULL,
		.message = breach->message,
		.uncoded = breach->uncoded,
		.has_value = breach->has_value,
		.began_at = breach->began_at,
		.has_told = breach->has_value,
		.told = breach->told,
	};
	memcpy(flag.id, breach->id, sizeof flag.id);
	codec_encode(&encoder->out, flag_fields, &flag);
}

/* Return the port's link layer. If the file does not name it, return that of any other port: nodes
 * rarely have both. */
static enum layer
guess_layer(const struct state *state, const struct counter_key *key)
{
	const struct port_entry *found = NULL;
	table_foreach (&state->ports, const struct port_entry, port) {
		if (*port->link_layer == '\0')
			continue;
		if (strcmp(port->device, key->device) == 0 && port->number == key->port)
			return port->layer;
		found = port;
	}
	return found != NULL ? found->layer : LAYER_INFINIBAND;
}

/* Return the check that reported the breach. Early files of the original do not name it: use the
 * check that the configuration implies. CHECK_N: the name is unknown, or the counter is an
 * interface's, whose check is known once its port is. */
static enum check
check_of(const struct decoder *decoder, const struct counter_key *key, const struct flag *flag)
{
	const struct statefile_rules *rules = decoder->rules;
	const struct counter_def *def = counter_list_find(rules->counters, key->name);

	if (flag->check != NULL && *flag->check != '\0')
		return check_find(flag->check, strlen(flag->check));
	if (key->port < 0)
		return CHECK_N;
	return check_of_counter(guess_layer(decoder->file->state, key),
		def != NULL ? def->fatal : flag->fatal, rules->fatal_counters_as_degradation);
}

/* Go may write more digits than fit; reformat such a time. */
static void
copy_time(char field[CLOCK_STAMP_SIZE], const char *text)
{
	uint64_t at_ns;
	*field = '\0';
	if (text != NULL && strlen(text) < CLOCK_STAMP_SIZE)
		strcpy(field, text);
	else if (text != NULL && clock_parse(text, &at_ns))
		clock_format(at_ns, field);
}

int
statecounters_read_breach(struct decoder *decoder, const json_t *object,
	const struct counter_key *key, struct counter_memory *memory)
{
	struct flag flag = {.uncoded = json_object_get(object, "message") == NULL};

	set_subject(decoder, "flag", key);
	if (codec_decode(decoder, quiet_fields, object, &flag) < 0)
		return -1;
	if (!flag.breached)
		return 0;
	if (codec_decode(decoder, flag_fields, object, &flag) < 0)
		return -1;
	struct breach breach = {
		.check = check_of(decoder, key, &flag),
		.fatal = flag.fatal,
		.uncoded = flag.uncoded,
		.has_value = flag.has_value,
		.began_at = flag.began_at,
		.told = flag.has_told ? flag.told : flag.began_at,
	};
	if (breach.check == CHECK_N && flag.check != NULL && *flag.check != '\0')
		return codec_refuse(decoder, "has no known check_name");
	copy_time(breach.since, flag.since);
	memcpy(breach.id, flag.id, sizeof breach.id);
	if (flag.message != NULL && strlen(flag.message) < REC_EVENT_MAX_BYTES &&
		(breach.message = strdup(flag.message)) == NULL)
		return codec_no_entry(decoder);
	if (memory == NULL) {
		int status = state_add_orphan(
			decoder->file->state, key->device, key->port, key->name, false, &breach);
		free(breach.message);
		return status < 0 ? codec_no_entry(decoder) : 0;
	}
	free(memory->breach.message);
	memory->breached = true;
	memory->breach = breach;
	return 0;
}

static void
encode_breach(struct encoder *encoder, const struct port_entry *port, const struct counter_def *def,
	const struct counter_memory *memory)
{
	open_counter(&encoder->out, port, def);
	statecounters_encode_breach(encoder, &memory->breach);
	jsonout_close(&encoder->out, '}');
}

const struct section statecounters_breaches = {"breach_flags", ROUND_THINGS, COUNTERS(breached),
	.encode_counter = encode_breach, .read_counter = statecounters_read_breach};

/* --- saturations --- */

/* The check shows the link layer under which the port was evaluated. */
struct saturated {
	bool reported;
	const char *check;
};

static const struct field saturated_fields[] = {
	{"reported", FIELD_FLAG, FIELD_AT(struct saturated, reported)},
	{"check_name", FIELD_LENT, FIELD_AT(struct saturated, check), FIELD_IF_ANY,
		.why = "has a check_name that is not text"},
	{.key = NULL},
};

static void
encode_saturation(struct encoder *encoder, const struct port_entry *port,
	const struct counter_def *def, const struct counter_memory *memory)
{
	const struct saturated saturated = {memory->saturation == SATURATION_REPORTED,
		check_name(check_degradation(port->layer))};
	open_counter(&encoder->out, port, def);
	codec_encode(&encoder->out, saturated_fields, &saturated);
	jsonout_close(&encoder->out, '}');
}

/* If only counters of a port are known, no other section has its link layer: take it from the
 * check, so that the saturation is withdrawn under the check that reported it. */
static void
note_layer(struct decoder *decoder, const struct counter_key *key, enum check check)
{
	struct port_entry *port = state_find_port(decoder->file->state, key->device, key->port);
	if (port == NULL || *port->link_layer != '\0')
		return;
	port->layer = check_layer(check);
}

static int
read_saturation(struct decoder *decoder, const json_t *object, const struct counter_key *key,
	struct counter_memory *memory)
{
	struct saturated saturated = {.check = NULL};

	set_subject(decoder, "saturation", key);
	if (codec_decode(decoder, saturated_fields, object, &saturated) < 0)
		return -1;
	enum check check = saturated.check != NULL
				   ? check_find(saturated.check, strlen(saturated.check))
				   : CHECK_N;
	if (memory != NULL && check != CHECK_N)
		note_layer(decoder, key, check);
	if (memory != NULL)
		memory->saturation =
			saturated.reported ? SATURATION_REPORTED : SATURATION_SUSPECTED;
	else if (saturated.reported &&
		 state_add_orphan(decoder->file->state, key->device, key->port, key->name, true,
			 &(struct breach){.check = check}) < 0)
		return codec_no_entry(decoder);
	return 0;
}

const struct section statecounters_saturations = {"saturated_counters", ROUND_THINGS,
	COUNTERS(saturation), .encode_counter = encode_saturation, .read_counter = read_saturation};
