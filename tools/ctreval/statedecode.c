/* statedecode - the state from the JSON of its file, all of which is checked: SPEC section 4.5. */
#include "decoder.h"
#include "store.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
		decoder_no_entry(decoder);
	return device;
}

static int
take_port(struct decoder *decoder, const char *key, const json_t *value)
{
	const char *device = NULL, *health = NULL;
	int64_t number;

	if (!json_is_object(value) || rec_get_string(value, "device", &device) != REC_OK ||
		!decoder_is_name(device) || !decoder_port_number(value, &number))
		return rec_refuse(
			decoder->error, "port state \"%.64s\" has no device and port", key);
	struct port_entry *port = state_port(decoder->file->state, device, number);
	if (port == NULL)
		return decoder_no_entry(decoder);
	if (decoder_text(decoder, value, "state", port->state, sizeof port->state) < 0 ||
		decoder_text(decoder, value, "physical_state", port->phys_state,
			sizeof port->phys_state) < 0 ||
		decoder_text(decoder, value, "link_layer", port->link_layer,
			sizeof port->link_layer) < 0 ||
		decoder_text(decoder, value, "card", port->card, sizeof port->card) < 0)
		return -1;
	port->ethernet = check_is_ethernet(port->link_layer);
	port->known = true;
	if (decoder_flag(decoder, value, "known", &port->known) < 0)
		return -1;
	enum rec_status status = rec_get_string(value, "health", &health);
	port->health = status == REC_OK ? port_memory_find(health) : health_of(port);
	if (status == REC_WRONG_TYPE || port->health == PORT_MEMORY_N ||
		port->health == PORT_NEW_SUSPECT)
		return rec_refuse(
			decoder->error, "port state \"%.64s\" has an unknown health", key);

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
	json_t *object = (json_t *)decoder_member(decoder, "port_states", JSON_OBJECT, &status);
	json_object_foreach (object, key, value) {
		if (take_port(decoder, key, value) < 0)
			return -1;
	}
	return status;
}

static int
take_gone_port(struct decoder *decoder, const json_t *value)
{
	const char *device = NULL;
	int64_t number;

	if (rec_get_string(value, "device", &device) != REC_OK || !decoder_is_name(device) ||
		!decoder_port_number(value, &number))
		return rec_refuse(decoder->error, "a disappeared port has no device and port");
	struct port_entry *port = state_port(decoder->file->state, device, number);
	if (port == NULL)
		return decoder_no_entry(decoder);
	port->gone = true;
	return 0;
}

static int
take_slow_port(struct decoder *decoder, const json_t *value)
{
	char link_layer[STATE_WORD_SIZE];
	const char *device = NULL;
	bool reported = false;
	uint64_t since_ns = 0;
	int64_t number;

	if (rec_get_string(value, "device", &device) != REC_OK || !decoder_is_name(device) ||
		!decoder_port_number(value, &number) ||
		rec_get_u64(value, "below_since_ns", &since_ns) == REC_WRONG_TYPE)
		return rec_refuse(decoder->error, "a slow port has no device and port, or no time");
	if (decoder_text(decoder, value, "link_layer", link_layer, sizeof link_layer) < 0 ||
		decoder_flag(decoder, value, "reported", &reported) < 0)
		return -1;
	struct port_entry *port = state_port(decoder->file->state, device, number);
	if (port == NULL)
		return decoder_no_entry(decoder);
	if (*port->link_layer == '\0') {
		state_copy(port->link_layer, sizeof port->link_layer, link_layer);
		port->ethernet = check_is_ethernet(port->link_layer);
	}
	port->rate = reported ? RATE_SLOW : RATE_WAITING;
	port->slow_since_ns = since_ns;
	return 0;
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
	json_t *array = (json_t *)decoder_member(decoder, section, JSON_ARRAY, &status);
	json_array_foreach (array, i, value) {
		const char *name = json_string_value(value);
		if (name == NULL || !decoder_is_name(name))
			return rec_refuse(decoder->error, "\"%s\" is no list of names", section);
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
	json_t *object = (json_t *)decoder_member(decoder, "devices", JSON_OBJECT, &status);
	json_object_foreach (object, key, value) {
		char link_layer[STATE_WORD_SIZE];
		if (!json_is_object(value) || !decoder_is_name(key))
			return rec_refuse(decoder->error, "device \"%.64s\" is no object", key);
		struct device_entry *device = add_device(decoder, key);
		if (device == NULL ||
			decoder_text(decoder, value, "pci", device->pci, sizeof device->pci) < 0 ||
			decoder_text(decoder, value, "node_guid", device->node_guid,
				sizeof device->node_guid) < 0 ||
			decoder_text(decoder, value, "role", device->role, sizeof device->role) <
				0 ||
			decoder_text(decoder, value, "card", device->card, sizeof device->card) <
				0 ||
			decoder_text(decoder, value, "link_layer", link_layer, sizeof link_layer) <
				0)
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

	if (rec_get_string(value, "device", &name) != REC_OK || !decoder_is_name(name))
		return rec_refuse(decoder->error, "a miss count has no device");
	if (json_object_get(value, "port") != NULL) {
		if (!decoder_port_number(value, &number))
			return rec_refuse(decoder->error, "a miss count has a bad port");
		struct port_entry *port = state_port(decoder->file->state, name, number);
		if (port == NULL)
			return decoder_no_entry(decoder);
		return decoder_count(decoder, value, "missing", &port->missing);
	}
	struct device_entry *device = add_device(decoder, name);
	if (device == NULL || decoder_count(decoder, value, "missing", &device->missing) < 0)
		return -1;
	return decoder_count(decoder, value, "unreadable", &device->unreadable);
}

static int
take_card(struct decoder *decoder, const json_t *value)
{
	char link_layer[STATE_WORD_SIZE];
	const char *name = NULL;
	bool reported = false;
	uint64_t since_ns = 0;

	if (rec_get_string(value, "card", &name) != REC_OK || !decoder_is_name(name) ||
		rec_get_u64(value, "below_since_ns", &since_ns) == REC_WRONG_TYPE)
		return rec_refuse(decoder->error, "an anomalous card has no name or no time");
	if (decoder_text(decoder, value, "link_layer", link_layer, sizeof link_layer) < 0 ||
		decoder_flag(decoder, value, "reported", &reported) < 0)
		return -1;
	struct card_entry *card =
		state_card(decoder->file->state, name, check_is_ethernet(link_layer));
	if (card == NULL)
		return decoder_no_entry(decoder);
	card->memory = reported ? CARD_ANOMALOUS : CARD_WAITING;
	card->below_since_ns = since_ns;
	return 0;
}

/* --- the rest --- */

static int
take_scope(struct decoder *decoder)
{
	struct state *state = decoder->file->state;
	const char *scope = NULL;
	if (rec_get_string(decoder->root, "scope", &scope) == REC_WRONG_TYPE)
		return rec_refuse(decoder->error, "\"scope\" is of a wrong type");
	if (scope != NULL && (state->scope = strdup(scope)) == NULL)
		return decoder_no_entry(decoder);
	return 0;
}

static int
take_first(struct decoder *decoder)
{
	struct state *state = decoder->file->state;
	/* A file of the original that knows devices has given its first verdicts. */
	state->settled = state->devices.count > 0;
	if (decoder_flag(decoder, decoder->root, "settled", &state->settled) < 0 ||
		decoder_flag(decoder, decoder->root, "baseline_owed", &state->baseline_owed) < 0)
		return -1;
	return decoder_count(decoder, decoder->root, "waited_scans", &state->waited);
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

	if (store_check_version(root, STATEFILE_VERSION, error) < 0)
		return -1;
	if (decoder_text(&decoder, root, "boot_id", file->state->boot_id,
		    sizeof file->state->boot_id) < 0 ||
		decodecounters_take(&decoder) < 0 || take_ports(&decoder) < 0 ||
		take_names(&decoder, "known_devices", mark_known) < 0 ||
		take_devices(&decoder) < 0 ||
		take_names(&decoder, "disappeared_devices", mark_gone) < 0 ||
		take_names(&decoder, "unreadable_devices", mark_silent) < 0 ||
		take_names(&decoder, "baseline_owed_devices", mark_owing) < 0 ||
		decoder_each(&decoder, "disappeared_ports", take_gone_port) < 0 ||
		decoder_each(&decoder, "slow_ports", take_slow_port) < 0 ||
		decoder_each(&decoder, "miss_counts", take_miss_count) < 0 ||
		decoder_each(&decoder, "anomalous_cards", take_card) < 0 ||
		outbox_decode(file->outbox, file->stream, root, error) < 0 ||
		take_scope(&decoder) < 0 || take_first(&decoder) < 0)
		return -1;
	return 0;
}
