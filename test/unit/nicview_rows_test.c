/* Unit tests of nicview's rows and evidence: the marks of ports, and the order of rows. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nicview/rows.h"

#include "nics.h"

#define ROWS_MAX 40

/* Return `mlx5_1 !! peers are up` for each row, a line each. */
static const char *
shown(const struct scan *scan)
{
	static const char *const marks[] = {"!!", "!", "?", "-"};
	static char text[8192];
	struct row_list list;

	*text = '\0';
	CHECK_INT(rows_init(&list, scan), 0);
	for (size_t i = 0; i < list.count; i++) {
		const struct row *row = &list.items[i];
		const char *name = row->port != NULL     ? row->port->device
				   : row->device != NULL ? row->device->device
				   : row->absent != NULL ? row->absent
							 : row->unbound;
		sprintf(text + strlen(text), "%s %s%s%s\n", name, marks[row_mark(row->verdict)],
			*row->reason != '\0' ? " " : "", row->reason);
	}
	rows_fini(&list);
	return text;
}

static const char *
shown_of(const struct nic *nics, size_t count)
{
	struct scan scan = {0};
	nics_scan(&scan, nics, count);
	const char *text = shown(&scan);
	scan_fini(&scan);
	return text;
}
#define SHOWN(...) \
	shown_of((const struct nic[]){__VA_ARGS__}, \
		CHECK_COUNT(((const struct nic[]){__VA_ARGS__})))

#define DOWN .state = "DOWN", .phys_state = "Disabled"
#define COMPUTE .role = "compute"
#define STORAGE .role = "storage", .link_layer = "Ethernet"

static void
healthy(void)
{
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE}),
		"a -\nb -\n");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0"},
			  {.device = "b", .pci = "0000:02:00.0"}),
		"a -\nb -\n");
}

static void
down(void)
{
	/* The only port of its kind that is down comes first, wherever it was. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "c", .pci = "0000:03:00.0", STORAGE, DOWN},
			  {.device = "d", .pci = "0000:04:00.0", COMPUTE, DOWN}),
		"d !! peers are up\nc ? no peers\na -\nb -\n");
	/* Not only a DOWN port: any that is not ACTIVE and LinkUp carries no traffic. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "c", .pci = "0000:03:00.0", COMPUTE, .state = "INIT"}),
		"c !! peers are up\na -\nb -\n");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "c",
				  .pci = "0000:03:00.0",
				  COMPUTE,
				  .state = "DOWN",
				  .phys_state = "Polling"}),
		"c !! peers are up\na -\nb -\n");
}

static void
down_together(void)
{
	/* A switch that is off takes all ports down: for the GPUs' NICs that is a problem even
	 * without evidence. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE, DOWN},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE, DOWN},
			  {.device = "c", .pci = "0000:03:00.0", COMPUTE}),
		"a !! peers are down, too\nb !! peers are down, too\nc -\n");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", STORAGE, DOWN},
			  {.device = "b", .pci = "0000:02:00.0", STORAGE, DOWN}),
		"a ? peers are down, too\nb ? peers are down, too\n");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE, DOWN},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE}),
		"a !! peers differ\nb -\n");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE, DOWN}), "a !! no peers\n");
	/* A port with evidence comes before one without. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE, DOWN},
			  {.device = "b", .pci = "0000:02:00.0", .role = "storage"},
			  {.device = "c", .pci = "0000:03:00.0", .role = "storage"},
			  {.device = "d", .pci = "0000:04:00.0", .role = "storage", DOWN}),
		"d !! peers are up\na !! no peers\nb -\nc -\n");
}

static void
unclear(void)
{
	/* One storage port of two is cabled on every card, on purpose. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", STORAGE},
			  {.device = "b", .pci = "0000:01:00.1", STORAGE, DOWN},
			  {.device = "c", .pci = "0000:02:00.0", STORAGE},
			  {.device = "d", .pci = "0000:02:00.1", STORAGE, DOWN}),
		"b ? peers alike\nd ? peers alike\na -\nc -\n");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", STORAGE, DOWN},
			  {.device = "b", .pci = "0000:02:00.0", STORAGE}),
		"a ? peers differ\nb -\n");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", STORAGE, DOWN}), "a ? no peers\n");
	/* A card with a management function has fewer ports on purpose. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", STORAGE},
			  {.device = "b", .pci = "0000:02:00.0", STORAGE},
			  {.device = "c", .pci = "0000:03:00.0", .role = "management"},
			  {.device = "d", .pci = "0000:03:00.1", STORAGE, DOWN}),
		"d ? not compared\na -\nb -\nc -\n");
}

static void
cards(void)
{
	/* Two ports a card: one port down puts the card below its peers. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:01:00.1", COMPUTE},
			  {.device = "c", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "d", .pci = "0000:02:00.1", COMPUTE},
			  {.device = "e", .pci = "0000:03:00.0", COMPUTE},
			  {.device = "f", .pci = "0000:03:00.1", COMPUTE, DOWN}),
		"f !! peers are up\na -\nb -\nc -\nd -\ne -\n");
	/* A missing port is reported for the remaining one. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:01:00.1", COMPUTE},
			  {.device = "c", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "d", .pci = "0000:02:00.1", COMPUTE},
			  {.device = "e", .pci = "0000:03:00.0", COMPUTE}),
		"e !! its card has 1 port, peers 2\na -\nb -\nc -\nd -\n");
	/* A card has the role of its first port, whatever the second one's. */
	CHECK_STR(
		SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE, .link_layer = "Ethernet"},
			{.device = "b", .pci = "0000:01:00.1", STORAGE},
			{.device = "c", .pci = "0000:02:00.0", COMPUTE, .link_layer = "Ethernet"},
			{.device = "d", .pci = "0000:02:00.1", COMPUTE, .link_layer = "Ethernet"}),
		"a -\nb -\nc -\nd -\n");
	/* Cards in other PCI domains are other cards. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:03:00.0", COMPUTE},
			  {.device = "b", .pci = "0001:03:00.0", COMPUTE},
			  {.device = "c", .pci = "0002:03:00.0", COMPUTE, DOWN}),
		"c !! peers are up\na -\nb -\n");
	/* topoclass's card takes precedence over the address. */
	CHECK_STR(
		SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE, .more_device = ",'card':'x'"},
			{.device = "b",
				.pci = "0000:02:00.0",
				COMPUTE,
				DOWN,
				.more_device = ",'card':'x'"},
			{.device = "c", .pci = "0000:03:00.0", COMPUTE},
			{.device = "d", .pci = "0000:04:00.0", COMPUTE}),
		"b ? peers alike\na -\nc -\nd -\n");
}

static void
without_roles(void)
{
	/* Then cards of the same model are peers; a NIC of another model is not. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", .link_layer = "Ethernet"},
			  {.device = "b", .pci = "0000:02:00.0", .link_layer = "Ethernet"},
			  {.device = "c", .pci = "0000:03:00.0", .link_layer = "Ethernet", DOWN},
			  {.device = "d",
				  .pci = "0000:04:00.0",
				  .link_layer = "Ethernet",
				  .model = "MT4125",
				  DOWN}),
		"c !! peers are up\nd ? no peers\na -\nb -\n");
	/* InfiniBand ports are for the GPUs. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", DOWN}), "a !! no peers\n");
	/* It is unknown whether rates and port counts should be equal. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0"},
			  {.device = "b", .pci = "0000:02:00.0"},
			  {.device = "c", .pci = "0000:03:00.0", .rate = "200 Gb/sec (4X HDR)"},
			  {.device = "d", .pci = "0000:04:00.0"},
			  {.device = "e", .pci = "0000:04:00.1"},
			  {.device = "f", .pci = "0000:05:00.0"},
			  {.device = "g", .pci = "0000:05:00.1"},
			  {.device = "h", .pci = "0000:06:00.0"},
			  {.device = "i", .pci = "0000:06:00.1"},
			  {.device = "j", .pci = "0000:07:00.0"},
			  {.device = "k", .pci = "0000:07:00.1"}),
		"a -\nb -\nc -\nd -\ne -\nf -\ng -\nh -\ni -\nj -\nk -\n");
	/* Without addresses each device is a card. */
	CHECK_STR(SHOWN({.device = "a"}, {.device = "b"}, {.device = "c", DOWN}),
		"c !! peers are up\na -\nb -\n");
}

static void
unwatched(void)
{
	/* The job does not need them: no mark, and last. */
	CHECK_STR(SHOWN({.device = "m", .pci = "0000:01:00.0", .role = "management", DOWN},
			  {.device = "v",
				  .pci = "0000:02:00.1",
				  .role = "none",
				  .more_device = ",'vf':true",
				  DOWN},
			  {.device = "x", .pci = "0000:02:00.0", .role = "none", DOWN},
			  {.device = "a", .pci = "0000:03:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:04:00.0", COMPUTE}),
		"a -\nb -\nm -\nx -\nv -\n");
	/* A virtual function is recognised without topoclass, too, and is no peer. */
	CHECK_STR(SHOWN({.device = "v", .pci = "0000:02:00.1", .more_device = ",'vf':true", DOWN},
			  {.device = "w", .pci = "0000:02:00.2", .more_device = ",'vf':true", DOWN},
			  {.device = "a", .pci = "0000:03:00.0"}),
		"a -\nv -\nw -\n");
}

static void
lesser(void)
{
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "c",
				  .pci = "0000:03:00.0",
				  COMPUTE,
				  .rate = "200 Gb/sec (2X NDR)"}),
		"c ! rate 200 Gb/s, peers 400 Gb/s\na -\nb -\n");
	CHECK_STR(SHOWN({.device = "a",
				.pci = "0000:01:00.0",
				STORAGE,
				.more_port = ",'gids':{'total':2,'ipv4_mapped':0}"},
			  {.device = "b",
				  .pci = "0000:02:00.0",
				  STORAGE,
				  .more_port = ",'gids':{'total':2,'ipv4_mapped':1}"},
			  {.device = "c",
				  .pci = "0000:03:00.0",
				  STORAGE,
				  .rate = "100 Gb/sec (4X EDR)",
				  .more_port = ",'gids':{'total':0,'ipv4_mapped':0}"}),
		"c ! rate 100 Gb/s, peers 400 Gb/s; no valid GID\na ! no IPv4 GID\nb -\n");
	/* A port that is down is no slow peer, and its rate gives no mark. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b",
				  .pci = "0000:02:00.0",
				  COMPUTE,
				  DOWN,
				  .rate = "10 Gb/sec (4X SDR)"},
			  {.device = "c", .pci = "0000:03:00.0", COMPUTE}),
		"b !! peers are up\na -\nc -\n");
	/* Management ports are not compared. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", .role = "management"},
			  {.device = "b", .pci = "0000:02:00.0", .role = "management"},
			  {.device = "c",
				  .pci = "0000:03:00.0",
				  .role = "management",
				  .rate = "10 Gb/sec (4X SDR)"}),
		"a -\nb -\nc -\n");
}

static void
unreadable(void)
{
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b",
				  .lost_port = true,
				  .more_device = ",'error':'timeout','reason':'unreadable',"
						 "'monitored':false"}),
		"b !! cannot be read: timeout\na -\n");
	/* for how long, once that exceeds every timeout */
	CHECK_STR(SHOWN({.device = "a",
				.lost_port = true,
				.more_device = ",'error':'timeout','in_flight_ms':4999,"
					       "'in_flight':'state'"},
			  {.device = "b",
				  .lost_port = true,
				  .more_device = ",'error':'timeout','in_flight_ms':11000,"
						 "'in_flight':'counter'"}),
		"a !! cannot be read: timeout\n"
		"b !! cannot be read: timeout; counter read for 11 s\n");
	/* without topoclass */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0"},
			  {.device = "b", .lost_port = true, .more_device = ",'error':'ENOENT'"}),
		"b !! cannot be read: ENOENT\na -\n");
	/* one of its ports could be read: both are shown */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0"},
			  {.device = "b", .pci = "0000:02:00.0", .more_device = ",'error':'EIO'"}),
		"b !! cannot be read in full: EIO\na -\nb -\n");
	/* the job does not need it */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "m",
				  .pci = "0000:02:00.0",
				  .role = "management",
				  .lost_port = true,
				  .more_device = ",'error':'timeout'"}),
		"a -\nm - cannot be read: timeout\n");
	CHECK_STR(SHOWN({.device = "v",
			  .lost_port = true,
			  .more_device = ",'error':'EIO','vf':true"}),
		"v - cannot be read: EIO\n");
	/* unknown ports are no evidence against their card */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:01:00.1", COMPUTE},
			  {.device = "c", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "d", .pci = "0000:02:00.1", COMPUTE},
			  {.device = "e", .pci = "0000:03:00.0", COMPUTE},
			  {.device = "f",
				  .pci = "0000:03:00.1",
				  COMPUTE,
				  .lost_port = true,
				  .more_device = ",'error':'timeout'"}),
		"f !! cannot be read: timeout\na -\nb -\nc -\nd -\ne -\n");
}

static void
lost(void)
{
	/* A lost record is no evidence against a port. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "c", COMPUTE, .lost_device = true},
			  {.device = "d", .pci = "0000:03:00.0", COMPUTE, .lost_port = true}),
		"d ? its ports were lost\na -\nb -\nc -\n");
	struct scan scan = {0};
	nics_begin(&scan);
	nics_take(&scan, check_json_new("{'kind':'device','scan':1,'device':'a','ports':0}"));
	nics_take(&scan, check_json_new("{'kind':'device','scan':1,'device':'b','ports':1}"));
	nics_take(&scan, check_json_new("{'kind':'port','scan':1,'ts':'t','boottime_ns':1,"
					"'device':'b','port':1,'state':null}"));
	nics_end(&scan, "");
	CHECK_STR(shown(&scan), "b !! state cannot be read\na ? has no ports\n");
	scan_fini(&scan);
}

static void
unbound(void)
{
	struct scan scan = {0};
	static const struct nic nics[] = {{.device = "a", .pci = "0000:01:00.0"},
		{.device = "b", .pci = "0000:02:00.0"},
		{.device = "c", .pci = "0000:03:00.0", DOWN},
		{.device = "d", .lost_port = true, .more_device = ",'error':'x'"}};
	nics_begin(&scan);
	for (size_t i = 0; i < CHECK_COUNT(nics); i++)
		nics_add(&scan, &nics[i]);
	nics_end(&scan, ",'unbound':['0000:04:00.0',7,null]");
	CHECK_STR(shown(&scan), "c !! peers are up\n0000:04:00.0 !! no driver bound\n"
				"d !! cannot be read: x\na -\nb -\n");
	scan_fini(&scan);
}

/* Whether the GPU metadata expect the NIC. */
static void
unbound_with_metadata(void)
{
	static const char *const rows[][2] = {
		{"{'nics':1,'absent':[],'lost':[]}", "0000:04:00.0 ? no driver bound\na -\n"},
		{"{'nics':2,'absent':['b'],'lost':[]}",
			"b ! only in GPU metadata\n0000:04:00.0 ? no driver bound\na -\n"},
		{"{'nics':2,'absent':['b'],'lost':['b']}",
			"b !! lost\n0000:04:00.0 !! no driver bound\na -\n"},
		{"{'nics':0,'absent':[],'lost':[]}", "0000:04:00.0 !! no driver bound\na -\n"},
		{"{}", "0000:04:00.0 !! no driver bound\na -\n"},
	};
	static const struct nic nic = {.device = "a", .pci = "0000:01:00.0"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scan scan = {0};
		check_row("%s", rows[i][0]);
		nics_begin(&scan);
		json_object_set_new(scan.begin_json, "topology", check_json_new(rows[i][0]));
		nics_add(&scan, &nic);
		nics_end(&scan, ",'unbound':['0000:04:00.0']");
		CHECK_STR(shown(&scan), rows[i][1]);
		scan_fini(&scan);
	}
}

static void
absent(void)
{
	static const struct nic nic = {.device = "a", .pci = "0000:01:00.0"};
	static const char *const rows[][2] = {
		{"", "d !! lost\nb ! only in GPU metadata\n"
		     "c ! only in GPU metadata\na -\n"},
		{",'ports':2", "a -\n"}, /* a record was lost */
		{",'error':'ENOENT'", "a -\n"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scan scan = {0};
		check_row("%s", rows[i][0]);
		nics_begin(&scan);
		json_object_set_new(scan.begin_json, "topology",
			check_json_new("{'nics':4,'absent':['b',7,null,'c','d'],"
				       "'lost':['d',7,null,'x']}"));
		nics_add(&scan, &nic);
		nics_end(&scan, rows[i][0]);
		CHECK_STR(shown(&scan), rows[i][1]);
		scan_fini(&scan);
	}
}

/* Add these PCI addresses to the list of the record, each of them twice. */
static void
add_addresses(json_t *record, const char *list, size_t count)
{
	char pci[32];
	for (size_t i = 0; i < 2 * count; i++) {
		sprintf(pci, "0000:%02zx:00.0", i % count);
		json_array_append_new(json_object_get(record, list), json_string(pci));
	}
}

static void
many(void)
{
	enum { COUNT = 250 };
	static const struct {
		bool lost, unbound, absent;
		size_t rows;
	} rows[] = {
		{.lost = true, .rows = 2 * COUNT},
		{.unbound = true, .rows = 2 * COUNT},
		{.absent = true, .rows = 2 * COUNT},
		/* one row for a function that is in both */
		{.lost = true, .unbound = true, .rows = 2 * COUNT},
		{.lost = true, .absent = true, .rows = 4 * COUNT},
		{.lost = true, .unbound = true, .absent = true, .rows = 4 * COUNT},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct scan scan = {0};
		struct row_list list;
		json_t *topology = check_json_new("{'nics':0,'absent':[],'lost':[]}"),
		       *end = check_json_new("{'kind':'scan.end','scan':1,'devices':0,'ports':0,"
					     "'complete':true,'unbound':[]}");
		check_row("%zu", i);
		add_addresses(topology, "lost", rows[i].lost ? COUNT : 0);
		add_addresses(topology, "absent", rows[i].absent ? COUNT : 0);
		add_addresses(end, "unbound", rows[i].unbound ? COUNT : 0);
		nics_begin(&scan);
		json_object_set_new(scan.begin_json, "topology", topology);
		nics_take(&scan, end);
		CHECK_INT(rows_init(&list, &scan), 0);
		CHECK_INT(list.count, rows[i].rows);
		rows_fini(&list);
		scan_fini(&scan);
	}
}

static void
planes(void)
{
#define PLANE .more_device = ",'parent':'a'", .pci = "0000:01:00.0", COMPUTE
	/* The planes of `a` make its card neither better nor worse than its peers. */
	CHECK_STR(
		SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			{.device = "b", .pci = "0000:02:00.0", COMPUTE},
			{.device = "c", .pci = "0000:03:00.0", COMPUTE}, {.device = "smi0", PLANE}),
		"a -\nb -\nc -\nsmi0 -\n");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE, DOWN},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "c", .pci = "0000:03:00.0", COMPUTE},
			  {.device = "smi0", PLANE, DOWN}),
		"a !! peers are up\nsmi0 ! plane 1 of a is down\nb -\nc -\n");
	/* Nor does an unreadable one. */
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE, DOWN},
			  {.device = "b", .pci = "0000:02:00.0", COMPUTE},
			  {.device = "c", .pci = "0000:03:00.0", COMPUTE},
			  {.device = "smi0",
				  .pci = "0000:01:00.0",
				  .lost_port = true,
				  .more_device = ",'parent':'a','error':'no_ports'"}),
		"a !! peers are up\nsmi0 ? cannot be read: no_ports\nb -\nc -\n");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", .role = "management"},
			  {.device = "smi0",
				  .pci = "0000:01:00.0",
				  .role = "management",
				  .more_device = ",'parent':'a'",
				  DOWN}),
		"a -\nsmi0 -\n");
}

static void
nodes(void)
{
	CHECK_STR(SHOWN({.device = "a",
				COMPUTE,
				.more_device = ",'uverbs':true",
				.more_port = ",'umad':true,'issm':false"},
			  {.device = "b",
				  COMPUTE,
				  .more_device = ",'uverbs':false",
				  .more_port = ",'umad':true"},
			  {.device = "c",
				  COMPUTE,
				  .more_device = ",'uverbs':false",
				  .more_port = ",'umad':false"}),
		"b !! no uverbs\nc !! no uverbs; no umad\na -\n");
	check_row("a port that is down is worse, and shows both");
	CHECK_STR(SHOWN({.device = "a", .pci = "0000:01:00.0", COMPUTE},
			  {.device = "b",
				  .pci = "0000:02:00.0",
				  COMPUTE,
				  .more_port = ",'umad':false"},
			  {.device = "c",
				  .pci = "0000:03:00.0",
				  COMPUTE,
				  DOWN,
				  .more_port = ",'umad':false"}),
		"c !! peers are up; no umad\nb !! no umad\na -\n");
	check_row("unwatched devices and parts of other devices have no mark");
	CHECK_STR(SHOWN({.device = "a", .role = "none", .more_port = ",'umad':false"},
			  {.device = "b", COMPUTE, .more_device = ",'vf':true,'uverbs':false"},
			  {.device = "smi0",
				  COMPUTE,
				  .more_device = ",'parent':'mlx5_0','uverbs':false"}),
		"smi0 -\na -\nb -\n");
}

static void
nothing(void)
{
	struct scan scan = {0};
	nics_begin(&scan);
	CHECK_STR(shown(&scan), "");
	nics_end(&scan, "");
	CHECK_STR(shown(&scan), "");
	scan_fini(&scan);
}

static const struct check_test tests[] = {
	{"a healthy node has rows without a mark, in the order of the scan", healthy},
	{"a port that is down while its peers are up comes first", down},
	{"ports that are down together are a problem, after those with evidence", down_together},
	{"a port that may be down on purpose is unclear, after the problems", unclear},
	{"cards are compared as in ctreval", cards},
	{"without roles cards of the same model are peers", without_roles},
	{"management, excluded and virtual functions have no mark and come last", unwatched},
	{"slow ports and missing GIDs are warnings", lesser},
	{"an unreadable device is a problem if a job may need it", unreadable},
	{"lost records are no evidence", lost},
	{"a NIC without a driver has a row", unbound},
	{"a NIC without a driver is a problem unless the GPU metadata lack no NIC",
		unbound_with_metadata},
	{"a NIC that only the GPU metadata have gets a row if the scan is whole", absent},
	{"there is room for a row of each NIC that any list names, even repeatedly", many},
	{"a plane that is down is a warning, and does not count as a port of its card", planes},
	{"a port without a character device is a problem", nodes},
	{"an empty scan has no rows", nothing},
};
CHECK_MAIN(tests)
