/* gpus - adds what `nvidia-smi --query-gpu=index,uuid,serial,pci.bus_id --format=csv` prints to the
 * GPUs of the matrix. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "gpus.h"

#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* nvidia-smi has about 200 properties. */
#define FIELDS_MAX 256

enum property { INDEX, UUID, SERIAL, BUS_ID, PROPERTIES_N };

/* Each property has two names (nvidia-smi --help-query-gpu). Without a header line, columns have
 * this order. */
static const char *const names[PROPERTIES_N][2] = {
	[INDEX] = {"index", "index"},
	[UUID] = {"uuid", "gpu_uuid"},
	[SERIAL] = {"serial", "gpu_serial"},
	[BUS_ID] = {"pci.bus_id", "gpu_bus_id"},
};

/* The index of the field with each property. */
struct columns {
	size_t at[PROPERTIES_N]; /* SIZE_MAX: none */
	size_t count;
};

struct fields {
	struct text_span texts[FIELDS_MAX];
	size_t count;
};

static bool
split(struct text_span line, struct fields *out)
{
	out->count = 0;
	for (;;) {
		const char *comma = memchr(line.at, ',', line.length);
		struct text_span field = line;
		if (comma != NULL)
			field.length = (size_t)(comma - line.at);
		if (out->count == FIELDS_MAX)
			return false;
		out->texts[out->count++] = text_trim(field);
		if (comma == NULL)
			return true;
		line = text_behind(line, field.length + 1);
	}
}

static enum topo_status
find_columns(
	const struct fields *fields, size_t line, struct columns *out, struct topo_error *error)
{
	for (size_t p = 0; p < PROPERTIES_N; p++)
		out->at[p] = SIZE_MAX;
	out->count = fields->count;
	for (size_t i = 0; i < fields->count; i++) {
		for (size_t p = 0; p < PROPERTIES_N; p++) {
			if (!text_is(fields->texts[i], names[p][0]) &&
				!text_is(fields->texts[i], names[p][1]))
				continue;
			if (out->at[p] != SIZE_MAX)
				return topo_refuse(error, line, "two columns for %s", names[p][0]);
			out->at[p] = i;
		}
	}
	return TOPO_OK;
}

/* Return true for `[N/A]`, `[Not Supported]`, `[Unknown Error]` and an empty text. */
static bool
is_unknown(struct text_span text)
{
	return text.length == 0 || *text.at == '[' || text_is(text, "N/A");
}

/* An `x` in `shape` matches a hexadecimal digit, any other character itself. */
static bool
has_shape(struct text_span text, const char *shape)
{
	if (text.length != strlen(shape))
		return false;
	for (size_t i = 0; i < text.length; i++) {
		bool fits = shape[i] == 'x' ? isxdigit((unsigned char)text.at[i]) != 0
					    : text.at[i] == shape[i];
		if (!fits)
			return false;
	}
	return true;
}

/* Parse domain:bus:device.function and format it like the kernel. The domain has 4 to 8 digits:
 * nvidia-smi prints 8, the kernel as many as needed, but at least 4. */
static bool
parse_bus_id(struct text_span text, char *out, size_t size)
{
	static const char longest[] = "xxxxxxxx:xx:xx.x";
	unsigned domain, bus, device, function;
	char copy[24];

	if (text.length < strlen("xxxx:xx:xx.x") || text.length > strlen(longest) ||
		!has_shape(text, longest + strlen(longest) - text.length))
		return false;
	text_copy(copy, sizeof copy, text);
	if (sscanf(copy, "%x:%x:%x.%x", &domain, &bus, &device, &function) != 4 || device > 0x1F ||
		function > 7)
		return false;
	snprintf(out, size, "%04x:%02x:%02x.%x", domain, bus, device, function);
	return true;
}

/* Parse GPU- and a UUID in groups of 8, 4, 4, 4 and 12 digits. */
static bool
parse_uuid(struct text_span text, char *out, size_t size)
{
	if (!has_shape(text, "GPU-xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"))
		return false;
	text_copy(out, size, text);
	return true;
}

static bool
parse_serial(struct text_span text, char *out, size_t size)
{
	if (text.length >= size)
		return false;
	for (size_t i = 0; i < text.length; i++) {
		if (!isalnum((unsigned char)text.at[i]) && text.at[i] != '-')
			return false;
	}
	text_copy(out, size, text);
	return true;
}

static struct topo_gpu *
find_gpu(struct topo *topo, struct text_span index)
{
	char label[16];

	for (size_t i = 0; i < topo->gpu_count; i++) {
		snprintf(label, sizeof label, "%u", topo->gpus[i].id);
		if (text_is(index, label))
			return &topo->gpus[i];
	}
	return NULL;
}

/* Return the value of a property; empty if it is unknown or has no column. */
static struct text_span
value_of(const struct fields *fields, const struct columns *columns, enum property property)
{
	struct text_span nothing = {"", 0};
	size_t at = columns->at[property];
	return at == SIZE_MAX || is_unknown(fields->texts[at]) ? nothing : fields->texts[at];
}

static enum topo_status
accept_gpu(const struct fields *fields, const struct columns *columns, size_t line,
	struct topo *topo, struct topo_error *error)
{
	if (fields->count != columns->count)
		return topo_refuse(
			error, line, "%zu values, %zu columns", fields->count, columns->count);
	struct text_span index = value_of(fields, columns, INDEX);
	if (index.length == 0 || text_digits(index) != index.length)
		return topo_refuse(error, line, "'%.*s' is not an index of a GPU",
			TEXT_SHOWN(fields->texts[columns->at[INDEX]]));
	struct topo_gpu *gpu = find_gpu(topo, index);
	if (gpu == NULL)
		return topo_refuse(error, line, "GPU%.*s is not in the matrix", TEXT_SHOWN(index));
	if (gpu->csv_line != 0)
		return topo_refuse(
			error, line, "GPU%u was in line %zu already", gpu->id, gpu->csv_line);
	gpu->csv_line = line;

	struct text_span uuid = value_of(fields, columns, UUID);
	if (uuid.length > 0 && !parse_uuid(uuid, gpu->uuid, sizeof gpu->uuid))
		return topo_refuse(error, line, "'%.*s' is not a UUID of a GPU", TEXT_SHOWN(uuid));
	struct text_span serial = value_of(fields, columns, SERIAL);
	if (serial.length > 0 && !parse_serial(serial, gpu->serial, sizeof gpu->serial))
		return topo_refuse(
			error, line, "'%.*s' is not a serial number", TEXT_SHOWN(serial));
	struct text_span bus_id = value_of(fields, columns, BUS_ID);
	if (bus_id.length > 0 && !parse_bus_id(bus_id, gpu->pci_address, sizeof gpu->pci_address))
		return topo_refuse(error, line, "'%.*s' is not a PCI address", TEXT_SHOWN(bus_id));
	return TOPO_OK;
}

/* Reject a GPU without a line, and two GPUs with the same UUID or PCI address. Two may have the
 * same serial number: that of their board. */
static enum topo_status
check_gpus(const struct topo *topo, struct topo_error *error)
{
	for (size_t i = 0; i < topo->gpu_count; i++) {
		const struct topo_gpu *gpu = &topo->gpus[i];
		if (gpu->csv_line == 0)
			return topo_refuse(
				error, 0, "GPU%u is in the matrix, but not here", gpu->id);
		for (size_t n = 0; n < i; n++) {
			const struct topo_gpu *other = &topo->gpus[n];
			bool is_same_uuid =
				*gpu->uuid != '\0' && strcmp(gpu->uuid, other->uuid) == 0;
			bool is_same_address = *gpu->pci_address != '\0' &&
					       strcmp(gpu->pci_address, other->pci_address) == 0;
			if (is_same_uuid || is_same_address)
				return topo_refuse(error, gpu->csv_line,
					"GPU%u and GPU%u (line %zu) have the same %s", gpu->id,
					other->id, other->csv_line,
					is_same_uuid ? "UUID" : "PCI address");
		}
	}
	return TOPO_OK;
}

static enum topo_status
join(struct text_span text, struct topo *topo, struct topo_error *error)
{
	struct columns columns = {.at = {0, 1, 2, 3}, .count = PROPERTIES_N};
	struct text_line line = {.number = 0};
	struct fields fields;
	bool is_first = true;

	while (text_next_line(&text, &line)) {
		if (text_trim(line.text).length == 0)
			continue;
		if (!split(line.text, &fields))
			return topo_refuse(error, line.number, "more than %d values", FIELDS_MAX);
		enum topo_status status;
		/* Without a header line the first value is a number. */
		if (is_first && text_digits(fields.texts[0]) == 0) {
			status = find_columns(&fields, line.number, &columns, error);
			if (status == TOPO_OK && columns.at[INDEX] == SIZE_MAX)
				status = topo_refuse(error, line.number,
					"no column 'index': not what nvidia-smi --query-gpu "
					"--format=csv prints");
		} else {
			status = accept_gpu(&fields, &columns, line.number, topo, error);
		}
		if (status != TOPO_OK)
			return status;
		is_first = false;
	}
	return check_gpus(topo, error);
}

enum topo_status
gpus_join(const char *text, size_t length, struct topo *topo, struct topo_error *error)
{
	struct text_span clean;

	char *bytes = text_clean_new(text, length, &clean.length);
	if (bytes == NULL)
		return TOPO_NO_MEMORY;
	clean.at = bytes;
	enum topo_status status = join(clean, topo, error);
	free(bytes);
	return status;
}
