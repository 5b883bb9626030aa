/* gids - ports that lost their last RoCE v2 GID. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "gids.h"

#include "portfacts.h"

#include <inttypes.h>

bool
gids_step(struct gids_memory *memory, int64_t count, uint64_t now_ns)
{
	if (count > 0)
		memory->had_some = true;
	if (count != 0 || !memory->had_some) {
		memory->lost_ns = 0;
		return false;
	}
	if (memory->lost_ns == 0)
		memory->lost_ns = now_ns;
	if (now_ns < memory->lost_ns + GIDS_LOST_NS)
		return false;
	/* Report once, until the port has a GID again. */
	memory->had_some = false;
	return true;
}

/* A port that is not up loses its addresses for that reason, and has events of its own. */
static int64_t
count_of(const struct scanrec_port *port)
{
	uint64_t count;
	if (port->gids == NULL || !portfacts_is_ethernet(port) || !portfacts_is_up(port) ||
		rec_get_u64(port->gids, "roce_v2", &count) != REC_OK)
		return -1;
	return (int64_t)count;
}

void
gids_eval(struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry)
{
	const char *noun = layer_port(entry->layer);
	bool is_due = gids_step(
		&entry->gids, count_of(&port->record), evaluation->scan->begin.boottime_ns);
	if (!is_due || !evaluation->setting->enabled[check_degradation(entry->layer)])
		return;
	struct claim claim =
		evaluation_about_port(evaluation->scan, port, check_degradation(entry->layer));
	claim.error_code = CODE_ROCE_GIDS_LOST;
	evaluation_report(evaluation, &claim,
		"%s %s port %" PRId64 ": its last RoCE v2 GID is gone, though the port is ACTIVE",
		noun, port->record.device, port->record.port);
	evaluation_end_at_once(evaluation, &claim, noun);
}
