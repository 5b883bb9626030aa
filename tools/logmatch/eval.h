/* eval - what becomes of a line in which a pattern was found: reported or counted, fatal or not, of
 * which card, what it answers. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LOGMATCH_EVAL_H
#define LOGMATCH_EVAL_H

#include "event.h"
#include "lockup.h"
#include "noise.h"
#include "pattern.h"
#include "standing.h"
#include "subject.h"

enum eval_function { EVAL_FUNCTION_UNKNOWN, EVAL_FUNCTION_PF, EVAL_FUNCTION_VF };

/* What sysfs says about an address at the moment of its event. */
struct eval_facts {
	enum eval_function function;
	bool is_nic;               /* a function that mlx5_core drives, or could; of EFA: efa */
	bool is_above_nic;         /* the port of a bridge or switch, with such functions below */
	struct standing_nics nics; /* that the driver has there */
};

struct eval_setting {
	bool enabled[LOGPATTERN_N];
	uint64_t window_ns;                 /* of noise control; 0: none */
	const char *strategy[LOGPATTERN_N]; /* processingStrategy; never NULL */
	bool trusts_text; /* what has no evidence but its text is as good as a record */
};

/* All that is remembered of the lines before. All zero: nothing. */
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
	char pci[SUBJECT_PCI_SIZE];   /* the first address in it, or "" */
	char device[SUBJECT_SIZE];    /* that it is about, see subject.h */
	bool is_text;                 /* there is no evidence but the text */
	bool is_doubted;              /* and it names no NIC of this node: it is not fatal */
	struct lockup_finding lockup; /* when the pattern is stateful */
	uint64_t repeats; /* set by eval_is_reported(): how often it was counted and not told */
	unsigned reports; /* made of it so far */
};

/* The texts of an event, which `event` points to. */
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

/* A window of noise control is as long as this unless another length is asked for. */
#define EVAL_WINDOW_NS (UINT64_C(60) * 1000 * 1000 * 1000)

/* True when the finding is to be reported; else it was counted, see noise.h. What is healthy always
 * is. */
bool eval_is_reported(const struct eval_setting *setting, struct eval_memory *memory,
	struct eval_finding *finding);

/* Whether a finding is fatal, as its event says. `facts` may be NULL where the pattern's severity
 * is always the same. To be asked before eval_report(), which remembers it. */
bool eval_is_fatal(const struct eval_memory *memory, const struct eval_finding *finding,
	const struct eval_facts *facts);

/* Makes the next event of a finding that is to be reported; false when there are no more. To be
 * called until then: a recovery has an event for each set of NICs that its conditions named. `id`
 * is the one that the event will have. `out` borrows from all that is given. */
bool eval_report(const struct eval_setting *setting, struct eval_memory *memory,
	struct eval_finding *finding, const struct eval_facts *facts, const char *id,
	struct eval_report *out);

/* Makes the next event that takes back what stands of patterns which are enabled no longer, as
 * eval_report() does; false when there is none. `time_ns` is since 1970. */
bool eval_take_back(const struct eval_setting *setting, struct eval_memory *memory,
	uint64_t time_ns, struct eval_report *out);

/* Makes the event that ends all that was said before a moment, such as a boot. `strategy` is its
 * processingStrategy. */
void eval_baseline(const char *strategy, uint64_t time_ns, struct eval_report *out);

/* The processingStrategy with which such an event reaches everybody who got what stands, or may
 * have got something with these settings. */
const char *eval_baseline_strategy(
	const struct eval_setting *setting, const struct eval_memory *memory);

#endif
