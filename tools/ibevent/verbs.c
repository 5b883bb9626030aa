/* verbs - reports asynchronous events of RDMA devices, from libibverbs contexts of its own. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "verbs.h"

#include "diag.h"
#include "eventname.h"
#include "num.h"
#include "sysfs.h"
#include "verbsdriver.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define NODES_DIR "/dev/infiniband"

/* More than any machine has. */
#define NODES_MAX 8192

/* A device that takes longer to open counts as hung. */
#define OPENING_NS (UINT64_C(5) * NUM_NS_PER_S)

/* Events read per device and call, so that other devices and sources get their turn. */
#define BATCH 64

static struct verbs_device *
find(struct verbs *verbs, const char *node)
{
	for (size_t i = 0; i < verbs->count; i++)
		if (strcmp(verbs->devices[i].node, node) == 0)
			return &verbs->devices[i];
	return NULL;
}

static void
drop_device(struct verbs *verbs, struct verbs_device *device, const char *reason)
{
	diag_info("verbs: %s: closed: %s", device->name, reason);
	if (device->opening != NULL)
		verbsopen_abandon(device->opening);
	if (device->context != NULL)
		verbsopen_close(device->context);
	*device = verbs->devices[--verbs->count];
}

/* Read the name of the node's device. */
static bool
read_name(const struct verbs *verbs, const char *node, char name[NOTICE_DEVICE_SIZE])
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof path, "class/infiniband_verbs/%s/ibdev", node);
	return n > 0 && n < PATH_MAX &&
	       sysfs_read_plain(verbs->root, path, name, NOTICE_DEVICE_SIZE) == SYSFS_OK;
}

/* Return whether the device may be opened: its driver can remove it while it is open, or any_driver
 * is set. Soft RoCE has no driver. */
static bool
may_be_opened(const struct verbs *verbs, const char *name)
{
	char path[PATH_MAX], driver[SYSFS_TEXT_MAX];
	int n = snprintf(path, sizeof path, "class/infiniband/%s/device/driver", name);
	if (verbs->any_driver)
		return true;
	return n > 0 && n < PATH_MAX &&
	       sysfs_link_name(verbs->root, path, driver, sizeof driver) == SYSFS_OK &&
	       verbsdriver_lets_go(driver);
}

static bool
is_virtual_function(const struct verbs *verbs, const char *node)
{
	char path[PATH_MAX];
	struct stat status;
	int n = snprintf(path, sizeof path, "class/infiniband_verbs/%s/device/physfn", node);
	return n > 0 && n < PATH_MAX && sysfs_stat(verbs->root, path, &status) == SYSFS_OK;
}

/* Make room for the device of a node, unless it is a virtual function: there may be more of these
 * than there is room, so close one of them. Return false if that is not possible. */
static bool
make_room(struct verbs *verbs, const char *node)
{
	if (verbs->count < VERBS_MAX)
		return true;
	for (size_t left = is_virtual_function(verbs, node) ? 0 : verbs->count; left > 0; left--) {
		struct verbs_device *device = &verbs->devices[left - 1];
		if (!is_virtual_function(verbs, device->node))
			continue;
		drop_device(verbs, device, "a NIC needs the room of this virtual function");
		return true;
	}
	return false;
}

void
verbs_add(struct verbs *verbs, const char *node)
{
	struct verbs_device device = {0};
	if (!verbs->has_begun || find(verbs, node) != NULL || !sysfs_is_name(node) ||
		!read_name(verbs, node, device.name))
		return;
	if (!may_be_opened(verbs, device.name)) {
		diag_note("verbs: %s: not watched: its driver cannot remove an open device "
			  "(--verbs-any-driver opens it anyway)",
			device.name);
		return;
	}
	if (!make_room(verbs, node)) {
		diag_warn("verbs: %s: not watched: there are more than %d devices", device.name,
			VERBS_MAX);
		return;
	}
	notice_copy(device.node, sizeof device.node, node, strlen(node));
	device.opening = verbsopen_start(node, verbs->wake_fd);
	device.deadline_ns = clock_monotonic_ns() + OPENING_NS;
	if (device.opening == NULL)
		diag_warn("verbs: %s: not watched: %s", device.name, strerror(errno));
	else
		verbs->devices[verbs->count++] = device;
}

void
verbs_remove(struct verbs *verbs, const char *node)
{
	struct verbs_device *device = find(verbs, node);
	if (device != NULL)
		drop_device(verbs, device, "it is being removed");
}

void
verbs_learn_names(struct verbs *verbs)
{
	for (size_t i = 0; i < verbs->count; i++) {
		struct verbs_device *device = &verbs->devices[i];
		char name[NOTICE_DEVICE_SIZE];
		if (read_name(verbs, device->node, name))
			strcpy(device->name, name);
	}
}

bool
verbs_watches(const struct verbs *verbs, const char *device)
{
	for (size_t i = 0; i < verbs->count; i++)
		if (verbs->devices[i].context != NULL &&
			strcmp(verbs->devices[i].name, device) == 0)
			return true;
	return false;
}

/* Virtual functions come last: there may be more of them than there is room. */
static void
add_all(struct verbs *verbs)
{
	static const char prefix[] = "uverbs";
	struct sysfs_names nodes;
	bool is_listed = sysfs_list_path(verbs->root, "class/infiniband_verbs", NODES_MAX,
				 &nodes) == SYSFS_OK;
	for (int round = 0; is_listed && round < 2; round++)
		for (size_t i = 0; i < nodes.count; i++)
			if (strncmp(nodes.names[i], prefix, sizeof prefix - 1) == 0 &&
				is_virtual_function(verbs, nodes.names[i]) == (round == 1))
				verbs_add(verbs, nodes.names[i]);
	sysfs_names_fini(&nodes);
}

int
verbs_begin(struct verbs *verbs, int root, bool any_driver, struct output *output)
{
	*verbs = (struct verbs){.root = root, .any_driver = any_driver, .output = output};
	if (access(NODES_DIR, X_OK) < 0)
		return -1;
	verbs->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (verbs->wake_fd < 0)
		return -1;
	verbs->has_begun = true;
	add_all(verbs);
	return 0;
}

void
verbs_reopen(struct verbs *verbs)
{
	if (!verbs->has_begun)
		return;
	while (verbs->count > 0)
		drop_device(verbs, &verbs->devices[0], "uevents were lost");
	add_all(verbs);
}

/* Collect the devices that were opened, and make their event descriptors non-blocking. */
static void
collect(struct verbs *verbs)
{
	for (size_t left = verbs->count; left > 0; left--) {
		struct verbs_device *device = &verbs->devices[left - 1];
		int error;
		if (device->opening == NULL ||
			!verbsopen_collect(device->opening, &device->context, &error))
			continue;
		device->opening = NULL;
		if (device->context != NULL &&
			fcntl(device->context->async_fd, F_SETFL, O_NONBLOCK) == 0) {
			diag_info("verbs: %s: watched", device->name);
			continue;
		}
		diag_warn("verbs: %s: not watched: %s", device->name, strerror(error));
		drop_device(verbs, device, "it cannot be watched");
	}
}

/* On an orderly removal ib_uverbs itself reports DEVICE_FATAL, without a port. */
static void
report(struct verbs *verbs, const struct verbs_device *device, const struct ibv_async_event *event)
{
	uint32_t type = (uint32_t)event->event_type;
	const struct eventname_async *known = eventname_async(type);
	uint32_t port = known->has_port ? (uint32_t)event->element.port_num : 0;
	bool removed = type == EVENTNAME_DEVICE_FATAL && port == 0;
	struct notice notice = {
		.kind = NOTICE_ASYNC,
		.via = VIA_VERBS,
		.port = port,
		.event = known->name,
		.fabric_error = known->fabric_error && !removed,
		.removed = removed,
		.count = 1,
	};
	strcpy(notice.device, device->name);
	output_accept(verbs->output, &notice);
}

/* Return false with errno if the device gives no more events: EIO after its removal. */
static bool
read_device(struct verbs *verbs, const struct verbs_device *device)
{
	for (unsigned i = 0; i < BATCH; i++) {
		struct ibv_async_event event;
		if (ibv_get_async_event(device->context, &event) != 0)
			return errno == EAGAIN || errno == EINTR;
		report(verbs, device, &event);
		ibv_ack_async_event(&event);
	}
	return true;
}

size_t
verbs_pollfds(const struct verbs *verbs, struct pollfd *fds)
{
	if (!verbs->has_begun)
		return 0;
	fds[0] = (struct pollfd){.fd = verbs->wake_fd, .events = POLLIN};
	for (size_t i = 0; i < verbs->count; i++) {
		const struct ibv_context *context = verbs->devices[i].context;
		fds[i + 1] = (struct pollfd){
			.fd = context != NULL ? context->async_fd : -1, .events = POLLIN};
	}
	return verbs->count + 1;
}

void
verbs_read(struct verbs *verbs, const struct pollfd *fds)
{
	uint64_t ignored;
	if (!verbs->has_begun)
		return;
	/* Backwards: drop_device() moves the last device into the free place. */
	for (size_t left = verbs->count; left > 0; left--) {
		struct verbs_device *device = &verbs->devices[left - 1];
		if (fds[left].revents != 0 && !read_device(verbs, device))
			drop_device(verbs, device, strerror(errno));
	}
	if (fds[0].revents == 0)
		return;
	ssize_t taken = read(verbs->wake_fd, &ignored, sizeof ignored);
	(void)taken;
	collect(verbs);
}

void
verbs_expire(struct verbs *verbs)
{
	uint64_t now_ns = clock_monotonic_ns();
	for (size_t left = verbs->count; left > 0; left--) {
		struct verbs_device *device = &verbs->devices[left - 1];
		if (device->opening == NULL || now_ns < device->deadline_ns)
			continue;
		diag_warn("verbs: %s: not watched: it did not open within 5 s", device->name);
		drop_device(verbs, device, "it hangs");
	}
}

uint64_t
verbs_patience_ns(const struct verbs *verbs)
{
	uint64_t deadline_ns = UINT64_MAX;
	for (size_t i = 0; i < verbs->count; i++)
		if (verbs->devices[i].opening != NULL)
			deadline_ns = clock_earlier(deadline_ns, verbs->devices[i].deadline_ns);
	return clock_left_ns(deadline_ns, clock_monotonic_ns());
}

void
verbs_end(struct verbs *verbs)
{
	while (verbs->count > 0)
		drop_device(verbs, &verbs->devices[0], "no longer watched");
	/* wake_fd stays open: a thread may still write to it. */
	verbs->has_begun = false;
}
