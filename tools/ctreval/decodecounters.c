/* decodecounters - what a state file says of counters: snapshots, breaches, saturations. */
#include "decoder.h"
#include "num.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The parts of a key, <device>:<port>:<counter>. */
struct counter_key {
	char device[STATE_NAME_SIZE];
	long long port;
	const char *name; /* inside the key */
};

/* A counter's name has no colon (conf sees to that); whatever else there is belongs to the device. */
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
	if (!decoder_is_name(rest))
		return false;
	state_copy(out->device, sizeof out->device, rest);
	out->port = (long long)port;
	out->name = name + 1;
	return *out->name != '\0';
}

/* Where a counter's memory is; NULL when nobody watches it, or (`*status` -1) the key is none or there is no room. */
static struct counter_memory *
memory_of(struct decoder *decoder, const char *key, struct counter_key *parsed, int *status)
{
	if (!parse_key(key, parsed)) {
		*status = rec_refuse(
			decoder->error, "\"%.64s\" is no <device>:<port>:<counter>", key);
		return NULL;
	}
	const struct counter_def *def = counter_list_find(decoder->counters, parsed->name);
	if (def == NULL || !def->enabled || !decoder->counter_detection)
		return NULL;
	struct port_entry *port = state_port(decoder->file->state, parsed->device, parsed->port);
	if (port == NULL) {
		*status = decoder_no_entry(decoder);
		return NULL;
	}
	return &port->counters[def - decoder->counters->items];
}

/* Calls `take` for each member of an object of objects keyed by counter. */
static int
each_counter(struct decoder *decoder, const char *section,
	int (*take)(struct decoder *, const json_t *, const struct counter_key *,
		struct counter_memory *))
{
	int status = 0;
	const char *key;
	json_t *value;
	json_t *object = (json_t *)decoder_member(decoder, section, JSON_OBJECT, &status);

	json_object_foreach (object, key, value) {
		struct counter_key parsed = {.name = NULL};
		struct counter_memory *memory = memory_of(decoder, key, &parsed, &status);
		if (status == 0 && !json_is_object(value))
			status = rec_refuse(
				decoder->error, "\"%s\": \"%.64s\" is no object", section, key);
		if (status == 0)
			status = take(decoder, value, &parsed, memory);
		if (status < 0)
			break;
	}
	return status;
}

/* True when the counter of this name is read from that file. */
static bool
is_of(const struct decoder *decoder, const char *name, const char *file)
{
	const struct counter_def *def = counter_list_find(decoder->counters, name);
	const char *group = counter_group_key(def->group);
	size_t length = strlen(group);
	return strncmp(file, group, length) == 0 && file[length] == '/' &&
	       strcmp(file + length + 1, def->file) == 0;
}

static int
take_snapshot(struct decoder *decoder, const json_t *value, const struct counter_key *key,
	struct counter_memory *memory)
{
	const char *timestamp = NULL;
	struct counter_sample sample = {0};

	if (rec_get_u64(value, "value", &sample.value) != REC_OK)
		return rec_refuse(decoder->error, "snapshot of \"%s\" on \"%s\" has no value",
			key->name, key->device);
	enum rec_status boot = rec_get_u64(value, "boottime_ns", &sample.boottime_ns);
	if (boot == REC_WRONG_TYPE ||
		rec_get_string(value, "timestamp", &timestamp) == REC_WRONG_TYPE)
		return rec_refuse(decoder->error, "snapshot of \"%s\" on \"%s\" has a bad time",
			key->name, key->device);
	/* The original knows wall time only. */
	bool wall = boot == REC_ABSENT;
	if (wall && (timestamp == NULL || !clock_parse(timestamp, &sample.boottime_ns)))
		return rec_refuse(decoder->error, "snapshot of \"%s\" on \"%s\" has no time",
			key->name, key->device);
	const char *file = NULL;
	uint64_t previous = sample.value;
	if (rec_get_string(value, "file", &file) == REC_WRONG_TYPE ||
		rec_get_u64(value, "previous", &previous) == REC_WRONG_TYPE)
		return rec_refuse(decoder->error, "snapshot of \"%s\" on \"%s\" is not of its kind",
			key->name, key->device);
	/* What was counted in another file is no beginning for this one. */
	if (memory == NULL || (file != NULL && !is_of(decoder, key->name, file)))
		return 0;
	memory->seen = true;
	memory->snapshot = sample;
	memory->has_previous = previous != sample.value;
	memory->previous = previous;
	memory->wall = wall;
	if (wall)
		decoder->file->state->has_wall_snapshots = true;
	return 0;
}

static int
take_breach(struct decoder *decoder, const json_t *value, const struct counter_key *key,
	struct counter_memory *memory)
{
	struct breach breach = {0};
	const char *name = NULL, *message = NULL;
	bool breached = false;

	if (decoder_flag(decoder, value, "breached", &breached) < 0 ||
		decoder_flag(decoder, value, "is_fatal", &breach.fatal) < 0)
		return -1;
	if (rec_get_string(value, "check_name", &name) == REC_WRONG_TYPE ||
		rec_get_string(value, "message", &message) == REC_WRONG_TYPE)
		return rec_refuse(decoder->error, "flag of \"%s\" on \"%s\" is not made of texts",
			key->name, key->device);
	if (!breached)
		return 0;
	breach.check = name != NULL ? check_find(name, strlen(name)) : CHECK_N;
	if (breach.check == CHECK_N)
		return rec_refuse(decoder->error,
			"flag of \"%s\" on \"%s\" has no known check_name", key->name, key->device);
	const char *since = NULL;
	if (rec_get_string(value, "since", &since) == REC_WRONG_TYPE)
		return rec_refuse(decoder->error, "flag of \"%s\" on \"%s\" has a bad time",
			key->name, key->device);
	state_copy(breach.since, sizeof breach.since, since);
	if (message != NULL && strlen(message) < REC_EVENT_MAX_BYTES &&
		(breach.message = strdup(message)) == NULL)
		return decoder_no_entry(decoder);
	if (memory == NULL) {
		int status = state_add_orphan(
			decoder->file->state, key->device, key->port, key->name, &breach);
		free(breach.message);
		return status < 0 ? decoder_no_entry(decoder) : 0;
	}
	free(memory->breach.message);
	memory->breached = true;
	memory->breach = breach;
	return 0;
}

static int
take_saturation(struct decoder *decoder, const json_t *value, const struct counter_key *key,
	struct counter_memory *memory)
{
	bool reported = false;
	if (decoder_flag(decoder, value, "reported", &reported) < 0)
		return -1;
	if (memory != NULL)
		memory->saturation = reported ? SATURATION_REPORTED : SATURATION_SUSPECTED;
	else if (reported && state_add_orphan(decoder->file->state, key->device, key->port,
				     key->name, NULL) < 0)
		return decoder_no_entry(decoder);
	return 0;
}

int
decodecounters_take(struct decoder *decoder)
{
	if (each_counter(decoder, "counter_snapshots", take_snapshot) < 0 ||
		each_counter(decoder, "breach_flags", take_breach) < 0)
		return -1;
	return each_counter(decoder, "saturated_counters", take_saturation);
}
