/* annotate - adds each device's role to the records of a scan and copies everything else
 * unchanged. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate.h"

#include "absent.h"
#include "array.h"
#include "jsontext.h"
#include "portfacts.h"

#include <stdlib.h>
#include <string.h>

/* --- facts --- */

/* Return the address of the device's own function. NULL if it has none or it is unknown: a part of
 * another device shares that device's function, and so does a subfunction, which counts as a
 * virtual function. */
static const char *
function_of(const struct scanrec_device *device)
{
	return device->parent == NULL && !device->vf ? device->pci : NULL;
}

/* Names may have moved between devices since the last scan. */
static void
meet_devices(const struct scanbuf *scan, struct memory *memory)
{
	for (size_t i = 0; i < scan->count; i++) {
		const struct scanrec_device *device = &scan->lines[i].device;
		if (scan->lines[i].kind == SCANREC_DEVICE)
			memory_meet(memory, device->device, device->pci,
				device->vf ? NULL : device->pci);
	}
}

/* Return the device that carries the default route, or NULL. Record each device that ever did: a
 * management NIC that loses its link loses its route, and must not become a monitored NIC that is
 * down. */
static const char *
find_default_device(const struct scanbuf *scan, const char *interface, struct memory *memory)
{
	const char *found = NULL;
	for (size_t i = 0; interface != NULL && i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		if (line->kind != SCANREC_DEVICE ||
			!scanbuf_has_interface(&line->device, interface, true))
			continue;
		memory_keep_carried(memory, line->device.device, function_of(&line->device));
		if (found == NULL)
			found = line->device.device;
	}
	return found;
}

/* Return the link layer of the device's port 1, else of its first port; NULL if it has no port. */
static const char *
link_layer_of(const struct scanbuf *scan, size_t device_line)
{
	const char *device = scan->lines[device_line].device.device;
	const char *first = NULL;

	for (size_t i = device_line + 1; i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		if (line->kind == SCANREC_OTHER)
			continue;
		if (line->kind != SCANREC_PORT || strcmp(line->port.device, device) != 0)
			break;
		if (line->port.port == 1)
			return line->port.link_layer;
		if (first == NULL)
			first = line->port.link_layer;
	}
	return first;
}

/* Return the line of the device that this one is a part of: by its name, or, if it was renamed, by
 * its PCI function. Return scan->count if there is none. */
static size_t
find_parent(const struct scanbuf *scan, const struct scanrec_device *device)
{
	size_t found = scan->count;
	for (size_t i = 0; i < scan->count; i++) {
		const struct scanrec_device *other = &scan->lines[i].device;
		if (scan->lines[i].kind != SCANREC_DEVICE || other->parent != NULL)
			continue;
		if (strcmp(other->device, device->parent) == 0)
			return i;
		if (device->pci != NULL && portfacts_is_function(other, device->pci))
			found = i;
	}
	return found;
}

/* `parent`: the verdict on the device that this one is a part of, or NULL. */
static struct verdict
eval_one(const struct scanbuf *scan, size_t at, const struct criteria *criteria,
	struct memory *memory, const struct verdict *parent)
{
	const struct scanrec_device *device = &scan->lines[at].device;
	const struct facts facts = {
		.device = device->device,
		.driver = device->driver,
		.vendor = device->vendor,
		.hca_type = device->hca_type,
		.link_layer = link_layer_of(scan, at),
		.numa_node = device->numa_node,
		.vf = device->vf,
		.default_route = json_object_get(memory->carried_default, device->device) != NULL,
		.unreadable = device->error != NULL,
		.sub = device->parent != NULL,
		.parent = parent,
		.row = metadata_row(criteria->metadata, device->device),
	};
	struct verdict before;
	bool known = memory_verdict(memory, device->device, &before);
	struct verdict verdict = classify(&facts, criteria->rules, known ? &before : NULL);
	if (!facts.unreadable)
		memory_keep(memory, device->device, function_of(device), verdict);
	return verdict;
}

static struct verdict
eval_device(const struct scanbuf *scan, size_t at, const struct criteria *criteria,
	struct memory *memory)
{
	const struct scanrec_device *device = &scan->lines[at].device;
	size_t parent_at = device->parent != NULL ? find_parent(scan, device) : scan->count;

	if (device->parent != NULL)
		json_object_set_new(memory->subs, device->device, json_true());
	else if (device->error == NULL)
		json_object_del(memory->subs, device->device);
	if (parent_at == scan->count)
		return eval_one(scan, at, criteria, memory, NULL);
	struct verdict parent = eval_one(scan, parent_at, criteria, memory, NULL);
	return eval_one(scan, at, criteria, memory, &parent);
}

/* Return the last verdict on a device that this scan cannot classify; if there is none, one that
 * raises no alarm. */
static struct verdict
verdict_before(const char *device, const struct memory *memory)
{
	struct verdict known;
	if (memory_verdict(memory, device, &known))
		return known;
	return (struct verdict){.role = ROLE_NONE, .reason = REASON_UNREADABLE, .monitored = false};
}

/* Return the card that the device was last seen on, or NULL; it belongs to `memory`. An unreadable
 * device keeps its card, which must not be evaluated without it. */
static const char *
card_of(const char *device, const struct memory *memory)
{
	return json_string_value(json_object_get(memory->cards, device));
}

/* --- additions --- */

/* Classify all devices of the scan first: absent NICs are compared with them. */
static void
eval_all(const struct scanbuf *scan, const struct criteria *criteria, struct memory *memory)
{
	for (size_t i = 0; i < scan->count; i++) {
		if (scan->lines[i].kind == SCANREC_DEVICE)
			eval_device(scan, i, criteria, memory);
	}
}

static json_t *
topology_new(const struct scanbuf *scan, const struct criteria *criteria, struct memory *memory,
	const char *default_device)
{
	json_t *absent = absent_new(scan, criteria, memory);
	if (json_array_size(absent) > 0 || json_object_size(criteria->metadata->unbound) > 0)
		eval_all(scan, criteria, memory);
	json_t *lost = absent_lost_new(scan, criteria, memory, absent);
	const struct metadata *metadata = criteria->metadata;
	json_t *gpu_numa = json_array();
	for (size_t i = 0; i < metadata->gpu_numa_count; i++)
		json_array_append_new(gpu_numa, json_integer(metadata->gpu_numa[i]));
	return json_pack("{s:{s:o, s:s?, s:I, s:o, s:o}}", "topology", "gpu_numa", gpu_numa,
		"default_route_device", default_device, "nics",
		(json_int_t)(metadata->of_bus ? 0 : json_object_size(metadata->rows)), "absent",
		absent, "lost", lost);
}

/* Room for the members added to a record; none of their texts is longer than 64 bytes. */
#define ADDITION_SIZE 1024

/* The members added to a record, as the text of an object. */
struct addition {
	char text[ADDITION_SIZE];
	size_t length;
};

/* `reason` is NULL for ports: only the device's record has it. */
static struct addition
addition_of(const struct verdict *verdict, const char *reason, const char *card)
{
	struct addition addition;
	struct jsontext to = {.at = addition.text, .end = addition.text + sizeof addition.text};

	JSONTEXT_PUT(&to, "{\"role\":");
	jsontext_put_nullable(&to, classify_role_name(verdict->role));
	JSONTEXT_PUT(&to, ",\"monitored\":");
	jsontext_put_bool(&to, verdict->monitored);
	if (reason != NULL) {
		JSONTEXT_PUT(&to, ",\"reason\":");
		jsontext_put_string(&to, reason);
	}
	JSONTEXT_PUT(&to, ",\"card\":");
	jsontext_put_nullable(&to, card);
	JSONTEXT_PUT(&to, "}");
	addition.length = (size_t)(to.at - addition.text);
	return addition;
}

/* --- writing --- */

static bool
is_annotated(const json_t *record)
{
	static const char *const keys[] = {"topology", "role", "monitored", "reason", "card"};
	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		if (json_object_get(record, keys[i]) != NULL)
			return true;
	}
	return false;
}

/* A record that topoclass already annotated gets new values for old keys, which needs parsed
 * JSON. */
static int
replace_annotation(struct strbuf *out, json_t *record, const char *addition, size_t addition_length)
{
	/* recall.h may return the same record again, so do not change it. */
	json_t *copy = json_copy(record);
	json_t *added = json_loadb(addition, addition_length, 0, NULL);
	int status = json_object_update(copy, added) < 0 ? -1 : rec_add_line(out, copy);
	json_decref(copy);
	json_decref(added);
	return status;
}

int
annotate_add(struct strbuf *out, const struct scanbuf_line *line, const char *addition,
	size_t addition_length)
{
	if (is_annotated(line->json))
		return replace_annotation(out, line->json, addition, addition_length);

	/* The record parsed as an object with at least its kind, so it ends with `}` and white
	 * space. */
	size_t end = line->length;
	while (line->text[end - 1] != '}')
		end--;
	/* The comma replaces this brace and the brace that begins the addition. */
	strbuf_add(out, line->text, end - 1);
	strbuf_add(out, ",", 1);
	strbuf_add(out, addition + 1, addition_length - 1);
	strbuf_add(out, "\n", 1);
	return out->is_short ? -1 : 0;
}

static int
add_verdict(struct strbuf *out, const struct scanbuf_line *line, const struct verdict *verdict,
	const char *card)
{
	struct addition addition = addition_of(verdict,
		line->kind == SCANREC_DEVICE ? classify_reason_name(verdict->reason) : NULL, card);
	return annotate_add(out, line, addition.text, addition.length);
}

/* Steals `topology`; NULL: memory ran out while it was built. */
static int
add_topology(struct strbuf *out, const struct scanbuf_line *line, json_t *topology)
{
	size_t length;
	char *text = topology != NULL ? rec_dump_new(topology, &length) : NULL;
	json_decref(topology);
	/* Without the newline. */
	int status = text != NULL ? annotate_add(out, line, text, length - 1) : -1;
	free(text);
	return status;
}

static int
add_as_it_is(struct strbuf *out, const struct scanbuf_line *line)
{
	strbuf_add(out, line->text, line->length + 1);
	return out->is_short ? -1 : 0;
}

int
annotate_scan(const struct scanbuf *scan, const struct criteria *criteria, struct memory *memory,
	struct strbuf *out)
{
	meet_devices(scan, memory);
	const char *default_device = find_default_device(scan, criteria->default_interface, memory);
	struct verdict verdict = {0};
	const char *device = NULL, *card = NULL;
	int status = 0;

	for (size_t i = 0; i < scan->count && status == 0; i++) {
		const struct scanbuf_line *line = &scan->lines[i];

		switch (line->kind) {
		case SCANREC_BEGIN:
			status = add_topology(
				out, line, topology_new(scan, criteria, memory, default_device));
			break;
		case SCANREC_DEVICE:
			device = line->device.device;
			verdict = eval_device(scan, i, criteria, memory);
			card = card_of(device, memory);
			status = add_verdict(out, line, &verdict, card);
			break;
		case SCANREC_PORT:
			if (device == NULL || strcmp(device, line->port.device) != 0) {
				device = NULL;
				verdict = verdict_before(line->port.device, memory);
				card = NULL;
			}
			status = add_verdict(out, line, &verdict, card);
			break;
		case SCANREC_END:
		case SCANREC_STALL:
		case SCANREC_OTHER:
			status = add_as_it_is(out, line);
			break;
		}
	}
	return status;
}

int
annotate_extra(const struct scanbuf *scan, struct memory *memory, struct strbuf *out)
{
	int status = 0;

	meet_devices(scan, memory);
	for (size_t i = 0; i < scan->count && status == 0; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		const bool is_device = line->kind == SCANREC_DEVICE;

		if (is_device || line->kind == SCANREC_PORT) {
			const char *device = is_device ? line->device.device : line->port.device;
			struct verdict verdict = verdict_before(device, memory);
			status = add_verdict(out, line, &verdict, card_of(device, memory));
		} else {
			status = add_as_it_is(out, line);
		}
	}
	return status;
}
