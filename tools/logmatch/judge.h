/* judge - what is to be said of a line that a pattern was found in: news or repetition, fatal or not, of which card, what it answers. Pure. */
#ifndef LOGMATCH_JUDGE_H
#define LOGMATCH_JUDGE_H

#include "cards.h"
#include "event.h"
#include "lockup.h"
#include "noise.h"
#include "pattern.h"
#include "standing.h"

/* Interfaces of NICs that an event names at most: those below a port of a switch. */
#define JUDGE_NICS_MAX 8

/* Longest name of an interface that is taken, bytes. */
#define JUDGE_NAME_MAX_BYTES 63

enum judge_function { JUDGE_FUNCTION_UNKNOWN, JUDGE_FUNCTION_PF, JUDGE_FUNCTION_VF };

/* What sysfs says about an address at the moment of its event. */
struct judge_facts {
	enum judge_function function;
	bool is_nic;       /* a function that mlx5_core drives, or could */
	bool is_above_nic; /* the port of a bridge or switch, with such functions below */
	char names[JUDGE_NICS_MAX]
		  [JUDGE_NAME_MAX_BYTES + 1]; /* of the interfaces that mlx5_core has there */
	size_t name_count;
};

struct judge_setting {
	bool enabled[LOGPATTERN_N];
	uint64_t window_ns[LOGPATTERN_N];   /* of noise control */
	const char *strategy[LOGPATTERN_N]; /* processingStrategy; never NULL */
};

/* Keys of texts that came lately: in a storm the same few come again, to the byte. */
#define JUDGE_KEYS 512

/* All that is remembered of the lines before. All zero: nothing. */
struct judge_memory {
	struct lockup lockup;
	struct noise noise;
	struct standing standing;
	struct cards cards;
	struct {
		uint64_t text, key; /* a hash of all of the text, and its noise_key(); 0: none */
	} keys[JUDGE_KEYS];         /* saves time only: not stored */
};

/* A line in which a pattern was found. */
struct judge_finding {
	enum logpattern pattern;
	const char *text; /* the message, any bytes */
	size_t length;
	uint64_t time_ns;             /* since 1970 */
	char pci[PCIADDR_SIZE];       /* the first address in it, or "" */
	struct lockup_finding lockup; /* when the pattern is stateful */
	uint64_t repeats; /* set by judge_is_news(): how often it was counted and not reported */
};

/* The texts of an event, which `event` points to. */
struct judge_report {
	struct event event;
	char message[REC_EVENT_MAX_BYTES];
	char stamp[32], card[PCIADDR_SIZE];
	char cpu[12], seconds[12], repeats[24];
	char group[STANDING_ID_SIZE], softens[STANDING_ID_SIZE];
	char answers[LOGPATTERN_N * STANDING_ID_SIZE];
	const char *codes[LOGPATTERN_N + 1];
	struct event_pair entities[JUDGE_NICS_MAX];
	struct event_pair metadata[12];
};

/* True when the finding is to be reported; else it was counted. */
bool judge_is_news(const struct judge_setting *setting, struct judge_memory *memory,
	struct judge_finding *finding);

/* Makes the event of a finding that is news. `id` is the one that the event will have. `out` borrows from all that is given. */
void judge_report(const struct judge_setting *setting, struct judge_memory *memory,
	const struct judge_finding *finding, const struct judge_facts *facts, const char *id,
	struct judge_report *out);

/* The setting's windows: those of the patterns, with another one for those that are not fatal if `window_ns` is not UINT64_MAX; 0 switches noise control off. */
void judge_set_windows(struct judge_setting *setting, uint64_t window_ns);

#endif
