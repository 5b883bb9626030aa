/* Unit tests of ibscan's identity: which of a device's interfaces is a port's, and what is not
 * taken for absent. */
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

/* The interface of port `number`, of those in `names`: each ends with the digit that its driver has
 * numbered it with, and one that begins with an r is a representor. */
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
	/* Without a number that fits. */
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
	/* Another device's. */
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

/* A device of which there is nothing but its directory. */
static void
descriptors_run_out(void)
{
	struct rlimit before, none;
	int root = open(check_dir(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	CHECK(mkdirat(root, "class", 0700) == 0 && mkdirat(root, "class/infiniband", 0700) == 0 &&
		mkdirat(root, "class/infiniband/mlx5_0", 0700) == 0);
	getrlimit(RLIMIT_NOFILE, &before);
	none = (struct rlimit){.rlim_cur = 0, .rlim_max = before.rlim_max};

	struct identity *there = identity_read_new(root, "mlx5_0");
	CHECK(there != NULL && there->netdev_count == 0);
	identity_free(there);
	setrlimit(RLIMIT_NOFILE, &none);
	CHECK(identity_read_new(root, "mlx5_0") == NULL);
	CHECK_INT(errno, EMFILE);
	setrlimit(RLIMIT_NOFILE, &before);
	close(root);
}

static const struct check_test tests[] = {
	{"a port has the first interface with its number, and port 1 in any case the first one",
		numbered},
	{"of the device's own interfaces a port has the one that the GID table names", named},
	{"a representor is not the interface of any port", representors},
	{"what cannot be read for want of descriptors is not taken for absent",
		descriptors_run_out},
};
CHECK_MAIN(tests)
