/* state - what ctreval remembers of ports, devices and cards from one scan to the next. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATE_H
#define CTREVAL_STATE_H

#include "chardev.h"
#include "identity.h"
#include "memory.h"
#include "silence.h"
#include "table.h"

#include <stdbool.h>

/* Longest name of a record that is kept, with its NUL (scanrec bounds them), and longest state or
 * link layer. */
#define STATE_NAME_SIZE 65
#define STATE_WORD_SIZE 33
/* A state as sysfs writes it: number, colon, name. */
#define STATE_RAW_SIZE 64
/* Longest errorCode about a state, with its NUL. */
#define STATE_CODE_SIZE 24

/* What receivers were told about something and was not yet taken back. The event that takes it back
 * has the same code. */
struct said {
	bool stands;
	bool fatal;
	/* "": said without one, as versions before the codes did, and the original does. */
	char code[STATE_CODE_SIZE];
	char id[EVENT_ID_SIZE]; /* of the event that said it last; "": not known */
};

/* One port. */
struct port_entry {
	struct table_node node;
	char device[STATE_NAME_SIZE];
	long long number;
	enum port_memory health;
	struct hold_memory hold; /* held only while `health` is PORT_HEALTHY */
	struct said state_said;  /* that its state is bad */
	/* that it disappeared while its device stayed: until it is back and healthy */
	struct said gone_said;
	/* seen in a scan of this boot, under these settings; otherwise only counters are known */
	bool known;
	unsigned missing; /* scans in a row without it */
	struct flap_memory flap;
	struct link_memory link;
	struct gids_memory gids;
	struct below rate;
	uint64_t seen; /* state.stamp of the last scan that had it */
	/* when it was read last, CLOCK_BOOTTIME, if it was down then; 0: it was not. Only for
	 * metrics, and in no file. */
	uint64_t down_ns;
	enum layer layer;
	/* As last seen; "" when not known. The first three are for the state file. */
	char link_layer[STATE_WORD_SIZE];
	char state[STATE_RAW_SIZE], phys_state[STATE_RAW_SIZE];
	char card[STATE_NAME_SIZE];
	size_t counter_count;
	struct counter_memory
		counters[]; /* one for each configured counter, in the configuration's order */
};

/* One plane of a multi-plane NIC: a port of a device that is a part of that NIC. */
struct plane_entry {
	struct table_node node;
	char device[STATE_NAME_SIZE];
	long long number;
	char parent[STATE_NAME_SIZE]; /* the NIC */
	enum layer layer;
	struct said said; /* that it is down */
	uint64_t seen;    /* state.stamp of the last scan that had it */
};

/* One device that is, or was, monitored. */
struct device_entry {
	struct table_node node; /* its key is the device's name */
	/* seen in a scan of this boot, under these settings: when it is missing, it is missed */
	bool known;
	enum device_memory presence;
	struct said gone_said, unreadable_said; /* as `presence` has it */
	unsigned missing, unreadable;           /* scans in a row */
	uint64_t missing_since_ns;              /* CLOCK_BOOTTIME; while it is missing */
	bool baseline_owed; /* it could not be read when the others' baseline was made */
	bool clear_owed;    /* what was said of it before the boot has not been cleared */
	bool store_only;    /* what is said of it is to be stored only, whoever made it */
	enum layer layer;   /* of its ports, as last seen */
	char pci[STATE_NAME_SIZE], node_guid[STATE_NAME_SIZE], role[STATE_NAME_SIZE],
		card[STATE_NAME_SIZE];
	struct event_memory events[EVENT_KIND_N];
	struct unreachable_memory unreachable;
	uint64_t seen; /* state.stamp of the last scan that had it */
};

/* One card's ports of one link layer. */
struct card_entry {
	struct table_node node;
	char card[STATE_NAME_SIZE];
	enum layer layer;
	struct below below; /* fewer active ports than its peers */
	struct said said;   /* while BELOW_REPORTED */
	size_t unit;        /* its index among the cards of the present scan, ... */
	uint64_t seen;      /* ... where state.stamp is this */
};

/* An InfiniBand character device that is missing. */
struct chardev_entry {
	struct table_node node;
	char device[STATE_NAME_SIZE];
	long long number; /* of its port; 0: it is the device's */
	enum chardev_kind kind;
	const char *name; /* of the kind, a constant */
	unsigned missing; /* scans in a row, at most CHARDEV_MISSING_SCANS */
	struct said said; /* that it is missing */
	uint64_t seen;    /* state.stamp of the last scan that said whether it is there */
};

/* A breach, or a reported saturation, whose counter nobody watches any more; or what else was said,
 * under its code, by a check that is switched off. */
struct orphan {
	char device[STATE_NAME_SIZE];
	long long port;
	char *name;
	bool saturated;       /* and no breach */
	struct breach breach; /* of a saturation only the check; CHECK_N: not known */
	struct orphan *next;
};

/* What is known of a network interface's counter, by the name of the interface: so the original
 * keeps it. The scans show which port that is. */
struct unplaced {
	char interface[STATE_NAME_SIZE];
	char *name;
	/* of it what a file of the original has; breach.check is CHECK_N where it does not say */
	struct counter_memory memory;
	struct unplaced *next;
};

/* What operators have cleared and is done, by the ids of their acts; what is not used is zeros. */
struct cleared {
	size_t count;
	char ids[SILENCE_MAX][EVENT_SOURCE_SIZE];
};

struct state {
	size_t counter_count;
	struct table ports, devices, cards, planes, chardevs;
	struct table identities; /* also over a boot, and of what is not watched any more */
	/* CLOCK_BOOTTIME: the latest connection that failed through none of these; 0: none. Never
	 * stored. */
	uint64_t others_failed_ns;
	struct lnet_memory lnet;
	/* charDeviceCheck.issm in the last scan in which character devices were judged; "": not
	 * known */
	char issm_mode[STATE_WORD_SIZE];
	struct orphan *orphans;         /* in the order they were added */
	struct unplaced *unplaced;      /* in the order they were added */
	struct unplaced *last_unplaced; /* where the next one goes; NULL: to be looked for */
	char boot_id[STATE_NAME_SIZE];  /* "": not known */
	char *scope;                    /* inclusion and exclusion settings; NULL: not known */
	bool settled;                   /* the first scan's verdicts have been given */
	unsigned waited;                /* scans that were not complete enough for them */
	bool baseline_owed[CHECK_N];    /* a check that is switched off goes on owing it */
	/* The check could not be cleared with its baseline, for not all could be seen. */
	bool clear_owed[CHECK_N];
	struct cleared cleared;
	/* There was a file that cannot be used: what was said before, in this boot, may stand. */
	bool unknown_past;
	struct pollstall_memory pollstall; /* also over a boot */
	bool has_wall_snapshots; /* some snapshots' times are still to be turned into boot times */
	bool overfull;           /* something could not be remembered, which has been said */
	bool unplaced_noted;     /* that a breach waits for its interface */
	uint64_t stamp;          /* counts the scans judged in this process */
	bool changed; /* latches or memories, since this was last cleared: must be stored at once */
	bool touched; /* snapshots too: may wait */
};

/* For `counter_count` counters per port. Free with state_fini(). */
void state_init(struct state *state, size_t counter_count);
void state_fini(struct state *state);

/* Owes the baseline of every check, or of none; so it does for reads that stall. */
void state_owe_baselines(struct state *state, bool owed);

/* Makes it as it was after state_init(). */
void state_reset(struct state *state);

/* Finds, or makes. NULL with errno: ENOMEM, or ENOSPC when there are more than any node has. */
struct port_entry *state_port(struct state *state, const char *device, long long number);
struct device_entry *state_device(struct state *state, const char *device);
struct card_entry *state_card(struct state *state, const char *card, enum layer layer);
struct plane_entry *state_plane(struct state *state, const char *device, long long number);
struct chardev_entry *state_chardev(
	struct state *state, enum chardev_kind kind, const char *device, long long number);

struct identity_entry *state_identity(struct state *state, const char *place);

/* Finds; NULL when there is none. */
struct port_entry *state_find_port(const struct state *state, const char *device, long long number);
struct device_entry *state_find_device(const struct state *state, const char *device);
struct card_entry *state_find_card(const struct state *state, const char *card, enum layer layer);
struct chardev_entry *state_find_chardev(
	const struct state *state, enum chardev_kind kind, const char *device, long long number);

struct identity_entry *state_find_identity(const struct state *state, const char *place);

/* True when an event about the port, but for its counters' breaches, stands. */
bool state_port_is_reported(const struct port_entry *entry);

/* The port, or its device, is reported as gone: it counts as bad from now on (see port_lost()). */
void state_lose_port(struct port_entry *entry);

/* Gives a device, its ports and its character devices another name, which none has yet. */
void state_rename_device(struct state *state, struct device_entry *entry, const char *name);

/* A device, and its ports, are at another place, of which nothing was known. */
void state_move_identity(struct state *state, struct identity_entry *entry, const char *place);

void state_remove_port(struct state *state, struct port_entry *entry);
void state_remove_device(struct state *state, struct device_entry *entry);
void state_remove_plane(struct state *state, struct plane_entry *entry);
void state_remove_chardev(struct state *state, struct chardev_entry *entry);

/* Adds a breach that nobody watches, whose message it takes, or a saturation, of which only the
 * check counts. 0, or -1 when memory ran out. */
int state_add_orphan(struct state *state, const char *device, long long port, const char *name,
	bool saturated, struct breach *breach);
void state_free_orphan(struct orphan *orphan);

/* Adds a counter of an interface, with nothing known of it, after the others. NULL when memory ran
 * out. */
struct unplaced *state_add_unplaced(struct state *state, const char *interface, const char *name);
void state_free_unplaced(struct unplaced *unplaced);

/* A new boot: nothing that was seen before it counts, but for character devices that were reported
 * as missing, and for what devices and ports were. The first scan's verdicts are due again. */
void state_forget_boot(struct state *state);

/* Other inclusion and exclusion settings: which ports and devices there are is to be learned again,
 * so that nothing has disappeared. What was reported and still stands is kept, and so are
 * counters. */
void state_forget_scope(struct state *state);

/* Remembers that something was said with this code ("": without one), or that it was taken back. */
void state_report(struct said *said, bool fatal, const char *code);
void state_retract(struct said *said);

/* An event has got another id: what names it follows. */
void state_rename_event(struct state *state, const char *old_id, const char *new_id);

/* Copies a text into a bounded field, cut at a character's boundary; NULL becomes "". */
void state_copy(char *field, size_t size, const char *text);

#endif
