/* deviceevent - errors of a device, its PCI function or its queues, as ibevent reports them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "deviceevent.h"

#include "text.h"

#include <inttypes.h>
#include <string.h>

/* None of them proves a failure by itself: drivers report DEVICE_FATAL also for planned resets
 * (kernel#verbs-events), and an application can break its own queues. */
static const struct {
	const char *event, *code, *text;
	bool store_only;
} kinds[EVENT_KIND_N] = {
	[EVENT_DEVICE_FATAL] = {"DEVICE_FATAL", CODE_DEVICE_FATAL,
		"the driver reported a fatal error (DEVICE_FATAL)", false},
	[EVENT_PCI_FAILED] = {"PCI_FAILED_RECOVERY", CODE_PCI_RECOVERY,
		"the kernel could not recover its PCI function (PCI_FAILED_RECOVERY)", true},
	[EVENT_QP_FATAL] = {"QP_FATAL", CODE_QP_FATAL, "a queue pair failed (QP_FATAL)", true},
	[EVENT_CQ_ERR] = {"CQ_ERR", CODE_CQ_ERR, "a completion queue failed (CQ_ERR)", true},
	[EVENT_SRQ_ERR] = {"SRQ_ERR", CODE_SRQ_ERR, "a shared receive queue failed (SRQ_ERR)",
		true},
	[EVENT_WQ_FATAL] = {"WQ_FATAL", CODE_WQ_FATAL, "a work queue failed (WQ_FATAL)", true},
};

bool
deviceevent_step(struct event_memory *memory, uint64_t now_ns)
{
	bool is_paused = memory->was_said && now_ns >= memory->said_ns &&
			 now_ns - memory->said_ns < DEVICEEVENT_PAUSE_NS;
	if (memory->count == 0 || is_paused)
		return false;
	memory->was_said = true;
	memory->said_ns = now_ns;
	return true;
}

/* --- records of ibevent --- */

/* An event about a PCI function has its address and no device. */
static struct device_entry *
find_device(const struct state *state, const struct asyncrec *event)
{
	if (event->device != NULL)
		return state_find_device(state, event->device);
	table_foreach (&state->devices, struct device_entry, entry) {
		if (event->pci != NULL && strcmp(entry->pci, event->pci) == 0)
			return entry;
	}
	return NULL;
}

void
deviceevent_accept(struct state *state, const struct asyncrec *event)
{
	enum event_kind kind = 0;
	while (kind < EVENT_KIND_N && strcmp(kinds[kind].event, event->event) != 0)
		kind++;
	struct device_entry *entry = kind < EVENT_KIND_N ? find_device(state, event) : NULL;
	/* An orderly removal is no failure; the next scan shows that the device is missing. */
	if (entry != NULL && entry->known && !event->removed)
		entry->events[kind].count += (uint64_t)event->count;
}

/* --- a scan --- */

static void
report(struct evaluation *evaluation, const struct device_entry *entry, enum event_kind kind)
{
	const uint64_t count = entry->events[kind].count;
	struct claim claim =
		evaluation_about(evaluation, check_degradation(entry->layer), entry->node.key, 0);

	claim.error_code = kinds[kind].code;
	claim.store_only = kinds[kind].store_only;
	evaluation_report(evaluation, &claim, "NIC %s: %s, %" PRIu64 " time%s", entry->node.key,
		kinds[kind].text, count, text_plural(count));
	evaluation_end_at_once(evaluation, &claim, NULL);
}

void
deviceevent_eval(struct evaluation *evaluation)
{
	const struct scan *scan = evaluation->scan;
	for (size_t i = 0; i < scan->device_count && !evaluation->failed; i++) {
		struct device_entry *entry = evaluation_fine_device(evaluation, &scan->devices[i]);
		for (enum event_kind kind = 0; entry != NULL && kind < EVENT_KIND_N; kind++) {
			struct event_memory *memory = &entry->events[kind];
			if (!deviceevent_step(memory, scan->begin.boottime_ns))
				continue;
			report(evaluation, entry, kind);
			memory->count = 0;
		}
	}
}
