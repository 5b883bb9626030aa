/* state - what ctreval remembers of ports, devices and cards from one scan to the next. */
#ifndef CTREVAL_STATE_H
#define CTREVAL_STATE_H

#include "card.h"
#include "counter.h"
#include "device.h"
#include "port.h"
#include "rate.h"
#include "table.h"

#include <stdbool.h>

/* Longest name of a record that is kept, with its NUL (scanrec bounds them), and longest state or link layer. */
#define STATE_NAME_SIZE 65
#define STATE_WORD_SIZE 33
/* A state as sysfs writes it: number, colon, name. */
#define STATE_RAW_SIZE 64

/* One port. */
struct port_entry {
	struct table_node node;
	char device[STATE_NAME_SIZE];
	long long number;
	enum port_memory health;
	bool known; /* seen in a scan of this boot, under these settings; otherwise only counters are known */
	bool gone;        /* reported as disappeared while its device stayed */
	unsigned missing; /* scans in a row without it */
	enum rate_memory rate;
	uint64_t slow_since_ns; /* CLOCK_BOOTTIME; while RATE_WAITING or RATE_SLOW */
	uint64_t seen;          /* state.stamp of the last scan that had it */
	bool ethernet;
	/* As last seen; "" when not known. The first three are for the state file. */
	char link_layer[STATE_WORD_SIZE];
	char state[STATE_RAW_SIZE], phys_state[STATE_RAW_SIZE];
	char card[STATE_NAME_SIZE];
	size_t counter_count;
	struct counter_memory
		counters[]; /* one for each configured counter, in the configuration's order */
};

/* One device that is, or was, monitored. */
struct device_entry {
	struct table_node node; /* its key is the device's name */
	bool known; /* seen in a scan of this boot, under these settings: when it is missing, it is missed */
	enum device_memory presence;
	unsigned missing, unreadable; /* scans in a row */
	bool baseline_owed;           /* it could not be read when the others' baseline was made */
	bool ethernet;                /* of its ports, as last seen */
	char pci[STATE_NAME_SIZE], node_guid[STATE_NAME_SIZE], role[STATE_NAME_SIZE],
		card[STATE_NAME_SIZE];
	uint64_t seen; /* state.stamp of the last scan that had it */
};

/* One card's ports of one link layer. */
struct card_entry {
	struct table_node node;
	char card[STATE_NAME_SIZE];
	bool ethernet;
	enum card_memory memory;
	uint64_t below_since_ns; /* CLOCK_BOOTTIME; while CARD_WAITING or CARD_ANOMALOUS */
	size_t unit;             /* its index among the cards of the present scan, ... */
	uint64_t seen;           /* ... where state.stamp is this */
};

/* A breach, or a reported saturation, whose counter nobody watches any more. */
struct orphan {
	char device[STATE_NAME_SIZE];
	long long port;
	char *name;
	bool saturated; /* and no breach */
	struct breach breach;
	struct orphan *next;
};

struct state {
	size_t counter_count;
	struct table ports, devices, cards;
	struct orphan *orphans;        /* in the order they were added */
	char boot_id[STATE_NAME_SIZE]; /* "": not known */
	char *scope;                   /* inclusion and exclusion settings; NULL: not known */
	bool settled;                  /* the first scan's verdicts have been given */
	unsigned waited;               /* scans that were not complete enough for them */
	bool baseline_owed;
	bool has_wall_snapshots; /* some snapshots' times are still to be turned into boot times */
	bool overfull;           /* something could not be remembered, which has been said */
	uint64_t stamp;          /* counts the scans judged in this process */
	bool changed; /* latches or memories, since this was last cleared: must be stored at once */
	bool touched; /* snapshots too: may wait */
};

/* For `counter_count` counters per port. Free with state_fini(). */
void state_init(struct state *state, size_t counter_count);
void state_fini(struct state *state);

/* Makes it as it was after state_init(). */
void state_reset(struct state *state);

/* Finds, or makes. NULL with errno: ENOMEM, or ENOSPC when there are more than any node has. */
struct port_entry *state_port(struct state *state, const char *device, long long number);
struct device_entry *state_device(struct state *state, const char *device);
struct card_entry *state_card(struct state *state, const char *card, bool ethernet);

/* Finds; NULL when there is none. */
struct port_entry *state_find_port(const struct state *state, const char *device, long long number);
struct device_entry *state_find_device(const struct state *state, const char *device);
struct card_entry *state_find_card(const struct state *state, const char *card, bool ethernet);

/* True when an event about the port, but for its counters' breaches, stands. */
bool state_port_is_reported(const struct port_entry *entry);

/* Gives a device and its ports another name, which neither has yet. */
void state_rename_device(struct state *state, struct device_entry *entry, const char *name);

void state_remove_port(struct state *state, struct port_entry *entry);
void state_remove_device(struct state *state, struct device_entry *entry);
void state_remove_card(struct state *state, struct card_entry *entry);

/* Adds a breach that nobody watches, whose message it takes, or, with NULL, a saturation. 0, or -1 when memory ran out. */
int state_add_orphan(struct state *state, const char *device, long long port, const char *name,
	struct breach *breach);
void state_free_orphan(struct orphan *orphan);

/* A new boot: nothing that was seen before it counts. The first scan's verdicts are due again. */
void state_forget_boot(struct state *state);

/* Other inclusion and exclusion settings: which ports and devices there are is to be learned again, so that nothing has disappeared. What was
 * reported and still stands is kept, and so are counters. */
void state_forget_scope(struct state *state);

/* Copies a text into a bounded field, cut at a character's boundary; NULL becomes "". */
void state_copy(char *field, size_t size, const char *text);

#endif
