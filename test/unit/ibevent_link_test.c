/* Unit tests of ibevent's linkmessage and linktable: parsing rtnetlink messages and detecting
 * changes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibevent/linkmessage.h"
#include "../../tools/ibevent/linktable.h"
#include "check.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>

/* The message being built. */
static _Alignas(8) unsigned char bytes[2048];
static size_t used;

static struct nlmsghdr *
begin(uint16_t type)
{
	struct nlmsghdr *header = (struct nlmsghdr *)(bytes + used);
	*header = (struct nlmsghdr){.nlmsg_len = sizeof *header, .nlmsg_type = type};
	used += sizeof *header;
	return header;
}

static void
add(struct nlmsghdr *header, const void *what, size_t length)
{
	memcpy(bytes + used, what, length);
	used += (length + 3) & ~(size_t)3;
	header->nlmsg_len = (uint32_t)((unsigned char *)(bytes + used) - (unsigned char *)header);
}

static void
add_attribute(struct nlmsghdr *header, uint16_t type, const void *payload, uint16_t length)
{
	struct rtattr attribute = {
		.rta_len = (uint16_t)(sizeof attribute + length), .rta_type = type};
	add(header, &attribute, sizeof attribute);
	add(header, payload, length);
}

static struct nlmsghdr *
add_link(uint16_t type, int index, bool is_up, const char *name)
{
	struct nlmsghdr *header = begin(type);
	struct ifinfomsg info = {.ifi_index = index, .ifi_flags = is_up ? IFF_RUNNING : 0};
	add(header, &info, sizeof info);
	if (name != NULL)
		add_attribute(header, IFLA_IFNAME, name, (uint16_t)(strlen(name) + 1));
	return header;
}

static void
links(void)
{
	struct linkmessage message;
	const unsigned char *at = bytes;
	uint32_t changes = 5;
	add_attribute(add_link(RTM_NEWLINK, 3, true, "eth0"), IFLA_CARRIER_CHANGES, &changes, 4);
	begin(RTM_NEWADDR);
	add_link(RTM_NEWLINK, 4, false, "fifteen-columns");
	add_link(RTM_DELLINK, 3, false, NULL);
	begin(NLMSG_DONE);
	CHECK_INT(linkmessage_next(&at, &used, &message), LINKMESSAGE_CHANGED);
	CHECK_INT(message.index, 3);
	CHECK_STR(message.name, "eth0");
	CHECK(message.is_up && message.has_carrier_changes);
	CHECK_U64(message.carrier_changes, 5);
	CHECK_INT(linkmessage_next(&at, &used, &message), LINKMESSAGE_CHANGED);
	CHECK_STR(message.name, "fifteen-columns");
	CHECK(!message.is_up && !message.has_carrier_changes);
	CHECK_INT(linkmessage_next(&at, &used, &message), LINKMESSAGE_GONE);
	CHECK_INT(message.index, 3);
	CHECK_INT(linkmessage_next(&at, &used, &message), LINKMESSAGE_DUMPED);
	CHECK_INT(linkmessage_next(&at, &used, &message), LINKMESSAGE_END);
}

/* A bridge reports its ports as interfaces, but without their counters, and those that leave it as
 * deleted. */
static void
bridge_ports(void)
{
	struct linkmessage message;
	const unsigned char *at = bytes;
	static const uint16_t types[] = {RTM_NEWLINK, RTM_DELLINK};
	for (size_t i = 0; i < CHECK_COUNT(types); i++) {
		struct nlmsghdr *header = add_link(types[i], 3, false, "eth0");
		((struct ifinfomsg *)(header + 1))->ifi_family = AF_BRIDGE;
	}
	add_link(RTM_NEWLINK, 4, true, "eth1");
	CHECK_INT(linkmessage_next(&at, &used, &message), LINKMESSAGE_CHANGED);
	CHECK_STR(message.name, "eth1");
	CHECK_INT(linkmessage_next(&at, &used, &message), LINKMESSAGE_END);
}

static void
errors(void)
{
	static const struct {
		int32_t error;
		enum linkmessage_status status;
	} rows[] = {{0, LINKMESSAGE_DUMPED}, {-EPERM, LINKMESSAGE_REFUSED},
		{1, LINKMESSAGE_MALFORMED}, {-4096, LINKMESSAGE_MALFORMED},
		{INT32_MIN, LINKMESSAGE_MALFORMED}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct linkmessage message;
		const unsigned char *at = bytes;
		check_row("%d", rows[i].error);
		used = 0;
		add(begin(NLMSG_ERROR), &rows[i].error, sizeof rows[i].error);
		CHECK_INT(linkmessage_next(&at, &used, &message), rows[i].status);
		if (rows[i].status == LINKMESSAGE_REFUSED)
			CHECK_INT(message.error, EPERM);
	}
}

static enum linkmessage_status
parsed(size_t length)
{
	struct linkmessage message;
	const unsigned char *at = bytes;
	return linkmessage_next(&at, &length, &message);
}

/* In memory of exactly that length, so that a sanitizer detects reads beyond it. */
static void
cut(void)
{
	add_link(RTM_NEWLINK, 3, true, "eth0");
	CHECK_INT(parsed(used), LINKMESSAGE_CHANGED);
	for (size_t length = 1; length < used; length++) {
		struct linkmessage message;
		unsigned char *copy = malloc(length);
		memcpy(copy, bytes, length);
		const unsigned char *at = copy;
		size_t left = length;
		CHECK_INT(linkmessage_next(&at, &left, &message), LINKMESSAGE_MALFORMED);
		/* The same with a header that has the cut length. */
		if (length >= sizeof(struct nlmsghdr)) {
			((struct nlmsghdr *)copy)->nlmsg_len = (uint32_t)length;
			at = copy;
			left = length;
			enum linkmessage_status status = linkmessage_next(&at, &left, &message);
			/* The last bytes are padding. */
			CHECK((status == LINKMESSAGE_MALFORMED) == (length < used - 3));
		}
		free(copy);
	}
}

static void
malformed(void)
{
	struct nlmsghdr *header = add_link(RTM_NEWLINK, 3, true, "eth0");
	struct rtattr *attribute = (struct rtattr *)(bytes + sizeof *header + 16);
	uint16_t length = attribute->rta_len;
	CHECK_INT(attribute->rta_type, IFLA_IFNAME);
	attribute->rta_len = 3;
	CHECK_INT(parsed(used), LINKMESSAGE_MALFORMED);
	attribute->rta_len = UINT16_MAX;
	CHECK_INT(parsed(used), LINKMESSAGE_MALFORMED);
	attribute->rta_len = length;
	CHECK_INT(parsed(used), LINKMESSAGE_CHANGED);
	header->nlmsg_len = 15;
	CHECK_INT(parsed(used), LINKMESSAGE_MALFORMED);
	header->nlmsg_len = UINT32_MAX;
	CHECK_INT(parsed(used), LINKMESSAGE_MALFORMED);
	used = 0;
	add_link(RTM_NEWLINK, 3, true, "sixteen-columns-");
	CHECK_INT(parsed(used), LINKMESSAGE_MALFORMED);
	used = 0;
	add_link(RTM_NEWLINK, 3, true, NULL);
	CHECK_INT(parsed(used), LINKMESSAGE_MALFORMED);
	used = 0;
	add_link(RTM_NEWLINK, 3, true, "");
	CHECK_INT(parsed(used), LINKMESSAGE_MALFORMED);
}

static void
counter_of_other_length(void)
{
	struct linkmessage message;
	const unsigned char *at = bytes;
	const char wide[8] = {1};
	add_attribute(add_link(RTM_NEWLINK, 3, true, "eth0"), IFLA_CARRIER_CHANGES, wide, 8);
	CHECK_INT(linkmessage_next(&at, &used, &message), LINKMESSAGE_CHANGED);
	CHECK(!message.has_carrier_changes);
}

static struct linktable table;

static struct linktable_change
becomes(int index, bool is_up, int64_t changes)
{
	struct linktable_change change;
	const struct linkmessage message = {.index = index,
		.is_up = is_up,
		.has_carrier_changes = changes >= 0,
		.carrier_changes = (uint32_t)changes};
	CHECK_INT(linktable_accept(&table, LINKMESSAGE_CHANGED, &message, &change), 0);
	return change;
}

static void
changes(void)
{
	static const struct {
		const char *what;
		bool was_up, is_up;
		int64_t before, after; /* carrier_changes; -1: unknown */
		uint32_t downs, ups;
	} rows[] = {
		{"nothing", true, true, 5, 5, 0, 0},
		{"down", true, false, 5, 6, 1, 0},
		{"up", false, true, 5, 6, 0, 1},
		{"down, without a counter", true, false, -1, -1, 1, 0},
		{"up, with a counter that appears", false, true, -1, 6, 0, 1},
		{"nothing, with a counter that appears", true, true, -1, 6, 0, 0},
		{"down, with an unchanged counter", true, false, 5, 5, 1, 0},
		{"a completed flap", true, true, 5, 7, 1, 1},
		{"three completed flaps", true, true, 5, 11, 3, 3},
		{"half a flap counts as none", true, true, 5, 6, 0, 0},
		{"a flap of a link that is down", false, false, 5, 7, 1, 1},
		{"down, up and down", true, false, 5, 8, 2, 1},
		{"up, down and up", false, true, 5, 8, 1, 2},
		{"a counter that wraps", true, true, UINT32_MAX, 1, 1, 1},
		{"a counter that went back", true, true, 7, 5, 0, 0},
		{"the most changes that are believed", true, true, 0, INT32_MAX, INT32_MAX / 2,
			INT32_MAX / 2},
		{"one more than that", true, true, 0, (int64_t)INT32_MAX + 1, 0, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].what);
		becomes((int)i, rows[i].was_up, rows[i].before);
		struct linktable_change change = becomes((int)i, rows[i].is_up, rows[i].after);
		CHECK_U64(change.downs, rows[i].downs);
		CHECK_U64(change.ups, rows[i].ups);
	}
	linktable_fini(&table);
}

static void
interfaces(void)
{
	/* Unsorted, so that each position is tried. */
	static const int order[] = {50, 10, 90, 30, 70, 20, 80, 40, 60};
	for (size_t i = 0; i < CHECK_COUNT(order); i++)
		CHECK_U64(becomes(order[i], true, order[i]).ups, 0);
	CHECK_U64(table.count, CHECK_COUNT(order));
	for (size_t i = 0; i < CHECK_COUNT(order); i++)
		CHECK_U64(becomes(order[i], false, order[i] + 1).downs, 1);
	CHECK_U64(table.count, CHECK_COUNT(order));
	linktable_fini(&table);
}

static void
gone(void)
{
	struct linktable_change change;
	struct linkmessage message = {.index = 2};
	becomes(1, true, 0);
	becomes(2, true, 0);
	becomes(3, true, 0);
	CHECK_INT(linktable_accept(&table, LINKMESSAGE_GONE, &message, &change), 0);
	CHECK_U64(change.downs, 0);
	CHECK_U64(table.count, 2);
	message.index = 4;
	CHECK_INT(linktable_accept(&table, LINKMESSAGE_GONE, &message, &change), 0);
	CHECK_U64(table.count, 2);
	/* An interface that reuses an index is new. */
	CHECK_U64(becomes(2, false, 9).downs, 0);
	CHECK_U64(becomes(3, false, 1).downs, 1);
	linktable_fini(&table);
}

static void
lists(void)
{
	becomes(1, true, 0);
	becomes(2, true, 0);
	linktable_begin_list(&table);
	CHECK_U64(becomes(2, false, 1).downs, 1);
	CHECK_U64(becomes(3, true, 0).ups, 0);
	linktable_end_list(&table);
	CHECK_U64(table.count, 2);
	CHECK_U64(becomes(1, false, 1).downs, 0);
	CHECK_U64(becomes(3, false, 1).downs, 1);
	linktable_fini(&table);
}

/* The last of three is gone before the list, which has the other two. */
static void
lists_of_the_rest(void)
{
	struct linktable_change change;
	const struct linkmessage third = {.index = 3};
	becomes(1, true, 0);
	becomes(2, true, 0);
	becomes(3, true, 0);
	CHECK_INT(linktable_accept(&table, LINKMESSAGE_GONE, &third, &change), 0);
	linktable_begin_list(&table);
	becomes(1, true, 0);
	becomes(2, true, 0);
	linktable_end_list(&table);
	CHECK_U64(table.count, 2);
	CHECK_U64(becomes(1, false, 1).downs, 1);
	CHECK_U64(becomes(2, false, 1).downs, 1);
	CHECK_U64(becomes(3, false, 1).downs, 0);
	linktable_fini(&table);
}

static const struct check_test tests[] = {
	{"changed and deleted interfaces are parsed, and other messages skipped", links},
	{"a bridge's messages about its ports are skipped", bridge_ports},
	{"the kernel's error is returned if its number is valid", errors},
	{"a message cut at any byte is malformed", cut},
	{"invalid lengths and names are malformed", malformed},
	{"a counter of another length is not read", counter_of_other_length},
	{"a change of the state or counter gives the number of link-downs and link-ups", changes},
	{"each interface is remembered by its index", interfaces},
	{"an interface that is gone is forgotten", gone},
	{"an interface missing in a full list is gone", lists},
	{"a full list keeps all that it has and nothing else", lists_of_the_rest},
};

CHECK_MAIN(tests)
