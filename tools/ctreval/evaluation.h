/* evaluation - what the judgements of one scan share: the rules, the memory, and how to say what was found. */
#ifndef CTREVAL_EVALUATION_H
#define CTREVAL_EVALUATION_H

#include "eval.h"

/* What a judgement has to say about a port, device, card or check: an event in ctreval's terms. Strings are borrowed. */
struct claim {
	const char *check; /* checkName */
	bool fatal, healthy;
	const char *message;
	const char *error_code; /* nullable */
	const char *error_word; /* second errorCode; nullable */
	const char *
		device; /* entity NIC: a device's name or a card's PCI address; nullable: no entities */
	int64_t port;                     /* entity NICPort; 0: none */
	const char *pci, *role, *devices; /* metadata; nullable */
	const char *rate, *peer_rate;     /* the same */
	const char *timestamp;
};

/* One scan being judged. */
struct evaluation {
	const struct eval_setting *setting;
	struct state *state;
	struct event_stream *stream;
	const struct scan *scan;
	struct eval_result *result;
	bool waiting;    /* only looking: the first scan's verdicts are not due yet */
	bool first;      /* they are due now */
	enum check only; /* judge for this check alone; CHECK_N: for all */
	bool failed;     /* memory ran out */
};

/* True when states of this link layer are to be judged now. */
bool evaluation_wants(const struct evaluation *evaluation, bool ethernet);

/* Ports of virtual functions never alert; those of NICs nobody needs for the job are not judged. A port whose device
 * record was lost, and that topoclass did not annotate, may be either: it is left for the next scan. */
bool evaluation_is_judged(const struct scan *scan, const struct scan_port *port);

/* The same for a device. */
bool evaluation_is_watched(const struct scan_device *device);

/* The card of a device: as annotated, else its PCI address without the function, in `card` of STATE_NAME_SIZE; "" when it has none. */
void evaluation_card(const struct scanrec_device *device, char *card);

/* True when the port's state is known and is ACTIVE and LinkUp. */
bool evaluation_is_healthy(const struct scanrec_port *port);

/* A text of whatever length it needs; the event cuts its message where a record must end. NULL when memory ran out. */
char *evaluation_text_new(struct evaluation *evaluation, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Adds the event that says so and gives it back, lent; NULL when memory ran out. Events of checks that are switched off are not to be said: the caller
 * looks at setting->enabled first. */
const json_t *evaluation_say(struct evaluation *evaluation, const struct claim *claim);

/* What all events about a port have in common. */
struct claim evaluation_about_port(
	const struct scan *scan, const struct scan_port *port, enum check check);

/* Adds a line for stderr: what was seen, and why it is no event. */
void evaluation_note(struct evaluation *evaluation, const char *seen, const char *why);

/* Adds a decision record, when they are wanted: `about` a counter, port, rate, card or device; `fields` of its own (stolen, may be NULL); the `event`
 * that came of it, or NULL; and the reason in words. */
void evaluation_explain(struct evaluation *evaluation, const char *about, json_t *fields,
	const json_t *event, const char *reason);

/* Memory runs out, or there are more entries than any node has (errno): the first ends the evaluation, the second leaves this entry out, with a
 * note. */
void evaluation_no_entry(struct evaluation *evaluation, const char *name);

#endif
