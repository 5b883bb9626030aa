/* portevent - events about a port's state. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_PORTEVENT_H
#define CTREVAL_PORTEVENT_H

#include "evaluation.h"

/* Report the port as healthy, with this errorCode. */
const json_t *port_report_healthy(struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry, const char *code);

/* Report the port as unhealthy and record that. `cause`: the id of the event that caused this one,
 * or NULL. If the port was held back, the event says for how long. */
const json_t *port_report_unhealthy(struct evaluation *evaluation, const struct scan_port *port,
	struct port_entry *entry, bool fatal, const char *cause);

/* Report that the port was unhealthy and held back, for how long, and that this is over: two
 * STORE_ONLY events. Return the first, borrowed. */
const json_t *port_report_blip(struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry);

/* Note that the port is unhealthy and not reported. */
void port_note_muted(struct evaluation *evaluation, const struct scan_port *port, enum layer layer);

/* Report the state of a port of the scan again, because its report was withdrawn together with
 * another. A port that is unreadable now is reported when it is readable. */
void port_report_again(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

#endif
