/* notice - what a source of ibevent reports: an asynchronous event, an event of the RDMA connection
 * manager, or that events were lost. Nothing in it tells of a process or a peer
 * (spec#events-anonymous). Pure. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_NOTICE_H
#define IBEVENT_NOTICE_H

#include "clock.h"
#include "rec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Room for a device's name (IB_DEVICE_NAME_MAX, include/uapi/rdma/ib_user_verbs.h) and a NUL. */
#define NOTICE_DEVICE_SIZE 64
/* Room for a PCI address, whose domain may have more than four digits, and a NUL. */
#define NOTICE_PCI_SIZE 20

enum notice_kind { NOTICE_ASYNC, NOTICE_CM, NOTICE_GAP };

/* The source. */
enum notice_via { NOTICE_LINK, NOTICE_UEVENT, NOTICE_VERBS, NOTICE_TRACE, NOTICE_VIA_N };

extern const char *const notice_via_names[NOTICE_VIA_N];

struct notice {
	enum notice_kind kind;
	enum notice_via via;
	struct clock_moment when;        /* when ibevent read it; of a count: the last time */
	char device[NOTICE_DEVICE_SIZE]; /* "": not known, or none */
	uint32_t port;                   /* 0: it is about no port */
	const char *event;               /* its name, which is never freed; not of a gap */
	bool fabric_error;               /* async: something has failed */
	bool removed;                    /* async: the device was removed in good order */
	char pci[NOTICE_PCI_SIZE];       /* async: the PCI function; "": not known */
	int32_t status;                  /* cm: 0, or a negative errno, or what the peer said */
	const char *cause;               /* cm: local, remote, network or unknown; never freed */
	/* cm: so many peers could not be reached through the device within a minute; 0: it is no
	 * failure of the network, or who it was is not known */
	uint32_t peers;
	uint64_t count; /* how often; of a gap: how many were lost, 0: not known */
};

/* Copies a name, which need not end with a NUL. False, and `out` is "", when it does not fit. */
bool notice_copy(char *out, size_t size, const char *name, size_t length);

/* True when two differ in nothing but time, count and peers. */
bool notice_is_same(const struct notice *a, const struct notice *b);

/* Formats it as a record with its newline (records#asynchronous-events). Returns its length, at
 * most REC_EVENT_MAX_BYTES. `node` has at most REC_NODE_MAX_BYTES. */
size_t notice_format(const struct notice *notice, const char *node, char out[REC_EVENT_MAX_BYTES]);

#endif
