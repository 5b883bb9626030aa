/* annotate - a scan's records with the role of each device added, and everything else as it
 * came. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "annotate.h"

#include "absent.h"
#include "line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- facts --- */

/* The device that carries the default route now, or NULL; each one that does is remembered. A
 * management NIC that loses its link loses its route, and must not turn into a monitored one that
 * is down. */
static const char *
find_default_device(const struct scanbuf *scan, const char *interface, struct memory *memory)
{
	const char *found = NULL;
	for (size_t i = 0; interface != NULL && i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		if (line->kind != SCANREC_DEVICE ||
			!scanbuf_has_interface(&line->device, interface, true))
			continue;
		json_object_set_new(memory->carried_default, line->device.device, json_true());
		if (found == NULL)
			found = line->device.device;
	}
	return found;
}

/* Link layer of the device's port 1, or of its first port: NULL when no port of it follows. */
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

/* The line of the device that this one is a part of: the one of that name, else, as it may have
 * been renamed, the one on the same PCI function. scan->count when there is none. */
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
		if (device->pci != NULL && other->pci != NULL &&
			strcmp(device->pci, other->pci) == 0)
			found = i;
	}
	return found;
}

/* `parent` is the verdict about the device that it is a part of, NULL when there is none. */
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
		memory_keep(memory, device->device, verdict);
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

/* For a device that cannot be judged by this scan: what it was before, else nothing to be alarmed
 * by. */
static struct verdict
verdict_before(const char *device, const struct memory *memory)
{
	struct verdict known;
	if (memory_verdict(memory, device, &known))
		return known;
	return (struct verdict){.role = ROLE_NONE, .reason = REASON_UNREADABLE, .monitored = false};
}

/* The PCI address without its function: what functions of one card have in common. A device that
 * cannot be read is still on the card it was on, which must not be evaluated without it. NULL when
 * that is not known. Belongs to `memory`. */
static const char *
card_of(const struct scanrec_device *device, struct memory *memory)
{
	const char *dot = device->pci != NULL ? strrchr(device->pci, '.') : NULL;
	if (dot != NULL)
		json_object_set_new(memory->cards, device->device,
			json_stringn(device->pci, (size_t)(dot - device->pci)));
	return json_string_value(json_object_get(memory->cards, device->device));
}

/* --- what is added --- */

/* NICs that are not there are evaluated by those that are: all of these first. */
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

/* `reason` is NULL for a port, whose device's record has it. */
static json_t *
addition_new(const struct verdict *verdict, const char *reason, const char *card)
{
	return json_pack("{s:s?, s:b, s:s*, s:s?}", "role", classify_role_name(verdict->role),
		"monitored", verdict->monitored, "reason", reason, "card", card);
}

/* --- writing --- */

static bool
has_any_key(json_t *record, json_t *addition)
{
	const char *key;
	json_t *value;
	json_object_foreach (addition, key, value) {
		if (json_object_get(record, key) != NULL)
			return true;
	}
	return false;
}

char *
annotate_text_new(
	const char *text, size_t text_length, json_t *record, json_t *addition, size_t *length)
{
	/* A record that went through topoclass before gets new values for old keys, which text
	 * cannot do. */
	if (has_any_key(record, addition))
		return json_object_update(record, addition) < 0 ? NULL
								: rec_dump_new(record, length);

	/* The record parsed as an object with at least its kind, so a `}` ends it and nothing but
	 * white space follows. */
	size_t end = text_length;
	while (text[end - 1] != '}')
		end--;
	size_t added_length;
	char *added = rec_dump_new(addition, &added_length);
	char *result = added != NULL ? malloc(end + added_length) : NULL;
	if (result != NULL) {
		/* The addition's `{` takes the place of the record's `}`, and becomes the comma
		 * between them. */
		memcpy(result, text, end - 1);
		memcpy(result + end - 1, added, added_length + 1);
		result[end - 1] = ',';
		*length = end - 1 + added_length;
	}
	free(added);
	return result;
}

/* Writes a line with `addition` (stolen; NULL: memory ran out while it was made). A record without
 * its role could be taken for one that is monitored, so it is rather not written at all. */
static int
write_annotated(const struct scanbuf_line *line, json_t *addition, int out)
{
	size_t length;
	char *text = addition == NULL ? NULL
				      : annotate_text_new(line->text, line->length, line->json,
						addition, &length);
	json_decref(addition);
	if (text == NULL) {
		errno = ENOMEM;
		return -1;
	}
	int status = line_write(out, text, length);
	free(text);
	return status;
}

int
annotate_scan(
	const struct scanbuf *scan, const struct criteria *criteria, struct memory *memory, int out)
{
	const char *default_device = find_default_device(scan, criteria->default_interface, memory);
	struct verdict verdict = {0};
	const char *device = NULL, *card = NULL;

	for (size_t i = 0; i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		int status = 0;

		switch (line->kind) {
		case SCANREC_BEGIN:
			status = write_annotated(
				line, topology_new(scan, criteria, memory, default_device), out);
			break;
		case SCANREC_DEVICE:
			device = line->device.device;
			verdict = eval_device(scan, i, criteria, memory);
			card = card_of(&line->device, memory);
			status = write_annotated(line,
				addition_new(&verdict, classify_reason_name(verdict.reason), card),
				out);
			break;
		case SCANREC_PORT:
			if (device == NULL || strcmp(device, line->port.device) != 0) {
				device = NULL;
				verdict = verdict_before(line->port.device, memory);
				card = NULL;
			}
			status = write_annotated(line, addition_new(&verdict, NULL, card), out);
			break;
		case SCANREC_END:
		case SCANREC_STALL:
		case SCANREC_OTHER:
			status = line_write(out, line->text, line->length + 1);
			break;
		}
		if (status < 0)
			return -1;
	}
	return 0;
}

int
annotate_extra(const struct scanbuf *scan, const struct memory *memory, int out)
{
	for (size_t i = 0; i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		const bool is_device = line->kind == SCANREC_DEVICE;
		int status;

		if (is_device || line->kind == SCANREC_PORT) {
			const char *device = is_device ? line->device.device : line->port.device;
			struct verdict verdict = verdict_before(device, memory);
			status = write_annotated(line,
				addition_new(&verdict,
					is_device ? classify_reason_name(verdict.reason) : NULL,
					json_string_value(json_object_get(memory->cards, device))),
				out);
		} else {
			status = line_write(out, line->text, line->length + 1);
		}
		if (status < 0)
			return -1;
	}
	return 0;
}
