/* probe - formats probes of kernel functions that receive a struct ib_event. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "probe.h"

#include <inttypes.h>
#include <stdio.h>

void
probe_definition(const struct probe *probe, const char *module, const struct layout *layout,
	char text[PROBE_TEXT_SIZE])
{
	char port[32] = "";
	if (probe->has_port)
		(void)snprintf(
			port, sizeof port, " port=+%" PRIu32 "($arg1):u32", layout->event_element);
	(void)snprintf(text, PROBE_TEXT_SIZE,
		"p:" PROBE_GROUP "/%s %s:%s event=+%" PRIu32 "($arg1):u32%s dev=+%" PRIu32
		"(+%" PRIu32 "($arg1)):string",
		probe->name, module, probe->function, layout->event_type, port, layout->device_name,
		layout->event_device);
}

void
probe_removal(const struct probe *probe, char text[PROBE_TEXT_SIZE])
{
	(void)snprintf(text, PROBE_TEXT_SIZE, "-:" PROBE_GROUP "/%s", probe->name);
}
