/* memory - what is remembered of one port, card, device or counter by the check that looks at it,
 * and what one sight of a port says. Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef CTREVAL_MEMORY_H
#define CTREVAL_MEMORY_H

#include "checks.h"
#include "clock.h"
#include "event.h"

#include <stdbool.h>
#include <stdint.h>

/* What has been said about a port so far. */
enum port_memory {
	PORT_NEW, /* never judged */
	/* the same, and its peers are evidence that it should be healthy; never stored */
	PORT_NEW_SUSPECT,
	PORT_HEALTHY,
	PORT_DEGRADED,      /* reported as non-fatal */
	PORT_FATAL,         /* reported as fatal; stays so until the port is healthy */
	PORT_DEGRADED_MUTE, /* first seen so, without evidence that it ever was otherwise */
	PORT_FATAL_MUTE,
	PORT_MEMORY_N,
};

/* A memory's name in the state file, and back; PORT_MEMORY_N when the text is none. */
const char *port_memory_name(enum port_memory memory);
enum port_memory port_memory_find(const char *name);

/* True when an event about the port stands: it was reported, and not yet as healthy. */
bool port_is_reported(enum port_memory memory);

/* True when nobody has seen the port healthy, nor was told that it is not. */
bool port_is_dark(enum port_memory memory);

/* What to remember of a port when it, or its device, is gone and that was reported: the worst
 * state, so that its recovery will be reported. A dark port stays dark. */
enum port_memory port_lost(enum port_memory memory);

/* A port that was healthy and is not, and of which that is not reported yet (spec#hold-down). */
struct hold_memory {
	bool held;
	uint64_t since_ns; /* CLOCK_BOOTTIME: when it was first seen not to be healthy */
};

/* What has been said so far of a port's rate, or of a card, that is below its peers. */
enum below_memory {
	BELOW_FINE,
	BELOW_WAITING,  /* below its peers, not reported */
	BELOW_REPORTED, /* stays so until it is compared and no longer below */
	BELOW_MEMORY_N,
};

struct below {
	enum below_memory memory;
	uint64_t since_ns; /* CLOCK_BOOTTIME; while it is not fine */
};

/* What has been said about a device so far. */
enum device_memory {
	DEVICE_FINE,
	DEVICE_SILENT, /* reported as unreadable */
	DEVICE_GONE,   /* reported as disappeared; stays so until it is back with a healthy port */
	DEVICE_GONE_SILENT,
	DEVICE_MEMORY_N,
};

/* In so many scans in a row a character device must be missing before that is an event. */
#define CHARDEV_MISSING_SCANS 3

/* A link flaps that goes down this often ... */
#define FLAP_DOWNS 3
/* ... within this time; it has stopped when it has not gone down for as long. Nanoseconds. */
#define FLAP_WINDOW_NS (UINT64_C(3600) * 1000 * 1000 * 1000)

/* What the scans so far have shown. All zeros: none. */
struct flap_memory {
	bool was_active;
	bool has_link_downed;
	uint64_t link_downed; /* of the scan before */
	/* A link-down is seen twice, as a state and as a count, not always in the same scan: how
	 * many of the last ones were seen in one way only, in this scan or the one before. */
	uint64_t ahead_seen, ahead_counted;
	uint64_t downs_ns[FLAP_DOWNS]; /* the latest link-downs, oldest first */
	unsigned downs;                /* how many of them there are; 0 after a window without */
	bool flapping;                 /* reported, and not ended */
	uint64_t count;                /* link-downs since the link last stayed up for a window */
	uint64_t said_count;           /* the same when it was last said ... */
	uint64_t said_ns;              /* ... which was then */
};

/* What ibevent has told of a port's link since the last scan. All zeros: nothing. Never stored: it
 * is over with the next scan. */
struct link_memory {
	char via[8];       /* the source that tells of this port; "": none has yet ... */
	uint64_t told_ns;  /* ... when it did last, CLOCK_BOOTTIME */
	bool is_down;      /* by its latest event ... */
	uint64_t since_ns; /* ... CLOCK_BOOTTIME */
	uint64_t downs;    /* how often the link has gone down */
	uint64_t down_ns;  /* for how long in all, up to when it came up last */
};

/* Errors of a device that ibevent tells of. */
enum event_kind {
	EVENT_DEVICE_FATAL,
	EVENT_PCI_FAILED,
	EVENT_QP_FATAL,
	EVENT_CQ_ERR,
	EVENT_SRQ_ERR,
	EVENT_WQ_FATAL,
	EVENT_KIND_N,
};

/* What is remembered of one kind. All zeros: nothing. Never stored. */
struct event_memory {
	uint64_t count; /* how often it has happened since it was said last */
	bool was_said;
	uint64_t said_ns; /* when, CLOCK_BOOTTIME */
};

/* Peers that could not be reached through a device. All zeros: none. Never stored. */
struct unreachable_memory {
	uint64_t failed_ns; /* CLOCK_BOOTTIME: the latest failure; 0: none */
	uint64_t since_ns;  /* when it was enough peers for the first time; 0: it was not */
	int64_t peers;      /* the most since then */
};

/* Whether a port has RoCE v2 GIDs. All zeros: not known. Never stored. */
struct gids_memory {
	bool had_some;
	uint64_t lost_ns; /* CLOCK_BOOTTIME: since when it has none; 0: not so, or not known */
};

/* NIs of LNet that are remembered; no node has so many that are ports'. */
#define LNET_NIS_MAX 64

/* Messages of LNet since it was started. */
struct lnet_counts {
	bool known;
	uint64_t failures, sends;
};

/* A local NI, as lnetread's records have it. */
struct lnet_ni {
	char net[32], netdev[16];     /* LNETREC_NET_MAX_BYTES, IFNAMSIZ */
	bool seen;                    /* in this read */
	bool fatal_error;             /* its driver reported a failure, by the latest read */
	unsigned fatal_reads;         /* in so many in a row */
	uint64_t fatal_said_ns;       /* CLOCK_BOOTTIME: when that was said; 0: it was not */
	struct lnet_counts base, now; /* when the window began, and in the latest read */
	/* what the next scan is to tell */
	bool is_fatal_due;
	uint64_t due_failures;
};

/* All zeros: nothing. Never stored. */
struct lnet_memory {
	struct lnet_ni nis[LNET_NIS_MAX];
	size_t count;
	struct lnet_counts base, now; /* of all peers together: messages that timed out */
	uint64_t base_ns;             /* CLOCK_BOOTTIME: when the window began */
};

/* Whether NICs can be observed. */
struct pollstall_memory {
	bool reported; /* that they cannot */
	bool owed; /* that they can is to be said at the next scan: it is not known what was said */
};

/* A counter at a moment. */
struct counter_sample {
	uint64_t value;
	uint64_t boottime_ns;
};

/* Whether a counter stands at the end of its width. */
enum saturation {
	SATURATION_NONE,
	SATURATION_SUSPECTED, /* it was at its maximum when first seen */
	SATURATION_REPORTED,
};

/* What was said about a breach that still stands. */
struct breach {
	enum check check;
	bool fatal;
	char since[CLOCK_STAMP_SIZE]; /* of the scan that showed it */
	char *message;          /* from malloc; NULL: not known, as in a file of the original */
	bool uncoded;           /* it was said without an errorCode, as the original does, or did */
	char id[EVENT_ID_SIZE]; /* of the event that said it last; "": not known */
	bool has_value;         /* `began_at` is known */
	uint64_t began_at;      /* the value that was in breach */
	uint64_t told;          /* the last value that was told */
};

/* What is remembered of one counter of one port. All zeros: never seen. */
struct counter_memory {
	bool seen;
	struct counter_sample snapshot; /* where the current window began */
	/* snapshot.boottime_ns is nanoseconds since 1970: a file of the original knows no other
	 * time */
	bool wall;
	bool has_previous;
	uint64_t previous; /* value of the scan before */
	bool breached; /* latched until a reset, a reboot, or until nobody watches it any more */
	struct breach breach;
	enum saturation saturation;
};

/* What one reading of a port says. */
enum port_sight {
	SIGHT_HEALTHY,   /* ACTIVE and LinkUp */
	SIGHT_TRANSIENT, /* Ethernet on its way up or down: not reported */
	SIGHT_DEGRADED,  /* unhealthy, non-fatal */
	SIGHT_FATAL,
	SIGHT_N,
};

/* `state` and `phys_state` are the names, not NULL. */
enum port_sight sight_eval(enum layer layer, const char *state, const char *phys_state);

#endif
