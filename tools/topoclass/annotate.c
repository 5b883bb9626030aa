/* annotate - a scan's records with the role of each device added, and everything else as it came. */
#include "annotate.h"

#include "line.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int
memory_init(struct memory *memory)
{
	*memory = (struct memory){.verdicts = json_object(),
		.cards = json_object(),
		.carried_default = json_object()};
	return memory->verdicts != NULL && memory->cards != NULL && memory->carried_default != NULL
		       ? 0
		       : -1;
}

void
memory_fini(struct memory *memory)
{
	json_decref(memory->verdicts);
	json_decref(memory->cards);
	json_decref(memory->carried_default);
	*memory = (struct memory){0};
}

/* A verdict as one integer, for keeping. */
static json_int_t
pack(struct verdict verdict)
{
	return ((json_int_t)verdict.reason * ROLE_N + verdict.role) * 2 + verdict.monitored;
}

static struct verdict
unpack(json_int_t packed)
{
	return (struct verdict){
		.role = (enum role)(packed / 2 % ROLE_N),
		.reason = (enum reason)(packed / 2 / ROLE_N),
		.monitored = packed % 2 != 0,
	};
}

/* --- facts --- */

/* True when one of the device's interfaces, or one stacked above it, is the given one. */
static bool
has_interface(const struct scanrec_device *device, const char *interface)
{
	size_t i, u;
	const json_t *netdev, *upper;

	json_array_foreach (device->netdevs, i, netdev) {
		const char *name = json_string_value(json_object_get(netdev, "name"));
		if (name != NULL && strcmp(name, interface) == 0)
			return true;
		json_array_foreach (json_object_get(netdev, "uppers"), u, upper) {
			const char *upper_name = json_string_value(upper);
			if (upper_name != NULL && strcmp(upper_name, interface) == 0)
				return true;
		}
	}
	return false;
}

/* The device that carries the default route now, or NULL; each one that does is remembered. A management NIC that
 * loses its link loses its route, and must not turn into a monitored one that is down. */
static const char *
find_default_device(const struct scanbuf *scan, const char *interface, struct memory *memory)
{
	const char *found = NULL;
	for (size_t i = 0; interface != NULL && i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		if (line->kind != SCANREC_DEVICE || !has_interface(&line->device, interface))
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

static struct verdict
judge(const struct scanbuf *scan, size_t at, const struct judgement *judgement,
	struct memory *memory)
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
		.row = metadata_row(judgement->metadata, device->device),
	};
	const json_t *known = json_object_get(memory->verdicts, device->device);
	struct verdict before;
	if (known != NULL)
		before = unpack(json_integer_value(known));

	struct verdict verdict = classify(&facts, judgement->rules, known != NULL ? &before : NULL);
	if (!facts.unreadable)
		json_object_set_new(memory->verdicts, device->device, json_integer(pack(verdict)));
	return verdict;
}

/* For a port whose device record was lost on the way: what the device was before, else nothing to be alarmed by. */
static struct verdict
judge_orphan(const char *device, const struct memory *memory)
{
	const json_t *known = json_object_get(memory->verdicts, device);
	if (known != NULL)
		return unpack(json_integer_value(known));
	return (struct verdict){.role = ROLE_NONE, .reason = REASON_UNREADABLE, .monitored = false};
}

/* The PCI address without its function: what functions of one card have in common. A device that cannot be read is still
 * on the card it was on, which must not be judged without it. NULL when that is not known. Belongs to `memory`. */
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

static bool
is_in_scan(const struct scanbuf *scan, const char *name)
{
	for (size_t i = 0; i < scan->count; i++) {
		if (scan->lines[i].kind == SCANREC_DEVICE &&
			strcmp(scan->lines[i].device.device, name) == 0)
			return true;
	}
	return false;
}

/* True when the configuration lets a device of this name take part. */
static bool
takes_part(const struct rules *rules, const char *name)
{
	return rules->inclusion->count > 0 ? rx_list_match(rules->inclusion, name)
					   : !rx_list_match(rules->exclusion, name);
}

/* Names in the metadata that the scan does not have: NICs that were there when the GPUs were last looked at. */
static json_t *
absent_new(const struct scanbuf *scan, const struct judgement *judgement)
{
	json_t *rows = judgement->metadata->rows, *absent = json_array();
	size_t missing = json_object_size(rows);
	for (size_t i = 0; i < scan->count && missing > 0; i++) {
		if (scan->lines[i].kind == SCANREC_DEVICE &&
			json_object_get(rows, scan->lines[i].device.device) != NULL)
			missing--;
	}
	/* Nearly always none, so that it does not matter how many devices there are. */
	if (missing == 0)
		return absent;

	const char *name;
	json_t *row;
	json_object_foreach (rows, name, row) {
		if (!is_in_scan(scan, name) && takes_part(judgement->rules, name))
			json_array_append_new(absent, json_string(name));
	}
	return absent;
}

static json_t *
topology_new(
	const struct scanbuf *scan, const struct judgement *judgement, const char *default_device)
{
	json_t *gpu_numa = json_array();
	for (size_t i = 0; i < judgement->metadata->gpu_numa_count; i++)
		json_array_append_new(gpu_numa, json_integer(judgement->metadata->gpu_numa[i]));
	return json_pack("{s:{s:o, s:s?, s:I, s:o}}", "topology", "gpu_numa", gpu_numa,
		"default_route_device", default_device, "nics",
		(json_int_t)json_object_size(judgement->metadata->rows), "absent",
		absent_new(scan, judgement));
}

static json_t *
device_addition_new(const struct verdict *verdict, const char *card)
{
	return json_pack("{s:s?, s:b, s:s, s:s?}", "role", role_name(verdict->role), "monitored",
		verdict->monitored, "reason", reason_name(verdict->reason), "card", card);
}

static json_t *
port_addition_new(const struct verdict *verdict, const char *card)
{
	return json_pack("{s:s?, s:b, s:s?}", "role", role_name(verdict->role), "monitored",
		verdict->monitored, "card", card);
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

/* A record that went through topoclass before gets new values for old keys, which text cannot do. */
static char *
merged_text_new(json_t *record, json_t *addition, size_t *length)
{
	if (json_object_update(record, addition) < 0)
		return NULL;
	return rec_dump_new(record, length);
}

char *
annotate_text_new(
	const char *text, size_t text_length, json_t *record, json_t *addition, size_t *length)
{
	if (has_any_key(record, addition))
		return merged_text_new(record, addition, length);

	/* The record parsed as an object with at least its kind, so a `}` ends it and nothing but white space follows. */
	size_t end = text_length;
	while (text[end - 1] != '}')
		end--;
	size_t added_length;
	char *added = rec_dump_new(addition, &added_length);
	char *result = added != NULL ? malloc(end + added_length) : NULL;
	if (result != NULL) {
		/* The addition's `{` takes the place of the record's `}`, and becomes the comma between them. */
		memcpy(result, text, end - 1);
		memcpy(result + end - 1, added, added_length + 1);
		result[end - 1] = ',';
		*length = end - 1 + added_length;
	}
	free(added);
	return result;
}

/* Writes a line with `addition` (stolen; NULL: memory ran out while it was made). A record without its role could be taken
 * for one that is monitored, so it is rather not written at all. */
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
	int saved_errno = errno;
	free(text);
	errno = saved_errno;
	return status;
}

int
annotate_scan(const struct scanbuf *scan, const struct judgement *judgement, struct memory *memory,
	int out)
{
	const char *default_device =
		find_default_device(scan, judgement->default_interface, memory);
	struct verdict verdict = {0};
	const char *device = NULL, *card = NULL;

	for (size_t i = 0; i < scan->count; i++) {
		const struct scanbuf_line *line = &scan->lines[i];
		int status = 0;

		switch (line->kind) {
		case SCANREC_BEGIN:
			status = write_annotated(
				line, topology_new(scan, judgement, default_device), out);
			break;
		case SCANREC_DEVICE:
			device = line->device.device;
			verdict = judge(scan, i, judgement, memory);
			card = card_of(&line->device, memory);
			status = write_annotated(line, device_addition_new(&verdict, card), out);
			break;
		case SCANREC_PORT:
			if (device == NULL || strcmp(device, line->port.device) != 0) {
				device = NULL;
				verdict = judge_orphan(line->port.device, memory);
				card = NULL;
			}
			status = write_annotated(line, port_addition_new(&verdict, card), out);
			break;
		case SCANREC_END:
		case SCANREC_OTHER:
			status = line_write(out, line->text, line->length + 1);
			break;
		}
		if (status < 0)
			return -1;
	}
	return 0;
}
