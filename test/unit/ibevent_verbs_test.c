/* Unit tests of ibevent's verbs: which devices are opened when there are many. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibevent/verbs.h"
#include "check.h"
#include "sysfs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

static void
make_dir(const char *path)
{
	char full[PATH_MAX];
	snprintf(full, sizeof full, "%s/%s", check_dir(), path);
	CHECK_INT(mkdir(full, 0755), 0);
}

/* Make a verbs node in sysfs, of a device with the node's number. Return its name. */
static const char *
make_node(unsigned number, bool is_virtual)
{
	static char node[32];
	char path[128], device[32];
	snprintf(node, sizeof node, "uverbs%u", number);
	snprintf(device, sizeof device, "mlx5_%u", number);
	snprintf(path, sizeof path, "class/infiniband_verbs/%s", node);
	make_dir(path);
	snprintf(path, sizeof path, "class/infiniband_verbs/%s/ibdev", node);
	check_file(path, device);
	snprintf(path, sizeof path, "class/infiniband_verbs/%s/device", node);
	make_dir(path);
	snprintf(path, sizeof path, "class/infiniband_verbs/%s/device/physfn", node);
	if (is_virtual)
		make_dir(path);
	return node;
}

static bool
has(const struct verbs *verbs, const char *node)
{
	for (size_t i = 0; i < verbs->count; i++)
		if (strcmp(verbs->devices[i].node, node) == 0)
			return true;
	return false;
}

/* A NIC comes back, as after a reload of its driver, when virtual functions have all the room. */
static void
nic_comes_later(void)
{
	make_dir("class");
	make_dir("class/infiniband_verbs");
	struct verbs verbs = {.has_begun = true,
		.any_driver = true,
		.root = sysfs_open_root(check_dir()),
		.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	CHECK(verbs.root >= 0 && verbs.wake_fd >= 0);
	unsigned number = 0;
	while (number < VERBS_MAX)
		verbs_add(&verbs, make_node(number++, true));
	CHECK_U64(verbs.count, VERBS_MAX);
	for (unsigned i = 0; i < VERBS_MAX; i++) {
		const char *node = make_node(number++, false);
		verbs_add(&verbs, node);
		CHECK(has(&verbs, node));
		CHECK_U64(verbs.count, VERBS_MAX);
	}
	check_capture(STDERR_FILENO);
	for (int is_virtual = 0; is_virtual < 2; is_virtual++) {
		const char *node = make_node(number++, is_virtual);
		verbs_add(&verbs, node);
		CHECK(!has(&verbs, node));
	}
	char *told = check_captured_new(STDERR_FILENO);
	CHECK_U64(check_occurrences(told, "not watched: there are more than 48 devices"), 2);
	free(told);
	verbs_end(&verbs);
	close(verbs.root);
}

static const struct check_test tests[] = {
	{"a NIC that comes later gets the room of a virtual function, but not that of a NIC",
		nic_comes_later},
};
CHECK_MAIN(tests)
