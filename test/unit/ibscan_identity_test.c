/* Unit tests of ibscan's identity: the network interface of a port, and failed reads that must not
 * count as absence. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/identity.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define NETDEVS_MAX 3

/* Check the interface of port `number`. Each of `names` ends in the number that its driver gave it;
 * one that begins with r is a representor. */
static void
check_port(const char *names, unsigned number, const char *gid_netdev, const char *expected)
{
	char words[40], *rest;
	struct netdev netdevs[NETDEVS_MAX];
	struct identity identity = {.netdevs = netdevs};

	snprintf(words, sizeof words, "%s", names);
	for (char *name = strtok_r(words, " ", &rest); name != NULL;
		name = strtok_r(NULL, " ", &rest))
		netdevs[identity.netdev_count++] = (struct netdev){.name = name,
			.dev_port = (uint64_t)(name[strlen(name) - 1] - '0'),
			.representor = *name == 'r'};
	check_row("port %u of %s", number, names);
	CHECK_STR(identity_port_netdev(&identity, number, gid_netdev), expected);
}

static void
numbered(void)
{
	check_port("", 1, NULL, NULL);
	check_port("a0", 1, NULL, "a0");
	check_port("a0", 2, NULL, NULL);
	check_port("a0 b1", 1, NULL, "a0");
	check_port("a0 b1", 2, NULL, "b1");
	check_port("b1 a0", 1, NULL, "a0");
	check_port("a0 b0 c0", 1, NULL, "a0");
	check_port("a0 b1 c1", 2, NULL, "b1");
	/* No number fits. */
	check_port("a4", 1, NULL, "a4");
	check_port("a4", 2, NULL, NULL);
	check_port("a4 b5", 1, NULL, "a4");
}

static void
named(void)
{
	check_port("", 1, "a0", NULL);
	check_port("a0 b0 c0", 1, "b0", "b0");
	check_port("a0 b1 c7", 1, "c7", "c7");
	/* Another device's interface. */
	check_port("a0 b1", 2, "c1", "b1");
}

static void
representors(void)
{
	check_port("r0", 1, NULL, NULL);
	check_port("r0", 1, "r0", NULL);
	check_port("r0 a0", 1, NULL, "a0");
	check_port("r0 a0 b0", 1, "b0", "b0");
}

/* An SMI device that only has the list of its function's devices. A file needs one descriptor, and
 * a directory two. */
static void
descriptors_run_out(void)
{
	static const char *const directories[] = {"class", "class/infiniband",
		"class/infiniband/smi0", "class/infiniband/smi0/device",
		"class/infiniband/smi0/device/infiniband",
		"class/infiniband/smi0/device/infiniband/mlx5_0",
		"class/infiniband/smi0/device/infiniband/smi0",
		"class/infiniband/smi0/device/infiniband/smi0/ports",
		"class/infiniband/smi0/device/infiniband/smi0/ports/1"};
	struct rlimit before, few;
	int root = open(check_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; i < CHECK_COUNT(directories); i++)
		CHECK_INT(mkdirat(root, directories[i], 0700), 0);
	getrlimit(RLIMIT_NOFILE, &before);
	int first_free = fcntl(root, F_DUPFD_CLOEXEC, 0);
	close(first_free);
	for (int room = 0; room <= 2; room++) {
		check_row("room for %d", room);
		few = (struct rlimit){(rlim_t)(first_free + room), before.rlim_max};
		setrlimit(RLIMIT_NOFILE, &few);
		struct identity *identity = identity_read_new(root, "smi0");
		int error = errno;
		setrlimit(RLIMIT_NOFILE, &before);
		if (room == 2)
			CHECK(identity != NULL && identity->netdev_count == 0);
		else if (CHECK(identity == NULL))
			CHECK_INT(error, EMFILE);
		CHECK_STR(identity != NULL ? identity->parent : "mlx5_0", "mlx5_0");
		identity_free(identity);
	}
	close(root);
}

static const struct check_test tests[] = {
	{"a port has the first interface with its number, and port 1 otherwise the first one",
		numbered},
	{"a port has the interface that its GID table names, if it is the device's own", named},
	{"a representor is not the interface of any port", representors},
	{"a file that cannot be opened for want of descriptors does not count as absent",
		descriptors_run_out},
};
CHECK_MAIN(tests)
