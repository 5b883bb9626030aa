/* portflap - links that go down and come up between two scans. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "portflap.h"

#include "array.h"
#include "num.h"
#include "portfacts.h"
#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Switch to another source when the port's source has been silent for this long. Several sources
 * report the same outage within moments. */
#define SOURCE_SILENT_NS (60 * NUM_NS_PER_S)

/* If a scan shows the link up this long after a link-down, the event of its coming up was lost:
 * ibevent reports it within milliseconds. */
#define UP_LOST_NS NUM_NS_PER_S

/* --- link events --- */

static bool
is_longer(uint64_t since_ns, uint64_t now_ns, uint64_t duration_ns)
{
	return now_ns > since_ns && now_ns - since_ns > duration_ns;
}

enum portflap_change
portflap_change(enum layer layer, const char *event)
{
	static const struct {
		const char *event;
		enum portflap_change change;
		bool of_interface;
	} rows[] = {
		{"LINK_DOWN", PORTFLAP_DOWN, true},
		{"LINK_UP", PORTFLAP_UP, true},
		{"PORT_ERR", PORTFLAP_DOWN, false},
		{"PORT_ACTIVE", PORTFLAP_UP, false},
	};
	for (size_t i = 0; i < ARRAY_COUNT(rows); i++) {
		if (strcmp(rows[i].event, event) == 0 &&
			!(rows[i].of_interface && layer == LAYER_INFINIBAND))
			return rows[i].change;
	}
	return PORTFLAP_NEITHER;
}

static void
note_up(struct link_memory *memory, uint64_t at_ns)
{
	if (memory->is_down && at_ns > memory->since_ns)
		memory->down_ns += at_ns - memory->since_ns;
	memory->is_down = false;
}

void
portflap_note(struct link_memory *memory, const char *via, enum portflap_change change,
	uint64_t count, uint64_t at_ns)
{
	if (change == PORTFLAP_NEITHER)
		return;
	if (*memory->via == '\0' || is_longer(memory->told_ns, at_ns, SOURCE_SILENT_NS))
		state_copy(memory->via, sizeof memory->via, via);
	if (strcmp(memory->via, via) != 0)
		return;
	memory->told_ns = at_ns;
	if (change == PORTFLAP_UP) {
		note_up(memory, at_ns);
		return;
	}
	memory->downs += count;
	if (!memory->is_down)
		memory->since_ns = at_ns;
	memory->is_down = true;
}

void
portflap_forget(struct link_memory *memory)
{
	memory->downs = memory->down_ns = 0;
	memory->is_down = memory->is_counted = false;
}

void
portflap_accept(struct state *state, const struct asyncrec *event)
{
	struct port_entry *entry = event->device != NULL && event->port > 0
					   ? state_find_port(state, event->device, event->port)
					   : NULL;
	if (entry == NULL || !entry->known || entry->missing > 0 || entry->health != PORT_HEALTHY)
		return;
	portflap_note(&entry->link, event->via, portflap_change(entry->layer, event->event),
		(uint64_t)event->count, event->boottime_ns);
}

/* --- a port in a scan --- */

/* A breach that begins in this scan reports these link-downs, and a fatal one has already stopped
 * the use of the NIC. Any other breach stands until the boot and shows no later link-down. */
static bool
is_counted(const struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry)
{
	static const char *const names[] = {"link_downed", "carrier_changes"};
	const struct counter_list *counters = evaluation->setting->counters;
	for (size_t i = 0; i < ARRAY_COUNT(names); i++) {
		const struct counter_def *def = counter_list_find(counters, names[i]);
		const struct counter_memory *memory =
			def != NULL ? &entry->counters[def - counters->items] : NULL;
		if (memory != NULL && memory->breached &&
			(memory->breach.fatal ||
				strcmp(memory->breach.since, port->record.ts) == 0))
			return true;
	}
	return false;
}

static void
report(struct evaluation *evaluation, const struct scan_port *port, const struct port_entry *entry)
{
	const struct link_memory *link = &entry->link;
	const char *noun = layer_port(entry->layer), *device = port->record.device;
	uint64_t down_ms = (link->down_ns + NUM_NS_PER_MS / 2) / NUM_NS_PER_MS;
	char seconds[NUM_U64_SIZE + 4], downs[NUM_U64_SIZE];
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_degradation(entry->layer));

	snprintf(seconds, sizeof seconds, "%" PRIu64 ".%03" PRIu64, down_ms / 1000, down_ms % 1000);
	snprintf(downs, sizeof downs, "%" PRIu64, link->downs);
	claim.error_code = CODE_PORT_FLAP;
	claim.down_seconds = seconds;
	claim.link_downs = downs;
	evaluation_report(evaluation, &claim,
		"%s %s port %" PRId64 ": the link went down %s time%s between two scans, for %s s",
		noun, device, port->record.port, downs, text_plural(link->downs), seconds);
	evaluation_end_at_once(evaluation, &claim, noun);
}

void
portflap_eval(struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	struct link_memory *link = &entry->link;

	/* The scan shows the link up: otherwise portflap_forget() would have been called. */
	if (link->is_down && is_longer(link->since_ns, port->record.boottime_ns, UP_LOST_NS))
		note_up(link, port->record.boottime_ns);
	if (link->downs == 0)
		return;
	link->is_counted = link->is_counted || is_counted(evaluation, port, entry);
	/* The event that the link is up is still to come. */
	if (link->is_down)
		return;
	if (evaluation->setting->enabled[check_degradation(entry->layer)] &&
		entry->health == PORT_HEALTHY && !link->is_counted)
		report(evaluation, port, entry);
	portflap_forget(link);
}
