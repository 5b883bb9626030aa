/* Unit tests of ctreval's state: what it keeps, and when it forgets it. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/state/state.h"

#include "../../tools/ctreval/state/forget.h"
#include "check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define COUNTERS 3

static struct state
state_of_test(void)
{
	struct state state;
	state_init(&state, COUNTERS);
	return state;
}

static void
copies(void)
{
	static const struct {
		const char *text;
		size_t size;
		const char *copied;
	} rows[] = {
		{NULL, 4, ""},
		{"", 4, ""},
		{"abc", 4, "abc"},
		{"abcd", 4, "abc"},
		{"abc", 1, ""},
		/* Never half a character. */
		{"ab\xC3\xA4", 5, "ab\xC3\xA4"},
		{"ab\xC3\xA4", 4, "ab"},
		{"\xF0\x9F\x98\x80", 4, ""},
		{"\xF0\x9F\x98\x80", 5, "\xF0\x9F\x98\x80"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char field[8] = "zzzzzzz";
		check_row("\"%s\" into %zu", rows[i].text != NULL ? rows[i].text : "NULL",
			rows[i].size);
		state_copy(field, rows[i].size, rows[i].text);
		CHECK_STR(field, rows[i].copied);
	}
}

static void
finds_or_makes(void)
{
	struct state state = state_of_test();
	CHECK(state_find_port(&state, "mlx5_0", 1) == NULL);
	CHECK(state_find_device(&state, "mlx5_0") == NULL);
	CHECK(state_find_card(&state, "0000:18:00", LAYER_INFINIBAND) == NULL);
	CHECK(!state.changed);

	struct port_entry *port = state_find_or_add_port(&state, "mlx5_0", 1);
	CHECK(state.changed);
	CHECK_STR(port->device, "mlx5_0");
	CHECK_INT(port->number, 1);
	CHECK_INT((int64_t)port->counter_count, COUNTERS);
	CHECK_INT(port->health, PORT_NEW);
	CHECK(!port->known && !port->gone_said.stands && !port->state_said.stands);
	for (size_t i = 0; i < COUNTERS; i++)
		CHECK(!port->counters[i].seen && !port->counters[i].breached);
	state.changed = false;
	CHECK(state_find_or_add_port(&state, "mlx5_0", 1) == port);
	CHECK(state_find_port(&state, "mlx5_0", 1) == port);
	CHECK(!state.changed);

	struct device_entry *device = state_find_or_add_device(&state, "mlx5_0");
	CHECK(state.changed);
	CHECK_STR(device->node.key, "mlx5_0");
	CHECK_INT(device->presence, DEVICE_FINE);
	CHECK(state_find_device(&state, "mlx5_0") == device);

	struct card_entry *card = state_find_or_add_card(&state, "0000:18:00", LAYER_INFINIBAND);
	CHECK_STR(card->card, "0000:18:00");
	CHECK(card->layer == LAYER_INFINIBAND);
	CHECK_INT(card->below.memory, BELOW_FINE);
	CHECK(state_find_card(&state, "0000:18:00", LAYER_INFINIBAND) == card);
	state_fini(&state);
}

static void
keys_differ(void)
{
	static const struct {
		const char *device;
		long long port;
	} ports[] = {{"mlx5_0", 1}, {"mlx5_0", 2}, {"mlx5_0", 10}, {"mlx5_01", 0}, {"mlx5_0:1", 1},
		{"mlx5_0:1", 11}, {"mlx5_0", 0}, {"", 1}, {":1", 1}, {"mlx5_0 1", 1},
		{"mlx5_0", INT32_MAX}};
	struct port_entry *entries[CHECK_COUNT(ports)];
	struct state state = state_of_test();
	for (size_t i = 0; i < CHECK_COUNT(ports); i++) {
		entries[i] = state_find_or_add_port(&state, ports[i].device, ports[i].port);
		for (size_t k = 0; k < i; k++) {
			check_row("%s port %lld and %s port %lld", ports[i].device, ports[i].port,
				ports[k].device, ports[k].port);
			CHECK(entries[i] != entries[k]);
		}
	}
	/* A card's InfiniBand and Ethernet ports have separate entries. */
	CHECK(state_find_or_add_card(&state, "c", LAYER_INFINIBAND) !=
		state_find_or_add_card(&state, "c", LAYER_ETHERNET));
	CHECK(state_find_card(&state, "c", LAYER_ETHERNET)->layer == LAYER_ETHERNET);
	CHECK(state_find_or_add_card(&state, "c ", LAYER_INFINIBAND) !=
		state_find_or_add_card(&state, "c", LAYER_INFINIBAND));
	state_fini(&state);
}

static void
longest_names(void)
{
	struct state state = state_of_test();
	char *name = check_repeat_new('n', STATE_NAME_SIZE - 1);
	struct port_entry *port = state_find_or_add_port(&state, name, INT32_MAX);
	struct device_entry *device = state_find_or_add_device(&state, name);
	struct card_entry *card = state_find_or_add_card(&state, name, LAYER_ETHERNET);
	CHECK_STR(port->device, name);
	CHECK_STR(device->node.key, name);
	CHECK_STR(card->card, name);
	CHECK(state_find_port(&state, name, INT32_MAX) == port);
	CHECK(state_find_port(&state, name, INT32_MAX - 1) == NULL);
	CHECK(state_find_card(&state, name, LAYER_INFINIBAND) == NULL);
	free(name);
	state_fini(&state);
}

static void
removes(void)
{
	struct state state = state_of_test();
	struct port_entry *port = state_find_or_add_port(&state, "a", 1);
	/* With a message, which must be freed too: the leak check would tell. */
	port->counters[1].breached = true;
	port->counters[1].breach.message = strdup("m");
	state_find_or_add_port(&state, "a", 2);
	state_find_or_add_device(&state, "a");
	state.changed = false;
	state_remove_port(&state, port);
	CHECK(state.changed);
	CHECK(state_find_port(&state, "a", 1) == NULL);
	CHECK(state_find_port(&state, "a", 2) != NULL);
	state.changed = false;
	state_remove_device(&state, state_find_device(&state, "a"));
	CHECK(state.changed);
	CHECK(state_find_device(&state, "a") == NULL);
	/* An entry that comes back is new. */
	port = state_find_or_add_port(&state, "a", 1);
	CHECK(!port->counters[1].breached && port->counters[1].breach.message == NULL);
	state_fini(&state);
}

static void
limit(void)
{
	struct state state = state_of_test();
	for (unsigned i = 0; i < TABLE_ENTRIES_MAX; i++)
		if (!CHECK(state_find_or_add_port(&state, "a", i) != NULL))
			break;
	errno = 0;
	CHECK(state_find_or_add_port(&state, "b", 1) == NULL);
	CHECK_INT(errno, ENOSPC);
	CHECK(state_find_or_add_port(&state, "a", 7) != NULL);
	state_fini(&state);
}

static void
orphans(void)
{
	struct state state = state_of_test();
	static const char *const names[] = {"z", "a", "m"};
	for (size_t i = 0; i < CHECK_COUNT(names); i++) {
		struct breach breach = {.check = CHECK_ETH_STATE,
			.fatal = true,
			.since = "T",
			.message = strdup(names[i])};
		CHECK_INT(
			state_add_orphan(&state, "mlx5_0", (long long)i, names[i], false, &breach),
			0);
		/* The orphan now owns the message. */
		CHECK(breach.message == NULL);
	}
	const struct orphan *orphan = state.orphans;
	for (size_t i = 0; i < CHECK_COUNT(names) && CHECK(orphan != NULL); i++) {
		CHECK_STR(orphan->name, names[i]);
		CHECK_STR(orphan->device, "mlx5_0");
		CHECK_INT(orphan->port, (int64_t)i);
		CHECK_STR(orphan->breach.message, names[i]);
		CHECK_INT(orphan->breach.check, CHECK_ETH_STATE);
		CHECK(orphan->breach.fatal);
		orphan = orphan->next;
	}
	CHECK(orphan == NULL);
	while (state.orphans != NULL) {
		struct orphan *first = state.orphans;
		state.orphans = first->next;
		state_free_orphan(first);
	}
	state_fini(&state);
}

/* Return a state in which everything is set. */
static struct state
full_state(void)
{
	struct state state = state_of_test();
	static const struct {
		const char *device;
		enum port_memory health;
	} ports[] = {{"new", PORT_NEW}, {"healthy", PORT_HEALTHY}, {"degraded", PORT_DEGRADED},
		{"fatal", PORT_FATAL}, {"degraded_muted", PORT_DEGRADED_MUTE},
		{"fatal_muted", PORT_FATAL_MUTE}};
	for (size_t i = 0; i < CHECK_COUNT(ports); i++) {
		struct port_entry *port = state_find_or_add_port(&state, ports[i].device, 1);
		port->health = ports[i].health;
		port->known = true;
		port->missing = 2;
		port->counters[0] = (struct counter_memory){.seen = true,
			.snapshot = {7, 8},
			.has_previous = true,
			.previous = 7,
			.breached = true,
			.breach = {.check = CHECK_IB_STATE, .message = strdup("m")}};
		state_find_or_add_device(&state, ports[i].device);
	}
	state_find_port(&state, "healthy", 1)->rate.memory = BELOW_WAITING;
	state_find_port(&state, "new", 1)->rate.memory = BELOW_REPORTED;
	state_find_device(&state, "fatal")->presence = DEVICE_GONE;
	state_find_device(&state, "degraded")->presence = DEVICE_SILENT;
	state_find_or_add_card(&state, "fine", LAYER_INFINIBAND);
	state_find_or_add_card(&state, "waiting", LAYER_INFINIBAND)->below.memory = BELOW_WAITING;
	state_find_or_add_card(&state, "anomalous", LAYER_ETHERNET)->below.memory = BELOW_REPORTED;
	struct breach breach = {.check = CHECK_IB_STATE, .message = strdup("m")};
	state_add_orphan(&state, "gone", 1, "gone", false, &breach);
	snprintf(state.boot_id, sizeof state.boot_id, "b1");
	state.scope = strdup("scope");
	state.settled = true;
	state.waited = 2;
	state_owe_baselines(&state, true);
	state.has_wall_snapshots = true;
	state.stamp = 99;
	state.changed = false;
	return state;
}

static void
forgets_boot(void)
{
	struct state state = full_state();
	forget_boot(&state);
	CHECK_INT((int64_t)state.ports.count, 0);
	CHECK_INT((int64_t)state.devices.count, 0);
	CHECK_INT((int64_t)state.cards.count, 0);
	CHECK(state.orphans == NULL);
	CHECK_STR(state.boot_id, "");
	CHECK(!state.settled);
	CHECK_INT(state.waited, 0);
	CHECK(!state.baseline_owed[CHECK_IB_STATE]);
	CHECK(!state.has_wall_snapshots);
	/* Independent of the boot: the scope, and the number of scans of this process. */
	CHECK_STR(state.scope, "scope");
	CHECK_U64(state.stamp, 99);
	CHECK_INT((int64_t)state.counter_count, COUNTERS);
	CHECK(state.changed);
	CHECK(state_find_or_add_port(&state, "a", 1) != NULL);
	state_fini(&state);
}

static void
forgets_scope(void)
{
	static const struct {
		const char *device;
		enum port_memory health;
	} rows[] = {{"new", PORT_NEW}, {"healthy", PORT_NEW}, {"degraded", PORT_DEGRADED},
		{"fatal", PORT_FATAL}, {"degraded_muted", PORT_NEW}, {"fatal_muted", PORT_NEW}};
	struct state state = full_state();
	forget_scope(&state);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const struct port_entry *port = state_find_port(&state, rows[i].device, 1);
		check_row("%s", rows[i].device);
		if (!CHECK(port != NULL))
			continue;
		CHECK_INT(port->health, rows[i].health);
		CHECK(!port->known);
		CHECK_INT(port->missing, 0);
		CHECK(port->counters[0].seen && port->counters[0].breached);
		CHECK_U64(port->counters[0].snapshot.value, 7);
		CHECK_STR(port->counters[0].breach.message, "m");
		/* It is not missed if it does not come back, but its reports can still be taken
		 * back. */
		const struct device_entry *device = state_find_device(&state, rows[i].device);
		CHECK(device != NULL && !device->known);
	}
	check_row("%s", "");
	CHECK_INT(state_find_port(&state, "healthy", 1)->rate.memory, BELOW_FINE);
	CHECK_INT(state_find_port(&state, "new", 1)->rate.memory, BELOW_REPORTED);
	CHECK_INT(state_find_device(&state, "fatal")->presence, DEVICE_GONE);
	CHECK(state_find_card(&state, "fine", LAYER_INFINIBAND) == NULL);
	CHECK(state_find_card(&state, "waiting", LAYER_INFINIBAND) == NULL);
	CHECK(state_find_card(&state, "anomalous", LAYER_ETHERNET) != NULL);
	CHECK(state.orphans != NULL);
	CHECK_STR(state.boot_id, "b1");
	CHECK(!state.settled);
	CHECK_INT(state.waited, 0);
	CHECK(state.baseline_owed[CHECK_IB_STATE]);
	CHECK(state.changed);
	state_fini(&state);
}

static void
resets(void)
{
	struct state state;
	state_init(&state, COUNTERS);
	CHECK(state_find_or_add_device(&state, "mlx5_0") != NULL &&
		state_find_or_add_port(&state, "mlx5_0", 1) != NULL);
	CHECK(state_find_or_add_card(&state, "0000:18:00", LAYER_INFINIBAND) != NULL);
	CHECK_INT(state_add_orphan(&state, "mlx5_0", 1, "link_downed", true,
			  &(struct breach){.check = CHECK_N}),
		0);
	snprintf(state.boot_id, sizeof state.boot_id, "b");
	state.scope = strdup("scope");
	state.settled = state.changed = true;
	state_reset(&state);
	CHECK_INT((int64_t)(state.ports.count + state.devices.count + state.cards.count), 0);
	CHECK(state.orphans == NULL && state.scope == NULL && !state.settled && !state.changed);
	CHECK_STR(state.boot_id, "");
	CHECK_INT((int64_t)state.counter_count, COUNTERS);
	/* And can be used again. */
	CHECK(state_find_or_add_port(&state, "mlx5_0", 1) != NULL);
	state_fini(&state);
}

static const struct check_test tests[] = {
	{"a state that was reset is empty and has room for as many counters", resets},
	{"a text is copied whole, or cut between characters", copies},
	{"an entry is created once, and then found", finds_or_makes},
	{"no two ports or cards share a key", keys_differ},
	{"the longest names are kept whole", longest_names},
	{"a removed entry loses everything, and comes back as new", removes},
	{"ports beyond the limit are refused, but known ones are still found", limit},
	{"breaches of unwatched counters are kept in order until they are dropped", orphans},
	{"a new boot clears everything but the scope", forgets_boot},
	{"a new scope clears what was seen, and keeps reports and all counters", forgets_scope},
};
CHECK_MAIN(tests)
