/* statedecode - the state from the JSON of its file, all of which is checked: SPEC section 4.5. */
#include "statefile.h"

#include "num.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

struct decoder {
	const json_t *root;
	const struct counter_list *counters;
	bool counter_detection;
	struct statefile *file;
	struct rec_error *error;
};

/* Says what is wrong and where; always -1. */
static int __attribute__((format(printf, 2, 3)))
refuse(struct decoder *decoder, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	vsnprintf(decoder->error->reason, sizeof decoder->error->reason, format, args);
	va_end(args);
	decoder->error->offset = 0;
	return -1;
}

/* A member of the given type, or NULL; `*status` becomes -1 when it is there and something else. */
static const json_t *
member(struct decoder *decoder, const char *key, json_type type, int *status)
{
	const json_t *value = json_object_get(decoder->root, key);
	if (value == NULL || json_is_null(value))
		return NULL;
	if (json_typeof(value) == type)
		return value;
	*status = refuse(decoder, "\"%s\" is of a wrong type", key);
	return NULL;
}

/* A text that fits a field; absent and null are "". */
static int
take_text(struct decoder *decoder, const json_t *object, const char *key, char *field, size_t size)
{
	const char *text = NULL;
	if (rec_get_string(object, key, &text) == REC_WRONG_TYPE ||
		(text != NULL && strlen(text) >= size))
		return refuse(decoder, "\"%s\" is no text of at most %zu bytes", key, size - 1);
	state_copy(field, size, text);
	return 0;
}

static int
take_flag(struct decoder *decoder, const json_t *object, const char *key, bool *out)
{
	if (rec_get_bool(object, key, out) == REC_WRONG_TYPE)
		return refuse(decoder, "\"%s\" is neither true nor false", key);
	return 0;
}

static int
take_count(struct decoder *decoder, const json_t *object, const char *key, unsigned *out)
{
	uint64_t value = *out;
	if (rec_get_u64(object, key, &value) == REC_WRONG_TYPE || value > 1000000)
		return refuse(decoder, "\"%s\" is no small number", key);
	*out = (unsigned)value;
	return 0;
}

static int
no_entry(struct decoder *decoder)
{
	return refuse(decoder, "%s",
		errno == ENOSPC ? "more entries than any node has" : "out of memory");
}

static bool
is_name(const char *text)
{
	return *text != '\0' && strlen(text) < STATE_NAME_SIZE;
}

/* A port's number. */
static bool
take_number(const json_t *object, int64_t *out)
{
	return rec_get_int(object, "port", out) == REC_OK && *out >= 0 && *out <= INT32_MAX;
}

/* --- keys of counters: <device>:<port>:<counter> --- */

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
	if (!is_name(rest))
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
		*status = refuse(decoder, "\"%.64s\" is no <device>:<port>:<counter>", key);
		return NULL;
	}
	const struct counter_def *def = counter_list_find(decoder->counters, parsed->name);
	if (def == NULL || !def->enabled || !decoder->counter_detection)
		return NULL;
	struct port_entry *port = state_port(decoder->file->state, parsed->device, parsed->port);
	if (port == NULL) {
		*status = no_entry(decoder);
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
	json_t *object = (json_t *)member(decoder, section, JSON_OBJECT, &status);

	json_object_foreach (object, key, value) {
		struct counter_key parsed;
		struct counter_memory *memory = memory_of(decoder, key, &parsed, &status);
		if (status == 0 && !json_is_object(value))
			status = refuse(decoder, "\"%s\": \"%.64s\" is no object", section, key);
		if (status == 0)
			status = take(decoder, value, &parsed, memory);
		if (status < 0)
			break;
	}
	return status;
}

static int
take_snapshot(struct decoder *decoder, const json_t *value, const struct counter_key *key,
	struct counter_memory *memory)
{
	const char *timestamp = NULL;
	struct counter_sample sample = {0};

	if (rec_get_u64(value, "value", &sample.value) != REC_OK)
		return refuse(decoder, "snapshot of \"%s\" on \"%s\" has no value", key->name,
			key->device);
	enum rec_status boot = rec_get_u64(value, "boottime_ns", &sample.boottime_ns);
	if (boot == REC_WRONG_TYPE ||
		rec_get_string(value, "timestamp", &timestamp) == REC_WRONG_TYPE)
		return refuse(decoder, "snapshot of \"%s\" on \"%s\" has a bad time", key->name,
			key->device);
	/* The original knows wall time only. */
	bool wall = boot == REC_ABSENT;
	if (wall && (timestamp == NULL || !clock_parse(timestamp, &sample.boottime_ns)))
		return refuse(decoder, "snapshot of \"%s\" on \"%s\" has no time", key->name,
			key->device);
	if (memory == NULL)
		return 0;
	memory->seen = true;
	memory->snapshot = sample;
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

	if (take_flag(decoder, value, "breached", &breached) < 0 ||
		take_flag(decoder, value, "is_fatal", &breach.fatal) < 0)
		return -1;
	if (rec_get_string(value, "check_name", &name) == REC_WRONG_TYPE ||
		rec_get_string(value, "message", &message) == REC_WRONG_TYPE)
		return refuse(decoder, "flag of \"%s\" on \"%s\" is not made of texts", key->name,
			key->device);
	if (!breached)
		return 0;
	breach.check = name != NULL ? check_find(name, strlen(name)) : CHECK_N;
	if (breach.check == CHECK_N)
		return refuse(decoder, "flag of \"%s\" on \"%s\" has no known check_name",
			key->name, key->device);
	const char *since = NULL;
	if (rec_get_string(value, "since", &since) == REC_WRONG_TYPE)
		return refuse(
			decoder, "flag of \"%s\" on \"%s\" has a bad time", key->name, key->device);
	state_copy(breach.since, sizeof breach.since, since);
	if (message != NULL && strlen(message) < REC_EVENT_MAX_BYTES &&
		(breach.message = strdup(message)) == NULL)
		return no_entry(decoder);
	if (memory == NULL) {
		int status = state_add_orphan(
			decoder->file->state, key->device, key->port, key->name, &breach);
		free(breach.message);
		return status < 0 ? no_entry(decoder) : 0;
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
	if (take_flag(decoder, value, "reported", &reported) < 0)
		return -1;
	if (memory != NULL)
		memory->saturation = reported ? SATURATION_REPORTED : SATURATION_SUSPECTED;
	else if (reported && state_add_orphan(decoder->file->state, key->device, key->port,
				     key->name, NULL) < 0)
		return no_entry(decoder);
	return 0;
}

/* --- ports --- */

/* `4: ACTIVE` -> `ACTIVE` */
static const char *
without_number(const char *raw)
{
	const char *colon = strchr(raw, ':');
	return colon == NULL ? raw : colon + 1 + strspn(colon + 1, " ");
}

/* A file of the original does not say what was reported, but it reported what it saw. */
static enum port_memory
health_of(const struct port_entry *port)
{
	switch (port_judge(
		port->ethernet, without_number(port->state), without_number(port->phys_state))) {
	case SIGHT_HEALTHY:
		return PORT_HEALTHY;
	case SIGHT_DEGRADED:
		return PORT_DEGRADED;
	case SIGHT_FATAL:
		return PORT_FATAL;
	case SIGHT_TRANSIENT:
	case SIGHT_N:
		break;
	}
	return PORT_NEW;
}

static struct device_entry *
add_device(struct decoder *decoder, const char *name)
{
	struct device_entry *device = state_device(decoder->file->state, name);
	if (device == NULL)
		no_entry(decoder);
	return device;
}

static int
take_port(struct decoder *decoder, const char *key, const json_t *value)
{
	const char *device = NULL, *health = NULL;
	int64_t number;

	if (!json_is_object(value) || rec_get_string(value, "device", &device) != REC_OK ||
		!is_name(device) || !take_number(value, &number))
		return refuse(decoder, "port state \"%.64s\" has no device and port", key);
	struct port_entry *port = state_port(decoder->file->state, device, number);
	if (port == NULL)
		return no_entry(decoder);
	if (take_text(decoder, value, "state", port->state, sizeof port->state) < 0 ||
		take_text(decoder, value, "physical_state", port->phys_state,
			sizeof port->phys_state) < 0 ||
		take_text(decoder, value, "link_layer", port->link_layer, sizeof port->link_layer) <
			0 ||
		take_text(decoder, value, "card", port->card, sizeof port->card) < 0)
		return -1;
	port->ethernet = check_is_ethernet(port->link_layer);
	port->known = true;
	if (take_flag(decoder, value, "known", &port->known) < 0)
		return -1;
	enum rec_status status = rec_get_string(value, "health", &health);
	port->health = status == REC_OK ? port_memory_find(health) : health_of(port);
	if (status == REC_WRONG_TYPE || port->health == PORT_MEMORY_N)
		return refuse(decoder, "port state \"%.64s\" has an unknown health", key);

	struct device_entry *owner = add_device(decoder, device);
	if (owner == NULL)
		return -1;
	owner->ethernet = port->ethernet;
	return 0;
}

static int
take_ports(struct decoder *decoder)
{
	int status = 0;
	const char *key;
	json_t *value;
	json_t *object = (json_t *)member(decoder, "port_states", JSON_OBJECT, &status);
	json_object_foreach (object, key, value) {
		if (take_port(decoder, key, value) < 0)
			return -1;
	}
	return status;
}

static int
take_gone_ports(struct decoder *decoder)
{
	int status = 0;
	size_t i;
	json_t *value;
	json_t *array = (json_t *)member(decoder, "disappeared_ports", JSON_ARRAY, &status);
	json_array_foreach (array, i, value) {
		const char *device = NULL;
		int64_t number;
		if (rec_get_string(value, "device", &device) != REC_OK || !is_name(device) ||
			!take_number(value, &number))
			return refuse(decoder, "a disappeared port has no device and port");
		struct port_entry *port = state_port(decoder->file->state, device, number);
		if (port == NULL)
			return no_entry(decoder);
		port->gone = true;
	}
	return status;
}

/* --- devices and cards --- */

static void
mark_known(struct device_entry *device)
{
	device->known = true;
}

static void
mark_gone(struct device_entry *device)
{
	device->presence = device->presence == DEVICE_SILENT ? DEVICE_GONE_SILENT : DEVICE_GONE;
}

static void
mark_silent(struct device_entry *device)
{
	device->presence = device->presence == DEVICE_GONE ? DEVICE_GONE_SILENT : DEVICE_SILENT;
}

static void
mark_owing(struct device_entry *device)
{
	device->baseline_owed = true;
}

static int
take_names(struct decoder *decoder, const char *section, void (*mark)(struct device_entry *))
{
	int status = 0;
	size_t i;
	json_t *value;
	json_t *array = (json_t *)member(decoder, section, JSON_ARRAY, &status);
	json_array_foreach (array, i, value) {
		const char *name = json_string_value(value);
		if (name == NULL || !is_name(name))
			return refuse(decoder, "\"%s\" is no list of names", section);
		struct device_entry *device = add_device(decoder, name);
		if (device == NULL)
			return -1;
		mark(device);
	}
	return status;
}

static int
take_devices(struct decoder *decoder)
{
	int status = 0;
	const char *key;
	json_t *value;
	json_t *object = (json_t *)member(decoder, "devices", JSON_OBJECT, &status);
	json_object_foreach (object, key, value) {
		char link_layer[STATE_WORD_SIZE];
		if (!json_is_object(value) || !is_name(key))
			return refuse(decoder, "device \"%.64s\" is no object", key);
		struct device_entry *device = add_device(decoder, key);
		if (device == NULL ||
			take_text(decoder, value, "pci", device->pci, sizeof device->pci) < 0 ||
			take_text(decoder, value, "role", device->role, sizeof device->role) < 0 ||
			take_text(decoder, value, "card", device->card, sizeof device->card) < 0 ||
			take_text(decoder, value, "link_layer", link_layer, sizeof link_layer) < 0)
			return -1;
		device->ethernet = check_is_ethernet(link_layer);
	}
	return status;
}

static int
take_miss_count(struct decoder *decoder, const json_t *value)
{
	const char *name = NULL;
	int64_t number;

	if (rec_get_string(value, "device", &name) != REC_OK || !is_name(name))
		return refuse(decoder, "a miss count has no device");
	if (take_number(value, &number)) {
		struct port_entry *port = state_port(decoder->file->state, name, number);
		if (port == NULL)
			return no_entry(decoder);
		return take_count(decoder, value, "missing", &port->missing);
	}
	struct device_entry *device = add_device(decoder, name);
	if (device == NULL || take_count(decoder, value, "missing", &device->missing) < 0)
		return -1;
	return take_count(decoder, value, "unreadable", &device->unreadable);
}

static int
take_miss_counts(struct decoder *decoder)
{
	int status = 0;
	size_t i;
	json_t *value;
	json_t *array = (json_t *)member(decoder, "miss_counts", JSON_ARRAY, &status);
	json_array_foreach (array, i, value) {
		if (take_miss_count(decoder, value) < 0)
			return -1;
	}
	return status;
}

static int
take_cards(struct decoder *decoder)
{
	int status = 0;
	size_t i;
	json_t *value;
	json_t *array = (json_t *)member(decoder, "anomalous_cards", JSON_ARRAY, &status);
	json_array_foreach (array, i, value) {
		char link_layer[STATE_WORD_SIZE];
		const char *name = NULL;
		bool reported = false;
		uint64_t since_ns = 0;
		if (rec_get_string(value, "card", &name) != REC_OK || !is_name(name) ||
			rec_get_u64(value, "below_since_ns", &since_ns) == REC_WRONG_TYPE)
			return refuse(decoder, "an anomalous card has no name or no time");
		if (take_text(decoder, value, "link_layer", link_layer, sizeof link_layer) < 0 ||
			take_flag(decoder, value, "reported", &reported) < 0)
			return -1;
		struct card_entry *card =
			state_card(decoder->file->state, name, check_is_ethernet(link_layer));
		if (card == NULL)
			return no_entry(decoder);
		card->memory = reported ? CARD_ANOMALOUS : CARD_WAITING;
		card->below_since_ns = since_ns;
	}
	return status;
}

/* --- the rest --- */

static int
take_outbox(struct decoder *decoder)
{
	int status = 0;
	size_t i;
	json_t *event;
	json_t *array = (json_t *)member(decoder, "outbox", JSON_ARRAY, &status);
	json_array_foreach (array, i, event) {
		const char *source = NULL;
		uint64_t seq;
		if (!json_is_object(event) || rec_get_string(event, "source", &source) != REC_OK ||
			rec_get_u64(event, "seq", &seq) != REC_OK ||
			json_dumpb(event, NULL, 0, JSON_COMPACT) >= REC_EVENT_MAX_BYTES)
			return refuse(decoder, "entry %zu of the outbox is no event", i + 1);
	}
	if (status == 0 && array != NULL)
		status = outbox_add(decoder->file->outbox, array);
	return status;
}

static int
take_stream(struct decoder *decoder)
{
	struct event_stream *stream = decoder->file->stream;
	if (take_text(decoder, decoder->root, "source", stream->source, sizeof stream->source) < 0)
		return -1;
	if (rec_get_u64(decoder->root, "seq", &stream->seq) == REC_WRONG_TYPE ||
		stream->seq > INT64_MAX / 2)
		return refuse(decoder, "\"seq\" is no number of events");
	return 0;
}

static int
take_scope(struct decoder *decoder)
{
	struct state *state = decoder->file->state;
	const char *scope = NULL;
	if (rec_get_string(decoder->root, "scope", &scope) == REC_WRONG_TYPE)
		return refuse(decoder, "\"scope\" is of a wrong type");
	if (scope != NULL && (state->scope = strdup(scope)) == NULL)
		return no_entry(decoder);
	return 0;
}

static int
take_first(struct decoder *decoder)
{
	struct state *state = decoder->file->state;
	/* A file of the original that knows devices has given its first verdicts. */
	state->settled = state->devices.count > 0;
	if (take_flag(decoder, decoder->root, "settled", &state->settled) < 0 ||
		take_flag(decoder, decoder->root, "baseline_owed", &state->baseline_owed) < 0)
		return -1;
	return take_count(decoder, decoder->root, "waited_scans", &state->waited);
}

int
statefile_decode(const json_t *root, const struct counter_list *counters, bool counter_detection,
	struct statefile *file, struct rec_error *error)
{
	struct decoder decoder = {.root = root,
		.counters = counters,
		.counter_detection = counter_detection,
		.file = file,
		.error = error};
	int64_t version;

	if (!json_is_object(root))
		return refuse(&decoder, "it is no JSON object");
	if (rec_get_int(root, "version", &version) != REC_OK)
		return refuse(&decoder, "it has no version");
	if (version != STATEFILE_VERSION)
		return refuse(&decoder, "its version is %lld, not %d", (long long)version,
			STATEFILE_VERSION);
	if (take_text(&decoder, root, "boot_id", file->state->boot_id,
		    sizeof file->state->boot_id) < 0 ||
		each_counter(&decoder, "counter_snapshots", take_snapshot) < 0 ||
		each_counter(&decoder, "breach_flags", take_breach) < 0 ||
		each_counter(&decoder, "saturated_counters", take_saturation) < 0 ||
		take_ports(&decoder) < 0 || take_names(&decoder, "known_devices", mark_known) < 0 ||
		take_devices(&decoder) < 0 ||
		take_names(&decoder, "disappeared_devices", mark_gone) < 0 ||
		take_names(&decoder, "unreadable_devices", mark_silent) < 0 ||
		take_names(&decoder, "baseline_owed_devices", mark_owing) < 0 ||
		take_gone_ports(&decoder) < 0 || take_miss_counts(&decoder) < 0 ||
		take_cards(&decoder) < 0 || take_outbox(&decoder) < 0 ||
		take_stream(&decoder) < 0 || take_scope(&decoder) < 0 || take_first(&decoder) < 0)
		return -1;
	return 0;
}
