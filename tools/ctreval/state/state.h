/* state - what ctreval remembers of ports, devices and cards between scans. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_STATE_H
#define CTREVAL_STATE_H

#include "chardev.h"
#include "identity.h"
#include "memory.h"
#include "silence.h"
#include "table.h"

#include <stdbool.h>

/* Sizes with the NUL: of a device's or other name (scanrec limits it), and of a state's or link
 * layer's name. */
#define STATE_NAME_SIZE 65
#define STATE_WORD_SIZE 33
/* A state as in sysfs: number, colon, name. */
#define STATE_RAW_SIZE 64
/* Size of an errorCode about a state, with its NUL. */
#define STATE_CODE_SIZE 24

/* The last report about something, if it is still open. The event that withdraws it has the same
 * code. */
struct said {
	bool stands;
	bool fatal;
	/* "": reported without a code, as the original and versions without codes do */
	char code[STATE_CODE_SIZE];
	char id[EVENT_ID_SIZE]; /* id of the latest event about it; "": not known */
};

/* One port. */
struct port_entry {
	struct table_node node;
	char device[STATE_NAME_SIZE];
	long long number;
	enum port_memory health;
	struct hold_memory hold; /* held only while `health` is PORT_HEALTHY */
	struct said state_said;  /* its state is bad */
	/* it disappeared while its device stayed; until it is back and healthy */
	struct said gone_said;
	/* seen in a scan of this boot with these settings; otherwise only its counters are known */
	bool known;
	unsigned missing; /* scans in a row without it */
	struct flap_memory flap;
	struct link_memory link;
	struct gids_memory gids;
	struct below rate;
	uint64_t seen; /* state.stamp of the last scan with this port */
	/* CLOCK_BOOTTIME: the last read, if the port was down then; 0: it was not. Only for
	 * metrics, never stored. */
	uint64_t down_ns;
	enum layer layer;
	/* As last seen; "" when not known. The first three are for the state file. */
	char link_layer[STATE_WORD_SIZE];
	char state[STATE_RAW_SIZE], phys_state[STATE_RAW_SIZE];
	char card[STATE_NAME_SIZE];
	size_t counter_count;
	/* One for each configured counter, in the order of the configuration. */
	struct counter_memory counters[];
};

/* One plane of a multi-plane NIC: a port of a device that is a part of that NIC. */
struct plane_entry {
	struct table_node node;
	char device[STATE_NAME_SIZE];
	long long number;
	char parent[STATE_NAME_SIZE]; /* name of the NIC */
	enum layer layer;
	struct said said; /* it is down */
	uint64_t seen;    /* state.stamp of the last scan with this plane */
};

/* One device that is, or was, monitored. */
struct device_entry {
	struct table_node node; /* key: the device's name */
	/* seen in a scan of this boot with these settings, so that its absence is reported */
	bool known;
	enum device_memory presence;
	struct said gone_said, unreadable_said; /* in step with `presence` */
	unsigned missing, unreadable;           /* scans in a row */
	/* CLOCK_BOOTTIME; while it is missing or `reloading`, or gone_said is non-fatal */
	uint64_t missing_since_ns;
	bool reloading;     /* missing in driverReloadGrace, neither reported nor back since */
	bool was_in_grace;  /* driverReloadGrace covered it until this scan */
	bool baseline_owed; /* unreadable when the other devices sent their baseline */
	bool clear_owed;    /* reports of the last boot are not withdrawn yet */
	bool store_only;    /* events about it are STORE_ONLY, from every check */
	/* a name of vendor.h, as last read; "": another vendor, or not known */
	char vendor[STATE_WORD_SIZE];
	enum layer layer; /* of its ports, as last seen */
	char pci[STATE_NAME_SIZE], node_guid[STATE_NAME_SIZE], role[STATE_NAME_SIZE],
		card[STATE_NAME_SIZE];
	struct event_memory events[EVENT_KIND_N];
	struct unreachable_memory unreachable;
	uint64_t seen; /* state.stamp of the last scan with this device */
};

/* One card's ports of one link layer. */
struct card_entry {
	struct table_node node;
	char card[STATE_NAME_SIZE];
	enum layer layer;
	struct below below; /* fewer active ports than its peers */
	struct said said;   /* while BELOW_REPORTED */
	/* PCI address of a function whose role or exclusion exempts the card from comparison, as
	 * long as no scan shows the function otherwise; "": none */
	char exempt_function[STATE_NAME_SIZE];
	/* of the current scan: compared, and its peers have at least as many active ports as it has
	 * ports, so that each of these should be healthy */
	bool needs_all_ports;
	size_t unit;   /* its index among the cards of the current scan ... */
	uint64_t seen; /* ... valid only if this equals state.stamp */
};

/* An InfiniBand character device that is missing. */
struct chardev_entry {
	struct table_node node;
	char device[STATE_NAME_SIZE];
	long long number; /* port number; 0: the device's own */
	enum chardev_kind kind;
	const char *name; /* name of the kind, a constant */
	unsigned missing; /* scans in a row, at most CHARDEV_MISSING_SCANS */
	struct said said; /* it is missing */
	uint64_t seen;    /* state.stamp of the last scan that could list its kind */
};

/* An open breach or saturation report whose counter is no longer watched, or another open report,
 * named by its code, of a check that is disabled. */
struct orphan {
	char device[STATE_NAME_SIZE];
	long long port;
	char *name;
	bool saturated;       /* a saturation report, not a breach */
	struct breach breach; /* for a saturation only `check` is used; CHECK_N: not known */
	struct orphan *next;
};

/* A counter of a network interface, by the interface's name, as the original stores it. Scans show
 * which port the interface belongs to. */
struct unplaced {
	char interface[STATE_NAME_SIZE];
	char *name;
	/* as far as the original's file has it; breach.check is CHECK_N where the file does not
	 * name it */
	struct counter_memory memory;
	struct unplaced *next;
};

/* Ids of the operators' clear requests that are done; unused ids are zeros. */
struct cleared {
	size_t count;
	char ids[SILENCE_MAX][EVENT_SOURCE_SIZE];
};

/* More devices do not carry a default route: a bond has two. */
#define HOST_NICS_MAX 4

/* PCI addresses of the functions that carried the default route in the last scan that had any;
 * unused ones are zeros. */
struct host_nics {
	size_t count;
	char functions[HOST_NICS_MAX][STATE_NAME_SIZE];
};

struct state {
	size_t counter_count;
	struct table ports, devices, cards, planes, chardevs;
	struct table identities; /* kept across boots, and for devices that are no longer watched */
	/* CLOCK_BOOTTIME: the latest connection failure through none of these devices; 0: none.
	 * Never stored. */
	uint64_t others_failed_ns;
	struct lnet_memory lnet;
	/* charDeviceCheck.issm when character devices were last evaluated; "": not known */
	char issm_mode[STATE_WORD_SIZE];
	struct orphan *orphans;         /* in the order they were added */
	struct unplaced *unplaced;      /* in the order they were added */
	struct unplaced *last_unplaced; /* last item of `unplaced`; NULL: not known */
	char boot_id[STATE_NAME_SIZE];  /* "": not known */
	/* The node's name in the reports, if it has another one by now; else "". A stalled scan has
	 * the new name, but not the boot id, which decides what becomes of them. */
	char former_node[REC_NODE_MAX_BYTES + 1];
	char *scope;                 /* inclusion and exclusion settings; NULL: not known */
	bool settled;                /* the first verdicts are sent */
	unsigned waited;             /* scans after bootGrace until they were */
	bool baseline_owed[CHECK_N]; /* kept while the check is disabled */
	/* The check's old reports were not withdrawn with its baseline, as some devices were
	 * unreadable. */
	bool clear_owed[CHECK_N];
	struct cleared cleared;
	struct host_nics host_nics; /* kept across boots */
	/* Reports that were EXECUTE_REMEDIATION may be open, whatever --strategy is by now. */
	bool executed;
	/* The state file was unusable: reports from earlier in this boot may be open. */
	bool unknown_past;
	struct pollstall_memory pollstall; /* kept across boots */
	bool has_wall_snapshots;           /* some snapshots still have wall-clock times */
	bool overfull;         /* an entry did not fit into a table, and a warning was printed */
	bool unplaced_noted;   /* the note that a breach waits for its interface was printed */
	bool boot_grace_noted; /* the note that verdicts wait for bootGrace was printed */
	uint64_t stamp;        /* scans evaluated by this process */
	bool changed; /* latches or memories changed since this was cleared: store at once */
	bool touched; /* snapshots changed: storing may wait */
};

/* Initialize for `counter_count` counters per port. Free with state_fini(). */
void state_init(struct state *state, size_t counter_count);
void state_fini(struct state *state);

/* Owe the baselines of all checks, or of none; likewise that of the poll-stall event. */
void state_owe_baselines(struct state *state, bool owed);

/* Return true if a baseline, or a part of one, is owed. */
bool state_owes_baseline(const struct state *state);

/* Restore the state of state_init(). */
void state_reset(struct state *state);

/* Find or add an entry. Adding sets `changed`, except for cards and identities. Return NULL with
 * errno: ENOMEM, or ENOSPC when the table is full. */
struct port_entry *state_find_or_add_port(
	struct state *state, const char *device, long long number);
struct device_entry *state_find_or_add_device(struct state *state, const char *device);
struct card_entry *state_find_or_add_card(struct state *state, const char *card, enum layer layer);
struct plane_entry *state_find_or_add_plane(
	struct state *state, const char *device, long long number);
struct chardev_entry *state_find_or_add_chardev(
	struct state *state, enum chardev_kind kind, const char *device, long long number);
struct identity_entry *state_find_or_add_identity(struct state *state, const char *place);

/* Find an entry. Return NULL if there is none. */
struct port_entry *state_find_port(const struct state *state, const char *device, long long number);
struct device_entry *state_find_device(const struct state *state, const char *device);
struct card_entry *state_find_card(const struct state *state, const char *card, enum layer layer);
struct chardev_entry *state_find_chardev(
	const struct state *state, enum chardev_kind kind, const char *device, long long number);
struct identity_entry *state_find_identity(const struct state *state, const char *place);

/* Return true if the port is one of those that the card's entry stands for. */
bool state_port_is_on_card(const struct port_entry *port, const struct card_entry *card);

/* Return true if any report about the port is open. Breaches of its counters do not count. */
bool state_port_is_reported(const struct port_entry *entry);

/* Mark a port as reported gone, itself or with its device (see port_lost()). */
void state_lose_port(struct port_entry *entry);

/* Rename a device, its ports and its character devices. No device has the new name yet. */
void state_rename_device(struct state *state, struct device_entry *entry, const char *name);

/* Move the identities of a device and of its ports to another place. Identities that are already
 * there stay. */
void state_move_identity(struct state *state, struct identity_entry *entry, const char *place);

/* Remove an entry and free it. Sets `changed`. */
void state_remove_port(struct state *state, struct port_entry *entry);
void state_remove_device(struct state *state, struct device_entry *entry);
void state_remove_card(struct state *state, struct card_entry *entry);
void state_remove_plane(struct state *state, struct plane_entry *entry);
void state_remove_chardev(struct state *state, struct chardev_entry *entry);

/* Add a breach or saturation that is no longer watched. Takes breach->message; of a saturation only
 * breach->check counts. Return 0, or -1 when memory ran out. */
int state_add_orphan(struct state *state, const char *device, long long port, const char *name,
	bool saturated, struct breach *breach);
void state_free_orphan(struct orphan *orphan);

/* Append an interface's counter with an empty memory. Return NULL when memory ran out. */
struct unplaced *state_add_unplaced(struct state *state, const char *interface, const char *name);
void state_free_unplaced(struct unplaced *unplaced);

/* Record a report with this code ("": none), or that it was withdrawn. */
void state_report(struct said *said, bool fatal, const char *code);
void state_retract(struct said *said);

/* An event's id changed: replace old_id by new_id in all reports. */
void state_rename_event(struct state *state, const char *old_id, const char *new_id);

/* Copy a text into a field of `size` bytes, truncated at a character boundary. NULL is copied as
 * "". */
void state_copy(char *field, size_t size, const char *text);

#endif
