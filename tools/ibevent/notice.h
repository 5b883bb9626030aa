/* notice - an event reported by a source: an asynchronous event, an event of the RDMA connection
 * manager, or a gap (lost events). Identifies no process and no peer (spec#events-anonymous).
 * Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_NOTICE_H
#define IBEVENT_NOTICE_H

#include "clock.h"
#include "rec.h"
#include "via.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for a device's name (IB_DEVICE_NAME_MAX, include/uapi/rdma/ib_user_verbs.h) and a NUL. */
#define NOTICE_DEVICE_SIZE 64
/* Room for a PCI address, whose domain may have more than four digits, and a NUL. */
#define NOTICE_PCI_SIZE 20

enum notice_kind { NOTICE_ASYNC, NOTICE_CM, NOTICE_GAP };

struct notice {
	enum notice_kind kind;
	enum via via;                    /* the source that reported it */
	struct clock_moment when;        /* when ibevent read it; merged: the last time */
	char device[NOTICE_DEVICE_SIZE]; /* "": not known, or none */
	uint32_t port;                   /* 0: not about a port */
	const char *event;               /* name, static; NULL for a gap */
	bool fabric_error;               /* async: a failure, not only a change */
	bool removed;                    /* async: an orderly removal of the device */
	char pci[NOTICE_PCI_SIZE];       /* async: the PCI function; "": not known */
	int32_t status;                  /* cm: 0, a negative errno, or the peer's reason code */
	const char *cause;               /* cm: local, remote, network or unknown; static */
	/* cm: number of peers that were unreachable through the device in the last minute; 0: not a
	 * network failure, or the device or peer is unknown */
	uint32_t peers;
	uint64_t count; /* occurrences; gap: lost events, 0: unknown */
};

/* Copy a name of `length` bytes, which need not end with a NUL. Return false and set `out` to "" if
 * it does not fit with a NUL. */
bool notice_copy(char *out, size_t size, const char *name, size_t length);

/* Return true if two notices differ only in time, count and peers. */
bool notice_is_same(const struct notice *a, const struct notice *b);

/* Format the notice as a record with its newline (records#asynchronous-events). Return its length,
 * at most REC_EVENT_MAX_BYTES. `node` has at most REC_NODE_MAX_BYTES. */
size_t notice_format(const struct notice *notice, const char *node, char out[REC_EVENT_MAX_BYTES]);

#endif
