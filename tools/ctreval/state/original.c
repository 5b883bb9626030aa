/* original - a state file of the original program, the Go nic-health-monitor, as one of ours. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "original.h"

#include "chardev.h"
#include "checks.h"
#include "content.h"
#include "num.h"
#include "strbuf.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WHITE_SPACE " \t\r\n\v\f"

/* How a key of a network interface's counter begins. */
#define NET_KEY "net:"

#define TWO_TO_64 18446744073709551616.0

/* Go's time that is none: year 1. */
#define NO_TIME "0001-"

/* One file on its way. */
struct conversion {
	const json_t *root; /* the original's */
	json_t *ours;
	json_t *unplaced; /* the counters whose port is not known yet, by their keys */
	struct strbuf left_out;
	struct rec_error *error;
	bool no_memory;
};

/* --- what the parts share --- */

/* A new section of ours, borrowed. */
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

/* Members of an object, where it has them, in an object of their own. */
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

/* The text of a member; "" when it is none. */
static const char *
text_of(const json_t *object, const char *name)
{
	const char *text = json_string_value(json_object_get(object, name));
	return text != NULL ? text : "";
}

/* Calls `convert_one` for each member of a section, which is an object of objects, or absent. */
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
		return rec_refuse(conversion->error, "\"%s\" is of a wrong type", name);
	json_object_foreach (object, key, value) {
		if (!json_is_object(value))
			return rec_refuse(
				conversion->error, "\"%s\": \"%.64s\" is not an object", name, key);
		if (convert_one(conversion, key, value) < 0)
			return -1;
	}
	return 0;
}

/* Names something that stands, and that nobody here can take back. */
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

/* The original compares them without regard to case, and takes none for all. */
static bool
is_our_layer(const char *link_layer)
{
	for (enum layer layer = 0; layer < LAYER_N; layer++) {
		if (strcasecmp(link_layer, layer_name(layer)) == 0)
			return true;
	}
	return *link_layer == '\0';
}

/* `*number` when the member is a port's. */
static bool
port_of(const json_t *value, int64_t *number)
{
	return rec_get_int(value, "port", number) == REC_OK && *number >= 0 && *number <= INT32_MAX;
}

/* --- ports --- */

static bool
is_healthy(const json_t *port)
{
	return strstr(text_of(port, "state"), "ACTIVE") != NULL &&
	       strstr(text_of(port, "physical_state"), "LinkUp") != NULL;
}

static int
convert_port(struct conversion *conversion, const char *key, json_t *value)
{
	static const char *const names[] = {
		"device", "port", "state", "physical_state", "link_layer", NULL};
	const char *link_layer = text_of(value, "link_layer");

	if (is_our_layer(link_layer)) {
		put(conversion, json_object_get(conversion->ours, "port_states"), key,
			copy_new(conversion, value, names));
		return 0;
	}
	if (!is_healthy(value))
		leave_out(conversion, "%.16sStateCheck %.64s", link_layer, key);
	return 0;
}

/* It counts as reported and bad, whatever its device's snapshots were. */
static int
convert_gone_port(struct conversion *conversion, const char *key, json_t *value)
{
	const char *device = text_of(value, "device"), *link_layer = text_of(value, "link_layer");
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

/* Whether the device had a port of a link layer of ours (or of another). */
static bool
has_port(const struct conversion *conversion, const char *device, bool ours)
{
	const char *key;
	json_t *port;
	json_t *ports = json_object_get(conversion->root, "port_states");
	json_object_foreach (ports, key, port) {
		if (strcmp(text_of(port, "device"), device) == 0 &&
			is_our_layer(text_of(port, "link_layer")) == ours)
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
		return rec_refuse(conversion->error, "\"known_devices\" is of a wrong type");
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
	const char *device = text_of(value, "device"), *link_layer = text_of(value, "link_layer");
	json_t *devices = json_object_get(conversion->ours, "devices");

	if (*device == '\0')
		return rec_refuse(
			conversion->error, "disappeared device \"%.64s\" has no name", key);
	/* One that had ports of both layers was reported under both of their checks; here it has
	 * one. */
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
	const char *device = text_of(value, "device");
	json_t *count = json_object_get(value, "count");

	if (*device == '\0')
		return rec_refuse(conversion->error, "miss count \"%.64s\" has no device", key);
	if (is_our_layer(text_of(value, "link_layer")))
		append(conversion, json_object_get(conversion->ours, "miss_counts"),
			json_pack("{s:s, s:O?}", "device", device, "missing", count));
	return 0;
}

static int
convert_card(struct conversion *conversion, const char *key, json_t *value)
{
	const char *card = text_of(value, "card"), *link_layer = text_of(value, "link_layer");

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

/* It was reported, with its kind as its code. */
static int
convert_char_device(struct conversion *conversion, const char *key, json_t *value)
{
	int64_t number = 0;
	const char *device = text_of(value, "device"), *kind = text_of(value, "kind");

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

/* The two parts of a key net:<interface>:<counter>, in a copy to free(); NULL when it is none, or
 * memory ran out. */
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

/* The entry among those whose port is not known yet, borrowed; it is made if need be. */
static json_t *
unplaced(struct conversion *conversion, const char *key, const char *interface, const char *counter)
{
	if (json_object_get(conversion->unplaced, key) == NULL)
		put(conversion, conversion->unplaced, key,
			json_pack("{s:s, s:s}", "interface", interface, "counter", counter));
	return json_object_get(conversion->unplaced, key);
}

/* Puts what is known of a counter where ours has it: under its port, which a breach of an
 * interface's counter names; or among those whose port the next scan has to tell. Takes `value`. */
static void
place(struct conversion *conversion, const char *name, const char *what, const char *key,
	json_t *value)
{
	const json_t *flag =
		json_object_get(json_object_get(conversion->root, "breach_flags"), key);
	const char *device = text_of(flag, "device"), *port = text_of(flag, "port");
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

/* In the order in which they were met. */
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

	/* The largest of its numbers is one more than the largest of ours once it is read as a real
	 * one. */
	if (json_is_real(number) && json_real_value(number) == TWO_TO_64)
		put(conversion, snapshot, "value", rec_u64_new(UINT64_MAX));
	/* Its window is as old as can be. */
	if (strncmp(text_of(value, "timestamp"), NO_TIME, strlen(NO_TIME)) == 0)
		put(conversion, snapshot, "boottime_ns", json_integer(0));
	place(conversion, "counter_snapshots", "snapshot", key, snapshot);
	return 0;
}

static int
convert_flag(struct conversion *conversion, const char *key, json_t *value)
{
	static const char *const names[] = {"breached", "check_name", "is_fatal", "since", NULL};
	const char *check = text_of(value, "check_name");

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

/* --- the whole --- */

/* A check that has been silent since a boot is cleared when nothing stands under it; that of
 * character devices in any case. */
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
		return rec_refuse(conversion->error, "\"pending_baselines\" is of a wrong type");
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

/* `text` without white space at its ends: where it begins, and how long it is. */
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
