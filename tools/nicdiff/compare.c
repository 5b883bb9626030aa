/* compare - compares two scans device by device. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include "array.h"
#include "counters.h"
#include "num.h"
#include "text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Size for the key of a counter group, a slash, and a file name. */
#define NAME_SIZE 320

/* The device or port whose members are compared. */
struct subject {
	const char *device, *pci;
	int64_t port;        /* 0: the device itself */
	uint64_t elapsed_ns; /* between the two scans; 0: unknown */
	bool is_unread;      /* unreadable in one scan: its ports then are unknown */
};

struct comparison {
	const struct scan *before, *after;
	size_t *partners; /* per device before: its index after, or SIZE_MAX */
	bool *is_taken;   /* per device after */
	json_t *rows;
	bool failed; /* memory ran out */
};

/* --- rows --- */

static void
add_row(struct comparison *comparison, const struct subject *subject, const char *what,
	const json_t *was, const json_t *is)
{
	json_t *row = json_pack("{s:s, s:i, s:s, s:s?, s:s}", "kind", COMPARE_KIND, "v", 1,
		"device", subject->device, "pci", subject->pci, "what", what);
	if (row != NULL && subject->port > 0)
		json_object_set_new(row, "port", json_integer(subject->port));
	if (row == NULL ||
		json_object_set_new(row, "was", was != NULL ? json_deep_copy(was) : json_null()) <
			0 ||
		json_object_set_new(row, "is", is != NULL ? json_deep_copy(is) : json_null()) < 0 ||
		json_array_append(comparison->rows, row) < 0)
		comparison->failed = true;
	json_decref(row);
}

/* Add to the last row how much and how fast its counter has grown. Skip a counter that did not
 * grow, for example after a reset. */
static void
add_growth(struct comparison *comparison, const struct subject *subject, const json_t *was,
	const json_t *is)
{
	uint64_t from, to;
	size_t count = json_array_size(comparison->rows);
	json_t *row = count > 0 ? json_array_get(comparison->rows, count - 1) : NULL;
	if (rec_u64(was, &from) != REC_OK || rec_u64(is, &to) != REC_OK || to <= from)
		return;
	json_object_set_new(row, "delta", rec_u64_new(to - from));
	if (subject->elapsed_ns > 0)
		json_object_set_new(row, "per_second",
			json_real(round((double)(to - from) * NUM_NS_PER_S /
					  (double)subject->elapsed_ns * 100) /
				  100));
}

/* --- members --- */

/* Return true for members that describe the scan, or that repeat another member. */
static bool
is_passed_over(const char *key)
{
	static const char *const keys[] = {"kind", "scan", "ts", "boottime_ns", "in_flight",
		"in_flight_ms", "state_id", "phys_state_id", "rate_gbps"};
	for (size_t i = 0; i < ARRAY_COUNT(keys); i++) {
		if (strcmp(key, keys[i]) == 0)
			return true;
	}
	return false;
}

static bool
is_counter_group(const char *key)
{
	for (enum counter_group group = 0; group < COUNTER_GROUP_N; group++) {
		if (strcmp(counter_group_key(group), key) == 0)
			return true;
	}
	return false;
}

/* A missing member equals null. */
static bool
is_same(const json_t *was, const json_t *is)
{
	bool none_was = was == NULL || json_is_null(was), none_is = is == NULL || json_is_null(is);
	return none_was || none_is ? none_was == none_is : json_equal(was, is) != 0;
}

static void compare_member(struct comparison *comparison, const struct subject *subject,
	const char *map, const char *key, const json_t *was, const json_t *is);

/* Compare the members of both, in the order of the first, then those only in the second. `map`: key
 * of the maps being compared; NULL: records. Either may be NULL. */
static void
compare_members(struct comparison *comparison, const struct subject *subject, const char *map,
	const json_t *was, const json_t *is)
{
	const char *key;
	json_t *value;
	json_object_foreach ((json_t *)was, key, value)
		compare_member(comparison, subject, map, key, value, json_object_get(is, key));
	json_object_foreach ((json_t *)is, key, value) {
		if (json_object_get(was, key) == NULL)
			compare_member(comparison, subject, map, key, NULL, value);
	}
}

static void
compare_member(struct comparison *comparison, const struct subject *subject, const char *map,
	const char *key, const json_t *was, const json_t *is)
{
	char name[NAME_SIZE];
	bool is_own_name = subject->port > 0 && strcmp(key, "device") == 0;
	bool is_unknown = subject->is_unread && strcmp(key, "ports") == 0;
	if (is_same(was, is) || (map == NULL && (is_own_name || is_unknown || is_passed_over(key))))
		return;
	if (map == NULL && (json_is_object(was) || json_is_object(is))) {
		compare_members(comparison, subject, key, json_is_object(was) ? was : NULL,
			json_is_object(is) ? is : NULL);
		return;
	}
	snprintf(name, sizeof name, "%s%s%s", text_or_empty(map), map != NULL ? "/" : "", key);
	add_row(comparison, subject, name, was, is);
	if (map != NULL && is_counter_group(map))
		add_growth(comparison, subject, was, is);
}

/* --- ports --- */

/* Return the device's port with this number, or NULL. */
static const struct scan_port *
find_port(const struct scan *scan, size_t device, int64_t number)
{
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scan_port *port = &scan->ports[i];
		if (port->device == device && port->record.port == number)
			return port;
	}
	return NULL;
}

static uint64_t
elapsed_ns(const struct scan *before, uint64_t from_ns, const struct scan *after, uint64_t to_ns)
{
	const char *boot = before->begin.boot_id, *later_boot = after->begin.boot_id;
	bool is_same_boot = boot != NULL && later_boot != NULL && strcmp(boot, later_boot) == 0;
	/* 0: a capture without that time. */
	return is_same_boot && from_ns > 0 && to_ns > from_ns ? to_ns - from_ns : 0;
}

uint64_t
compare_elapsed_ns(const struct scan *before, const struct scan *after)
{
	return elapsed_ns(before, before->begin.boottime_ns, after, after->begin.boottime_ns);
}

static void
compare_ports(
	struct comparison *comparison, const struct subject *device, size_t index, size_t partner)
{
	const struct scan *before = comparison->before, *after = comparison->after;
	struct subject subject = *device;
	for (size_t i = 0; i < before->port_count; i++) {
		const struct scan_port *was = &before->ports[i];
		if (was->device != index)
			continue;
		const struct scan_port *is = find_port(after, partner, was->record.port);
		subject.port = was->record.port;
		if (is == NULL && subject.is_unread)
			continue;
		if (is == NULL) {
			add_row(comparison, &subject, "port", json_object_get(was->json, "port"),
				NULL);
			continue;
		}
		subject.elapsed_ns =
			elapsed_ns(before, was->record.boottime_ns, after, is->record.boottime_ns);
		compare_members(comparison, &subject, NULL, was->json, is->json);
	}
	for (size_t i = 0; i < after->port_count && !subject.is_unread; i++) {
		const struct scan_port *is = &after->ports[i];
		subject.port = is->record.port;
		if (is->device == partner && find_port(before, index, subject.port) == NULL)
			add_row(comparison, &subject, "port", NULL,
				json_object_get(is->json, "port"));
	}
}

/* --- devices --- */

/* A GUID of all zeros means "none". */
static bool
is_same_guid(const struct scanrec_device *left, const struct scanrec_device *right)
{
	return text_equals(left->node_guid, right->node_guid) &&
	       strspn(left->node_guid, "0:") < strlen(left->node_guid);
}

/* Criteria for the same device, the surest first. A part of a device shares the PCI address and
 * GUID of the whole device, and a subfunction shares the address of its function. */
enum sign { SIGN_NAME, SIGN_PLACE, SIGN_GUID, SIGN_N };

static bool
is_same_device(
	enum sign sign, const struct scanrec_device *left, const struct scanrec_device *right)
{
	bool has_same_name = strcmp(left->device, right->device) == 0;
	if ((left->parent == NULL) != (right->parent == NULL))
		return false;
	switch (sign) {
	case SIGN_NAME:
		return has_same_name && (text_equals(left->pci, right->pci) ||
						(left->pci == NULL && right->pci == NULL));
	case SIGN_PLACE:
		return left->vf == right->vf && text_equals(left->pci, right->pci);
	case SIGN_GUID:
	case SIGN_N:
		break;
	}
	return is_same_guid(left, right);
}

static void
pair_devices(struct comparison *comparison, enum sign sign)
{
	const struct scan *before = comparison->before, *after = comparison->after;
	for (size_t i = 0; i < before->device_count; i++) {
		for (size_t k = 0; k < after->device_count; k++) {
			if (comparison->partners[i] != SIZE_MAX || comparison->is_taken[k] ||
				!is_same_device(sign, &before->devices[i].record,
					&after->devices[k].record))
				continue;
			comparison->partners[i] = k;
			comparison->is_taken[k] = true;
		}
	}
}

static struct subject
about(const struct scan_device *device)
{
	return (struct subject){.device = device->record.device, .pci = device->record.pci};
}

static void
compare_devices(struct comparison *comparison)
{
	const struct scan *before = comparison->before, *after = comparison->after;
	for (size_t i = 0; i < before->device_count; i++) {
		const struct scan_device *was = &before->devices[i];
		size_t partner = comparison->partners[i];
		struct subject subject = about(was);
		if (partner == SIZE_MAX) {
			add_row(comparison, &subject, "device",
				json_object_get(was->json, "device"), NULL);
			continue;
		}
		const struct scan_device *is = &after->devices[partner];
		subject = about(is);
		subject.is_unread = was->record.error != NULL || is->record.error != NULL;
		compare_members(comparison, &subject, NULL, was->json, is->json);
		compare_ports(comparison, &subject, i, partner);
	}
	for (size_t k = 0; k < after->device_count; k++) {
		const struct subject subject = about(&after->devices[k]);
		if (!comparison->is_taken[k])
			add_row(comparison, &subject, "device", NULL,
				json_object_get(after->devices[k].json, "device"));
	}
}

json_t *
compare_new(const struct scan *before, const struct scan *after)
{
	struct comparison comparison = {
		.before = before,
		.after = after,
		.partners = malloc((before->device_count + 1) * sizeof *comparison.partners),
		.is_taken = calloc(after->device_count + 1, sizeof *comparison.is_taken),
		.rows = json_array(),
	};
	comparison.failed = comparison.partners == NULL || comparison.is_taken == NULL;
	for (size_t i = 0; i < before->device_count && !comparison.failed; i++)
		comparison.partners[i] = SIZE_MAX;
	for (enum sign sign = 0; sign < SIGN_N && !comparison.failed; sign++)
		pair_devices(&comparison, sign);
	if (!comparison.failed)
		compare_devices(&comparison);
	free(comparison.partners);
	free(comparison.is_taken);
	if (comparison.failed) {
		json_decref(comparison.rows);
		return NULL;
	}
	return comparison.rows;
}
