/* memory - what each check remembers of one port, card, device or counter, and the verdict on one
 * reading of a port. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_MEMORY_H
#define CTREVAL_MEMORY_H

#include "checks.h"
#include "clock.h"
#include "event.h"
#include "num.h"

#include <stdbool.h>
#include <stdint.h>

/* What was last reported about a port. */
enum port_memory {
	PORT_NEW, /* never evaluated */
	/* like PORT_NEW, but its peers show that it should be healthy; never stored */
	PORT_NEW_SUSPECT,
	PORT_HEALTHY,
	PORT_DEGRADED,      /* reported as non-fatal */
	PORT_FATAL,         /* reported as fatal; until the port is healthy */
	PORT_DEGRADED_MUTE, /* unhealthy when first seen, not reported: nothing shows that it was
			       ever healthy */
	PORT_FATAL_MUTE,
	PORT_MEMORY_N,
};

/* Return a value's name in the state file, or the value of a name; PORT_MEMORY_N if the name is
 * unknown. */
const char *port_memory_name(enum port_memory memory);
enum port_memory port_memory_find(const char *name);

/* Return true if a report about the port is open: it was reported as unhealthy, and not yet as
 * healthy. */
bool port_is_reported(enum port_memory memory);

/* Return true if the port was never seen healthy and never reported as unhealthy. */
bool port_is_dark(enum port_memory memory);

/* Return the value for a port that was reported as gone, itself or with its device: PORT_FATAL, so
 * that its recovery is reported. A dark port stays dark. */
enum port_memory port_lost(enum port_memory memory);

/* A port that was healthy, is unhealthy now, and is not reported yet (spec#hold-down). */
struct hold_memory {
	bool held;
	uint64_t since_ns; /* CLOCK_BOOTTIME: when it was first seen unhealthy */
};

/* What was reported about a port's rate, or about a card, that is below its peers. */
enum below_memory {
	BELOW_FINE,
	BELOW_WAITING,  /* below its peers, not reported yet */
	BELOW_REPORTED, /* reported; until a comparison shows that it is no longer below */
	BELOW_MEMORY_N,
};

struct below {
	enum below_memory memory;
	uint64_t since_ns; /* CLOCK_BOOTTIME; set unless BELOW_FINE */
};

/* What was last reported about a device. */
enum device_memory {
	DEVICE_FINE,
	DEVICE_SILENT, /* reported as unreadable */
	DEVICE_GONE,   /* reported as disappeared; until it is back with a healthy port */
	DEVICE_GONE_SILENT,
	DEVICE_MEMORY_N,
};

/* A character device is reported after this many scans in a row without it. */
#define CHARDEV_MISSING_SCANS 3

/* A link is flapping if it goes down this often ... */
#define FLAP_DOWNS 3
/* ... within this time, ns; it stops flapping after the same time without a link-down. */
#define FLAP_WINDOW_NS (3600 * NUM_NS_PER_S)

/* Link-downs in the scans so far. All zeros: none. */
struct flap_memory {
	/* It was ACTIVE, and has not been DOWN since. An extra scan may have seen it, and the state
	 * of a held port is from before its outage, so this does not follow from the port's
	 * state. */
	bool was_active;
	bool has_link_downed;
	uint64_t link_downed;    /* in the scan that last read it */
	uint64_t link_downed_ns; /* CLOCK_BOOTTIME: when that was; 0: some time in this boot */
	/* A link-down is seen twice, as a state and in link_downed, but not always in the same
	 * scan. These are the link-downs within the window that were seen in only one of the two
	 * ways so far. */
	uint64_t ahead_seen, ahead_counted;
	uint64_t downs_ns[FLAP_DOWNS]; /* the latest link-downs, oldest first */
	unsigned downs;      /* entries in downs_ns; 0 after a window without link-downs */
	bool flapping;       /* reported, and not yet over */
	uint64_t count;      /* link-downs since the link last stayed up for a window */
	uint64_t said_count; /* `count` in the latest event */
	uint64_t said_ns;    /* time of the latest event */
};

/* What ibevent reported about a port's link since the last scan. All zeros: nothing. Never stored:
 * the next scan resets it. */
struct link_memory {
	char via[8];       /* source that reports this port's link; "": none yet */
	uint64_t told_ns;  /* CLOCK_BOOTTIME: its latest report */
	bool is_down;      /* by the latest event */
	uint64_t since_ns; /* CLOCK_BOOTTIME: when that began */
	uint64_t downs;    /* number of link-downs */
	uint64_t down_ns;  /* total downtime up to the last time the link came up */
	bool is_counted;   /* a counter's breach reports them */
};

/* Device errors that ibevent reports. */
enum event_kind {
	EVENT_DEVICE_FATAL,
	EVENT_PCI_FAILED,
	EVENT_QP_FATAL,
	EVENT_CQ_ERR,
	EVENT_SRQ_ERR,
	EVENT_WQ_FATAL,
	EVENT_KIND_N,
};

/* What is remembered of one kind of error. All zeros: nothing. Never stored. */
struct event_memory {
	uint64_t count; /* occurrences since the last report */
	bool was_said;
	uint64_t said_ns; /* CLOCK_BOOTTIME: time of the last report */
};

/* Peers that could not be reached through a device. All zeros: none. Never stored. */
struct unreachable_memory {
	uint64_t failed_ns; /* CLOCK_BOOTTIME: the latest failure; 0: none */
	uint64_t since_ns;  /* when enough peers were unreachable for the first time; 0: never */
	int64_t peers;      /* the most since then */
};

/* Whether a port has RoCE v2 GIDs. All zeros: not known. Never stored. */
struct gids_memory {
	bool had_some;
	uint64_t lost_ns; /* CLOCK_BOOTTIME: since when it has none; 0: it has some, or not known */
};

/* Most LNet NIs that are remembered; no node has more on its ports. */
#define LNET_NIS_MAX 64

/* LNet message counts since LNet started. */
struct lnet_counts {
	bool known;
	uint64_t failures, sends;
};

/* A local NI, from the records of lnetread. */
struct lnet_ni {
	char net[32], netdev[16];     /* LNETREC_NET_MAX_BYTES, IFNAMSIZ */
	bool seen;                    /* in this read */
	bool fatal_error;             /* fatal_error in the latest read */
	unsigned fatal_reads;         /* reads in a row with fatal_error */
	uint64_t fatal_said_ns;       /* CLOCK_BOOTTIME: when fatal_error was reported; 0: never */
	struct lnet_counts base, now; /* at the start of the window, and in the latest read */
	/* for the events of the next scan */
	bool is_fatal_due;
	uint64_t due_failures;
};

/* All zeros: nothing. Never stored. */
struct lnet_memory {
	struct lnet_ni nis[LNET_NIS_MAX];
	size_t count;
	struct lnet_counts base, now; /* timed-out messages of all peers together */
	uint64_t base_ns;             /* CLOCK_BOOTTIME: start of the window */
};

/* Whether NICs can be observed. */
struct pollstall_memory {
	bool reported; /* an unhealthy event was sent */
	/* send a healthy event when a scan completes: an unhealthy one may have been sent before */
	bool owed;
};

/* The value of a counter at a time. */
struct counter_sample {
	uint64_t value;
	uint64_t boottime_ns;
};

/* Whether a counter is stuck at its maximum. */
enum saturation {
	SATURATION_NONE,
	SATURATION_SUSPECTED, /* at its maximum when first seen, or cleared by an operator */
	SATURATION_REPORTED,
};

/* The report about an open breach. */
struct breach {
	enum check check;
	bool fatal;
	char since[CLOCK_STAMP_SIZE]; /* time of the scan that showed it */
	char *message;          /* from malloc; NULL: not known, as in a file of the original */
	bool uncoded;           /* reported without an errorCode, as versions of the original do */
	char id[EVENT_ID_SIZE]; /* id of the latest event about it; "": not known */
	bool has_value;         /* `began_at` is known */
	uint64_t began_at;      /* the value in breach */
	uint64_t told;          /* the value in the latest event */
};

/* What is remembered of one counter of one port. All zeros: never seen. */
struct counter_memory {
	bool seen;
	struct counter_sample snapshot; /* start of the current window */
	/* snapshot.boottime_ns is in ns since 1970: files of the original have no other time */
	bool wall;
	bool has_previous;
	uint64_t previous; /* value in the previous scan */
	/* Latched until a counter reset, a reboot, or until the counter is no longer watched. */
	bool breached;
	struct breach breach;
	enum saturation saturation;
};

/* The verdict on one reading of a port. */
enum port_sight {
	SIGHT_HEALTHY,   /* ACTIVE and LinkUp */
	SIGHT_TRANSIENT, /* Ethernet port going up or down: not reported */
	SIGHT_DEGRADED,  /* unhealthy, non-fatal */
	SIGHT_FATAL,
	SIGHT_N,
};

/* `state` and `phys_state` are names such as "ACTIVE" and "LinkUp", never NULL. */
enum port_sight sight_eval(enum layer layer, const char *state, const char *phys_state);

#endif
