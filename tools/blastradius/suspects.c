/* suspects - finds the switches to blame for reports of many nodes at once. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "suspects.h"

#include "array.h"
#include "moment.h"
#include "reports.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* --- places --- */

static bool
are_many(const struct suspects *suspects, size_t nodes, size_t seen)
{
	return nodes >= suspects->limits.nodes && nodes * 100 >= suspects->limits.percent * seen;
}

static void
forget_recent(struct place *place, uint64_t now_us, uint64_t within_us)
{
	while (place->first_recent < place->recent_count &&
		moment_later(place->recent[place->first_recent].at_us, within_us) <= now_us) {
		struct member *member = place->recent[place->first_recent++].port->member;
		place->recent_nodes -= --member->recent == 0;
	}
	if (place->first_recent == place->recent_count)
		place->first_recent = place->recent_count = 0;
}

/* Return 0, or -1 when memory ran out. */
static int
add_recent(struct port *port, uint64_t at_us)
{
	struct place *place = port->member->place;
	if (place->first_recent > 0 && place->recent_count == place->recent_capacity) {
		place->recent_count -= place->first_recent;
		memmove(place->recent, place->recent + place->first_recent,
			place->recent_count * sizeof *place->recent);
		place->first_recent = 0;
	}
	struct report *recent = array_grown(
		place->recent, place->recent_count, &place->recent_capacity, sizeof *recent);
	if (recent == NULL)
		return -1;
	place->recent = recent;
	recent[place->recent_count++] = (struct report){at_us, port};
	place->recent_nodes += port->member->recent++ == 0;
	return 0;
}

static int
report(struct suspects *suspects, struct place *place, enum suspects_news news,
	const struct sighting *event)
{
	const struct suspects_report told = {news, place, event, suspects->now_us};
	return suspects->report(suspects->context, &told);
}

static void
enter(struct suspects *suspects, struct place *place, enum suspects_stage stage, uint64_t due_us)
{
	place->stage = stage;
	heap_move(&suspects->fleet.due, &place->due, due_us);
}

/* Suspect the ports with recent reports, and wait for more reports within the same time. */
static int
find(struct suspects *suspects, struct place *place)
{
	for (size_t i = place->first_recent; i < place->recent_count; i++)
		if (port_suspect(place->recent[i].port) < 0)
			return -1;
	uint64_t first_us = place->recent[place->first_recent].at_us;
	/* If it was settling, it still has suspects, whose events are held back from the first
	 * finding on. */
	if (place->stage != SUSPECTS_SETTLING) {
		place->first_us = first_us;
		*place->id = '\0';
	}
	enter(suspects, place, SUSPECTS_FOUND, moment_later(first_us, suspects->limits.within_us));
	return 0;
}

/* Return true if few of its nodes still have a port that is down, and no report came for a
 * while. */
static bool
is_over(const struct suspects *suspects, const struct place *place)
{
	return moment_later(place->last_us, suspects->limits.within_us) <= suspects->now_us &&
	       !are_many(suspects, place->down, place->seen_then);
}

static int
end_if_over(struct suspects *suspects, struct place *place)
{
	if (place->stage != SUSPECTS_STANDING || !is_over(suspects, place))
		return 0;
	enter(suspects, place, SUSPECTS_SETTLING,
		moment_later(suspects->now_us, suspects->limits.settle_us));
	return report(suspects, place, SUSPECTS_OVER, NULL);
}

/* A report about the link alone holds only while the port is down; any other report holds until it
 * is answered. */
static bool
still_stands(const struct port *port, const struct sighting *event)
{
	return port->is_down || !reports_link_only(event);
}

/* Release the events held because of this port. */
static int
release_port(struct suspects *suspects, struct port *port)
{
	struct node *node = port->node;
	int status = 0;
	for (size_t i = 0; i < node->held_count && status == 0;) {
		const struct sighting *event = node->held[i].event;
		if (node->held[i].port != port) {
			i++;
			continue;
		}
		if (still_stands(port, event))
			status = report(suspects, port->member->place, SUSPECTS_RELEASED, event);
		node_drop(node, i);
	}
	return status;
}

static int
release(struct suspects *suspects, struct place *place)
{
	int status = 0;
	for (size_t i = 0; i < place->suspect_count && status == 0; i++)
		status = release_port(suspects, place->suspects[i]);
	place_acquit(place);
	enter(suspects, place, SUSPECTS_NONE, MOMENT_NEVER);
	return status;
}

/* The place is due. */
static int
settle(struct suspects *suspects, struct place *place)
{
	switch (place->stage) {
	case SUSPECTS_FOUND:
		place->seen_then = place->seen;
		enter(suspects, place, SUSPECTS_STANDING,
			moment_later(place->last_us, suspects->limits.within_us));
		return report(suspects, place, SUSPECTS_NEW, NULL);
	case SUSPECTS_STANDING:
		enter(suspects, place, SUSPECTS_STANDING, MOMENT_NEVER);
		return end_if_over(suspects, place);
	default:
		return release(suspects, place);
	}
}

static void
note_time(struct suspects *suspects, uint64_t at_us)
{
	if (at_us > suspects->now_us)
		suspects->now_us = at_us;
}

int
suspects_advance(struct suspects *suspects, uint64_t now_us)
{
	struct heap_node *first;
	int status = 0;
	while (status == 0 && (first = heap_due(&suspects->fleet.due, now_us)) != NULL) {
		note_time(suspects, first->at_us);
		status = settle(suspects, (struct place *)first);
	}
	note_time(suspects, now_us);
	fleet_advance(&suspects->fleet, suspects->now_us);
	return status;
}

int
suspects_hurry(struct suspects *suspects)
{
	int status = 0;
	for (size_t i = 0; i < suspects->fleet.place_count && status == 0; i++) {
		struct place *place = suspects->fleet.places[i];
		if (place->stage == SUSPECTS_FOUND)
			status = settle(suspects, place);
	}
	return status;
}

uint64_t
suspects_next_us(const struct suspects *suspects)
{
	const struct heap_node *first = heap_first(&suspects->fleet.due);
	return first != NULL ? first->at_us : MOMENT_NEVER;
}

/* --- events --- */

static int
accept_report(
	struct suspects *suspects, struct port *port, uint64_t at_us, const struct sighting *event)
{
	struct place *place = port->member->place;
	const char *code = sighting_code(event), *id = event->fields[SIGHTING_ID];
	port->last_us = place->last_us = at_us;
	*port->last_id = '\0';
	if (id != NULL && strlen(id) < sizeof port->last_id)
		strcpy(port->last_id, id);
	if (code != NULL && strcmp(code, "port_state") == 0) {
		port_set_down(port, true);
		port_set_check(port, event->fields[SIGHTING_CHECK]);
	}
	forget_recent(place, at_us, suspects->limits.within_us);
	if (add_recent(port, at_us) < 0)
		return -1;
	if (place->stage == SUSPECTS_FOUND || place->stage == SUSPECTS_STANDING) {
		if (place->stage == SUSPECTS_STANDING)
			enter(suspects, place, SUSPECTS_STANDING,
				moment_later(at_us, suspects->limits.within_us));
		return port_suspect(port);
	}
	return are_many(suspects, place->recent_nodes, place->seen) ? find(suspects, place) : 0;
}

/* A node that boots clears its checks, and reports right after that what is still down: wait for
 * that before the suspicion ends. Such an event has no code. */
static int
end_soon(struct suspects *suspects, struct place *place, const struct sighting *healthy)
{
	if (healthy->code_count > 0 || place->stage != SUSPECTS_STANDING)
		return end_if_over(suspects, place);
	enter(suspects, place, SUSPECTS_STANDING,
		moment_later(suspects->now_us, suspects->limits.within_us));
	return 0;
}

static int
accept_healthy(struct suspects *suspects, struct node *node, const struct sighting *healthy)
{
	int status = 0;
	for (size_t left = node->held_count; left > 0; left--)
		if (sighting_answers(healthy, node->held[left - 1].event))
			node_drop(node, left - 1);
	for (size_t i = 0; i < node->port_count && status == 0; i++) {
		struct port *port = node->ports[i];
		if (port->is_down && reports_up(healthy, port)) {
			port_set_down(port, false);
			status = end_soon(suspects, port->member->place, healthy);
		}
	}
	return status;
}

/* Record the network interface of a port whose first report did not name it. Return 0, or -1 when
 * memory ran out. */
static int
learn_netdev(
	struct suspects *suspects, struct port *port, uint64_t at_us, const struct sighting *event)
{
	const char *netdev = sighting_metadata(event, "netdev");
	struct place *before = port->member->place;
	if (port->netdev != NULL || netdev == NULL || *netdev == '\0')
		return 0;
	forget_recent(before, at_us, suspects->limits.within_us);
	return fleet_set_netdev(&suspects->fleet, port, netdev) < 0 ? -1
								    : end_if_over(suspects, before);
}

/* Count an event of too many nodes or ports. Return 0, or -1 when memory ran out. */
static int
refuse(struct suspects *suspects)
{
	if (errno == ENOMEM)
		return -1;
	suspects->refused++;
	return 0;
}

int
suspects_accept(struct suspects *suspects, uint64_t at_us, struct sighting *event)
{
	const char *name = event->fields[SIGHTING_NODE];
	if (suspects_advance(suspects, at_us) < 0)
		return -1;
	if (name == NULL)
		return 0;
	struct node *node = fleet_find_or_add(&suspects->fleet, name);
	if (node == NULL)
		return refuse(suspects);
	/* A derived event does not prove that the node is alive. */
	if (!reports_is_derived(event))
		fleet_hear(&suspects->fleet, node, at_us);
	if (event->is_healthy)
		return accept_healthy(suspects, node, event);
	/* Hold the event for now. suspects_leave() decides whether it stays held. */
	if (reports_acts(event) && node_hold(node, event) < 0)
		return -1;
	if (!reports_trouble(event))
		return 0;
	struct port *port =
		fleet_find_or_add_port(&suspects->fleet, node, sighting_entity(event, "NIC"),
			sighting_entity(event, "NICPort"), sighting_metadata(event, "netdev"));
	if (port == NULL)
		return refuse(suspects);
	return learn_netdev(suspects, port, at_us, event) < 0
		       ? -1
		       : accept_report(suspects, port, at_us, event);
}

/* --- held events --- */

/* In the first scan of a node the event about a card comes before those of its ports, by less than
 * this: as long as a scan takes. */
#define CARD_AHEAD_US UINT64_C(2000000)

/* Events from before the suspicion have another cause. */
static bool
is_late_enough(const struct place *place, uint64_t at_us, const struct sighting *event)
{
	bool is_card = sighting_entity(event, "NICPort") == NULL;
	return (is_card ? moment_later(at_us, CARD_AHEAD_US) : at_us) >= place->first_us;
}

static struct port *
find_suspect(const struct node *node, uint64_t at_us, const struct sighting *event)
{
	for (size_t i = 0; i < node->port_count; i++) {
		struct port *port = node->ports[i];
		if (port->is_suspect && is_late_enough(port->member->place, at_us, event) &&
			reports_is_about(event, port->device, port->number))
			return port;
	}
	return NULL;
}

int
suspects_leave(struct suspects *suspects, uint64_t at_us, const struct sighting *event,
	const struct place **place)
{
	const char *name = event->fields[SIGHTING_NODE];
	struct node *node =
		name != NULL && reports_acts(event) ? fleet_find(&suspects->fleet, name) : NULL;
	*place = NULL;
	if (node == NULL)
		return 0;
	struct port *port = find_suspect(node, at_us, event);
	struct held *held = node_find_held(node, event);
	if (held != NULL && port == NULL)
		node_drop(node, (size_t)(held - node->held));
	else if (held != NULL)
		held->port = port;
	if (port == NULL)
		return 0;
	*place = port->member->place;
	return port->member->place->stage == SUSPECTS_FOUND && *port->member->place->id == '\0'
		       ? settle(suspects, port->member->place)
		       : 0;
}

/* --- clock changes --- */

static void
shift(uint64_t *at_us, int64_t by_us)
{
	if (*at_us == 0 || *at_us == MOMENT_NEVER)
		return;
	*at_us = by_us < 0 ? moment_earlier(*at_us, (uint64_t)-by_us)
			   : moment_later(*at_us, (uint64_t)by_us);
}

/* Shift all times of a heap equally, which keeps their order. */
static void
shift_heap(const struct heap *heap, int64_t by_us)
{
	for (size_t i = 0; i < heap->count; i++)
		shift(&heap->nodes[i]->at_us, by_us);
}

void
suspects_shift(struct suspects *suspects, int64_t by_us)
{
	struct fleet *fleet = &suspects->fleet;
	shift(&suspects->now_us, by_us);
	fleet->full_until_us = 0;
	shift_heap(&fleet->until, by_us);
	shift_heap(&fleet->due, by_us);
	for (size_t i = 0; i < fleet->place_count; i++) {
		struct place *place = fleet->places[i];
		shift(&place->first_us, by_us);
		shift(&place->last_us, by_us);
		for (size_t j = place->first_recent; j < place->recent_count; j++)
			shift(&place->recent[j].at_us, by_us);
	}
	for (size_t i = 0; i < fleet->node_count; i++)
		for (size_t j = 0; j < fleet->nodes[i]->port_count; j++)
			shift(&fleet->nodes[i]->ports[j]->last_us, by_us);
}

/* --- after a restart --- */

static int
restore_recent(struct suspects *suspects, struct port **ports, size_t count)
{
	int status = 0;
	qsort(ports, count, sizeof(struct port *), fleet_compare_latest);
	for (size_t i = 0; i < count && status == 0; i++)
		status = add_recent(ports[i], ports[i]->last_us);
	for (size_t i = 0; i < suspects->fleet.place_count; i++) {
		struct place *place = suspects->fleet.places[i];
		forget_recent(place, suspects->now_us, suspects->limits.within_us);
		/* With a new topology its ports may belong to another switch. */
		if (place->stage == SUSPECTS_STANDING)
			enter(suspects, place, SUSPECTS_STANDING, suspects->now_us);
	}
	return status;
}

int
suspects_restore(struct suspects *suspects)
{
	struct port **ports = NULL;
	size_t count = 0, capacity = 0;
	for (size_t i = 0; i < suspects->fleet.node_count; i++) {
		const struct node *node = suspects->fleet.nodes[i];
		for (size_t j = 0; j < node->port_count; j++) {
			struct place *place = node->ports[j]->member->place;
			struct port **grown =
				array_grown(ports, count, &capacity, sizeof(struct port *));
			if (grown == NULL) {
				free(ports);
				return -1;
			}
			ports = grown;
			ports[count++] = node->ports[j];
			if (node->ports[j]->is_suspect && place->stage == SUSPECTS_NONE)
				enter(suspects, place, SUSPECTS_SETTLING,
					moment_later(suspects->now_us, suspects->limits.settle_us));
		}
	}
	int status = count > 0 ? restore_recent(suspects, ports, count) : 0;
	free(ports);
	return status;
}

void
suspects_fini(struct suspects *suspects)
{
	fleet_fini(&suspects->fleet);
}
