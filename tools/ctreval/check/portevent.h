/* portevent - what is said of a port's state. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_PORTEVENT_H
#define CTREVAL_PORTEVENT_H

#include "evaluation.h"

/* Says that the port is healthy, with this errorCode. */
const json_t *port_report_healthy(struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry, const char *code);

/* Says that the port is not healthy, and remembers it; `cause`, the id of the event that this one
 * follows from, may be NULL. A port that has been held back for this says for how long. */
const json_t *port_report_unhealthy(struct evaluation *evaluation, const struct scan_port *port,
	struct port_entry *entry, bool fatal, const char *cause);

/* Says that the port, which is healthy, was held back while it was not, and for how long; and at
 * once that this is over. No receiver is to act on either. Lends the first event. */
const json_t *port_report_blip(struct evaluation *evaluation, const struct scan_port *port,
	const struct port_entry *entry);

/* Notes that the port is not healthy, which is not reported. */
void port_note_muted(struct evaluation *evaluation, const struct scan_port *port, enum layer layer);

/* Reports once more the state of a port that is in the scan, because receivers have been made to
 * forget it. A port that cannot be read now is reported when it can be. */
void port_report_again(
	struct evaluation *evaluation, const struct scan_port *port, struct port_entry *entry);

#endif
