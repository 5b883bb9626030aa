/* portcounters - sorts the counters of all ports of a scan into metric families. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "portcounters.h"

#include "array.h"
#include "hash.h"

#include <stdlib.h>
#include <string.h>

/* --- families by name --- */

static bool
counts_words(enum counter_group group, const char *file)
{
	return group == COUNTER_PORT &&
	       (strcmp(file, "port_rcv_data") == 0 || strcmp(file, "port_xmit_data") == 0);
}

/* Return NULL if there is none. */
static struct counter_family *
family_named(const struct port_counters *counters, const char *name)
{
	uint64_t hash = hash_text(HASH_START, name);
	for (size_t step = 0, i; (i = map_next(&counters->by_name, hash, &step)) != MAP_END;) {
		if (strcmp(counters->families[i].name, name) == 0)
			return &counters->families[i];
	}
	return NULL;
}

static struct counter_family *
add_family(struct port_counters *counters, const char *name, const char *file)
{
	struct counter_family *families = array_grown(counters->families, counters->family_count,
		&counters->family_capacity, sizeof *families);
	if (families == NULL)
		return NULL;
	counters->families = families;
	struct counter_family *family = &families[counters->family_count];
	*family = (struct counter_family){.file = strdup(file), .last_port = SIZE_MAX};
	if (family->file == NULL || map_add(&counters->by_name, hash_text(HASH_START, name),
					    counters->family_count) < 0) {
		free(family->file);
		return NULL;
	}
	counters->family_count++;
	strcpy(family->name, name);
	return family;
}

/* Return the family for this counter, a new one if necessary, but never one that already has a
 * counter of this port. Return NULL when out of memory. */
static struct counter_family *
find_family(struct port_counters *counters, size_t port, enum counter_group group, const char *file)
{
	char name[METRICNAME_SIZE];
	bool words = counts_words(group, file);
	for (unsigned attempt = 0;; attempt++) {
		metricname_format(group, file, attempt, name);
		struct counter_family *family = family_named(counters, name);
		if (family != NULL) {
			if (family->last_port != port && family->words == words)
				return family;
			continue;
		}
		family = add_family(counters, name, file);
		if (family != NULL) {
			family->group = group;
			family->words = words;
			family->plain = attempt == 0;
		}
		return family;
	}
}

/* The same, but skip formatting the name if the next family is known to be the right one. */
static struct counter_family *
family_of(struct port_counters *counters, size_t port, enum counter_group group, const char *file)
{
	struct counter_family *family = NULL;
	/* A port usually begins with the family that the one before it began with. */
	if (counters->next == counters->family_count)
		counters->next = 0;
	if (counters->next < counters->family_count)
		family = &counters->families[counters->next];
	if (family == NULL || !family->plain || family->group != group ||
		family->last_port == port || strcmp(family->file, file) != 0)
		family = find_family(counters, port, group, file);
	if (family != NULL) {
		family->last_port = port;
		counters->next = (size_t)(family - counters->families) + 1;
	}
	return family;
}

/* --- samples --- */

/* Add the counters of a group (`map`, nullable). Return 0, or -1 when out of memory. */
static int
add_map(struct port_counters *counters, size_t port, enum counter_group group, const json_t *map)
{
	const char *file;
	json_t *json;

	json_object_foreach ((json_t *)map, file, json) {
		uint64_t value;
		if (counter_is_setting(group, file) || rec_u64(json, &value) != REC_OK)
			continue;
		const struct counter_family *family = family_of(counters, port, group, file);
		struct portcounters_sample *samples = array_grown(counters->samples,
			counters->sample_count, &counters->sample_capacity, sizeof *samples);
		if (samples != NULL)
			counters->samples = samples;
		if (family == NULL || samples == NULL)
			return -1;
		counters->samples[counters->sample_count++] = (struct portcounters_sample){
			.family = (size_t)(family - counters->families),
			.port = port,
			.value = value,
		};
	}
	return 0;
}

/* --- sorting --- */

static int
compare_families(const void *left, const void *right, void *context)
{
	const struct counter_family *families = context;
	return strverscmp(
		families[*(const size_t *)left].name, families[*(const size_t *)right].name);
}

/* Sort the samples by family name, and within a family keep them in the order of ports. Return 0,
 * or -1 when out of memory. */
static int
sort_samples(struct port_counters *counters)
{
	size_t family_count = counters->family_count, sample_count = counters->sample_count;
	if (sample_count == 0)
		return 0;
	size_t *order = calloc(family_count, sizeof *order);
	struct portcounters_sample *sorted = calloc(sample_count, sizeof *sorted);
	if (order == NULL || sorted == NULL) {
		free(order);
		free(sorted);
		return -1;
	}
	for (size_t i = 0; i < family_count; i++)
		order[i] = i;
	qsort_r(order, family_count, sizeof *order, compare_families, counters->families);

	for (size_t i = 0; i < sample_count; i++)
		counters->families[counters->samples[i].family].end++;
	size_t end = 0;
	for (size_t i = 0; i < family_count; i++) {
		struct counter_family *family = &counters->families[order[i]];
		end += family->end;
		family->end = end;
	}
	for (size_t i = sample_count; i > 0; i--) {
		const struct portcounters_sample *sample = &counters->samples[i - 1];
		sorted[--counters->families[sample->family].end] = *sample;
	}
	free(order);
	free(counters->samples);
	counters->samples = sorted;
	counters->sample_capacity = sample_count;
	return 0;
}

/* Begin a scan. Names that no port has any more would only take memory: make the rest again. */
static void
begin_scan(struct port_counters *counters)
{
	bool all_used = true;
	for (size_t i = 0; i < counters->family_count; i++) {
		struct counter_family *family = &counters->families[i];
		all_used &= family->last_port != SIZE_MAX;
		family->last_port = SIZE_MAX;
		family->end = 0;
	}
	counters->sample_count = 0;
	counters->next = 0;
	if (!all_used)
		portcounters_fini(counters);
}

int
portcounters_sort(struct port_counters *counters, const struct scan *scan)
{
	begin_scan(counters);
	for (size_t i = 0; i < scan->port_count; i++) {
		const struct scanrec_port *port = &scan->ports[i].record;
		if (add_map(counters, i, COUNTER_PORT, port->counters) < 0 ||
			add_map(counters, i, COUNTER_HW, port->hw_counters) < 0 ||
			add_map(counters, i, COUNTER_DEVICE_HW, port->device_hw_counters) < 0 ||
			add_map(counters, i, COUNTER_STATISTICS, port->net) < 0)
			return -1;
	}
	return sort_samples(counters);
}

void
portcounters_fini(struct port_counters *counters)
{
	for (size_t i = 0; i < counters->family_count; i++) {
		free(counters->families[i].file);
		free(counters->families[i].help);
	}
	free(counters->families);
	free(counters->samples);
	map_fini(&counters->by_name);
	*counters = (struct port_counters){0};
}
