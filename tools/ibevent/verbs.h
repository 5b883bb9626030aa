/* verbs - asynchronous events of RDMA devices, from a context of our own on each (libibverbs).
 *
 * An open context can keep a device from being removed (kernel#open-context). Therefore there is
 * one only while uevents are read (spec#verbs-let-go): verbs_begin() needs them, and verbs_end() is
 * called when they can be read no more. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_VERBS_H
#define IBEVENT_VERBS_H

#include "output.h"
#include "verbsopen.h"

#include <poll.h>

/* Devices that are watched at a time. */
#define VERBS_MAX 48

struct verbs_device {
	char node[NOTICE_DEVICE_SIZE]; /* such as uverbs0 */
	char name[NOTICE_DEVICE_SIZE]; /* such as mlx5_0 */
	struct verbsopen *opening;     /* NULL: it is open, or was given up */
	uint64_t deadline_ns;          /* of opening it, CLOCK_MONOTONIC */
	struct ibv_context *context;   /* NULL: it is not open */
};

/* All zeros: not begun, and nothing that is asked of it does anything. */
struct verbs {
	bool has_begun;
	bool any_driver; /* also devices that may not let go */
	int root;        /* of sysfs */
	int wake_fd;     /* a device was opened, or will not be */
	struct verbs_device devices[VERBS_MAX];
	size_t count;
	struct output *output;
};

/* Begins with the devices that there are. 0, or -1 with errno: ENOENT without /dev/infiniband. */
int verbs_begin(struct verbs *verbs, int root, bool any_driver, struct output *output);

/* A node has come, or is going. */
void verbs_add(struct verbs *verbs, const char *node);
void verbs_remove(struct verbs *verbs, const char *node);

/* A device may have another name. */
void verbs_learn_names(struct verbs *verbs);

/* What came and went is not known: lets all devices go, and begins with those that there are. */
void verbs_begin_anew(struct verbs *verbs);

/* True if all events of the device that has this name come from here. */
bool verbs_watches(const struct verbs *verbs, const char *device);

/* What is to be polled, at most 1 + VERBS_MAX; returns how many. */
size_t verbs_pollfds(const struct verbs *verbs, struct pollfd *fds);

/* Reads what is there, after poll(2) of the same descriptors. */
void verbs_read(struct verbs *verbs, const struct pollfd *fds);

/* Gives up devices that take too long to open. */
void verbs_expire(struct verbs *verbs);

/* How long that can wait, nanoseconds; UINT64_MAX: for ever. */
uint64_t verbs_patience_ns(const struct verbs *verbs);

/* Lets all devices go. */
void verbs_end(struct verbs *verbs);

#endif
