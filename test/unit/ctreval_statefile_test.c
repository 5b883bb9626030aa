/* Unit tests of ctreval's statefile: writing the state as JSON and reading it back
 * (spec#state-file). */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ctreval/state/statefile.h"

#include "check.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>

#define NOW_TS "2026-01-02T03:04:05.000000Z"
#define NOW_NS (1000 * NUM_NS_PER_S)
#define S NUM_NS_PER_S

/* A state with its stream and outbox. */
struct whole {
	struct counter_list counters;
	struct state state;
	struct event_stream stream;
	struct outbox outbox;
	struct statefile file;
};

static void
begin(struct whole *whole)
{
	*whole = (struct whole){0};
	CHECK_INT(counter_list_init(&whole->counters), 0);
	CHECK_INT(outbox_init(&whole->outbox), 0);
	state_init(&whole->state, whole->counters.count);
	whole->file = (struct statefile){
		.state = &whole->state, .stream = &whole->stream, .outbox = &whole->outbox};
}

static void
end(struct whole *whole)
{
	free(whole->file.left_out);
	state_fini(&whole->state);
	outbox_fini(&whole->outbox);
	counter_list_fini(&whole->counters);
}

/* Decode a text with ' for "; return false with a reason in `error`. */
static bool
decode(struct whole *whole, const char *text, struct rec_error *error)
{
	json_t *root = check_json_new(text);
	int status = statefile_decode(root,
		&(const struct statefile_rules){
			.counters = &whole->counters, .counter_detection = true},
		&whole->file, error);
	json_decref(root);
	return status == 0;
}

static json_t *
encode_at(const struct whole *whole, const char *ts, uint64_t now_ns)
{
	char *text = statefile_encode_new(&whole->file, &whole->counters, ts, now_ns);
	json_t *root = json_loads(text != NULL ? text : "", JSON_REJECT_DUPLICATES, NULL);
	CHECK(root != NULL);
	free(text);
	return root;
}

static json_t *
encode(const struct whole *whole)
{
	return encode_at(whole, NOW_TS, NOW_NS);
}

static struct counter_memory *
counter(struct whole *whole, struct port_entry *port, const char *name)
{
	return &port->counters[counter_list_find(&whole->counters, name) - whole->counters.items];
}

/* Fill in everything that a state can hold. */
static void
fill(struct whole *whole)
{
	struct state *state = &whole->state;
	struct port_entry *port = state_find_or_add_port(state, "mlx5_0", 1);
	port->health = PORT_FATAL;
	port->known = true;
	state_report(&port->state_said, false, "port_state");
	state_report(&port->gone_said, true, "port_gone");
	port->missing = 1;
	snprintf(port->state, sizeof port->state, "1: DOWN");
	snprintf(port->phys_state, sizeof port->phys_state, "3: Disabled");
	snprintf(port->link_layer, sizeof port->link_layer, "InfiniBand");
	snprintf(port->card, sizeof port->card, "0000:18:00");
	/* An extra scan saw it ACTIVE. */
	port->flap.was_active = true;
	port->flap.has_link_downed = true;
	port->flap.link_downed = 255;
	port->flap.link_downed_ns = NOW_NS - 5 * S;
	*counter(whole, port, "link_downed") = (struct counter_memory){.seen = true,
		.snapshot = {255, NOW_NS - 5 * S},
		.has_previous = true,
		.previous = 255,
		.breached = true,
		.breach = {.check = CHECK_IB_STATE,
			.fatal = true,
			.since = "2026-01-02T03:04:00.000000Z",
			.message = strdup("said \xC3\xA4")},
		.saturation = SATURATION_REPORTED};
	*counter(whole, port, "symbol_error") = (struct counter_memory){
		.seen = true, .snapshot = {UINT64_MAX, 0}, .saturation = SATURATION_SUSPECTED};
	/* In breach, with only the mandatory details. */
	*counter(whole, port, "port_xmit_wait") = (struct counter_memory){
		.breached = true, .breach = {.check = CHECK_IB_DEGRADATION}};

	port = state_find_or_add_port(state, "mlx5_10", 2);
	port->health = PORT_HEALTHY;
	port->known = true;
	port->layer = LAYER_ETHERNET;
	snprintf(port->state, sizeof port->state, "4: ACTIVE");
	snprintf(port->phys_state, sizeof port->phys_state, "5: LinkUp");
	snprintf(port->link_layer, sizeof port->link_layer, "Ethernet");
	port->hold = (struct hold_memory){.held = true, .since_ns = 4713};
	port->flap = (struct flap_memory){.has_link_downed = true,
		.link_downed = 9,
		.link_downed_ns = 4715,
		.ahead_seen = 1,
		.ahead_counted = 2,
		.downs_ns = {4714},
		.downs = 1,
		.count = 5};
	*counter(whole, port, "carrier_changes") = (struct counter_memory){
		.seen = true, .wall = true, .snapshot = {3, UINT64_C(1767323045678901000)}};
	state->has_wall_snapshots = true;

	/* Reported before the settings changed; and a port with counters only. */
	port = state_find_or_add_port(state, "odd:\"name_1", 3);
	port->health = PORT_DEGRADED;
	state_report(&port->state_said, false, "");
	port->rate.memory = BELOW_WAITING;
	port->rate.since_ns = UINT64_MAX;
	/* A port with counters and a slow rate only. */
	port = state_find_or_add_port(state, "mlx5_2", 1);
	port->rate.memory = BELOW_REPORTED;
	port->rate.since_ns = 4712;
	port->layer = LAYER_ETHERNET;
	snprintf(port->link_layer, sizeof port->link_layer, "Ethernet");
	*counter(whole, port, "link_downed") =
		(struct counter_memory){.seen = true, .snapshot = {0, NOW_NS}};

	struct plane_entry *plane = state_find_or_add_plane(state, "smi0", 3);
	snprintf(plane->parent, sizeof plane->parent, "mlx5_0");
	state_report(&plane->said, false, "plane_down");
	plane = state_find_or_add_plane(state, "smi0", 4);
	snprintf(plane->parent, sizeof plane->parent, "mlx5_0");
	plane->layer = LAYER_ETHERNET;

	struct chardev_entry *chardev =
		state_find_or_add_chardev(state, CHARDEV_UVERBS, "mlx5_0", 0);
	chardev->missing = CHARDEV_MISSING_SCANS;
	state_report(&chardev->said, true, "uverbs");
	state_find_or_add_chardev(state, CHARDEV_ISSM, "mlx5_2", 1)->missing = 2;
	snprintf(state->issm_mode, sizeof state->issm_mode, "always");

	struct device_entry *device = state_find_or_add_device(state, "mlx5_0");
	snprintf(device->pci, sizeof device->pci, "0000:18:00.0");
	snprintf(device->role, sizeof device->role, "compute");
	snprintf(device->card, sizeof device->card, "0000:18:00");
	device->presence = DEVICE_GONE;
	state_report(&device->gone_said, true, "nic_gone");
	device->missing = 1;
	device = state_find_or_add_device(state, "mlx5_1");
	device->presence = DEVICE_SILENT;
	state_report(&device->unreadable_said, false, "unreadable");
	device->unreadable = 3;
	device = state_find_or_add_device(state, "mlx5_2");
	device->presence = DEVICE_GONE_SILENT;
	state_report(&device->gone_said, true, "");
	state_report(&device->unreadable_said, false, "nic_unreadable");
	device->baseline_owed = device->clear_owed = true;
	state_find_or_add_device(state, "mlx5_10")->layer = LAYER_ETHERNET;
	state_find_or_add_device(state, "odd:\"name_1");

	struct card_entry *card = state_find_or_add_card(state, "0000:18:00", LAYER_INFINIBAND);
	card->below.memory = BELOW_REPORTED;
	state_report(&card->said, true, "card_ports");
	card->below.since_ns = 4711;
	card = state_find_or_add_card(state, "0000:18:00", LAYER_ETHERNET);
	card->below.memory = BELOW_WAITING;
	card->below.since_ns = UINT64_MAX;
	state_find_or_add_card(state, "0000:19:00", LAYER_ETHERNET);
	card = state_find_or_add_card(state, "0000:20:00", LAYER_ETHERNET);
	state_copy(card->exempt_function, sizeof card->exempt_function, "0000:20:00.1");

	state->host_nics.count = 2;
	strcpy(state->host_nics.functions[0], "0000:5a:00.0");
	strcpy(state->host_nics.functions[1], "0000:5a:00.1");

	struct breach breach = {.check = CHECK_ETH_DEGRADATION,
		.since = "T",
		.message = strdup("orphaned"),
		.uncoded = true};
	CHECK_INT(state_add_orphan(state, "mlx5_0", 1, "vendor_err", false, &breach), 0);

	struct unplaced *unplaced = state_add_unplaced(state, "eth0", "carrier_changes");
	unplaced->memory.seen = unplaced->memory.wall = unplaced->memory.breached = true;
	unplaced->memory.snapshot = (struct counter_sample){7, UINT64_C(1767323040123456000)};
	unplaced->memory.breach = (struct breach){.check = CHECK_N, .fatal = true, .uncoded = true};
	unplaced = state_add_unplaced(state, "eth1", "carrier_changes");
	unplaced->memory.breached = true;
	unplaced->memory.breach = (struct breach){.check = CHECK_ETH_STATE, .since = "T"};

	snprintf(state->boot_id, sizeof state->boot_id, "boot-1");
	state->scope = strdup("exclude ^lo$ include ");
	state->settled = true;
	state->waited = 2;
	state->baseline_owed[CHECK_IB_STATE] = true;
	state->clear_owed[CHECK_ETH_STATE] = true;
	snprintf(whole->stream.source, sizeof whole->stream.source, "0123456789abcdef");
	whole->stream.seq = 41;
	whole->stream.last_us = UINT64_C(1767323045678901);
	json_t *events = check_json_new(
		"[{'kind':'event','source':'0123456789abcdef','seq':40},"
		"{'kind':'event','source':'fedcba9876543210','seq':1,'message':'\\u00e4'}]");
	CHECK_INT(outbox_add(&whole->outbox, events), 0);
	json_decref(events);
}

static void
round_trip(void)
{
	struct whole first, second;
	struct rec_error error = {.reason = ""};
	begin(&first);
	begin(&second);
	fill(&first);
	json_t *once = encode(&first);
	CHECK_INT(statefile_decode(once,
			  &(const struct statefile_rules){
				  .counters = &second.counters, .counter_detection = true},
			  &second.file, &error),
		0);
	CHECK_STR(error.reason, "");
	json_t *twice = encode(&second);
	CHECK(json_equal(once, twice));
	char *a = json_dumps(once, JSON_COMPACT), *b = json_dumps(twice, JSON_COMPACT);
	CHECK_STR(b, a);
	CHECK(strcmp(a, b) == 0);
	free(a);
	free(b);
	json_decref(once);
	json_decref(twice);
	end(&first);
	end(&second);
}

static void
check_said(const struct said *said, bool fatal, const char *code)
{
	CHECK(said->stands);
	CHECK_INT(said->fatal, fatal);
	CHECK_STR(said->code, code);
}

static void
everything_comes_back(void)
{
	struct whole first, second;
	struct rec_error error;
	begin(&first);
	begin(&second);
	fill(&first);
	json_t *root = encode(&first);
	CHECK_INT(statefile_decode(root,
			  &(const struct statefile_rules){
				  .counters = &second.counters, .counter_detection = true},
			  &second.file, &error),
		0);
	json_decref(root);

	struct state *state = &second.state;
	struct port_entry *port = state_find_port(state, "mlx5_0", 1);
	if (CHECK(port != NULL)) {
		CHECK_INT(port->health, PORT_FATAL);
		CHECK(port->known && port->layer == LAYER_INFINIBAND);
		check_said(&port->state_said, false, "port_state");
		check_said(&port->gone_said, true, "port_gone");
		CHECK_INT(port->missing, 1);
		CHECK_STR(port->state, "1: DOWN");
		CHECK_STR(port->phys_state, "3: Disabled");
		CHECK_STR(port->link_layer, "InfiniBand");
		CHECK_STR(port->card, "0000:18:00");
		CHECK(port->flap.was_active);
		CHECK(port->flap.has_link_downed && port->flap.link_downed == 255);
		CHECK_U64(port->flap.link_downed_ns, NOW_NS - 5 * S);
		const struct counter_memory *memory = counter(&second, port, "link_downed");
		CHECK(memory->seen && memory->breached && memory->breach.fatal && !memory->wall);
		CHECK_U64(memory->snapshot.value, 255);
		CHECK_U64(memory->snapshot.boottime_ns, NOW_NS - 5 * S);
		/* The previous scan is not stored: the snapshot replaces it. */
		CHECK(!memory->has_previous);
		CHECK_INT(memory->breach.check, CHECK_IB_STATE);
		CHECK_STR(memory->breach.since, "2026-01-02T03:04:00.000000Z");
		CHECK_STR(memory->breach.message, "said \xC3\xA4");
		CHECK_INT(memory->saturation, SATURATION_REPORTED);
		memory = counter(&second, port, "symbol_error");
		CHECK_U64(memory->snapshot.value, UINT64_MAX);
		CHECK_U64(memory->snapshot.boottime_ns, 0);
		CHECK_INT(memory->saturation, SATURATION_SUSPECTED);
		CHECK(!memory->breached);
		memory = counter(&second, port, "port_xmit_wait");
		CHECK(memory->breached && !memory->seen && !memory->breach.fatal);
		CHECK_STR(memory->breach.message, NULL);
		CHECK_STR(memory->breach.since, "");
		CHECK(!counter(&second, port, "symbol_error_fatal")->seen);
	}
	port = state_find_port(state, "mlx5_10", 2);
	if (CHECK(port != NULL)) {
		CHECK(port->layer == LAYER_ETHERNET);
		CHECK(port->hold.held && port->hold.since_ns == 4713);
		/* The file has the state from before the outage: the link-down is counted. */
		CHECK(!port->flap.was_active);
		CHECK(port->flap.has_link_downed && port->flap.link_downed == 9);
		CHECK(port->flap.ahead_seen == 1 && port->flap.ahead_counted == 2);
		CHECK(port->flap.downs == 1 && port->flap.count == 5);
		const struct counter_memory *memory = counter(&second, port, "carrier_changes");
		CHECK(memory->wall);
		CHECK_U64(memory->snapshot.boottime_ns, UINT64_C(1767323045678901000));
	}
	CHECK(state->has_wall_snapshots);
	port = state_find_port(state, "odd:\"name_1", 3);
	if (CHECK(port != NULL)) {
		CHECK(port->rate.memory == BELOW_WAITING && port->rate.since_ns == UINT64_MAX);
		CHECK_INT(port->health, PORT_DEGRADED);
		check_said(&port->state_said, false, "");
		CHECK(!port->known);
	}
	port = state_find_port(state, "mlx5_2", 1);
	if (CHECK(port != NULL)) {
		CHECK(!port->known);
		CHECK(port->rate.memory == BELOW_REPORTED && port->rate.since_ns == 4712);
		CHECK(port->layer == LAYER_ETHERNET);
		CHECK_STR(port->link_layer, "Ethernet");
		CHECK(counter(&second, port, "link_downed")->seen);
	}

	CHECK_INT((int64_t)state->planes.count, 2);
	const struct plane_entry *plane = state_find_or_add_plane(state, "smi0", 3);
	check_said(&plane->said, false, "plane_down");
	CHECK_STR(plane->device, "smi0");
	CHECK_STR(plane->parent, "mlx5_0");
	CHECK(plane->number == 3 && plane->layer == LAYER_INFINIBAND);
	plane = state_find_or_add_plane(state, "smi0", 4);
	CHECK(!plane->said.stands && plane->layer == LAYER_ETHERNET);

	const struct device_entry *device = state_find_device(state, "mlx5_0");
	if (CHECK(device != NULL)) {
		CHECK_INT(device->presence, DEVICE_GONE);
		check_said(&device->gone_said, true, "nic_gone");
		CHECK(!device->unreadable_said.stands && !device->clear_owed);
		CHECK_INT(device->missing, 1);
		CHECK_STR(device->pci, "0000:18:00.0");
		CHECK_STR(device->role, "compute");
		CHECK_STR(device->card, "0000:18:00");
	}
	device = state_find_device(state, "mlx5_1");
	if (CHECK(device != NULL)) {
		CHECK(device->presence == DEVICE_SILENT && device->unreadable == 3);
		check_said(&device->unreadable_said, false, "unreadable");
	}
	device = state_find_device(state, "mlx5_2");
	if (CHECK(device != NULL)) {
		CHECK(device->presence == DEVICE_GONE_SILENT);
		CHECK(device->baseline_owed && device->clear_owed);
		check_said(&device->gone_said, true, "");
		check_said(&device->unreadable_said, false, "nic_unreadable");
	}
	CHECK(state->clear_owed[CHECK_ETH_STATE] && !state->clear_owed[CHECK_IB_STATE]);
	CHECK_U64(second.stream.last_us, UINT64_C(1767323045678901));
	device = state_find_device(state, "mlx5_10");
	CHECK(device != NULL && device->layer == LAYER_ETHERNET && !device->baseline_owed);

	const struct card_entry *card = state_find_card(state, "0000:18:00", LAYER_INFINIBAND);
	if (CHECK(card != NULL)) {
		CHECK(card->below.memory == BELOW_REPORTED && card->below.since_ns == 4711);
		check_said(&card->said, true, "card_ports");
	}
	card = state_find_card(state, "0000:18:00", LAYER_ETHERNET);
	CHECK(card != NULL && card->below.memory == BELOW_WAITING &&
		card->below.since_ns == UINT64_MAX);
	CHECK(state_find_card(state, "0000:19:00", LAYER_ETHERNET) == NULL);
	card = state_find_card(state, "0000:20:00", LAYER_ETHERNET);
	if (CHECK(card != NULL)) {
		CHECK_STR(card->exempt_function, "0000:20:00.1");
		CHECK(card->below.memory == BELOW_FINE && !card->said.stands);
	}

	if (CHECK(state->orphans != NULL)) {
		CHECK_STR(state->orphans->device, "mlx5_0");
		CHECK_STR(state->orphans->name, "vendor_err");
		CHECK_INT(state->orphans->breach.check, CHECK_ETH_DEGRADATION);
		CHECK_STR(state->orphans->breach.message, "orphaned");
		CHECK(state->orphans->next == NULL);
	}
	const struct chardev_entry *chardev =
		state_find_chardev(state, CHARDEV_UVERBS, "mlx5_0", 0);
	if (CHECK(chardev != NULL)) {
		CHECK_INT(chardev->missing, CHARDEV_MISSING_SCANS);
		check_said(&chardev->said, true, "uverbs");
	}
	chardev = state_find_chardev(state, CHARDEV_ISSM, "mlx5_2", 1);
	CHECK(chardev != NULL && chardev->missing == 2 && !chardev->said.stands);
	CHECK_INT((int64_t)state->chardevs.count, 2);
	CHECK_STR(state->issm_mode, "always");

	CHECK_STR(state->boot_id, "boot-1");
	CHECK_STR(state->scope, "exclude ^lo$ include ");
	CHECK(state->settled && state->baseline_owed[CHECK_IB_STATE]);
	CHECK_INT(state->waited, 2);
	CHECK_STR(second.stream.source, "0123456789abcdef");
	CHECK_U64(second.stream.seq, 41);
	CHECK(json_equal(second.outbox.events, first.outbox.events));
	end(&first);
	end(&second);
}

static void
keys(void)
{
	/* spec#state-file: the original's keys, and this program's. */
	static const char *const names[] = {"version", "boot_id", "counter_snapshots",
		"breach_flags", "port_states", "known_devices", "scope", "source", "seq", "outbox",
		"anomalous_cards", "disappeared_devices", "disappeared_ports", "miss_counts",
		"baseline_owed_checks", "slow_ports", "held_ports", "planes", "unplaced_counters",
		"missing_char_devices"};
	struct whole whole;
	begin(&whole);
	for (int filled = 0; filled <= 1; filled++) {
		if (filled)
			fill(&whole);
		json_t *root = encode(&whole);
		for (size_t i = 0; i < CHECK_COUNT(names); i++) {
			check_row("%s", names[i]);
			CHECK(json_object_get(root, names[i]) != NULL);
		}
		json_decref(root);
	}
	json_t *root = encode(&whole);
	json_t *port = check_json_new("{'state':'4: ACTIVE','physical_state':'5: LinkUp',"
				      "'device':'mlx5_10','port':2,'link_layer':'Ethernet',"
				      "'health':'healthy','card':null,'known':true,"
				      "'was_active':false,'link_downed_ns':4715,'link_downed':9,"
				      "'said':null}");
	json_t *snapshot = check_json_new("{'value':255,'timestamp':'2026-01-02T03:04:00.000000Z',"
					  "'boottime_ns':995000000000,"
					  "'file':'counters/link_downed'}");
	check_row("%s", "");
	CHECK(json_equal(json_object_get(json_object_get(root, "port_states"), "mlx5_10_2"), port));
	CHECK(json_equal(
		json_object_get(json_object_get(root, "counter_snapshots"), "mlx5_0:1:link_downed"),
		snapshot));
	json_decref(port);
	json_decref(snapshot);
	json_decref(root);
	end(&whole);
}

static void
empty_state(void)
{
	struct whole first, second;
	struct rec_error error;
	begin(&first);
	begin(&second);
	json_t *once = encode(&first);
	CHECK_INT(statefile_decode(once,
			  &(const struct statefile_rules){
				  .counters = &second.counters, .counter_detection = true},
			  &second.file, &error),
		0);
	CHECK(!second.state.settled && !second.state.baseline_owed[CHECK_IB_STATE]);
	CHECK_STR(second.state.scope, NULL);
	CHECK_STR(second.stream.source, "");
	json_t *twice = encode(&second);
	CHECK(json_equal(once, twice));
	json_decref(once);
	json_decref(twice);
	end(&first);
	end(&second);
}

/* --- the original's file --- */

static const char original[] =
	"{'version':1,'boot_id':'b-1',"
	"'counter_snapshots':{"
	"'mlx5_0:1:link_downed':{'value':3,'timestamp':'2026-01-02T03:04:00.123456789Z'},"
	"'mlx5_0:1:symbol_error':{'value':9,'timestamp':'2026-01-02T05:04:00+02:00'}},"
	"'breach_flags':{"
	"'mlx5_0:1:link_downed':{'breached':true,'check_name':'InfiniBandStateCheck','is_fatal':"
	"true,'since':'2026-01-02T03:00:00Z'},'mlx5_0:1:symbol_error':{'breached':false,'check_"
	"name':'InfiniBandDegradationCheck'}},"
	"'port_states':{"
	"'mlx5_0_1':{'state':'4: ACTIVE','physical_state':'5: LinkUp','device':'mlx5_0','port':1,"
	"'link_layer':'InfiniBand'},"
	"'mlx5_1_1':{'state':'1: DOWN','physical_state':'3: Disabled','device':'mlx5_1','port':1,"
	"'link_layer':'InfiniBand'},"
	"'mlx5_2_1':{'state':'2: INIT','physical_state':'5: LinkUp','device':'mlx5_2','port':1,"
	"'link_layer':'InfiniBand'},"
	"'mlx5_3_1':{'state':'1: DOWN','physical_state':'3: Disabled','device':'mlx5_3','port':1,"
	"'link_layer':'Ethernet'},"
	"'mlx5_4_1':{'state':'2: INIT','physical_state':'5: LinkUp','device':'mlx5_4','port':1,"
	"'link_layer':'Ethernet'}},"
	"'known_devices':['mlx5_0','mlx5_1','mlx5_9']}";

static void
takes_original(void)
{
	static const struct {
		const char *device;
		enum port_memory health;
		enum layer layer;
	} ports[] = {{"mlx5_0", PORT_HEALTHY, LAYER_INFINIBAND},
		{"mlx5_1", PORT_FATAL, LAYER_INFINIBAND},
		{"mlx5_2", PORT_DEGRADED, LAYER_INFINIBAND}, {"mlx5_3", PORT_FATAL, LAYER_ETHERNET},
		{"mlx5_4", PORT_NEW, LAYER_ETHERNET}};
	struct whole whole;
	struct rec_error error = {.reason = ""};
	begin(&whole);
	CHECK(decode(&whole, original, &error));
	CHECK_STR(error.reason, "");
	CHECK_STR(whole.state.boot_id, "b-1");
	for (size_t i = 0; i < CHECK_COUNT(ports); i++) {
		const struct port_entry *port = state_find_port(&whole.state, ports[i].device, 1);
		check_row("%s", ports[i].device);
		if (!CHECK(port != NULL))
			continue;
		CHECK_INT(port->health, ports[i].health);
		CHECK_INT(port->layer, ports[i].layer);
		CHECK(port->known && !port->gone_said.stands);
		/* As its state has it. */
		CHECK_INT(port->flap.was_active, i == 0);
		const struct device_entry *device =
			state_find_device(&whole.state, ports[i].device);
		CHECK(device != NULL && device->layer == ports[i].layer &&
			device->presence == DEVICE_FINE);
	}
	check_row("%s", "");
	CHECK(state_find_device(&whole.state, "mlx5_9") != NULL);
	struct port_entry *port = state_find_port(&whole.state, "mlx5_0", 1);
	const struct counter_memory *memory = counter(&whole, port, "link_downed");
	CHECK(memory->seen && memory->wall && memory->breached && memory->breach.fatal);
	CHECK_U64(memory->snapshot.boottime_ns, UINT64_C(1767323040123456789));
	CHECK_STR(memory->breach.message, NULL);
	memory = counter(&whole, port, "symbol_error");
	CHECK(memory->seen && memory->wall && !memory->breached);
	CHECK_U64(memory->snapshot.boottime_ns, UINT64_C(1767323040000000000));
	CHECK(whole.state.has_wall_snapshots);
	/* It has given its first verdicts and owes no baseline. */
	CHECK(whole.state.settled);
	CHECK(!whole.state.baseline_owed[CHECK_IB_STATE]);
	CHECK_STR(whole.state.scope, NULL);
	CHECK_STR(whole.stream.source, "");
	CHECK_U64(whole.stream.seq, 0);
	CHECK_INT((int64_t)json_array_size(whole.outbox.events), 0);
	end(&whole);
}

/* Version 1.0.0 has link_downed for flapping ports alone; later ones do not say when it was read.
 */
static void
takes_older_readings(void)
{
	static const struct {
		const char *text;
		bool has;
	} rows[] = {
		{"'link_downed':7", true},
		{"'known':true", false},
		{"'link_downed_ns':7", false},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[256];
		struct whole whole;
		struct rec_error error;
		begin(&whole);
		snprintf(text, sizeof text,
			"{'version':1,'known_devices':['a'],'port_states':{'a_1':{'device':'a',"
			"'port':1,'state':'4: ACTIVE',%s}}}",
			rows[i].text);
		check_row("%s", rows[i].text);
		CHECK(decode(&whole, text, &error));
		const struct port_entry *port = state_find_port(&whole.state, "a", 1);
		if (CHECK(port != NULL)) {
			CHECK_INT(port->flap.has_link_downed, rows[i].has);
			CHECK_U64(port->flap.link_downed, i == 0 ? 7 : 0);
			CHECK_U64(port->flap.link_downed_ns, i == 2 ? 7 : 0);
			CHECK(port->flap.was_active);
		}
		end(&whole);
	}
}

static void
barest(void)
{
	static const char *const rows[] = {"{'version':1}",
		"{'version':1,'boot_id':null,'counter_snapshots':null,'breach_flags':null,"
		"'port_states':null,'known_devices':null,'scope':null,'source':null,'seq':null,"
		"'outbox':null,'anomalous_cards':null,'disappeared_devices':null,"
		"'disappeared_ports':null,'miss_counts':null,'devices':null,'settled':null,"
		"'waited_scans':null,'baseline_owed':null}",
		"{'version':1,'known_devices':[],'a_later_member':{}}"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct whole whole;
		struct rec_error error = {.reason = ""};
		begin(&whole);
		check_row("%s", rows[i]);
		CHECK(decode(&whole, rows[i], &error));
		CHECK_STR(error.reason, "");
		CHECK_INT((int64_t)whole.state.ports.count, 0);
		CHECK(!whole.state.settled);
		CHECK_STR(whole.state.boot_id, "");
		end(&whole);
	}
}

/* --- malformed states --- */

#define V "'version':1,"
#define KEY "'mlx5_0:1:link_downed'"
#define EVENT "{'kind':'event','source':'s','seq':1}"

static void
refuses(void)
{
	static const struct {
		const char *json, *reason;
	} rows[] = {
		{"[]", "it is not a JSON object"},
		{"null", "it is not a JSON object"},
		{"'version'", "it is not a JSON object"},
		{"{}", "it has no version"},
		{"{'version':null}", "it has no version"},
		{"{'version':'1'}", "it has no version"},
		{"{'version':[1]}", "it has no version"},
		{"{'version':0}", "its version is 0, not 1"},
		{"{'version':3}", "its version is 3, not 1"},
		{"{'version':-1}", "its version is -1, not 1"},
		{"{" V "'boot_id':7}", "\"boot_id\" is not text of at most 64 bytes"},
		{"{" V "'boot_id':'"
		 "0123456789012345678901234567890123456789012345678901234567890123x'}",
			"\"boot_id\" is not text of at most 64 bytes"},
		{"{" V "'scope':1}", "\"scope\" has the wrong type"},
		{"{" V "'source':1}", "\"source\" is not text of at most 16 bytes"},
		{"{" V "'source':'0123456789abcdef0'}", "\"source\" is not text of at most 16"},
		{"{" V "'seq':-1}", "\"seq\" is not a valid event number"},
		{"{" V "'seq':'x'}", "\"seq\" is not a valid event number"},
		{"{" V "'seq':9223372036854775807}", "\"seq\" is not a valid event number"},
		{"{" V "'settled':1}", "\"settled\" is neither true nor false"},
		{"{" V "'baseline_owed':'yes'}", "\"baseline_owed\" is neither true nor false"},
		{"{" V "'waited_scans':-1}", "\"waited_scans\" is not a small number"},
		{"{" V "'waited_scans':1000001}", "\"waited_scans\" is not a small number"},
		/* counters */
		{"{" V "'counter_snapshots':[]}", "\"counter_snapshots\" has the wrong type"},
		{"{" V "'counter_snapshots':{'':{}}}", "\"\" is not a <device>:<port>:<counter>"},
		{"{" V "'counter_snapshots':{'a':{}}}", "\"a\" is not a <device>:<port>:<counter>"},
		{"{" V "'counter_snapshots':{'a:1':{}}}", "\"a:1\" is not a <device>:<port>"},
		{"{" V "'counter_snapshots':{'a:1:':{}}}", "\"a:1:\" is not a <device>:<port>"},
		{"{" V "'counter_snapshots':{':1:c':{}}}", "\":1:c\" is not a <device>:<port>"},
		{"{" V "'counter_snapshots':{'a:x:c':{}}}", "\"a:x:c\" is not a <device>:<port>"},
		{"{" V "'counter_snapshots':{'a:-1:c':{}}}", "\"a:-1:c\" is not a <device>:<port>"},
		{"{" V "'counter_snapshots':{'a:2147483648:c':{}}}", "is not a <device>:<port>"},
		{"{" V "'counter_snapshots':{" KEY ":7}}",
			"\"counter_snapshots\": \"mlx5_0:1:link_downed\" is not an object"},
		{"{" V "'counter_snapshots':{" KEY ":{'boottime_ns':1}}}",
			"snapshot of \"link_downed\" on \"mlx5_0\" has no value"},
		{"{" V "'counter_snapshots':{" KEY ":{'value':-1,'boottime_ns':1}}}",
			"snapshot of \"link_downed\" on \"mlx5_0\" has no value"},
		{"{" V "'counter_snapshots':{" KEY ":{'value':1}}}",
			"snapshot of \"link_downed\" on \"mlx5_0\" has no time"},
		{"{" V "'counter_snapshots':{" KEY ":{'value':1,'timestamp':'yesterday'}}}",
			"snapshot of \"link_downed\" on \"mlx5_0\" has no time"},
		{"{" V "'counter_snapshots':{" KEY ":{'value':1,'boottime_ns':'x'}}}",
			"snapshot of \"link_downed\" on \"mlx5_0\" has a bad time"},
		{"{" V "'counter_snapshots':{" KEY ":{'value':1,'boottime_ns':1,'timestamp':7}}}",
			"snapshot of \"link_downed\" on \"mlx5_0\" has a bad time"},
		{"{" V "'breach_flags':7}", "\"breach_flags\" has the wrong type"},
		{"{" V "'breach_flags':{" KEY ":null}}", "\"breach_flags\": "},
		{"{" V "'breach_flags':{" KEY ":{'breached':1}}}",
			"\"breached\" is neither true nor false"},
		{"{" V "'breach_flags':{" KEY ":{'is_fatal':1}}}",
			"\"is_fatal\" is neither true nor false"},
		{"{" V "'breach_flags':{" KEY ":{'breached':true,'check_name':'Other'}}}",
			"flag of \"link_downed\" on \"mlx5_0\" has no known check_name"},
		{"{" V "'breach_flags':{" KEY ":{'breached':true,'check_name':7}}}",
			"flag of \"link_downed\" on \"mlx5_0\" has a member that is not a string"},
		{"{" V "'breach_flags':{" KEY
		 ":{'breached':true,'check_name':'EthernetStateCheck','since':7}}}",
			"flag of \"link_downed\" on \"mlx5_0\" has a bad time"},
		{"{" V "'saturated_counters':[]}", "\"saturated_counters\" has the wrong type"},
		{"{" V "'saturated_counters':{" KEY ":{'reported':1}}}",
			"\"reported\" is neither true nor false"},
		/* ports */
		{"{" V "'port_states':[]}", "\"port_states\" has the wrong type"},
		{"{" V "'port_states':{'a_1':7}}", "port state \"a_1\" has no device and port"},
		{"{" V "'port_states':{'a_1':{'port':1}}}", "port state \"a_1\" has no device"},
		{"{" V "'port_states':{'a_1':{'device':'a'}}}", "port state \"a_1\" has no device"},
		{"{" V "'port_states':{'a_1':{'device':'','port':1}}}", "has no device and port"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':-1}}}", "has no device and port"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'state':4}}}",
			"\"state\" is not text of at most 63 bytes"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'physical_state':5}}}",
			"\"physical_state\" is not text of at most 63 bytes"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'link_layer':[]}}}",
			"\"link_layer\" is not text of at most 32 bytes"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'card':1}}}",
			"\"card\" is not text of at most 64 bytes"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'known':1}}}",
			"\"known\" is neither true nor false"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'was_active':1}}}",
			"\"was_active\" is neither true nor false"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'link_downed':-1}}}",
			"port state \"a_1\" has a bad count"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'link_downed_ns':'x'}}}",
			"port state \"a_1\" has a bad time"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'health':'well'}}}",
			"port state \"a_1\" has an unknown health"},
		{"{" V "'port_states':{'a_1':{'device':'a','port':1,'health':1}}}",
			"port state \"a_1\" has an unknown health"},
		{"{" V "'disappeared_ports':{}}", "\"disappeared_ports\" has the wrong type"},
		{"{" V "'disappeared_ports':['a']}", "a disappeared port has no device and port"},
		{"{" V "'disappeared_ports':[{'device':'a'}]}", "a disappeared port has no device"},
		/* devices and cards */
		{"{" V "'known_devices':{}}", "\"known_devices\" has the wrong type"},
		{"{" V "'known_devices':[1]}", "\"known_devices\" is not a list of names"},
		{"{" V "'known_devices':['']}", "\"known_devices\" is not a list of names"},
		{"{" V "'disappeared_devices':[null]}",
			"\"disappeared_devices\" is not a list of names"},
		{"{" V "'unreadable_devices':[{}]}",
			"\"unreadable_devices\" is not a list of names"},
		{"{" V "'baseline_owed_devices':'a'}",
			"\"baseline_owed_devices\" has the wrong type"},
		{"{" V "'devices':[]}", "\"devices\" has the wrong type"},
		{"{" V "'devices':{'a':1}}", "device \"a\" is not an object"},
		{"{" V "'devices':{'':{}}}", "device \"\" is not an object"},
		{"{" V "'devices':{'a':{'pci':1}}}", "\"pci\" is not text of at most 64 bytes"},
		{"{" V "'devices':{'a':{'role':1}}}", "\"role\" is not text of at most 64 bytes"},
		/* a report about a device in two places */
		{"{" V "'devices':{'a':{'gone_said':{'fatal':true,'code':'','id':''}}}}",
			"device \"a\" has an open report that its state contradicts"},
		{"{" V "'devices':{'a':{'unreadable_said':{'fatal':false,'code':'','id':''}}}}",
			"device \"a\" has an open report that its state contradicts"},
		{"{" V "'miss_counts':{}}", "\"miss_counts\" has the wrong type"},
		{"{" V "'miss_counts':[{}]}", "a miss count has no device"},
		{"{" V "'miss_counts':[7]}", "a miss count has no device"},
		{"{" V "'miss_counts':[{'device':'a','missing':-1}]}",
			"\"missing\" is not a small number"},
		{"{" V "'miss_counts':[{'device':'a','unreadable':'x'}]}",
			"\"unreadable\" is not a small number"},
		{"{" V "'miss_counts':[{'device':'a','port':1,'missing':1.5}]}",
			"\"missing\" is not a small number"},
		{"{" V "'slow_ports':{}}", "\"slow_ports\" has the wrong type"},
		{"{" V "'slow_ports':[{}]}", "a slow port has no device and port, or no time"},
		{"{" V "'slow_ports':['a']}", "a slow port has no device and port, or no time"},
		{"{" V "'slow_ports':[{'device':'a','port':-1}]}",
			"a slow port has no device and port, or no time"},
		{"{" V "'slow_ports':[{'device':'a','port':1,'below_since_ns':-1}]}",
			"a slow port has no device and port, or no time"},
		{"{" V "'slow_ports':[{'device':'a','port':1,'reported':1}]}",
			"\"reported\" is neither true nor false"},
		{"{" V "'slow_ports':[{'device':'a','port':1,'link_layer':1}]}",
			"\"link_layer\" is not text of at most 32 bytes"},
		{"{" V "'missing_char_devices':[]}", "\"missing_char_devices\" has the wrong type"},
		{"{" V "'missing_char_devices':{'x':7}}",
			"a missing character device has no kind, device and port"},
		{"{" V "'missing_char_devices':{'x':{'kind':'x','device':'a','port':1}}}",
			"a missing character device has no kind, device and port"},
		{"{" V "'missing_char_devices':{'x':{'kind':'umad','port':1}}}",
			"a missing character device has no kind, device and port"},
		{"{" V "'missing_char_devices':{'x':{'kind':'umad','device':'a'}}}",
			"a missing character device has no kind, device and port"},
		{"{" V "'missing_char_devices':{'x':{'kind':'umad','device':'a','port':1,"
		 "'missing':-1}}}",
			"\"missing\" is not a small number"},
		{"{" V "'chardev_issm_mode':7}", "\"chardev_issm_mode\" is not text of at most"},
		{"{" V "'planes':{}}", "\"planes\" has the wrong type"},
		{"{" V "'planes':[7]}", "a plane has no device, port and parent"},
		{"{" V "'planes':[{'device':'a','port':1}]}", "a plane has no device, port and"},
		{"{" V "'planes':[{'device':'a','parent':'b'}]}", "a plane has no device, port"},
		{"{" V "'planes':[{'device':'','port':1,'parent':'b'}]}", "a plane has no device"},
		{"{" V "'planes':[{'device':'a','port':1,'parent':'b','said':7}]}",
			"\"said\" is not an object"},
		{"{" V "'planes':[{'device':'a','port':1,'parent':'b','said':{'fatal':1}}]}",
			"\"fatal\" is neither true nor false"},
		{"{" V "'anomalous_cards':{}}", "\"anomalous_cards\" has the wrong type"},
		{"{" V "'anomalous_cards':[{}]}", "an anomalous card has no name or no time"},
		{"{" V "'anomalous_cards':['c']}", "an anomalous card has no name or no time"},
		{"{" V "'anomalous_cards':[{'card':'c','below_since_ns':-1}]}",
			"an anomalous card has no name or no time"},
		{"{" V "'anomalous_cards':[{'card':'c','reported':1}]}",
			"\"reported\" is neither true nor false"},
		{"{" V "'exempt_cards':{}}", "\"exempt_cards\" has the wrong type"},
		{"{" V "'exempt_cards':[{'function':'f'}]}", "an exempt card has no name"},
		{"{" V "'exempt_cards':[{'card':'c','function':1}]}",
			"\"function\" is not text of at most 64 bytes"},
		/* outbox */
		{"{" V "'outbox':{}}", "\"outbox\" has the wrong type"},
		{"{" V "'outbox':[7]}", "entry 1 of \"outbox\" is not an event"},
		{"{" V "'outbox':[" EVENT ",{'kind':'event','seq':1}]}",
			"entry 2 of \"outbox\" is not an event"},
		{"{" V "'outbox':[" EVENT "," EVENT ",{'kind':'event','source':'s'}]}",
			"entry 3 of \"outbox\" is not an event"},
		{"{" V "'outbox':[{'kind':'event','source':'s','seq':-1}]}",
			"entry 1 of \"outbox\" is not an event"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct whole whole;
		struct rec_error error = {.reason = ""};
		begin(&whole);
		check_row("%s", rows[i].json);
		CHECK(!decode(&whole, rows[i].json, &error));
		CHECK_HAS(error.reason, rows[i].reason);
		end(&whole);
	}
}

static void
oversize_event(void)
{
	/* No reader of events would accept such an event. */
	char *text = check_repeat_new('m', REC_EVENT_MAX_BYTES);
	struct whole whole;
	struct rec_error error = {.reason = ""};
	begin(&whole);
	json_t *root = json_pack("{s:i, s:[{s:s, s:i, s:s}]}", "version", 1, "outbox", "source",
		"s", "seq", 1, "message", text);
	CHECK_INT(statefile_decode(root,
			  &(const struct statefile_rules){
				  .counters = &whole.counters, .counter_detection = true},
			  &whole.file, &error),
		-1);
	CHECK_STR(error.reason, "entry 1 of \"outbox\" is not an event");
	json_decref(root);
	free(text);
	end(&whole);
}

/* --- counters that are no longer watched --- */

static const char with_breaches[] =
	"{'version':1,'counter_snapshots':{"
	"'mlx5_0:1:link_downed':{'value':1,'boottime_ns':5},"
	"'mlx5_0:1:vendor_err':{'value':1,'boottime_ns':5}},"
	"'breach_flags':{"
	"'mlx5_0:1:link_downed':{'breached':true,'check_name':'InfiniBandStateCheck','is_fatal':"
	"true,'since':'T','message':'m'},'mlx5_0:1:vendor_err':{'breached':true,'check_name':'"
	"InfiniBandDegradationCheck'},"
	"'mlx5_0:1:rx_errors':{'breached':false,'check_name':'InfiniBandDegradationCheck'}},"
	"'saturated_counters':{'mlx5_0:1:vendor_err':{'reported':true}}}";

static void
orphans(void)
{
	for (int row = 0; row < 3; row++) {
		static const char *const words[] = {"all on", "link_downed off", "detection off"};
		struct whole whole;
		struct rec_error error = {.reason = ""};
		begin(&whole);
		check_row("%s", words[row]);
		if (row == 1)
			counter_list_find(&whole.counters, "link_downed")->enabled = false;
		json_t *root = check_json_new(with_breaches);
		CHECK_INT(statefile_decode(root,
				  &(const struct statefile_rules){.counters = &whole.counters,
					  .counter_detection = row != 2},
				  &whole.file, &error),
			0);
		json_decref(root);
		/* The configuration never had vendor_err; link_downed is watched in the first row
		 * only. */
		const struct orphan *orphan = whole.state.orphans;
		if (row > 0 && CHECK(orphan != NULL)) {
			CHECK_STR(orphan->name, "link_downed");
			CHECK(orphan->breach.fatal);
			CHECK_INT(orphan->breach.check, CHECK_IB_STATE);
			CHECK_STR(orphan->breach.message, "m");
			orphan = orphan->next;
		}
		if (CHECK(orphan != NULL)) {
			CHECK_STR(orphan->name, "vendor_err");
			CHECK(!orphan->breach.fatal);
			CHECK(!orphan->saturated);
			orphan = orphan->next;
		}
		if (CHECK(orphan != NULL)) {
			CHECK_STR(orphan->name, "vendor_err");
			CHECK(orphan->saturated);
			CHECK(orphan->next == NULL);
		}
		struct port_entry *port = state_find_port(&whole.state, "mlx5_0", 1);
		CHECK_INT(port != NULL && counter(&whole, port, "link_downed")->seen, row == 0);
		CHECK_INT(port != NULL && counter(&whole, port, "link_downed")->breached, row == 0);
		/* They are kept until they have been reported. */
		root = encode(&whole);
		const json_t *flags = json_object_get(root, "breach_flags");
		const json_t *orphans = json_object_get(root, "orphans");
		CHECK_INT(json_object_get(flags, "mlx5_0:1:link_downed") != NULL, row == 0);
		CHECK_INT((int64_t)(json_object_size(flags) + json_array_size(orphans)), 3);
		json_decref(root);
		end(&whole);
	}
}

/* --- times --- */

static void
stamps(void)
{
	/* Boot time counts. The wall clock's time is for people, and omitted if unknown. */
	static const struct {
		const char *ts;
		uint64_t now_ns, at_ns;
		const char *stamp;
	} rows[] = {
		{NOW_TS, NOW_NS, NOW_NS, "2026-01-02T03:04:05.000000Z"},
		{NOW_TS, NOW_NS, NOW_NS - 1500 * UINT64_C(1000000), "2026-01-02T03:04:03.500000Z"},
		{NOW_TS, NOW_NS, NOW_NS + 1, NULL},
		{"no time", NOW_NS, NOW_NS, NULL},
		{"1970-01-01T00:00:01Z", NOW_NS, NOW_NS - S, "1970-01-01T00:00:00.000000Z"},
		{"1970-01-01T00:00:01Z", NOW_NS, NOW_NS - 2 * S, NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct whole whole;
		begin(&whole);
		struct port_entry *port = state_find_or_add_port(&whole.state, "a", 1);
		*counter(&whole, port, "link_downed") =
			(struct counter_memory){.seen = true, .snapshot = {1, rows[i].at_ns}};
		json_t *root = encode_at(&whole, rows[i].ts, rows[i].now_ns);
		const json_t *snapshot = json_object_get(
			json_object_get(root, "counter_snapshots"), "a:1:link_downed");
		check_row("row %zu", i);
		CHECK_STR(json_string_value(json_object_get(snapshot, "timestamp")), rows[i].stamp);
		CHECK_INT(json_integer_value(json_object_get(snapshot, "boottime_ns")),
			(int64_t)rows[i].at_ns);
		json_decref(root);
		end(&whole);
	}
}

/* Whatever the device's name. */
static void
snapshot_texts(void)
{
	char *longest = check_repeat_new('\x01', 64);
	const char *const devices[] = {"mlx5_0", "a \"quoted\" \\ name", longest};
	for (size_t i = 0; i < CHECK_COUNT(devices); i++) {
		struct whole whole;
		char key[100];
		begin(&whole);
		struct port_entry *port =
			state_find_or_add_port(&whole.state, devices[i], INT32_MAX);
		*counter(&whole, port, "link_downed") = (struct counter_memory){.seen = true,
			.snapshot = {UINT64_MAX, NOW_NS},
			.has_previous = true,
			.previous = 1};
		json_t *root = encode(&whole);
		json_t *expected = check_json_new(
			"{'value':'18446744073709551615','timestamp':'" NOW_TS
			"','boottime_ns':0,'previous':1,'file':'counters/link_downed'}");
		json_object_set_new(expected, "boottime_ns", json_integer(NOW_NS));
		snprintf(key, sizeof key, "%s:%d:link_downed", devices[i], INT32_MAX);
		check_row("%s", devices[i]);
		const json_t *snapshots = json_object_get(root, "counter_snapshots");
		CHECK_INT((int64_t)json_object_size(snapshots), 1);
		CHECK(json_equal(json_object_get(snapshots, key), expected));
		json_decref(expected);
		json_decref(root);
		end(&whole);
	}
	free(longest);
}

static void
wall_only(void)
{
	/* A file of the original that is written again before a scan keeps its own times. */
	struct whole whole;
	struct rec_error error;
	begin(&whole);
	CHECK(decode(&whole, original, &error));
	json_t *root = encode(&whole);
	const json_t *snapshot =
		json_object_get(json_object_get(root, "counter_snapshots"), "mlx5_0:1:link_downed");
	CHECK_STR(json_string_value(json_object_get(snapshot, "timestamp")),
		"2026-01-02T03:04:00.123456Z");
	CHECK(json_object_get(snapshot, "boottime_ns") == NULL);
	json_decref(root);
	end(&whole);
}

/* After a change of scope an unreadable port keeps only its counters. */
static void
saturation_keeps_its_check(void)
{
	static const char *const files[] = {
		"{'version':1,'saturated_counters':{'mlx5_0:1:link_downed':"
		"{'reported':true,'check_name':'EthernetDegradationCheck'}}}",
		"{'version':1,'saturated_counters':{'mlx5_0:1:link_downed':"
		"{'reported':true,'check_name':'InfiniBandDegradationCheck'}}}",
	};
	for (size_t i = 0; i < CHECK_COUNT(files); i++) {
		struct whole whole;
		struct rec_error error = {.reason = ""};
		begin(&whole);
		check_row("%s", files[i]);
		json_t *root = check_json_new(files[i]);
		CHECK_INT(statefile_decode(root,
				  &(const struct statefile_rules){
					  .counters = &whole.counters, .counter_detection = true},
				  &whole.file, &error),
			0);
		json_decref(root);
		const struct port_entry *port = state_find_port(&whole.state, "mlx5_0", 1);
		if (CHECK(port != NULL))
			CHECK_INT(port->layer, i == 0 ? LAYER_ETHERNET : LAYER_INFINIBAND);
		end(&whole);
	}
}

static void
other_file(void)
{
	static const struct {
		const char *file; /* of the snapshot, as a member */
		bool moved;
	} rows[] = {{"", false}, {",'file':'counters/link_downed'", false},
		{",'file':'counters/link_downed_2'", true}, {",'file':'counters/link_down'", true},
		{",'file':'hw_counters/link_downed'", true}, {",'file':'link_downed'", true},
		{",'file':''", true}};

	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct whole whole;
		struct rec_error error = {.reason = ""};
		char text[600];
		check_row("%s", rows[i].file);
		begin(&whole);
		snprintf(text, sizeof text,
			"{" V "'counter_snapshots':{" KEY ":{'value':1,'boottime_ns':1%s}},"
			"'breach_flags':{" KEY ":{'breached':true,'message':'m',"
			"'check_name':'InfiniBandStateCheck'}},"
			"'saturated_counters':{" KEY ":{'reported':true,"
			"'check_name':'InfiniBandDegradationCheck'}}}",
			rows[i].file);
		CHECK(decode(&whole, text, &error));
		CHECK_STR(error.reason, "");
		struct port_entry *port = state_find_or_add_port(&whole.state, "mlx5_0", 1);
		const struct counter_memory *memory = counter(&whole, port, "link_downed");
		CHECK_INT(memory->seen, !rows[i].moved);
		CHECK_INT(memory->breached, !rows[i].moved);
		CHECK_INT(memory->saturation == SATURATION_REPORTED, !rows[i].moved);
		const struct orphan *breach = whole.state.orphans;
		const struct orphan *full = breach != NULL ? breach->next : NULL;
		CHECK_INT(full != NULL, rows[i].moved);
		if (full != NULL) {
			CHECK_INT(breach->breach.check, CHECK_IB_STATE);
			CHECK(!breach->saturated && full->saturated);
			CHECK_INT(full->breach.check, CHECK_IB_DEGRADATION);
		}
		end(&whole);
	}
}

static const struct check_test tests[] = {
	{"a full state reads back so that it is written as the same text", round_trip},
	{"everything in a state reads back the same", everything_comes_back},
	{"the file has the specification's keys, empty or full", keys},
	{"an empty state reads back empty", empty_state},
	{"the original's file is read as the reports that it made", takes_original},
	{"an older file's readings of link_downed are read, without their time",
		takes_older_readings},
	{"a member that is missing or null is read as in an empty state", barest},
	{"a malformed member is rejected by its name", refuses},
	{"an event that is too long is rejected", oversize_event},
	{"a breach of a counter that is no longer watched is kept until it is taken back", orphans},
	{"a saturation stands under the check that reported it, even if its port is otherwise "
	 "unknown",
		saturation_keeps_its_check},
	{"what was reported about a counter that is now read from another file is taken back",
		other_file},
	{"a snapshot has the wall clock's time if it is known", stamps},
	{"a snapshot is written whatever its device's name and however large its value",
		snapshot_texts},
	{"a snapshot with only the wall clock's time keeps it", wall_only},
};
CHECK_MAIN(tests)
