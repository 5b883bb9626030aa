/* probe - a probe of a kernel function that is called with a struct ib_event, as the text that
 * kprobe_events takes (Documentation/trace/kprobetrace.rst). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef RDMATRACE_PROBE_H
#define RDMATRACE_PROBE_H

#include "layout.h"

#include <stdbool.h>

/* What all of them belong to, and their tracefs instance. */
#define PROBE_GROUP "rdmatrace"

struct probe {
	const char *name;     /* of the event it makes */
	const char *function; /* NULL: it is no probe */
	bool has_port;        /* the event's element can be the number of a port */
};

/* Longest text of a probe or of a file of its event. */
#define PROBE_TEXT_SIZE 256

/* "p:rdmatrace/NAME MODULE:FUNCTION ...": makes it. With the module's name the kernel keeps it when
 * the module is unloaded, and places it again when that is loaded. */
void probe_definition(const struct probe *probe, const char *module, const struct layout *layout,
	char text[PROBE_TEXT_SIZE]);

/* "-:rdmatrace/NAME": removes it. */
void probe_removal(const struct probe *probe, char text[PROBE_TEXT_SIZE]);

#endif
