/* evaluation - shared by all checks of one scan: settings, state, and how to report a result. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_EVALUATION_H
#define CTREVAL_EVALUATION_H

#include "../state/state.h"
#include "errorcode.h"
#include "event.h"
#include "setting.h"
#include "watched.h"

/* The content of an event about a port, device, card or check. Strings are borrowed. */
struct claim {
	const char *check; /* checkName */
	bool fatal, healthy;
	/* NULL or "": none. Such an event withdraws all reports about its entities, or a report
	 * without a code. */
	const char *error_code;
	const char *error_word; /* second errorCode; nullable */
	/* entity NIC: a device's name or a card's PCI address; NULL: no entities */
	const char *device;
	int64_t port;                     /* entity NICPort; 0: none */
	const char *pci, *role, *devices; /* metadata; nullable */
	const char *netdev;               /* metadata of Ethernet ports; nullable */
	const char *rate, *peer_rate;     /* metadata; nullable */
	const char *link_downs;           /* metadata; nullable */
	/* metadata; the id of the event that caused this one; NULL or "": none */
	const char *cause;
	const char *parent;                 /* metadata; nullable */
	const char *held_seconds;           /* metadata; nullable */
	const char *down_seconds;           /* metadata; nullable */
	const char *cleared_by, *clear_why; /* metadata; who cleared a counter, and why; nullable */
	const char *changed, *was, *is;     /* metadata; the fact that changed; nullable */
	bool store_only;                    /* STORE_ONLY instead of the stream's strategy */
	const char *timestamp;
};

/* The evaluation of one scan. */
struct evaluation {
	const struct eval_setting *setting;
	struct state *state;
	struct event_stream *stream;
	const struct scan *scan;
	struct eval_result *result;
	bool waiting;           /* the first verdicts are still deferred: record only */
	bool booting;           /* waiting, because the node is not up for bootGrace yet */
	bool first;             /* the first verdicts are due in this scan */
	enum check only;        /* evaluate only this check; CHECK_N: all */
	bool baseline[CHECK_N]; /* the check's baseline was sent in this scan */
	bool in_baseline;       /* events reported now belong to a baseline */
	bool failed;            /* memory ran out */
};

/* Reasons why something is not evaluated, for --explain. */
#define EVALUATION_SWITCHED_OFF "its check is disabled (--checks)"

/* Return the reason why the first verdicts are still deferred. */
const char *evaluation_why_waiting(const struct evaluation *evaluation);

/* Return the reason why the check is not evaluated now, or NULL if it is. */
const char *evaluation_why_not(const struct evaluation *evaluation, enum check check);

/* Return true if states of this link layer are evaluated now. */
bool evaluation_wants(const struct evaluation *evaluation, enum layer layer);

/* Return true if the record's device is certainly another one than the entry's: it has another PCI
 * address. */
bool evaluation_is_other(const struct device_entry *entry, const struct scanrec_device *record);

/* Return the state's entry of the scan's port, or NULL. */
struct port_entry *evaluation_entry(
	const struct evaluation *evaluation, const struct scan_port *port);

/* Return the state's entry of the scan's device if it is watched and readable, its degradation
 * check is enabled, and no event that it is gone or unreadable is open; else NULL. */
struct device_entry *evaluation_fine_device(
	const struct evaluation *evaluation, const struct scan_device *device);

/* Copy the device's card into `card` of STATE_NAME_SIZE bytes: as annotated, else the PCI address
 * without the function; "" if the device has neither. */
void evaluation_card(const struct scanrec_device *device, char *card);

/* Format a text of any length; an event truncates its message if needed. The caller must free() it.
 * NULL when memory ran out. */
char *evaluation_text_new(struct evaluation *evaluation, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append an event with this claim and message to the result. Return it, borrowed; NULL when memory
 * ran out. Callers must first check that setting->enabled has the claim's check. */
const json_t *evaluation_report(struct evaluation *evaluation, const struct claim *claim,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Let healthy events have the stream's strategy once nothing is open that was reported with
 * another one. */
void evaluation_settle_strategy(struct evaluation *evaluation);

/* Append the healthy event that ends the unhealthy event just reported, with the same claim without
 * its measurements. `noun`: what messages call the port; NULL: the claim is about a device. */
void evaluation_end_at_once(struct evaluation *evaluation, struct claim *claim, const char *noun);

/* Copy the event's id. `event` may be NULL when memory ran out. */
void evaluation_set_id(char id[EVENT_ID_SIZE], const json_t *event);

/* Return a claim with the members that all events about a port of the scan share. */
struct claim evaluation_about_port(
	const struct scan *scan, const struct scan_port *port, enum check check);

/* The same for a device, a card, or a port (0: none) that this scan may not have. */
struct claim evaluation_about(
	const struct evaluation *evaluation, enum check check, const char *device, int64_t port);

/* Call `act` for each port of the device in the state, in natural order. `act` may remove the port
 * it receives and no other. */
void evaluation_each_port(struct evaluation *evaluation, const char *device,
	void (*act)(struct evaluation *evaluation, struct port_entry *port));

/* The same for each of its missing character devices. */
void evaluation_each_chardev(struct evaluation *evaluation, const char *device,
	void (*act)(struct evaluation *evaluation, struct chardev_entry *chardev));

/* Append a line for stderr: what was seen, a colon, and why it is no event. */
void evaluation_note(struct evaluation *evaluation, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Append a decision record. Call it only if setting->explain is true. `about`: counter, port, rate,
 * card, device or another subject; `fields`: its own members (stolen, may be NULL); `event`: the
 * event that resulted, or NULL; `reason`: in words. */
void evaluation_explain(struct evaluation *evaluation, const char *about, json_t *fields,
	const json_t *event, const char *reason);

/* Handle a failure to add an entry, by errno: ENOSPC (table full) skips this entry with a note,
 * anything else (out of memory) ends the evaluation. */
void evaluation_no_entry(struct evaluation *evaluation, const char *name);

/* One counter of one port in one scan. */
struct counter_reading {
	const struct scan_port *port;
	const struct counter_def *def;
	struct counter_memory *memory;
	struct counter_sample now;
	enum layer layer;
	bool in_grace; /* driverReloadGrace covered the device until this scan */
};

enum counter_verdict {
	COUNTER_QUIET,
	COUNTER_BREACH,
	COUNTER_RECOVERY,
};

/* The reason for a verdict. */
enum counter_why {
	COUNTER_FIRST_SEEN,
	COUNTER_WAS_RESET,
	COUNTER_CLEARED,    /* by an operator */
	COUNTER_TIME_STOOD, /* not later than the snapshot: no rate can be measured */
	COUNTER_LATCHED,    /* already in breach */
	COUNTER_WINDOW_OPEN,
	COUNTER_WITHIN,
	COUNTER_EXCEEDED,
	COUNTER_EXCEEDED_EARLY, /* the window is not over, but the growth exceeds its threshold */
};

/* A verdict and the measurement behind it. */
struct counter_finding {
	enum counter_verdict verdict;
	enum counter_why why;
	struct counter_sample snapshot; /* as it was before this scan */
	uint64_t elapsed_ns;            /* since the snapshot; 0 if nothing was measured */
	uint64_t delta;                 /* growth since the snapshot */
	double rate;                    /* delta per watched_rate_unit() */
};

#endif
