/* stateports - states of ports in the state file, and open reports about them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "stateports.h"

#include <stdio.h>
#include <string.h>

/* --- reports about ports --- */

static const struct field gone_port_fields[] = {
	FIELD_KEYS(struct port_entry),
	{"code", FIELD_TEXT, FIELD_AT(struct port_entry, gone_said.code)},
	{"id", FIELD_TEXT, FIELD_AT(struct port_entry, gone_said.id)},
	{.key = NULL},
};

static void
complete_gone_port(void *entry)
{
	struct said *said = &((struct port_entry *)entry)->gone_said;
	said->stands = said->fatal = true;
}

const struct section stateports_gone = {"disappeared_ports", ROUND_STANDINGS,
	SECTION_ENTRIES(ports, gone_port_fields), FIELD_AT(struct port_entry, gone_said.stands),
	.find = section_find_port, .complete = complete_gone_port, .what = "a disappeared port",
	.nameless = "has no device and port"};

/* The port may be in no other section, so this one has its link layer, too. */
static void
complete_layer(void *entry)
{
	struct port_entry *port = entry;
	port->layer = layer_find(port->link_layer);
}

#define NO_TIME "has no device and port, or no time"

static const struct field slow_port_fields[] = {
	FIELD_KEYS(struct port_entry),
	{"link_layer", FIELD_TEXT_ONCE, FIELD_AT(struct port_entry, link_layer)},
	{"reported", FIELD_CHOICE, FIELD_AT(struct port_entry, rate.memory), .low = BELOW_WAITING,
		.high = BELOW_REPORTED},
	{"below_since_ns", FIELD_U64, FIELD_AT(struct port_entry, rate.since_ns), .why = NO_TIME},
	{.key = NULL},
};

const struct section stateports_slow = {"slow_ports", ROUND_STANDINGS,
	SECTION_ENTRIES(ports, slow_port_fields), FIELD_AT(struct port_entry, rate.memory),
	.find = section_find_port, .complete = complete_layer, .what = "a slow port",
	.nameless = NO_TIME};

#define NO_COUNT .why = "has a bad count"

static const struct field flapping_port_fields[] = {
	FIELD_KEYS(struct port_entry),
	{"link_layer", FIELD_TEXT_ONCE, FIELD_AT(struct port_entry, link_layer)},
	{"reported", FIELD_FLAG, FIELD_AT(struct port_entry, flap.flapping)},
	/* Version 1.0.0 stores link_downed here, not in port_states. */
	{"link_downed", FIELD_U64, FIELD_AT(struct port_entry, flap.link_downed), FIELD_OR_NULL,
		.known = offsetof(struct port_entry, flap.has_link_downed), NO_COUNT},
	{"ahead_seen", FIELD_U64, FIELD_AT(struct port_entry, flap.ahead_seen), NO_COUNT},
	{"ahead_counted", FIELD_U64, FIELD_AT(struct port_entry, flap.ahead_counted), NO_COUNT},
	{"downs_ns", FIELD_DOWNS, FIELD_AT(struct port_entry, flap)},
	{"count", FIELD_U64, FIELD_AT(struct port_entry, flap.count), NO_COUNT},
	{"said_count", FIELD_U64, FIELD_AT(struct port_entry, flap.said_count), NO_COUNT},
	{"said_ns", FIELD_U64, FIELD_AT(struct port_entry, flap.said_ns), NO_COUNT},
	{.key = NULL},
};

const struct section stateports_flapping = {"flapping_ports", ROUND_STANDINGS,
	SECTION_ENTRIES(ports, flapping_port_fields), FIELD_AT(struct port_entry, flap.downs),
	.find = section_find_port, .complete = complete_layer, .what = "a flapping port",
	.nameless = "has no device and port"};

static const struct field held_port_fields[] = {
	FIELD_KEYS(struct port_entry),
	{"unhealthy_since_ns", FIELD_U64, FIELD_AT(struct port_entry, hold.since_ns),
		.why = NO_TIME},
	{.key = NULL},
};

static void
complete_held_port(void *entry)
{
	struct port_entry *port = entry;
	port->hold.held = port->health == PORT_HEALTHY;
}

const struct section stateports_held = {"held_ports", ROUND_STANDINGS,
	SECTION_ENTRIES(ports, held_port_fields), FIELD_AT(struct port_entry, hold.held),
	.find = section_find_port, .complete = complete_held_port, .what = "a held port",
	.nameless = NO_TIME};

/* --- states --- */

static const struct field port_fields[] = {
	{"state", FIELD_TEXT, FIELD_AT(struct port_entry, state)},
	{"physical_state", FIELD_TEXT, FIELD_AT(struct port_entry, phys_state)},
	FIELD_KEYS(struct port_entry),
	{"link_layer", FIELD_TEXT, FIELD_AT(struct port_entry, link_layer)},
	{"health", FIELD_HEALTH, FIELD_AT(struct port_entry, health),
		.why = "has an unknown health"},
	{"card", FIELD_TEXT, FIELD_AT(struct port_entry, card), FIELD_OR_NULL},
	{"known", FIELD_FLAG, FIELD_AT(struct port_entry, known)},
	{"was_active", FIELD_FLAG, FIELD_AT(struct port_entry, flap.was_active)},
	/* Older versions have no link_downed_ns. So link_downed comes last, and decides whether
	 * there is a reading. */
	{"link_downed_ns", FIELD_U64, FIELD_AT(struct port_entry, flap.link_downed_ns),
		FIELD_IF_ANY, .known = offsetof(struct port_entry, flap.has_link_downed),
		.why = "has a bad time"},
	{"link_downed", FIELD_U64, FIELD_AT(struct port_entry, flap.link_downed), FIELD_IF_ANY,
		.known = offsetof(struct port_entry, flap.has_link_downed), NO_COUNT},
	{"said", FIELD_SAID, FIELD_AT(struct port_entry, state_said), FIELD_OR_NULL},
	{.key = NULL},
};

/* `4: ACTIVE` -> `ACTIVE` */
static const char *
without_number(const char *raw)
{
	const char *colon = strchr(raw, ':');
	return colon == NULL ? raw : colon + 1 + strspn(colon + 1, " ");
}

/* The original does not store what it reported, but it reported every state that it stored. */
static enum port_memory
health_of(const struct port_entry *port)
{
	switch (sight_eval(
		port->layer, without_number(port->state), without_number(port->phys_state))) {
	case SIGHT_HEALTHY:
		return PORT_HEALTHY;
	case SIGHT_DEGRADED:
		return PORT_DEGRADED;
	case SIGHT_FATAL:
		return PORT_FATAL;
	case SIGHT_TRANSIENT:
	case SIGHT_N:
		break;
	}
	return PORT_NEW;
}

/* Set fields that follow from the members, and those that older versions do not write. */
static int
complete_port(struct decoder *decoder, const json_t *object, struct port_entry *port)
{
	port->layer = layer_find(port->link_layer);
	if (!json_is_boolean(json_object_get(object, "was_active")))
		port->flap.was_active = strcmp(without_number(port->state), "ACTIVE") == 0;
	if (port->health == PORT_NEW_SUSPECT)
		port->health = health_of(port);
	if (port_is_reported(port->health) && json_object_get(object, "said") == NULL)
		state_report(&port->state_said, port->health == PORT_FATAL, "");
	if (port->state_said.stands && !port_is_reported(port->health))
		return codec_refuse(decoder, "has an open report that its state contradicts");
	struct device_entry *owner = section_find_device(decoder, port->device);
	if (owner == NULL)
		return -1;
	owner->layer = port->layer;
	return 0;
}

/* Of other ports only counters are known. */
static bool
has_state(const void *entry)
{
	const struct port_entry *port = entry;
	return port->known || port->health != PORT_NEW;
}

static int
decode_port(struct decoder *decoder, const json_t *item)
{
	snprintf(decoder->what, sizeof decoder->what, "%s \"%.64s\"", decoder->section->what,
		decoder->key);
	struct port_entry *port = section_find_port(decoder, item);
	if (port == NULL)
		return -1;
	port->known = true;
	/* This value is never stored, so it shows that "health" is absent. */
	port->health = PORT_NEW_SUSPECT;
	return codec_decode(decoder, decoder->section->fields, item, port) < 0
		       ? -1
		       : complete_port(decoder, item, port);
}

const struct section stateports_states = {"port_states", ROUND_PORTS, .keyed = true,
	SECTION_ITEMS(section_encode_entries, decode_port), .list = offsetof(struct encoder, ports),
	.fields = port_fields, .holds = has_state, .what = "port state",
	.nameless = "has no device and port"};
