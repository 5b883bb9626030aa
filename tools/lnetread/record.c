/* record - makes records of a read. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include "rec.h"

static json_t *
begin_new(const char *kind, const struct clock_moment *when)
{
	return json_pack("{s:s, s:i, s:s, s:I}", "kind", kind, "v", 1, "ts", when->stamp,
		"boottime_ns", (json_int_t)when->boottime_ns);
}

/* Add a known value, or null for an unreadable one; add nothing for an absent one. Steals `known`.
 * Returns 0 or -1. */
static int
set(json_t *record, const char *key, enum lnet_state state, json_t *known)
{
	if (state == LNET_ABSENT) {
		json_decref(known);
		return 0;
	}
	if (state == LNET_KNOWN)
		return json_object_set_new(record, key, known);
	json_decref(known);
	return json_object_set_new(record, key, json_null());
}

static int
set_name(json_t *record, const char *key, const struct lnet_name *name)
{
	return set(record, key, name->state, json_string(name->text));
}

static int
set_number(json_t *record, const char *key, const struct lnet_number *number)
{
	return set(record, key, number->state, rec_u64_new(number->value));
}

static int
set_counters(json_t *record, const struct lnet_field *fields, const struct lnet_number *numbers,
	size_t count)
{
	json_t *counters = json_object();
	int status = 0;
	for (size_t i = 0; i < count && status == 0; i++)
		status = set_number(counters, fields[i].key, &numbers[i]);
	return json_object_set_new(record, "counters", counters) < 0 ? -1 : status;
}

/* Return the record, or NULL and release it if a part of it could not be added. */
static json_t *
finish(json_t *record, int status)
{
	if (status == 0)
		return record;
	json_decref(record);
	return NULL;
}

json_t *
record_ni_new(const struct lnet_ni *ni, const struct clock_moment *when)
{
	json_t *record = begin_new("lnet.ni", when);
	const struct lnet_number *fatal = &ni->numbers[LNET_NI_FATAL_ERROR];

	int status = set_name(record, "net", &ni->net);
	status |= set_name(record, "netdev", &ni->netdev);
	status |= set_name(record, "status", &ni->status);
	status |= set(record, "fatal_error", fatal->state, json_boolean(fatal->value != 0));
	status |= set_number(record, "health_value", &ni->numbers[LNET_NI_HEALTH_VALUE]);
	status |= set_counters(record, lnet_ni_fields + LNET_NI_COUNTERS,
		ni->numbers + LNET_NI_COUNTERS, LNET_NI_N - LNET_NI_COUNTERS);
	return finish(record, status);
}

json_t *
record_peers_new(const struct lnet_peers *peers, const struct clock_moment *when)
{
	json_t *record = begin_new("lnet.peers", when);

	int status = json_object_set_new(record, "peers", rec_u64_new(peers->peers));
	status |= json_object_set_new(record, "peer_nis", rec_u64_new(peers->peer_nis));
	status |= set_number(record, "lowest_health_value", &peers->lowest_health);
	status |= set(record, "below_full_health", peers->lowest_health.state,
		rec_u64_new(peers->below_full_health));
	status |= set_counters(record, lnet_peer_fields, peers->sums, LNET_PEER_N);
	return finish(record, status);
}

json_t *
record_statistics_new(const struct lnet *lnet, const struct clock_moment *when)
{
	json_t *record = begin_new("lnet.stats", when);
	return finish(record,
		set_counters(record, lnet_statistics_fields, lnet->statistics, LNET_STATISTICS_N));
}

json_t *
record_end_new(const struct lnet *lnet, const struct clock_moment *when)
{
	json_t *record = begin_new("lnet.end", when);
	json_t *unreadable = json_object();
	size_t nis = lnet->is_malformed ? 0 : lnet->ni_count;

	int status = json_object_set_new(record, "nis", json_integer((json_int_t)nis));
	status |= json_object_set_new(record, "complete", json_boolean(lnet_is_complete(lnet)));
	for (size_t i = 0; i < LNET_SECTION_N; i++) {
		const char *reason = lnet_missing(lnet, i);
		if (reason != NULL)
			status |= json_object_set_new(
				unreadable, lnet_section_names[i], json_string(reason));
	}
	status |= json_object_set_new(record, "unreadable", unreadable);
	if (!lnet->is_malformed)
		status |= set_number(record, "health_sensitivity", &lnet->health_sensitivity);
	return finish(record, status);
}
