/* explain - decision records: what was compared with what, and why there was or was not an event (ctreval --explain). */
#ifndef CTREVAL_EXPLAIN_H
#define CTREVAL_EXPLAIN_H

#include "cardcheck.h"
#include "peers.h"

/* A counter that was judged. `said` is the event that came of it, or NULL. */
void explain_counter(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const struct counter_memory *memory,
	const struct counter_sample *now, const struct counter_finding *finding,
	const json_t *said);

/* A counter that was not: it is not watched, or the port does not have it. */
void explain_no_counter(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, bool watched);

/* What is said of a counter besides its threshold. */
void explain_counter_event(struct evaluation *evaluation, const struct scan_port *port,
	const struct counter_def *def, const json_t *said, const char *reason);

/* A port's state. `reason` NULL: as the table of port.c has it. */
void explain_port(struct evaluation *evaluation, const struct scan_port *port,
	enum port_memory before, enum port_memory after, const json_t *said, const char *reason);

/* A card: how many active ports it has, what its peers have, and what follows. `devices` as cardcheck_devices_new() gives them. */
void explain_card(struct evaluation *evaluation, const struct card_unit *unit, const char *devices,
	enum card_sight sight, const json_t *said);

/* A port's rate: what it is, what its peers have, and what follows. */
void explain_rate(struct evaluation *evaluation, const struct scan_port *port,
	const struct peers_port *peers, const struct port_entry *entry, const json_t *said,
	const char *reason);

/* A device that is there. */
void explain_device(struct evaluation *evaluation, const struct scan_device *device,
	const json_t *said, const char *reason);

/* A port that is not, though its device is. */
void explain_missing_port(struct evaluation *evaluation, const struct port_entry *port,
	const json_t *said, const char *reason);

/* What was reported and is watched no more; `event` is what takes it back. */
void explain_leaving(struct evaluation *evaluation, const char *about, const struct claim *claim,
	const json_t *said);

/* A device that is not. */
void explain_missing(struct evaluation *evaluation, const struct device_entry *entry,
	const json_t *said, const char *reason);

#endif
