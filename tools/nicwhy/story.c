/* story - collects the records about one device or port. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "story.h"

#include "array.h"
#include "num.h"
#include "pcipath.h"
#include "scanrec.h"
#include "silence.h"
#include "text.h"

#include <stdio.h>
#include <string.h>

bool
story_init(struct story *story, const char *device, uint64_t port)
{
	*story = (struct story){
		.device = device,
		.port = port,
		.ports = json_array(),
		.decisions = json_array(),
		.conditions = json_array(),
		.sinks = json_array(),
		.letters = json_array(),
		.silences = json_array(),
	};
	return story->ports != NULL && story->decisions != NULL && story->conditions != NULL &&
	       story->sinks != NULL && story->letters != NULL && story->silences != NULL;
}

void
story_fini(struct story *story)
{
	json_decref(story->begin);
	json_decref(story->end);
	json_decref(story->seen);
	json_decref(story->ports);
	json_decref(story->decisions);
	json_decref(story->conditions);
	json_decref(story->sinks);
	json_decref(story->letters);
	json_decref(story->silences);
	*story = (struct story){.device = NULL};
}

/* Return true for a NIC that hangs or is gone: its ports are unknown. */
static bool
has_unknown_ports(const struct story *story)
{
	struct scanrec_device device;
	struct rec_error ignored;
	return story->seen == NULL || !scanrec_decode_device(story->seen, &device, &ignored) ||
	       device.error != NULL;
}

const json_t *
story_topology(const struct story *story, const char *key)
{
	return json_object_get(json_object_get(story->begin, "topology"), key);
}

bool
story_is_absent(const struct story *story)
{
	return rec_has_text(story_topology(story, "absent"), story->device);
}

bool
story_is_elsewhere(const struct story *story)
{
	return rec_has_text(json_object_get(story->end, "elsewhere"), story->device);
}

bool
story_lacks_device(const struct story *story, const char *pci)
{
	/* `unbound` has only NVIDIA's functions and EFA adapters. `lost` has the names of NICs,
	 * too. */
	return pcipath_is_address(pci) &&
	       (rec_has_text(json_object_get(story->end, "unbound"), pci) ||
		       rec_has_text(story_topology(story, "lost"), pci));
}

bool
story_is_known(const struct story *story)
{
	bool port =
		json_array_size(story->ports) > 0 || story->port_is_judged || story->port_stands;
	bool device = story->seen != NULL || json_array_size(story->decisions) > 0 ||
		      story->device_stands || story_is_absent(story) || story_is_elsewhere(story) ||
		      story_lacks_device(story, story->device);
	return port || (device && (story->port == 0 || has_unknown_ports(story)));
}

static enum story_status
keep(json_t *array, json_t *record)
{
	return json_array_append(array, record) < 0 ? STORY_NO_MEMORY : STORY_TAKEN;
}

static void
replace(json_t **kept, json_t *record)
{
	json_decref(*kept);
	*kept = json_incref(record);
}

/* Return true if the port is the requested one; 0 stands for the device. */
static bool
is_port(const struct story *story, int64_t port)
{
	return story->port == 0 || port == 0 || (uint64_t)port == story->port;
}

/* Parse the port of a condition; 0 if there is none. */
static int64_t
port_of_text(const char *port)
{
	uint64_t number;
	bool is_one = port != NULL && num_parse_u64(port, UINT8_MAX, &number) == NUM_OK;
	return is_one ? (int64_t)number : 0;
}

/* --- scans --- */

static enum story_status
add_begin(struct story *story, json_t *record, struct rec_error *error)
{
	struct scanrec_begin begin;
	if (!scanrec_decode_begin(record, &begin, error))
		return STORY_BAD;
	/* Skip an extra scan, which has only some devices. */
	if (begin.extra)
		return STORY_TAKEN;
	replace(&story->begin, record);
	json_decref(story->end);
	story->end = NULL;
	story->listed = false;
	return STORY_TAKEN;
}

static enum story_status
add_end(struct story *story, json_t *record, struct rec_error *error)
{
	struct scanrec_end end;
	bool extra = false;
	if (!scanrec_decode_end(record, &end, error))
		return STORY_BAD;
	rec_get_bool(record, "extra", &extra);
	if (!extra)
		replace(&story->end, record);
	return STORY_TAKEN;
}

static bool
has_netdev(const json_t *netdevs, const char *name)
{
	const json_t *netdev;
	size_t i;
	json_array_foreach (netdevs, i, netdev) {
		const char *its = json_string_value(json_object_get(netdev, "name"));
		if (its != NULL && strcmp(its, name) == 0)
			return true;
	}
	return false;
}

static enum story_status
add_device(struct story *story, json_t *record, struct rec_error *error)
{
	struct scanrec_device device;
	if (!scanrec_decode_device(record, &device, error))
		return STORY_BAD;
	if (strcmp(device.device, story->device) == 0) {
		replace(&story->seen, record);
		json_array_clear(story->ports);
		story->listed = true;
	} else if ((device.pci != NULL && strcmp(device.pci, story->device) == 0) ||
		   has_netdev(device.netdevs, story->device)) {
		snprintf(story->meant, sizeof story->meant, "%s", device.device);
	}
	return STORY_TAKEN;
}

static enum story_status
add_port(struct story *story, json_t *record, struct rec_error *error)
{
	struct scanrec_port port;
	if (!scanrec_decode_port(record, &port, error))
		return STORY_BAD;
	if (strcmp(port.device, story->device) != 0 || !is_port(story, port.port))
		return STORY_TAKEN;
	return keep(story->ports, record);
}

/* --- decisions --- */

struct judged {
	const char *about, *device, *pci, *reason;
	int64_t port, boottime_ns;
};

static enum story_status
add_decision(struct story *story, json_t *record, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"about", REC_STRING, .target = offsetof(struct judged, about), .required = true},
		{"reason", REC_STRING, .target = offsetof(struct judged, reason), .required = true},
		{"device", REC_STRING, .target = offsetof(struct judged, device)},
		{"pci", REC_STRING, .target = offsetof(struct judged, pci)},
		{"port", REC_INTEGER, .target = offsetof(struct judged, port)},
		{"boottime_ns", REC_INTEGER, .target = offsetof(struct judged, boottime_ns)},
	};
	struct judged judged, last = {.about = NULL};
	if (!rec_decode(record, fields, ARRAY_COUNT(fields), &judged, error))
		return STORY_BAD;
	bool is_its = judged.device != NULL && strcmp(judged.device, story->device) == 0;
	if (!is_its && judged.device != NULL && text_equals(judged.pci, story->device))
		snprintf(story->meant, sizeof story->meant, "%s", judged.device);
	if (!is_its || !is_port(story, judged.port))
		return STORY_TAKEN;
	const json_t *before = json_array_get(story->decisions, 0);
	if (before != NULL && rec_decode(before, fields, ARRAY_COUNT(fields), &last, error) &&
		last.boottime_ns != judged.boottime_ns)
		json_array_clear(story->decisions);
	story->port_is_judged |= judged.port > 0;
	return keep(story->decisions, record);
}

/* --- conditions --- */

/* Return true if `names`, a list with commas, contains `before` followed by `name`. */
static bool
is_among(const char *names, const char *before, const char *name)
{
	size_t before_length = strlen(before), length = strlen(name);
	while (names != NULL && *names != '\0') {
		size_t item = strcspn(names, ",");
		if (item == before_length + length && strncmp(names, before, before_length) == 0 &&
			strncmp(names + before_length, name, length) == 0)
			return true;
		names += item + (names[item] == ',');
	}
	return false;
}

struct standing {
	const char *about, *devices, *port, *message, *since;
	bool is_fatal;
};

static enum story_status
add_condition(struct story *story, json_t *record, struct rec_error *error)
{
	static const struct rec_field fields[] = {
		{"about", REC_STRING, .target = offsetof(struct standing, about), .required = true},
		{"message", REC_STRING, .target = offsetof(struct standing, message),
			.required = true},
		{"since", REC_STRING, .target = offsetof(struct standing, since), .required = true},
		{"isFatal", REC_BOOL, .target = offsetof(struct standing, is_fatal),
			.required = true},
		{"devices", REC_STRING, .target = offsetof(struct standing, devices)},
		{"port", REC_STRING, .target = offsetof(struct standing, port)},
	};
	struct standing standing;
	if (!rec_decode(record, fields, ARRAY_COUNT(fields), &standing, error))
		return STORY_BAD;
	story->has_history = true;
	bool names_it = is_among(standing.about, "NIC=", story->device) ||
			is_among(standing.devices, "", story->device);
	int64_t port = port_of_text(standing.port);
	if ((!names_it && *standing.about != '\0') || !is_port(story, port))
		return STORY_TAKEN;
	story->device_stands |= names_it;
	story->port_stands |= names_it && port > 0;
	return keep(story->conditions, record);
}

static enum story_status
add_sink(struct story *story, json_t *record, struct rec_error *error)
{
	static const struct rec_field field = {"name", REC_STRING, .required = true};
	const char *name;
	if (!rec_decode(record, &field, 1, &name, error))
		return STORY_BAD;
	story->has_history = true;
	return keep(story->sinks, record);
}

static enum story_status
add_letter(struct story *story, json_t *record, struct rec_error *error)
{
	static const struct rec_field field = {"sink", REC_STRING, .required = true};
	const char *sink;
	if (!rec_decode(record, &field, 1, &sink, error))
		return STORY_BAD;
	/* It is far larger than the rest, and there may be thousands. */
	json_object_del(record, "record");
	return keep(story->letters, record);
}

/* --- silences --- */

static enum story_status
add_silence(struct story *story, json_t *record, struct rec_error *error)
{
	struct silence silence;
	if (!silence_decode(record, &silence, error))
		return STORY_BAD;
	bool is_its =
		strcmp(silence.device, story->device) == 0 && is_port(story, (int64_t)silence.port);
	return is_its ? keep(story->silences, record) : STORY_TAKEN;
}

/* --- all --- */

enum story_status
story_add(struct story *story, json_t *record, struct rec_error *error)
{
	static const struct {
		const char *kind;
		enum story_status (*add)(
			struct story *story, json_t *record, struct rec_error *error);
	} kinds[] = {
		{"scan.begin", add_begin},
		{"device", add_device},
		{"port", add_port},
		{"scan.end", add_end},
		{"decision", add_decision},
		{"condition", add_condition},
		{"sink", add_sink},
		{"dead_letter", add_letter},
		{SILENCE_KIND, add_silence},
		{SILENCE_CLEAR_KIND, add_silence},
	};
	for (size_t i = 0; i < ARRAY_COUNT(kinds); i++) {
		if (strcmp(rec_kind(record), kinds[i].kind) == 0)
			return kinds[i].add(story, record, error);
	}
	return STORY_TAKEN;
}
