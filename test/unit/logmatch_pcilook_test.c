/* Unit tests of logmatch's pcilook: looking up PCI addresses in a small sysfs. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/pcilook.h"

#include "check.h"
#include "sysfs.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* port 17:00.0 - NICs 18:00.0 (mlx5_0) and 18:00.1 (only ens1f1), the virtual function 18:01.0 of
 * the first; port 39:00.0 - the card's own bridges 3a:00.0, 3b:00.0 - NIC 3c:00.0 (mlx5_2); port
 * 50:00.0 - another vendor's switch 51:00.0 - NIC 52:00.0 (mlx5_3); port 60:00.0 - a disk 61:00.0;
 * 70:00.0, a NIC without a port and without a driver. */
#define PORT "0000:17:00.0"
#define NIC "0000:18:00.0"
#define SECOND "0000:18:00.1"
#define VIRTUAL "0000:18:01.0"
#define CARD_PORT "0000:39:00.0"
#define SWITCHED_PORT "0000:50:00.0"
#define FOREIGN_SWITCH "0000:51:00.0"
#define DISK_PORT "0000:60:00.0"
#define LONE "0000:70:00.0"

#define MELLANOX "0x15b3"
#define ETHERNET "0x020000"
#define BRIDGE "0x060400"

static const struct eval_facts *
facts_of(struct pcilook *look, const char *pci)
{
	return pcilook_get(look, pci, PCILOOK_FUNCTION | PCILOOK_PLACE);
}

static void
make_dir(const char *path)
{
	char full[PATH_MAX];
	snprintf(full, sizeof full, "%s/%s", check_dir(), path);
	CHECK_INT(mkdir(full, 0700), 0);
}

static void
make_link(const char *target, const char *path)
{
	char full[PATH_MAX];
	snprintf(full, sizeof full, "%s/%s", check_dir(), path);
	CHECK_INT(symlink(target, full), 0);
}

/* Make a function at `path` below devices/, as the bus shows it. */
static void
make_function(const char *path, const char *vendor, const char *class)
{
	char text[PATH_MAX], target[PATH_MAX];
	const char *slash = strrchr(path, '/');
	const char *address = slash != NULL ? slash + 1 : path;

	snprintf(text, sizeof text, "devices/%s", path);
	make_dir(text);
	snprintf(text, sizeof text, "devices/%s/vendor", path);
	check_file(text, vendor);
	snprintf(text, sizeof text, "devices/%s/class", path);
	check_file(text, class);
	snprintf(target, sizeof target, "../../../devices/%s", path);
	snprintf(text, sizeof text, "bus/pci/devices/%s", address);
	make_link(target, text);
}

static void
make_entry(const char *function, const char *directory, const char *name)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "devices/%s/%s", function, directory);
	make_dir(path);
	if (name != NULL) {
		snprintf(path, sizeof path, "devices/%s/%s/%s", function, directory, name);
		make_dir(path);
	}
}

static void
bind(const char *function)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "devices/%s/driver", function);
	make_link("/nowhere/bus/pci/drivers/mlx5_core", path);
}

static void
make_tree(void)
{
	make_dir("bus");
	make_dir("bus/pci");
	make_dir("bus/pci/devices");
	make_dir("devices");
	make_function(PORT, "0x8086", BRIDGE);
	make_function(PORT "/" NIC, MELLANOX, ETHERNET);
	make_function(PORT "/" SECOND, MELLANOX, ETHERNET);
	make_function(PORT "/" VIRTUAL, MELLANOX, ETHERNET);
	bind(PORT "/" NIC);
	bind(PORT "/" SECOND);
	bind(PORT "/" VIRTUAL);
	make_entry(PORT "/" NIC, "infiniband", "mlx5_0");
	make_entry(PORT "/" NIC, "net", "ens1f0");
	make_entry(PORT "/" SECOND, "net", "ens1f1");
	make_link("../" NIC, "devices/" PORT "/" VIRTUAL "/physfn");
	make_function(CARD_PORT, "0x8086", BRIDGE);
	make_function(CARD_PORT "/0000:3a:00.0", MELLANOX, BRIDGE);
	make_function(CARD_PORT "/0000:3a:00.0/0000:3b:00.0", MELLANOX, BRIDGE);
	make_function(CARD_PORT "/0000:3a:00.0/0000:3b:00.0/0000:3c:00.0", MELLANOX, ETHERNET);
	bind(CARD_PORT "/0000:3a:00.0/0000:3b:00.0/0000:3c:00.0");
	make_entry(CARD_PORT "/0000:3a:00.0/0000:3b:00.0/0000:3c:00.0", "infiniband", "mlx5_2");
	make_function(SWITCHED_PORT, "0x8086", BRIDGE);
	make_function(SWITCHED_PORT "/" FOREIGN_SWITCH, "0x1000", BRIDGE);
	make_function(SWITCHED_PORT "/" FOREIGN_SWITCH "/0000:52:00.0", MELLANOX, ETHERNET);
	bind(SWITCHED_PORT "/" FOREIGN_SWITCH "/0000:52:00.0");
	make_entry(SWITCHED_PORT "/" FOREIGN_SWITCH "/0000:52:00.0", "infiniband", "mlx5_3");
	make_function(DISK_PORT, "0x8086", BRIDGE);
	make_function(DISK_PORT "/0000:61:00.0", "0x144d", "0x010802");
	make_function(LONE, MELLANOX, ETHERNET);
	make_entry(LONE, "infiniband", "stale");
}

/* The opened tree. */
struct tree {
	int root;
	struct pcilook *look;
};

static struct tree
tree_new(void)
{
	make_tree();
	struct tree tree = {.root = sysfs_open_root(check_dir())};
	CHECK(tree.root >= 0);
	tree.look = pcilook_new(tree.root);
	CHECK(tree.look != NULL);
	return tree;
}

static void
tree_free(struct tree *tree)
{
	pcilook_free(tree->look);
	close(tree->root);
}

/* Remove a function and all below it from devices/; on the bus only its entry. */
static void
unplug(const char *address)
{
	char path[PATH_MAX];
	snprintf(path, sizeof path, "%s/bus/pci/devices/%s", check_dir(), address);
	CHECK_INT(unlink(path), 0);
}

static void
move_away(const char *path)
{
	char from[PATH_MAX], to[PATH_MAX];
	snprintf(from, sizeof from, "%s/%s", check_dir(), path);
	snprintf(to, sizeof to, "%s/gone", check_dir());
	CHECK_INT(rename(from, to), 0);
}

static void
facts(void)
{
	static const struct {
		const char *pci;
		enum eval_function function;
		bool is_nic, is_above_nic;
		const char *names[2];
	} rows[] = {
		{NIC, EVAL_FUNCTION_PF, true, false, {"mlx5_0"}},
		{SECOND, EVAL_FUNCTION_PF, true, false, {"ens1f1"}},
		{VIRTUAL, EVAL_FUNCTION_VF, true, false, {NULL}},
		{PORT, EVAL_FUNCTION_PF, false, true, {"mlx5_0", "ens1f1"}},
		{CARD_PORT, EVAL_FUNCTION_PF, false, true, {"mlx5_2"}},
		{"0000:3a:00.0", EVAL_FUNCTION_PF, false, true, {"mlx5_2"}},
		{SWITCHED_PORT, EVAL_FUNCTION_PF, false, false, {NULL}},
		{FOREIGN_SWITCH, EVAL_FUNCTION_PF, false, true, {"mlx5_3"}},
		{DISK_PORT, EVAL_FUNCTION_PF, false, false, {NULL}},
		{"0000:61:00.0", EVAL_FUNCTION_PF, false, false, {NULL}},
		/* Without a driver its names do not count. */
		{LONE, EVAL_FUNCTION_PF, true, false, {NULL}},
		{"0000:99:00.0", EVAL_FUNCTION_UNKNOWN, false, false, {NULL}},
		{"", EVAL_FUNCTION_UNKNOWN, false, false, {NULL}},
	};
	struct tree tree = tree_new();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct eval_facts *got = facts_of(tree.look, rows[i].pci);
		size_t names = (rows[i].names[0] != NULL) + (rows[i].names[1] != NULL);
		check_row("%s", rows[i].pci);
		CHECK_INT(got->function, rows[i].function);
		CHECK_INT(got->is_nic, rows[i].is_nic);
		CHECK_INT(got->is_above_nic, rows[i].is_above_nic);
		CHECK_U64(got->nics.count, names);
		for (size_t name = 0; name < names && name < got->nics.count; name++)
			CHECK_STR(got->nics.names[name], rows[i].names[name]);
	}
	tree_free(&tree);
}

static void
one_moment(void)
{
	struct tree tree = tree_new();
	CHECK_STR(facts_of(tree.look, NIC)->nics.names[0], "mlx5_0");
	move_away("devices/" PORT "/" NIC "/infiniband");
	CHECK_STR(facts_of(tree.look, NIC)->nics.names[0], "mlx5_0");
	pcilook_refresh(tree.look);
	CHECK_STR(facts_of(tree.look, NIC)->nics.names[0], "ens1f0");
	tree_free(&tree);
}

static void
vanished(void)
{
	struct tree tree = tree_new();
	pcilook_learn(tree.look);
	unplug(NIC);
	move_away("devices/" PORT "/" NIC);
	pcilook_refresh(tree.look);
	const struct eval_facts *port = facts_of(tree.look, PORT);
	CHECK(port->is_above_nic);
	CHECK_U64(port->nics.count, 2);
	CHECK_STR(port->nics.names[0], "mlx5_0");
	const struct eval_facts *nic = facts_of(tree.look, NIC);
	CHECK(nic->is_nic);
	CHECK_INT(nic->function, EVAL_FUNCTION_UNKNOWN);
	/* Learning again does not forget it. */
	pcilook_learn(tree.look);
	CHECK(facts_of(tree.look, NIC)->is_nic);
	tree_free(&tree);
}

/* Neither do virtual functions take the room of other NICs, nor are they among those of a port. */
static void
many_virtual_functions(void)
{
	struct tree tree = tree_new();
	make_entry(PORT "/" VIRTUAL, "infiniband", "mlx5_9");
	for (unsigned i = 0; i < 300; i++) {
		char path[PATH_MAX], link[PATH_MAX + 32];
		snprintf(path, sizeof path, PORT "/0000:%02x:%02x.%x", 0x19 + i / 256, i / 8 % 32,
			i % 8);
		make_function(path, MELLANOX, ETHERNET);
		snprintf(link, sizeof link, "devices/%s/physfn", path);
		make_link("../" NIC, link);
	}
	pcilook_learn(tree.look);
	CHECK_U64(facts_of(tree.look, PORT)->nics.count, 2);
	CHECK(facts_of(tree.look, VIRTUAL)->is_nic);
	unplug(LONE);
	CHECK(facts_of(tree.look, LONE)->is_nic);
	tree_free(&tree);
}

static void
never_learnt(void)
{
	struct tree tree = tree_new();
	unplug(NIC);
	move_away("devices/" PORT "/" NIC);
	CHECK(!facts_of(tree.look, NIC)->is_nic);
	tree_free(&tree);
}

/* More addresses than one moment's cache holds: the answers stay right. */
static void
many_addresses(void)
{
	struct tree tree = tree_new();
	for (int round = 0; round < 2; round++) {
		for (unsigned bus = 0; bus < 200; bus++) {
			char pci[SUBJECT_PCI_SIZE];
			snprintf(pci, sizeof pci, "0001:%02x:00.0", bus);
			CHECK(!facts_of(tree.look, pci)->is_nic);
			CHECK(facts_of(tree.look, NIC)->is_nic);
		}
	}
	tree_free(&tree);
}

static void
no_root(void)
{
	struct pcilook *look = pcilook_new(-1);
	pcilook_learn(look);
	const struct eval_facts *got = facts_of(look, NIC);
	CHECK_INT(got->function, EVAL_FUNCTION_UNKNOWN);
	CHECK(!got->is_nic && !got->is_above_nic && got->nics.count == 0);
	pcilook_free(look);
	pcilook_free(NULL);
}

static void
empty_root(void)
{
	int root = sysfs_open_root(check_dir());
	struct pcilook *look = pcilook_new(root);
	pcilook_learn(look);
	CHECK_INT(facts_of(look, NIC)->function, EVAL_FUNCTION_UNKNOWN);
	pcilook_free(look);
	close(root);
}

static void
long_name(void)
{
	struct tree tree = tree_new();
	char *name = check_repeat_new('n', STANDING_NIC_MAX_BYTES + 1);
	char path[PATH_MAX];
	snprintf(path, sizeof path, "devices/" PORT "/" SECOND "/net/%s", name);
	move_away("devices/" PORT "/" SECOND "/net/ens1f1");
	make_dir(path);
	CHECK_U64(facts_of(tree.look, SECOND)->nics.count, 0);
	CHECK_U64(facts_of(tree.look, PORT)->nics.count, 1);
	free(name);
	tree_free(&tree);
}

static const struct check_test tests[] = {
	{"an address has the facts of sysfs and no others", facts},
	{"an address keeps its facts until the next refresh", one_moment},
	{"a NIC that is gone is still known, also by its port", vanished},
	{"virtual functions are no NICs of a port and take no room", many_virtual_functions},
	{"a NIC that was gone before the first learning is unknown", never_learnt},
	{"many addresses between two refreshes are told apart", many_addresses},
	{"without sysfs nothing is known", no_root},
	{"in an empty sysfs nothing is known", empty_root},
	{"a name that is too long is ignored", long_name},
};
CHECK_MAIN(tests)
