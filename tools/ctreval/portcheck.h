/* portcheck - the state of one port in one scan: SPEC section 4.2. */
#ifndef CTREVAL_PORTCHECK_H
#define CTREVAL_PORTCHECK_H

#include "evaluation.h"

/* Judges the port; while the first verdicts wait, only looks. `evidence`: its card, or the configuration, says that it should be healthy, which
 * counts for a port that was never seen before. */
void portcheck_port(struct evaluation *evaluation, const struct scan_port *port,
	struct port_entry *entry, bool evidence);

/* Says that the port is healthy, and then again what stands under the same check. */
const json_t *portcheck_say_healthy(struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry);

#endif
