/* verbs - reports asynchronous events of RDMA devices, from libibverbs contexts of its own.
 *
 * An open context can keep a device from being removed (kernel#open-context). Therefore contexts
 * are open only while uevents are read (spec#verbs-let-go): verbs_begin() needs them, and
 * verbs_end() must be called when they can no longer be read. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef IBEVENT_VERBS_H
#define IBEVENT_VERBS_H

#include "output.h"
#include "verbsopen.h"

#include <poll.h>

/* Devices watched at a time. */
#define VERBS_MAX 48

struct verbs_device {
	char node[NOTICE_DEVICE_SIZE]; /* such as uverbs0 */
	char name[NOTICE_DEVICE_SIZE]; /* such as mlx5_0 */
	struct verbsopen *opening;     /* NULL: not being opened */
	uint64_t deadline_ns;          /* of opening, CLOCK_MONOTONIC */
	struct ibv_context *context;   /* NULL: not open yet */
};

/* All zeros: not begun; then the functions other than verbs_begin() do nothing. */
struct verbs {
	bool has_begun;
	bool any_driver; /* also open devices that the driver cannot remove while they are open */
	int root;        /* file descriptor of sysfs */
	int wake_fd;     /* eventfd: opening a device has ended */
	struct verbs_device devices[VERBS_MAX];
	size_t count;
	struct output *output;
};

/* Start to open the existing devices. Return 0, or -1 with errno: ENOENT without
 * /dev/infiniband. */
int verbs_begin(struct verbs *verbs, int root, bool any_driver, struct output *output);

/* Start to open the device of a new node; close the device of a node that is being removed. */
void verbs_add(struct verbs *verbs, const char *node);
void verbs_remove(struct verbs *verbs, const char *node);

/* Read the names of the devices again: one may have been renamed. */
void verbs_learn_names(struct verbs *verbs);

/* Close all devices and open the existing ones, because uevents were lost. */
void verbs_reopen(struct verbs *verbs);

/* Return true if the device with this name is open here, so that verbs receives all its events. */
bool verbs_watches(const struct verbs *verbs, const char *device);

/* Fill in the descriptors to poll, at most 1 + VERBS_MAX. Return their number. */
size_t verbs_pollfds(const struct verbs *verbs, struct pollfd *fds);

/* Read the available events, after poll(2) of `fds` from verbs_pollfds(). */
void verbs_read(struct verbs *verbs, const struct pollfd *fds);

/* Give up devices that take too long to open. */
void verbs_expire(struct verbs *verbs);

/* Return how long verbs_expire() can wait, ns; UINT64_MAX: for ever. */
uint64_t verbs_patience_ns(const struct verbs *verbs);

/* Close all devices. */
void verbs_end(struct verbs *verbs);

#endif
