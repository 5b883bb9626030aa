/* original - converts state files of the original program, the Go nic-health-monitor. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "original.h"

#include "chardev.h"
#include "checks.h"
#include "content.h"
#include "num.h"
#include "rec.h"
#include "strbuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WHITE_SPACE " \t\r\n\v\f"

/* Prefix of the keys of network interfaces' counters. */
#define NET_KEY "net:"

#define TWO_TO_64 18446744073709551616.0

/* How Go writes its zero time, in year 1. */
#define NO_TIME "0001-"

/* One file being converted. */
struct conversion {
	const json_t *root; /* the original's file */
	json_t *ours;
	json_t *unplaced; /* counters whose port is unknown, by their keys in the file */
	struct strbuf left_out;
	struct rec_error *error;
	bool no_memory;
};

/* --- helpers --- */

/* Add a section to ctreval's file and return it, borrowed. */
static json_t *
section(struct conversion *conversion, const char *name, json_t *made)
{
	conversion->no_memory |= json_object_set_new(conversion->ours, name, made) < 0;
	return json_object_get(conversion->ours, name);
}

static void
put(struct conversion *conversion, json_t *object, const char *key, json_t *value)
{
	conversion->no_memory |= json_object_set_new(object, key, value) < 0;
}

static void
append(struct conversion *conversion, json_t *array, json_t *value)
{
	conversion->no_memory |= json_array_append_new(array, value) < 0;
}

/* Copy those of the named members that exist into a new object. */
static json_t *
copy_new(struct conversion *conversion, const json_t *object, const char *const *names)
{
	json_t *copy = json_object();
	for (; *names != NULL; names++) {
		json_t *value = json_object_get(object, *names);
		if (value != NULL && json_object_set(copy, *names, value) < 0)
			conversion->no_memory = true;
	}
	return copy;
}

/* Call `convert_one` for each member of a section, which may be absent. The section and its members
 * must be objects. */
static int
each(struct conversion *conversion, const char *name,
	int (*convert_one)(struct conversion *, const char *key, json_t *value))
{
	const char *key;
	json_t *value;
	json_t *object = json_object_get(conversion->root, name);

	if (object == NULL || json_is_null(object))
		return 0;
	if (!json_is_object(object))
		return rec_refuse(conversion->error, "\"%s\" has the wrong type", name);
	json_object_foreach (object, key, value) {
		if (!json_is_object(value))
			return rec_refuse(
				conversion->error, "\"%s\": \"%.64s\" is not an object", name, key);
		if (convert_one(conversion, key, value) < 0)
			return -1;
	}
	return 0;
}

/* Add an open condition that no check of ctreval can withdraw. */
static void leave_out(struct conversion *conversion, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static void
leave_out(struct conversion *conversion, const char *format, ...)
{
	va_list arguments;
	va_start(arguments, format);
	strbuf_addf(&conversion->left_out, "%s", conversion->left_out.length > 0 ? ", " : "");
	strbuf_vaddf(&conversion->left_out, format, arguments);
	va_end(arguments);
}

/* The original ignores case here, and "" means every link layer. */
static bool
is_our_layer(const char *link_layer)
{
	for (enum layer layer = 0; layer < LAYER_N; layer++) {
		if (strcasecmp(link_layer, layer_name(layer)) == 0)
			return true;
	}
	return *link_layer == '\0';
}

/* Parse the member "port". Return false if it is not a port number. */
static bool
port_of(const json_t *value, int64_t *number)
{
	return rec_get_int(value, "port", number) == REC_OK && *number >= 0 && *number <= INT32_MAX;
}

/* --- ports --- */

static bool
is_healthy(const json_t *port)
{
	return strstr(rec_text(port, "state"), "ACTIVE") != NULL &&
	       strstr(rec_text(port, "physical_state"), "LinkUp") != NULL;
}

static int
convert_port(struct conversion *conversion, const char *key, json_t *value)
{
	static const char *const names[] = {
		"device", "port", "state", "physical_state", "link_layer", NULL};
	const char *link_layer = rec_text(value, "link_layer");

	if (is_our_layer(link_layer)) {
		put(conversion, json_object_get(conversion->ours, "port_states"), key,
			copy_new(conversion, value, names));
		return 0;
	}
	if (!is_healthy(value))
		leave_out(conversion, "%.16sStateCheck %.64s", link_layer, key);
	return 0;
}

/* The port counts as reported and unhealthy, whatever its port state in the file. */
static int
convert_gone_port(struct conversion *conversion, const char *key, json_t *value)
{
	const char *device = rec_text(value, "device"), *link_layer = rec_text(value, "link_layer");
	json_t *ports = json_object_get(conversion->ours, "port_states");
	int64_t number;
	char *port_key;

	if (*device == '\0' || !port_of(value, &number))
		return rec_refuse(conversion->error,
			"disappeared port \"%.64s\" has no device and port", key);
	if (!is_our_layer(link_layer)) {
		leave_out(conversion, "%.16sStateCheck %.64s port %" PRId64, link_layer, device,
			number);
		return 0;
	}
	append(conversion, json_object_get(conversion->ours, "disappeared_ports"),
		json_pack("{s:s, s:I}", "device", device, "port", (json_int_t)number));
	if (asprintf(&port_key, "%s_%" PRId64, device, number) < 0) {
		conversion->no_memory = true;
		return 0;
	}
	if (json_object_get(ports, port_key) == NULL)
		put(conversion, ports, port_key,
			json_pack("{s:s, s:I, s:s, s:s, s:b, s:n}", "device", device, "port",
				(json_int_t)number, "link_layer", link_layer, "health", "fatal",
				"known", 0, "said"));
	free(port_key);
	return 0;
}

/* --- devices and cards --- */

/* Return true if the device had a port of a link layer that ctreval has (or, with `ours` false,
 * lacks). */
static bool
has_port(const struct conversion *conversion, const char *device, bool ours)
{
	const char *key;
	json_t *port;
	json_t *ports = json_object_get(conversion->root, "port_states");
	json_object_foreach (ports, key, port) {
		if (strcmp(rec_text(port, "device"), device) == 0 &&
			is_our_layer(rec_text(port, "link_layer")) == ours)
			return true;
	}
	return false;
}

static int
convert_known_devices(struct conversion *conversion)
{
	size_t i;
	json_t *name;
	json_t *ours = section(conversion, "known_devices", json_array());
	json_t *theirs = json_object_get(conversion->root, "known_devices");

	if (theirs == NULL || json_is_null(theirs))
		return 0;
	if (!json_is_array(theirs))
		return rec_refuse(conversion->error, "\"known_devices\" has the wrong type");
	json_array_foreach (theirs, i, name) {
		const char *device = json_string_value(name);
		if (device == NULL)
			return rec_refuse(
				conversion->error, "\"known_devices\" is not a list of names");
		if (has_port(conversion, device, true) || !has_port(conversion, device, false))
			append(conversion, ours, json_string(device));
	}
	return 0;
}

static int
convert_gone_device(struct conversion *conversion, const char *key, json_t *value)
{
	const char *device = rec_text(value, "device"), *link_layer = rec_text(value, "link_layer");
	json_t *devices = json_object_get(conversion->ours, "devices");

	if (*device == '\0')
		return rec_refuse(
			conversion->error, "disappeared device \"%.64s\" has no name", key);
	/* The original reports a device with ports of both layers under both of their checks;
	 * ctreval reports it under one. */
	if (!is_our_layer(link_layer) || json_object_get(devices, device) != NULL) {
		leave_out(conversion, "%.16sStateCheck %.64s", link_layer, device);
		return 0;
	}
	append(conversion, json_object_get(conversion->ours, "disappeared_devices"),
		json_string(device));
	put(conversion, devices, device, json_pack("{s:s}", "link_layer", link_layer));
	return 0;
}

static int
convert_miss_count(struct conversion *conversion, const char *key, json_t *value)
{
	const char *device = rec_text(value, "device");
	json_t *count = json_object_get(value, "count");

	if (*device == '\0')
		return rec_refuse(conversion->error, "miss count \"%.64s\" has no device", key);
	if (is_our_layer(rec_text(value, "link_layer")))
		append(conversion, json_object_get(conversion->ours, "miss_counts"),
			json_pack("{s:s, s:O?}", "device", device, "missing", count));
	return 0;
}

static int
convert_card(struct conversion *conversion, const char *key, json_t *value)
{
	const char *card = rec_text(value, "card"), *link_layer = rec_text(value, "link_layer");

	if (*card == '\0')
		return rec_refuse(conversion->error, "anomalous card \"%.64s\" has no name", key);
	if (!is_our_layer(link_layer)) {
		leave_out(conversion, "%.16sStateCheck %.64s", link_layer, card);
		return 0;
	}
	append(conversion, json_object_get(conversion->ours, "anomalous_cards"),
		json_pack(
			"{s:s, s:s, s:b}", "card", card, "link_layer", link_layer, "reported", 1));
	return 0;
}

/* The original reported it with its kind as errorCode. */
static int
convert_char_device(struct conversion *conversion, const char *key, json_t *value)
{
	int64_t number = 0;
	const char *device = rec_text(value, "device"), *kind = rec_text(value, "kind");

	if (*device == '\0')
		return rec_refuse(
			conversion->error, "missing character device \"%.64s\" has no device", key);
	port_of(value, &number);
	if (chardev_find(kind) == CHARDEV_KIND_N) {
		leave_out(conversion, "InfiniBandCharDeviceCheck %.16s of %.64s port %" PRId64,
			kind, device, number);
		return 0;
	}
	put(conversion, json_object_get(conversion->ours, "missing_char_devices"), key,
		json_pack("{s:s, s:s, s:I, s:{s:b, s:s}}", "kind", kind, "device", device, "port",
			(json_int_t)number, "said", "fatal", 1, "code", kind));
	return 0;
}

/* --- counters --- */

/* Split a key net:<interface>:<counter>. Return the interface, to free(), and point `*counter`
 * into it; NULL if the key has another form, or memory ran out. */
static char *
net_key_new(struct conversion *conversion, const char *key, const char **counter)
{
	if (strncmp(key, NET_KEY, strlen(NET_KEY)) != 0)
		return NULL;
	char *interface = strdup(key + strlen(NET_KEY));
	char *colon = interface != NULL ? strrchr(interface, ':') : NULL;
	conversion->no_memory |= interface == NULL;
	if (colon == NULL || colon == interface || colon[1] == '\0') {
		free(interface);
		return NULL;
	}
	*colon = '\0';
	*counter = colon + 1;
	return interface;
}

/* Find or add a counter whose port is unknown. The returned entry is borrowed. */
static json_t *
unplaced(struct conversion *conversion, const char *key, const char *interface, const char *counter)
{
	if (json_object_get(conversion->unplaced, key) == NULL)
		put(conversion, conversion->unplaced, key,
			json_pack("{s:s, s:s}", "interface", interface, "counter", counter));
	return json_object_get(conversion->unplaced, key);
}

/* Store what is known of a counter under its port. For an interface's counter the breach flag names
 * the port; without one, store it under unplaced_counters until a scan shows the port. Steals
 * `value`. */
static void
place(struct conversion *conversion, const char *name, const char *what, const char *key,
	json_t *value)
{
	const json_t *flag =
		json_object_get(json_object_get(conversion->root, "breach_flags"), key);
	const char *device = rec_text(flag, "device"), *port = rec_text(flag, "port");
	const char *counter = NULL;
	char *interface = net_key_new(conversion, key, &counter), *ours = NULL;
	uint64_t number;

	if (interface == NULL) {
		put(conversion, json_object_get(conversion->ours, name), key, value);
	} else if (*device == '\0' || num_parse_u64(port, INT32_MAX, &number) != NUM_OK) {
		put(conversion, unplaced(conversion, key, interface, counter), what, value);
	} else if (asprintf(&ours, "%s:%" PRIu64 ":%s", device, number, counter) < 0) {
		conversion->no_memory = true;
		json_decref(value);
	} else {
		put(conversion, json_object_get(conversion->ours, name), ours, value);
		free(ours);
	}
	free(interface);
}

/* In the order of the original's file. */
static void
list_unplaced(struct conversion *conversion)
{
	const char *key;
	json_t *entry;
	json_t *entries = section(conversion, "unplaced_counters", json_array());
	json_object_foreach (conversion->unplaced, key, entry)
		conversion->no_memory |= json_array_append(entries, entry) < 0;
}

static int
convert_snapshot(struct conversion *conversion, const char *key, json_t *value)
{
	static const char *const names[] = {"value", "timestamp", NULL};
	json_t *snapshot = copy_new(conversion, value, names);
	const json_t *number = json_object_get(value, "value");

	/* Jansson reads numbers above INT64_MAX as reals, and UINT64_MAX then rounds to 2^64. */
	if (json_is_real(number) && json_real_value(number) == TWO_TO_64)
		put(conversion, snapshot, "value", rec_u64_new(UINT64_MAX));
	/* The snapshot has no time: make its window as old as possible. */
	if (strncmp(rec_text(value, "timestamp"), NO_TIME, strlen(NO_TIME)) == 0)
		put(conversion, snapshot, "boottime_ns", json_integer(0));
	place(conversion, "counter_snapshots", "snapshot", key, snapshot);
	return 0;
}

static int
convert_flag(struct conversion *conversion, const char *key, json_t *value)
{
	static const char *const names[] = {"breached", "check_name", "is_fatal", "since", NULL};
	const char *check = rec_text(value, "check_name");

	if (json_is_true(json_object_get(value, "breached")) && *check != '\0' &&
		check_find(check, strlen(check)) == CHECK_N) {
		leave_out(conversion, "%.64s %.100s", check, key);
		return 0;
	}
	json_t *flag = copy_new(conversion, value, names);
	put(conversion, flag, "uncoded", json_true());
	place(conversion, "breach_flags", "flag", key, flag);
	return 0;
}

/* --- the whole file --- */

/* A check that the original has not cleared since a boot is cleared here only if it has no open
 * condition. The character-device check sends its baseline in any case. */
static int
convert_baselines(struct conversion *conversion)
{
	const char *name;
	json_t *owed;
	json_t *ours = section(conversion, "clear_owed", json_array());
	json_t *baselines = section(conversion, "baseline_owed_checks", json_array());
	json_t *theirs = json_object_get(conversion->root, "pending_baselines");

	if (theirs == NULL || json_is_null(theirs))
		return 0;
	if (!json_is_object(theirs))
		return rec_refuse(conversion->error, "\"pending_baselines\" has the wrong type");
	json_object_foreach (theirs, name, owed) {
		enum check check = check_find(name, strlen(name));
		if (json_is_true(owed) && check != CHECK_N)
			append(conversion, check == CHECK_IB_CHARDEV ? baselines : ours,
				json_string(name));
	}
	return 0;
}

static int
convert(struct conversion *conversion)
{
	static const char *const same[] = {"boot_id", "scope", "chardev_issm_mode", NULL};

	conversion->ours = copy_new(conversion, conversion->root, same);
	put(conversion, conversion->ours, "version", json_integer(STATEFILE_VERSION));
	section(conversion, "counter_snapshots", json_object());
	section(conversion, "breach_flags", json_object());
	section(conversion, "port_states", json_object());
	section(conversion, "devices", json_object());
	section(conversion, "disappeared_devices", json_array());
	section(conversion, "disappeared_ports", json_array());
	section(conversion, "miss_counts", json_array());
	section(conversion, "anomalous_cards", json_array());
	section(conversion, "missing_char_devices", json_object());
	if (each(conversion, "port_states", convert_port) < 0 ||
		convert_known_devices(conversion) < 0 ||
		each(conversion, "disappeared_devices", convert_gone_device) < 0 ||
		each(conversion, "disappeared_ports", convert_gone_port) < 0 ||
		each(conversion, "device_miss_counts", convert_miss_count) < 0 ||
		each(conversion, "anomalous_cards", convert_card) < 0 ||
		each(conversion, "counter_snapshots", convert_snapshot) < 0 ||
		each(conversion, "breach_flags", convert_flag) < 0 ||
		each(conversion, "missing_char_devices", convert_char_device) < 0)
		return -1;
	list_unplaced(conversion);
	return convert_baselines(conversion);
}

bool
original_is(const json_t *root)
{
	int64_t version;
	return json_is_object(root) && rec_get_int(root, "version", &version) == REC_OK &&
	       version == ORIGINAL_VERSION;
}

json_t *
original_ours_new(const json_t *root, char **left_out, struct rec_error *error)
{
	struct conversion conversion = {.root = root, .unplaced = json_object(), .error = error};

	int status = convert(&conversion);
	json_decref(conversion.unplaced);
	if (status == 0 && (conversion.no_memory || conversion.left_out.is_short))
		status = rec_lack_memory(error);
	if (status < 0) {
		json_decref(conversion.ours);
		conversion.ours = NULL;
	}
	*left_out = NULL;
	if (status == 0 && conversion.left_out.length > 0)
		*left_out = strbuf_detach_new(&conversion.left_out);
	strbuf_fini(&conversion.left_out);
	return conversion.ours;
}

/* Return `text` without leading white space, and in `*length` its length without trailing white
 * space. */
static const char *
trimmed(const char *text, int *length)
{
	text += strspn(text, WHITE_SPACE);
	size_t end = strlen(text);
	while (end > 0 && strchr(WHITE_SPACE, text[end - 1]) != NULL)
		end--;
	*length = (int)end;
	return text;
}

char *
original_scope_new(const char *exclusion, const char *inclusion)
{
	char *scope;
	int exclusion_length, inclusion_length;
	const char *excluded = trimmed(exclusion, &exclusion_length);
	const char *included = trimmed(inclusion, &inclusion_length);
	return asprintf(&scope, "incl=%.*s;excl=%.*s", inclusion_length, included, exclusion_length,
		       excluded) < 0
		       ? NULL
		       : scope;
}
