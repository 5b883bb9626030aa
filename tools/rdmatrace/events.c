/* events - enables and disables the traced events, as far as the kernel has them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "events.h"

#include "array.h"
#include "diag.h"
#include "probe.h"
#include "sysfs.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#define MODULE_BIT(module) (1U << (module))
/* Inode that no directory has. */
#define NOT_LOOKED_AT ((ino_t)-1)

static const char *const module_names[EVENTS_MODULE_N] = {
	[EVENTS_IB_CORE] = "ib_core",
	[EVENTS_IB_UVERBS] = "ib_uverbs",
	[EVENTS_RDMA_CM] = "rdma_cm",
};

/* In drivers/infiniband/core, uverbs_main.c and uverbs_std_types_*.c receive the events of queues
 * that belong to processes, device.c those of devices and ports, and cma_trace.h has those of
 * connections. */
static const struct event {
	enum events_module module;
	struct probe probe;
	const char *tracepoint; /* "GROUP/NAME" below events/; NULL: a probe */
} table[] = {
	{EVENTS_RDMA_CM, {.name = "cm_event_handler"}, "rdma_cma/cm_event_handler"},
	{EVENTS_IB_UVERBS, {"ib_qp", "ib_uverbs_qp_event_handler", false}, NULL},
	{EVENTS_IB_UVERBS, {"ib_cq", "ib_uverbs_cq_event_handler", false}, NULL},
	{EVENTS_IB_UVERBS, {"ib_srq", "ib_uverbs_srq_event_handler", false}, NULL},
	{EVENTS_IB_UVERBS, {"ib_wq", "ib_uverbs_wq_event_handler", false}, NULL},
	{EVENTS_IB_CORE, {"ib_event", "ib_dispatch_event_clients", true}, NULL},
};
static_assert(ARRAY_COUNT(table) <= EVENTS_MAX, "each has its place in struct events");

/* Filter out the steps of successful connections, which are most events (enum rdma_cm_event_type).
 * Keep RDMA_CM_EVENT_DISCONNECTED: it can mean that the peer was killed. */
#define FAILURES \
	"event != 0 && event != 2 && event != 4 && event != 5 && event != 9 && event != 12 && " \
	"event != 15"

void
events_init(struct events *events, const struct instance *instance, const char *sysfs_path,
	int sysfs_root)
{
	*events = (struct events){
		.instance = instance, .sysfs_path = sysfs_path, .sysfs_root = sysfs_root};
	for (size_t i = 0; i < EVENTS_MODULE_N; i++)
		events->inodes[i] = NOT_LOOKED_AT;
}

/* Write a file of the event in the tracefs instance. Return 0, or -1 with errno. */
static int
set(const struct events *events, const struct event *event, const char *file, const char *text)
{
	char path[PROBE_TEXT_SIZE];
	if (event->tracepoint != NULL)
		(void)snprintf(path, sizeof path, "events/%s/%s", event->tracepoint, file);
	else
		(void)snprintf(
			path, sizeof path, "events/" PROBE_GROUP "/%s/%s", event->probe.name, file);
	return instance_write(events->instance->directory, path, text);
}

static int
write_probe(const struct events *events, const char *text)
{
	return instance_write(events->instance->tracefs, "kprobe_events", text);
}

/* Remove the event's probe. There may be one from a killed run, or from an earlier load of the
 * module. */
static void
remove_probe(const struct events *events, const struct event *event)
{
	char text[PROBE_TEXT_SIZE];
	(void)set(events, event, "enable", "0");
	probe_removal(&event->probe, text);
	(void)write_probe(events, text);
}

/* Enable the event. Return NULL, or the reason for the failure. */
static const char *
begin(const struct events *events, const struct event *event)
{
	char text[PROBE_TEXT_SIZE];
	int status;
	if (event->tracepoint != NULL) {
		status = set(events, event, "filter", FAILURES);
	} else {
		remove_probe(events, event);
		if (events->no_layout != NULL)
			return events->no_layout;
		probe_definition(&event->probe, module_names[event->module], &events->layout, text);
		status = write_probe(events, text);
	}
	if (status == 0)
		status = set(events, event, "enable", "1");
	return status < 0 ? strerror(errno) : NULL;
}

static void
try(struct events *events, size_t index)
{
	const struct event *event = &table[index];
	if (events->inodes[event->module] == 0) {
		diag_info("%s: waiting for the module %s", event->probe.name,
			module_names[event->module]);
		return;
	}
	const char *problem = begin(events, event);
	if (problem == NULL)
		diag_info("%s: traced", event->probe.name);
	else if (!events->has_warned[index])
		diag_warn("%s: not traced: %s", event->probe.name, problem);
	events->has_warned[index] = problem != NULL;
}

/* Return a bit for each module that was loaded, unloaded or reloaded since the last call. */
static unsigned
look_at_modules(struct events *events)
{
	char path[32];
	struct stat status;
	unsigned changed = 0;
	for (size_t i = 0; i < EVENTS_MODULE_N; i++) {
		(void)snprintf(path, sizeof path, "module/%s", module_names[i]);
		ino_t inode = sysfs_stat(events->sysfs_root, path, &status) == SYSFS_OK
				      ? status.st_ino
				      : 0;
		if (inode != events->inodes[i])
			changed |= MODULE_BIT(i);
		events->inodes[i] = inode;
	}
	return changed;
}

void
events_look(struct events *events)
{
	unsigned changed = look_at_modules(events);
	/* All probes read structs of ib_core. */
	bool has_other_layout = (changed & MODULE_BIT(EVENTS_IB_CORE)) != 0;
	if (has_other_layout)
		events->no_layout = layout_read(events->sysfs_path, &events->layout);
	for (size_t i = 0; i < ARRAY_COUNT(table); i++)
		if ((changed & MODULE_BIT(table[i].module)) != 0 ||
			(has_other_layout && table[i].tracepoint == NULL))
			try(events, i);
}

void
events_end(struct events *events)
{
	for (size_t i = 0; i < ARRAY_COUNT(table); i++)
		if (table[i].tracepoint == NULL)
			remove_probe(events, &table[i]);
}
