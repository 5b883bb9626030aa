/* stateencode - the state as the JSON of its file: SPEC section 4.5. */
#include "statefile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the parts of the file are made from. */
struct encoder {
	const struct counter_list *counters;
	struct table_node **ports, **devices, **cards;
	size_t port_count, device_count, card_count;
	bool has_wall; /* now_wall_ns is known */
	uint64_t now_wall_ns, now_boot_ns;
	bool failed; /* memory ran out */
};

/* Sets a member to a value that was just made. */
static void
put(struct encoder *encoder, json_t *object, const char *key, json_t *value)
{
	if (json_object_set_new(object, key, value) < 0)
		encoder->failed = true;
}

static void
append(struct encoder *encoder, json_t *array, json_t *value)
{
	if (json_array_append_new(array, value) < 0)
		encoder->failed = true;
}

static json_t *
text_or_null(const char *text)
{
	return *text != '\0' ? json_string(text) : json_null();
}

static const struct port_entry *
port_at(const struct encoder *encoder, size_t index)
{
	return (const struct port_entry *)encoder->ports[index];
}

static const struct device_entry *
device_at(const struct encoder *encoder, size_t index)
{
	return (const struct device_entry *)encoder->devices[index];
}

/* --- counters --- */

/* Calls `value_new` for every counter of every port, and puts what it makes under `mlx5_0:1:link_downed`; NULL is left out. */
static json_t *
counters_new(
	struct encoder *encoder, json_t *(*value_new)(const struct encoder *,
					 const struct counter_def *, const struct counter_memory *))
{
	json_t *object = json_object();
	for (size_t i = 0; i < encoder->port_count; i++) {
		const struct port_entry *port = port_at(encoder, i);
		for (size_t c = 0; c < port->counter_count; c++) {
			char *key;
			const struct counter_def *def = &encoder->counters->items[c];
			json_t *value = value_new(encoder, def, &port->counters[c]);
			if (value == NULL)
				continue;
			if (asprintf(&key, "%s:%lld:%s", port->device, port->number,
				    encoder->counters->items[c].name) < 0) {
				encoder->failed = true;
				json_decref(value);
				continue;
			}
			put(encoder, object, key, value);
			free(key);
		}
	}
	return object;
}

/* Boot time is what counts; the wall clock's is for people, and for the original. */
static json_t *
snapshot_new(const struct encoder *encoder, const struct counter_def *def,
	const struct counter_memory *memory)
{
	char stamp[CLOCK_STAMP_SIZE] = "";
	uint64_t at_ns = memory->snapshot.boottime_ns;

	if (!memory->seen)
		return NULL;
	if (memory->wall)
		clock_format(at_ns, stamp);
	else if (encoder->has_wall && at_ns <= encoder->now_boot_ns &&
		 encoder->now_boot_ns - at_ns <= encoder->now_wall_ns)
		clock_format(encoder->now_wall_ns - (encoder->now_boot_ns - at_ns), stamp);
	json_t *snapshot = json_pack("{s:o, s:o}", "value", rec_u64_new(memory->snapshot.value),
		"timestamp", text_or_null(stamp));
	if (!memory->wall)
		json_object_set_new(snapshot, "boottime_ns", rec_u64_new(at_ns));
	/* The value of the last scan, where it is another one: a reset in the middle of a window shows in it. */
	if (memory->has_previous && memory->previous != memory->snapshot.value)
		json_object_set_new(snapshot, "previous", rec_u64_new(memory->previous));
	json_object_set_new(
		snapshot, "file", json_sprintf("%s/%s", counter_group_key(def->group), def->file));
	return snapshot;
}

static json_t *
breach_new(const struct breach *breach)
{
	return json_pack("{s:b, s:s, s:b, s:o, s:o}", "breached", 1, "check_name",
		check_name(breach->check), "is_fatal", breach->fatal, "since",
		text_or_null(breach->since), "message",
		breach->message != NULL ? json_string(breach->message) : json_null());
}

static json_t *
flag_new(const struct encoder *encoder, const struct counter_def *def,
	const struct counter_memory *memory)
{
	(void)encoder, (void)def;
	return memory->breached ? breach_new(&memory->breach) : NULL;
}

static json_t *
saturation_new(const struct encoder *encoder, const struct counter_def *def,
	const struct counter_memory *memory)
{
	(void)encoder, (void)def;
	if (memory->saturation == SATURATION_NONE)
		return NULL;
	return json_pack("{s:b}", "reported", memory->saturation == SATURATION_REPORTED);
}

/* Adds the orphans, which have the same keys. */
static json_t *
with_orphans(struct encoder *encoder, json_t *object, const struct state *state, bool saturated)
{
	for (const struct orphan *orphan = state->orphans; orphan != NULL; orphan = orphan->next) {
		char *key;
		if (orphan->saturated != saturated)
			continue;
		if (asprintf(&key, "%s:%lld:%s", orphan->device, orphan->port, orphan->name) < 0) {
			encoder->failed = true;
			break;
		}
		put(encoder, object, key,
			saturated ? json_pack("{s:b}", "reported", 1)
				  : breach_new(&orphan->breach));
		free(key);
	}
	return object;
}

/* --- ports, devices, cards --- */

static json_t *
ports_new(struct encoder *encoder)
{
	json_t *object = json_object();
	for (size_t i = 0; i < encoder->port_count; i++) {
		const struct port_entry *port = port_at(encoder, i);
		char key[TABLE_KEY_SIZE];
		if (!port->known && port->health == PORT_NEW)
			continue; /* of this one only counters are known */
		snprintf(key, sizeof key, "%s_%lld", port->device, port->number);
		put(encoder, object, key,
			json_pack("{s:s, s:s, s:s, s:I, s:s, s:s, s:o, s:b}", "state", port->state,
				"physical_state", port->phys_state, "device", port->device, "port",
				(json_int_t)port->number, "link_layer", port->link_layer, "health",
				port_memory_name(port->health), "card", text_or_null(port->card),
				"known", port->known));
	}
	return object;
}

static json_t *
devices_new(struct encoder *encoder)
{
	json_t *object = json_object();
	for (size_t i = 0; i < encoder->device_count; i++) {
		const struct device_entry *device = device_at(encoder, i);
		put(encoder, object, device->node.key,
			json_pack("{s:o, s:o, s:o, s:o, s:s}", "pci", text_or_null(device->pci),
				"node_guid", text_or_null(device->node_guid), "role",
				text_or_null(device->role), "card", text_or_null(device->card),
				"link_layer", device->ethernet ? "Ethernet" : "InfiniBand"));
	}
	return object;
}

/* The names of the devices of which this holds. */
static json_t *
device_names_new(struct encoder *encoder, bool (*holds)(const struct device_entry *))
{
	json_t *names = json_array();
	for (size_t i = 0; i < encoder->device_count; i++) {
		if (holds(device_at(encoder, i)))
			append(encoder, names, json_string(device_at(encoder, i)->node.key));
	}
	return names;
}

static bool
is_known(const struct device_entry *device)
{
	return device->known;
}

static bool
is_gone(const struct device_entry *device)
{
	return device->presence == DEVICE_GONE || device->presence == DEVICE_GONE_SILENT;
}

static bool
is_silent(const struct device_entry *device)
{
	return device->presence == DEVICE_SILENT || device->presence == DEVICE_GONE_SILENT;
}

static bool
owes_baseline(const struct device_entry *device)
{
	return device->baseline_owed;
}

static json_t *
gone_ports_new(struct encoder *encoder)
{
	json_t *array = json_array();
	for (size_t i = 0; i < encoder->port_count; i++) {
		const struct port_entry *port = port_at(encoder, i);
		if (port->gone)
			append(encoder, array,
				json_pack("{s:s, s:I}", "device", port->device, "port",
					(json_int_t)port->number));
	}
	return array;
}

/* The link layer too, since a port may have no other entry. */
static json_t *
slow_ports_new(struct encoder *encoder)
{
	json_t *array = json_array();
	for (size_t i = 0; i < encoder->port_count; i++) {
		const struct port_entry *port = port_at(encoder, i);
		if (port->rate != RATE_FINE)
			append(encoder, array,
				json_pack("{s:s, s:I, s:s, s:b, s:o}", "device", port->device,
					"port", (json_int_t)port->number, "link_layer",
					port->link_layer, "reported", port->rate == RATE_SLOW,
					"below_since_ns", rec_u64_new(port->slow_since_ns)));
	}
	return array;
}

/* Scans in a row without a device or port, or without it being readable. */
static json_t *
miss_counts_new(struct encoder *encoder)
{
	json_t *array = json_array();
	for (size_t i = 0; i < encoder->device_count; i++) {
		const struct device_entry *device = device_at(encoder, i);
		if (device->missing > 0 || device->unreadable > 0)
			append(encoder, array,
				json_pack("{s:s, s:i, s:i}", "device", device->node.key, "missing",
					(int)device->missing, "unreadable",
					(int)device->unreadable));
	}
	for (size_t i = 0; i < encoder->port_count; i++) {
		const struct port_entry *port = port_at(encoder, i);
		if (port->missing > 0)
			append(encoder, array,
				json_pack("{s:s, s:I, s:i}", "device", port->device, "port",
					(json_int_t)port->number, "missing", (int)port->missing));
	}
	return array;
}

static json_t *
cards_new(struct encoder *encoder)
{
	json_t *array = json_array();
	for (size_t i = 0; i < encoder->card_count; i++) {
		const struct card_entry *card = (const struct card_entry *)encoder->cards[i];
		if (card->memory == CARD_FINE)
			continue;
		append(encoder, array,
			json_pack("{s:s, s:s, s:b, s:o}", "card", card->card, "link_layer",
				card->ethernet ? "Ethernet" : "InfiniBand", "reported",
				card->memory == CARD_ANOMALOUS, "below_since_ns",
				rec_u64_new(card->below_since_ns)));
	}
	return array;
}

/* --- the whole --- */

static json_t *
root_new(struct encoder *encoder, const struct statefile *file)
{
	const struct state *state = file->state;
	json_t *root = json_object();

	put(encoder, root, "version", json_integer(STATEFILE_VERSION));
	put(encoder, root, "boot_id", text_or_null(state->boot_id));
	put(encoder, root, "counter_snapshots", counters_new(encoder, snapshot_new));
	put(encoder, root, "breach_flags",
		with_orphans(encoder, counters_new(encoder, flag_new), state, false));
	put(encoder, root, "port_states", ports_new(encoder));
	put(encoder, root, "known_devices", device_names_new(encoder, is_known));

	put(encoder, root, "scope", state->scope != NULL ? json_string(state->scope) : json_null());
	if (outbox_encode(file->outbox, file->stream, root) < 0)
		encoder->failed = true;
	put(encoder, root, "anomalous_cards", cards_new(encoder));
	put(encoder, root, "disappeared_devices", device_names_new(encoder, is_gone));
	put(encoder, root, "disappeared_ports", gone_ports_new(encoder));
	put(encoder, root, "slow_ports", slow_ports_new(encoder));
	put(encoder, root, "unreadable_devices", device_names_new(encoder, is_silent));
	put(encoder, root, "saturated_counters",
		with_orphans(encoder, counters_new(encoder, saturation_new), state, true));
	put(encoder, root, "miss_counts", miss_counts_new(encoder));
	put(encoder, root, "devices", devices_new(encoder));
	put(encoder, root, "settled", json_boolean(state->settled));
	put(encoder, root, "waited_scans", json_integer(state->waited));
	put(encoder, root, "baseline_owed", json_boolean(state->baseline_owed));
	put(encoder, root, "baseline_owed_devices", device_names_new(encoder, owes_baseline));
	return root;
}

json_t *
statefile_encode_new(const struct statefile *file, const struct counter_list *counters,
	const char *ts, uint64_t boottime_ns)
{
	struct encoder encoder = {.counters = counters, .now_boot_ns = boottime_ns};
	json_t *root = NULL;

	encoder.has_wall = clock_parse(ts, &encoder.now_wall_ns);
	encoder.ports = table_sorted_new(&file->state->ports, &encoder.port_count);
	encoder.devices = table_sorted_new(&file->state->devices, &encoder.device_count);
	encoder.cards = table_sorted_new(&file->state->cards, &encoder.card_count);
	if (encoder.ports != NULL && encoder.devices != NULL && encoder.cards != NULL)
		root = root_new(&encoder, file);
	free(encoder.ports);
	free(encoder.devices);
	free(encoder.cards);
	if (encoder.failed) {
		json_decref(root);
		return NULL;
	}
	return root;
}
