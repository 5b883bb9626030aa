/* portrecord - formats the record of a port directly as text. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "portrecord.h"

#include "jsontext.h"
#include "num.h"
#include "parse.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Size of the longest record (ibscan.h, IBSCAN_COUNTERS_MAX). */
#define RECORD_SIZE ((size_t)64 * 1024)

/* Above the rate of any link, in Gb/s. */
#define RATE_MAX 1e9

/* Append a comma and a key. */
static inline void
put_key(struct jsontext *to, const char *key)
{
	JSONTEXT_PUT(to, ",\"");
	jsontext_put(to, key, strlen(key));
	JSONTEXT_PUT(to, "\":");
}

static void
put_number_or_null(struct jsontext *to, bool known, int64_t value)
{
	if (known)
		jsontext_put_number(to, (uint64_t)value);
	else
		JSONTEXT_PUT(to, "null");
}

static const char *
text_of(const struct text_value *value)
{
	return value->present ? value->text : NULL;
}

/* Append `4: ACTIVE` as a name and a number; a text without a number as a name only. An empty name
 * becomes null: it is no evidence against the port. */
static void
put_state(struct jsontext *to, const char *key, const char *id_key, const struct text_value *value)
{
	int64_t id = 0;
	const char *name = text_of(value);
	bool is_numbered = value->present && parse_numbered(value->text, &id, &name);

	put_key(to, key);
	jsontext_put_nullable(to, name != NULL && *name != '\0' ? name : NULL);
	put_key(to, id_key);
	put_number_or_null(to, is_numbered, id);
}

/* Append 400 rather than 400.0, but 2.5. */
static void
put_rate(struct jsontext *to, const struct text_value *rate)
{
	double gbps = 0;
	bool known = rate->present && parse_rate_gbps(rate->text, &gbps) && gbps <= RATE_MAX;
	char number[32];

	put_key(to, "rate_gbps");
	if (known && floor(gbps) != gbps) {
		int length = snprintf(number, sizeof number, "%.15g", gbps);
		jsontext_put(to, number, (size_t)length);
	} else {
		put_number_or_null(to, known, (int64_t)gbps);
	}
	put_key(to, "rate");
	jsontext_put_nullable(to, text_of(rate));
}

static void
put_lid(struct jsontext *to, const char *key, const struct text_value *lid)
{
	int64_t value = 0;
	bool known = lid->present && parse_lid(lid->text, &value);
	put_key(to, key);
	put_number_or_null(to, known, value);
}

static void
put_counter(struct jsontext *to, const struct counter_slot *slot, bool is_first)
{
	if (!is_first)
		JSONTEXT_PUT(to, ",");
	JSONTEXT_PUT(to, "\"");
	jsontext_put(to, slot->file, strlen(slot->file));
	JSONTEXT_PUT(to, "\":");
	jsontext_put_u64(to, slot->value);
}

/* Append the readable counters of these groups. */
static void
put_counters(struct jsontext *to, const struct port *port, enum counter_group first,
	enum counter_group last)
{
	bool is_first = true;

	put_key(to, counter_group_key(first));
	JSONTEXT_PUT(to, "{");
	for (size_t i = 0; i < port->slot_count; i++) {
		const struct counter_slot *slot = &port->slots[i];
		if (slot->group < first || slot->group > last || !slot->has_value)
			continue;
		put_counter(to, slot, is_first);
		is_first = false;
	}
	JSONTEXT_PUT(to, "}");
}

static void
put_gids(struct jsontext *to, const struct gid_counts *gids)
{
	put_key(to, "gids");
	if (!gids->known) {
		JSONTEXT_PUT(to, "null");
		return;
	}
	JSONTEXT_PUT(to, "{\"total\":");
	jsontext_put_number(to, gids->total);
	put_key(to, "ipv4_mapped");
	jsontext_put_number(to, gids->ipv4_mapped);
	put_key(to, "roce_v2");
	jsontext_put_number(to, gids->roce_v2);
	JSONTEXT_PUT(to, "}");
}

/* Append the members that only some ports have, without unknown values. */
static void
put_rest(struct jsontext *to, const struct port *port, const struct portrecord_setting *setting)
{
	if (port->shows_device)
		put_counters(to, port, COUNTER_DEVICE_HW, COUNTER_DEVICE_HW);
	if (port->umad != CHARDEV_UNKNOWN) {
		put_key(to, "umad");
		jsontext_put_bool(to, port->umad == CHARDEV_PRESENT);
	}
	if (port->issm != CHARDEV_UNKNOWN) {
		put_key(to, "issm");
		jsontext_put_bool(to, port->issm == CHARDEV_PRESENT);
	}
	if (port->has_carrier) {
		put_key(to, "carrier");
		jsontext_put_number(to, port->carrier);
	}
	if (setting->gids)
		put_gids(to, &port->gids);
	if (setting->extra) {
		put_key(to, "extra");
		jsontext_put_bool(to, true);
	}
}

/* Append what follows the time and precedes the counters. */
static void
put_middle(struct jsontext *to, const struct port *port, const char *device)
{
	put_key(to, "device");
	jsontext_put_nullable(to, device);
	put_key(to, "port");
	jsontext_put_number(to, port->number);
	put_key(to, "link_layer");
	jsontext_put_nullable(to, text_of(&port->link_layer));
	put_state(to, "state", "state_id", &port->state);
	put_state(to, "phys_state", "phys_state_id", &port->phys_state);
	put_rate(to, &port->rate);
	put_lid(to, "lid", &port->lid);
	put_lid(to, "sm_lid", &port->sm_lid);
	put_key(to, "netdev");
	jsontext_put_nullable(to, port->netdev);
	put_key(to, "operstate");
	jsontext_put_nullable(to, text_of(&port->operstate));
}

/* Append the middle, formatted before or now. */
static void
put_kept_middle(struct jsontext *to, struct port *port, const char *device)
{
	const char *start = to->at;
	if (port->middle.length > 0) {
		jsontext_put(to, port->middle.bytes, port->middle.length);
		return;
	}
	put_middle(to, port, device);
	strbuf_add(&port->middle, start, (size_t)(to->at - start));
	/* Without memory it is formatted in each scan. */
	if (port->middle.is_short)
		strbuf_clear(&port->middle);
}

int
portrecord_line(struct strbuf *line, struct port *port, const struct portrecord_setting *setting)
{
	strbuf_clear(line);
	char *at = strbuf_reserve(line, RECORD_SIZE);
	if (at == NULL)
		return -1;
	struct jsontext text = {.at = at, .end = at + RECORD_SIZE};

	JSONTEXT_PUT(&text, "{\"kind\":\"port\"");
	put_key(&text, "scan");
	jsontext_put_number(&text, setting->scan);
	put_key(&text, "ts");
	jsontext_put_nullable(&text, port->when.stamp);
	put_key(&text, "boottime_ns");
	jsontext_put_number(&text, port->when.boottime_ns);
	put_kept_middle(&text, port, setting->device);
	put_counters(&text, port, COUNTER_PORT, COUNTER_PORT);
	put_counters(&text, port, COUNTER_HW, COUNTER_HW);
	put_counters(&text, port, COUNTER_STATISTICS, COUNTER_INTERFACE);
	put_rest(&text, port, setting);
	JSONTEXT_PUT(&text, "}\n");
	strbuf_wrote(line, (size_t)(text.at - at));
	return 0;
}
