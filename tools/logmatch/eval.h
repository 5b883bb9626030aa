/* eval - decides how a line in which a pattern was found is reported: counted or as an event, fatal
 * or not, for which card, and which conditions it ends. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_EVAL_H
#define LOGMATCH_EVAL_H

#include "event.h"
#include "lockup.h"
#include "noise.h"
#include "num.h"
#include "pattern.h"
#include "standing.h"
#include "subject.h"

enum eval_function { EVAL_FUNCTION_UNKNOWN, EVAL_FUNCTION_PF, EVAL_FUNCTION_VF };

/* What sysfs shows for an address at the time of its event. */
struct eval_facts {
	enum eval_function function;
	bool is_nic;               /* a function that mlx5_core drives or can drive; EFA: efa */
	bool is_above_nic;         /* port of a bridge or switch with such functions below it */
	struct standing_nics nics; /* names that the driver gave its devices there */
};

struct eval_setting {
	bool enabled[LOGPATTERN_N];
	uint64_t window_ns;                 /* of noise control; 0: off */
	const char *strategy[LOGPATTERN_N]; /* processingStrategy; never NULL */
	bool trusts_text; /* treat findings from text alone like those from records */
};

/* Everything remembered of earlier lines. All zeros: nothing. */
struct eval_memory {
	struct lockup lockup;
	struct noise noise;
	struct standing standing;
	struct noise_cards cards;
};

/* A line in which a pattern was found. */
struct eval_finding {
	enum logpattern pattern;
	const char *text; /* the message, any bytes */
	size_t length;
	uint64_t time_ns;             /* since 1970 */
	char pci[SUBJECT_PCI_SIZE];   /* first PCI address in the text, or "" */
	char device[SUBJECT_SIZE];    /* device of the line, see subject.h */
	bool is_text;                 /* no evidence but the text */
	bool is_doubted;              /* text alone, and no NIC of this node: not fatal */
	struct lockup_finding lockup; /* only if the pattern is stateful */
	uint64_t repeats; /* set by eval_is_reported(): matches counted without a report */
	unsigned reports; /* events made of it so far */
};

/* An event and the buffers that it points to. */
struct eval_report {
	struct event event;
	char message[REC_EVENT_MAX_BYTES];
	char stamp[32], card[SUBJECT_PCI_SIZE];
	char cpu[12], seconds[12], repeats[24];
	char group[STANDING_ID_SIZE], softens[STANDING_ID_SIZE];
	char answers[LOGPATTERN_N * STANDING_ID_SIZE];
	const char *codes[LOGPATTERN_N + 1];
	struct standing_nics nics;
	struct event_pair entities[STANDING_NICS_MAX];
	struct event_pair metadata[12];
};

/* Default length of a noise control window. */
#define EVAL_WINDOW_NS (60 * NUM_NS_PER_S)

/* Return true if the finding is to be reported; otherwise noise control counted it (noise.h).
 * Recoveries are always reported. */
bool eval_is_reported(const struct eval_setting *setting, struct eval_memory *memory,
	struct eval_finding *finding);

/* Return whether the finding's event is fatal. `facts` may be NULL if the pattern's severity is
 * fixed. Call it before eval_report(), which remembers the condition. */
bool eval_is_fatal(const struct eval_memory *memory, const struct eval_finding *finding,
	const struct eval_facts *facts);

/* Make the next event of a finding to be reported; false when there are no more. Call it until
 * then: a recovery has one event for each set of NICs that its conditions named. `id` is the id
 * that the event will have. `out` borrows from all arguments. */
bool eval_report(const struct eval_setting *setting, struct eval_memory *memory,
	struct eval_finding *finding, const struct eval_facts *facts, const char *id,
	struct eval_report *out);

/* Make the next event that ends conditions of patterns no longer enabled; false when there are no
 * more. Call it until then. `time_ns` is since 1970. */
bool eval_take_back(const struct eval_setting *setting, struct eval_memory *memory,
	uint64_t time_ns, struct eval_report *out);

/* Make the baseline event, which ends every condition reported before `time_ns`, such as a boot.
 * `strategy` is its processingStrategy. */
void eval_baseline(const char *strategy, uint64_t time_ns, struct eval_report *out);

/* Return the processingStrategy with which a baseline event reaches every receiver that got, or
 * with these settings may have got, an earlier event. */
const char *eval_baseline_strategy(
	const struct eval_setting *setting, const struct eval_memory *memory);

#endif
