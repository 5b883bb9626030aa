/* evaluation - what the judgements of one scan share: the rules, the memory, and how to report what
 * was found. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_EVALUATION_H
#define CTREVAL_EVALUATION_H

#include "../state/state.h"
#include "errorcode.h"
#include "event.h"
#include "setting.h"
#include "watched.h"

/* What a judgement has to say about a port, device, card or check: an event in ctreval's terms.
 * Strings are borrowed. */
struct claim {
	const char *check; /* checkName */
	bool fatal, healthy;
	/* NULL or "": none, for what clears all about its entities, or answers what was said
	 * without one */
	const char *error_code;
	const char *error_word; /* second errorCode; nullable */
	/* entity NIC: a device's name or a card's PCI address; nullable: no entities */
	const char *device;
	int64_t port;                     /* entity NICPort; 0: none */
	const char *pci, *role, *devices; /* metadata; nullable */
	const char *netdev;               /* the same; of an Ethernet port */
	const char *rate, *peer_rate;     /* the same */
	const char *link_downs;           /* the same */
	/* the same; the id of the event that this one follows from; "" counts as NULL */
	const char *cause;
	const char *parent;                 /* the same */
	const char *held_seconds;           /* the same */
	const char *down_seconds;           /* the same */
	const char *cleared_by, *clear_why; /* the same; who has cleared a counter */
	const char *changed, *was, *is;     /* the same; what is not what it was */
	bool store_only;                    /* whatever the stream's strategy is */
	const char *timestamp;
};

/* One scan being judged. */
struct evaluation {
	const struct eval_setting *setting;
	struct state *state;
	struct event_stream *stream;
	const struct scan *scan;
	struct eval_result *result;
	bool waiting;           /* only looking: the first scan's verdicts are not due yet */
	bool first;             /* they are due now */
	enum check only;        /* judge for this check alone; CHECK_N: for all */
	bool baseline[CHECK_N]; /* the check's was given in this scan */
	bool in_baseline;       /* what is said now belongs to one */
	bool failed;            /* memory ran out */
};

/* Why something is not judged, for --explain. */
#define EVALUATION_SWITCHED_OFF "its check is switched off (--checks)"
#define EVALUATION_WAITING "verdicts wait for a scan in which every device can be read"

/* Which of these keeps the check from being judged now; NULL: neither. */
const char *evaluation_why_not(const struct evaluation *evaluation, enum check check);

/* True when states of this link layer are to be judged now. */
bool evaluation_wants(const struct evaluation *evaluation, enum layer layer);

/* What is remembered of the scan's port; NULL: nothing. */
struct port_entry *evaluation_entry(
	const struct evaluation *evaluation, const struct scan_port *port);

/* What is remembered of the scan's device if it is watched, can be read, and its degradation check
 * is made; else NULL. What is gone or cannot be read has events of its own. */
struct device_entry *evaluation_fine_device(
	const struct evaluation *evaluation, const struct scan_device *device);

/* The card of a device: as annotated, else its PCI address without the function, in `card` of
 * STATE_NAME_SIZE; "" when it has none. */
void evaluation_card(const struct scanrec_device *device, char *card);

/* A text of whatever length it needs; the event cuts its message where a record must end. NULL when
 * memory ran out. */
char *evaluation_text_new(struct evaluation *evaluation, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds the event for this claim, with this message, and lends it; NULL when memory ran out. A check
 * that is switched off reports nothing: the caller looks at setting->enabled first. */
const json_t *evaluation_report(struct evaluation *evaluation, const struct claim *claim,
	const char *format, ...) __attribute__((format(printf, 3, 4)));

/* What has just been said of a port or device is over: says that, too. The claim is the same but
 * for its measures. `noun`: what the port is called; NULL: it is about a device. */
void evaluation_end_at_once(struct evaluation *evaluation, struct claim *claim, const char *noun);

/* Remembers which event has said it: NULL when memory ran out. */
void evaluation_set_id(char id[EVENT_ID_SIZE], const json_t *event);

/* What all events about a port have in common. */
struct claim evaluation_about_port(
	const struct scan *scan, const struct scan_port *port, enum check check);

/* The same for a device, a card, or a port (0: none), of which there may be no record in this
 * scan. */
struct claim evaluation_about(
	const struct evaluation *evaluation, enum check check, const char *device, int64_t port);

/* Calls `act` for each port of the device that is remembered, in natural order; it may remove the
 * port it is given and no other. */
void evaluation_each_port(struct evaluation *evaluation, const char *device,
	void (*act)(struct evaluation *evaluation, struct port_entry *port));

/* The same for each of its character devices that is missing. */
void evaluation_each_chardev(struct evaluation *evaluation, const char *device,
	void (*act)(struct evaluation *evaluation, struct chardev_entry *chardev));

/* Adds a line for stderr: what was seen, a colon, and why it is no event. */
void evaluation_note(struct evaluation *evaluation, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds a decision record, which is only to be called where setting->explain wants them: `about` a
 * counter, port, rate, card or device; `fields` of its own (stolen, may be NULL); the `event` that
 * came of it, or NULL; and the reason in words. */
void evaluation_explain(struct evaluation *evaluation, const char *about, json_t *fields,
	const json_t *event, const char *reason);

/* Memory runs out, or there are more entries than any node has (errno): the first ends the
 * evaluation, the second leaves this entry out, with a note. */
void evaluation_no_entry(struct evaluation *evaluation, const char *name);

/* One counter of one port in one scan. */
struct counter_reading {
	const struct scan_port *port;
	const struct counter_def *def;
	struct counter_memory *memory;
	struct counter_sample now;
	enum layer layer;
};

enum counter_verdict {
	COUNTER_QUIET,
	COUNTER_BREACH,
	COUNTER_RECOVERY,
};

/* Why the verdict is what it is. */
enum counter_why {
	COUNTER_FIRST_SEEN,
	COUNTER_WAS_RESET,
	COUNTER_CLEARED,    /* by an operator */
	COUNTER_TIME_STOOD, /* no later than its snapshot: no rate can be measured */
	COUNTER_LATCHED,    /* in breach already */
	COUNTER_WINDOW_OPEN,
	COUNTER_WITHIN,
	COUNTER_EXCEEDED,
	COUNTER_EXCEEDED_EARLY, /* the window is not over, and its whole allowance is used up */
};

/* The verdict and what it rests on. */
struct counter_finding {
	enum counter_verdict verdict;
	enum counter_why why;
	struct counter_sample snapshot; /* as it was before */
	uint64_t elapsed_ns;            /* since the snapshot; 0 where nothing was measured */
	uint64_t delta;                 /* growth since the snapshot */
	double rate;                    /* delta per watched_rate_unit() */
};

#endif
