/* probe - formats probes of kernel functions that receive a struct ib_event, for kprobe_events
 * (Documentation/trace/kprobetrace.rst). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDMATRACE_PROBE_H
#define RDMATRACE_PROBE_H

#include "layout.h"

#include <stdbool.h>

/* Group of all probes, and name of the tracefs instance. */
#define PROBE_GROUP "rdmatrace"

struct probe {
	const char *name;     /* of the probe's event */
	const char *function; /* NULL: no probe */
	bool has_port;        /* ib_event.element can be a port number */
};

/* Size of the longest probe text, or path of a file of its event. */
#define PROBE_TEXT_SIZE 256

/* Format "p:rdmatrace/NAME MODULE:FUNCTION ...", which creates the probe. Because of the module's
 * name the kernel keeps the probe when the module is unloaded, and sets it when it is reloaded. */
void probe_definition(const struct probe *probe, const char *module, const struct layout *layout,
	char text[PROBE_TEXT_SIZE]);

/* Format "-:rdmatrace/NAME", which removes the probe. */
void probe_removal(const struct probe *probe, char text[PROBE_TEXT_SIZE]);

#endif
