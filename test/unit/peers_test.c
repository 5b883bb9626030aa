/* Unit tests of peers: ports that are slower than their peers. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "peers.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

static void
modes(void)
{
	static const struct {
		const char *what;
		double values[6];
		size_t count;
		enum peers_verdict verdict;
		double mode;
	} rows[] = {
		{"none", {0}, 0, PEERS_ALONE, 0},
		{"one", {400}, 1, PEERS_ALONE, 0},
		{"two alike", {400, 400}, 2, PEERS_MEETS, 400},
		{"two different values", {400, 200}, 2, PEERS_TIED, 0},
		{"one of three below", {400, 200, 400}, 3, PEERS_MEETS, 400},
		{"one of three above", {200, 400, 200}, 3, PEERS_MEETS, 200},
		{"two and two", {400, 200, 400, 200}, 4, PEERS_TIED, 0},
		{"a tie among rarer values", {100, 400, 200, 400}, 4, PEERS_MEETS, 400},
		{"a smaller group behind a tie", {1, 1, 2, 2, 3}, 5, PEERS_TIED, 0},
		{"fractions", {2.5, 2, 2.5}, 3, PEERS_MEETS, 2.5},
		{"zero is a value", {0, 0, 2}, 3, PEERS_MEETS, 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		double values[6], mode = 4711;
		memcpy(values, rows[i].values, sizeof values);
		check_row("%s", rows[i].what);
		CHECK_INT(peers_mode(values, rows[i].count, &mode), rows[i].verdict);
		CHECK_NEAR(mode, rows[i].verdict == PEERS_MEETS ? rows[i].mode : 4711);
	}
}

#define KIND(role, layer, model) \
	{ \
		role, "topo_pix_pxb", layer, model, "MT_0000000838" \
	}
#define IB KIND("compute", "InfiniBand", "MT4129"), true
#define GBPS(rate, lanes) .rate_gbps = rate, .width = lanes

/* A port, and its expected result. */
struct row {
	struct peers_port port;
	enum peers_verdict verdict;
	double rate;
	unsigned width;
};

static void
check_rows(const struct row *rows, size_t count, const char *what)
{
	struct peers_port ports[16];
	for (size_t i = 0; i < count; i++) {
		ports[i] = rows[i].port;
		/* The result of an earlier evaluation. */
		ports[i].verdict = PEERS_VERDICT_N;
		ports[i].peer_rate_gbps = 4711;
		ports[i].peer_width = 4711;
	}
	check_row("%s", what);
	CHECK_INT(peers_eval(ports, count), 0);
	for (size_t i = 0; i < count; i++) {
		check_row("%s, port %zu", what, i);
		CHECK_INT(ports[i].verdict, rows[i].verdict);
		CHECK_NEAR(ports[i].peer_rate_gbps, rows[i].rate);
		CHECK_INT(ports[i].peer_width, rows[i].width);
	}
}

#define CHECK_ROWS(what, ...) \
	do { \
		static const struct row rows[] = {__VA_ARGS__}; \
		check_rows(rows, CHECK_COUNT(rows), what); \
	} while (0)

static void
rates(void)
{
	CHECK_ROWS("one below", {{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4},
		{{IB, GBPS(200, 2)}, PEERS_RATE_BELOW, 400, 4},
		{{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4});
	CHECK_ROWS("one above", {{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4},
		{{IB, GBPS(400, 4)}, PEERS_MEETS, 200, 4},
		{{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4});
	CHECK_ROWS("half of them", {{IB, GBPS(400, 4)}, PEERS_TIED, 0, 4},
		{{IB, GBPS(200, 4)}, PEERS_TIED, 0, 4});
	CHECK_ROWS("alone", {{IB, GBPS(400, 4)}, PEERS_ALONE, 0, 0});
	CHECK_ROWS("two are below, each in its own way", {{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4},
		{{IB, GBPS(200, 2)}, PEERS_RATE_BELOW, 400, 4},
		{{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4},
		{{IB, GBPS(2.5, 1)}, PEERS_RATE_BELOW, 400, 4});
	check_rows(NULL, 0, "no port");
}

static void
widths(void)
{
	CHECK_ROWS("fewer lanes at the same rate", {{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4},
		{{IB, GBPS(200, 2)}, PEERS_WIDTH_BELOW, 200, 4},
		{{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4});
	CHECK_ROWS("fewer lanes, but faster", {{IB, GBPS(100, 4)}, PEERS_MEETS, 100, 4},
		{{IB, GBPS(200, 2)}, PEERS_MEETS, 100, 4},
		{{IB, GBPS(100, 4)}, PEERS_MEETS, 100, 4});
	CHECK_ROWS("more lanes", {{IB, GBPS(100, 2)}, PEERS_MEETS, 100, 2},
		{{IB, GBPS(100, 4)}, PEERS_MEETS, 100, 2},
		{{IB, GBPS(100, 2)}, PEERS_MEETS, 100, 2});
	/* The frontend ports of a node whose storage NICs are of the same model. */
	CHECK_ROWS("slower over more lanes", {{IB, GBPS(200, 2)}, PEERS_MEETS, 200, 2},
		{{IB, GBPS(100, 4)}, PEERS_OTHER_WIRING, 200, 2},
		{{IB, GBPS(200, 2)}, PEERS_MEETS, 200, 2});
	CHECK_ROWS("slower over as many lanes", {{IB, GBPS(200, 2)}, PEERS_MEETS, 200, 2},
		{{IB, GBPS(100, 2)}, PEERS_RATE_BELOW, 200, 2},
		{{IB, GBPS(200, 2)}, PEERS_MEETS, 200, 2});
	CHECK_ROWS("slower, its lanes are not known", {{IB, GBPS(200, 2)}, PEERS_MEETS, 200, 2},
		{{IB, GBPS(100, 0)}, PEERS_RATE_BELOW, 200, 2},
		{{IB, GBPS(200, 2)}, PEERS_MEETS, 200, 2});
	CHECK_ROWS("its lanes are not known", {{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4},
		{{IB, GBPS(200, 0)}, PEERS_MEETS, 200, 4},
		{{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4});
	CHECK_ROWS("its rate is not known", {{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4},
		{{IB, GBPS(0, 2)}, PEERS_WIDTH_BELOW, 200, 4},
		{{IB, GBPS(0, 4)}, PEERS_MEETS, 200, 4}, {{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4});
	CHECK_ROWS("no rate is known", {{IB, GBPS(0, 4)}, PEERS_TIED, 0, 0},
		{{IB, GBPS(0, 2)}, PEERS_TIED, 0, 0});
	CHECK_ROWS("one number of lanes is known", {{IB, GBPS(0, 4)}, PEERS_ALONE, 0, 0},
		{{IB, GBPS(0, 0)}, PEERS_NOT_EVALUATED, 0, 0});
	CHECK_ROWS("two and two lanes", {{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 0},
		{{IB, GBPS(200, 2)}, PEERS_MEETS, 200, 0});
	/* A tie of the rates decides nothing, whatever the lanes. */
	CHECK_ROWS("tied rates, one with fewer lanes", {{IB, GBPS(200, 4)}, PEERS_TIED, 0, 4},
		{{IB, GBPS(200, 2)}, PEERS_TIED, 0, 4}, {{IB, GBPS(400, 4)}, PEERS_TIED, 0, 4},
		{{IB, GBPS(400, 4)}, PEERS_TIED, 0, 4});
}

static void
kinds(void)
{
	CHECK_ROWS("every kind for itself",
		{{KIND("compute", "InfiniBand", "MT4129"), true, GBPS(400, 4)}, PEERS_MEETS, 400,
			4},
		{{KIND("compute", "InfiniBand", "MT4123"), true, GBPS(200, 4)}, PEERS_MEETS, 200,
			4},
		{{KIND("storage", "InfiniBand", "MT4129"), true, GBPS(200, 4)}, PEERS_ALONE, 0, 0},
		{{KIND("compute", "Ethernet", "MT4129"), true, GBPS(100, 4)}, PEERS_ALONE, 0, 0},
		{{KIND("compute", "InfiniBand", "MT4129"), true, GBPS(400, 4)}, PEERS_MEETS, 400,
			4},
		{{KIND("compute", "InfiniBand", "MT4123"), true, GBPS(200, 4)}, PEERS_MEETS, 200,
			4},
		{{KIND("compute", "InfiniBand", NULL), true, GBPS(25, 1)}, PEERS_MEETS, 25, 1},
		{{KIND("compute", "InfiniBand", NULL), true, GBPS(25, 1)}, PEERS_MEETS, 25, 1},
		{{KIND("compute", NULL, "MT4129"), true, GBPS(10, 1)}, PEERS_MEETS, 10, 1},
		{{KIND("compute", NULL, "MT4129"), true, GBPS(10, 1)}, PEERS_MEETS, 10, 1},
		{{KIND("compute", NULL, NULL), true, GBPS(10, 1)}, PEERS_ALONE, 0, 0});
	CHECK_ROWS("a role for another reason", {{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4},
		{{{"compute", "link_layer_infiniband", "InfiniBand", "MT4129", NULL}, true,
			 GBPS(100, 1)},
			PEERS_ALONE, 0, 0},
		{{{"compute", NULL, "InfiniBand", "MT4129", NULL}, true, GBPS(25, 1)}, PEERS_ALONE,
			0, 0},
		{{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4});
	CHECK_ROWS("another board with the same chip", {{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4},
		{{{"compute", "topo_pix_pxb", "InfiniBand", "MT4129", "MT_0000000834"}, true,
			 GBPS(100, 1)},
			PEERS_ALONE, 0, 0},
		{{{"compute", "topo_pix_pxb", "InfiniBand", "MT4129", NULL}, true, GBPS(25, 1)},
			PEERS_ALONE, 0, 0},
		{{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4});
	CHECK_ROWS("without a role",
		{{KIND(NULL, "InfiniBand", "MT4129"), true, GBPS(400, 4)}, PEERS_NOT_EVALUATED, 0,
			0},
		{{KIND(NULL, "InfiniBand", "MT4129"), true, GBPS(400, 4)}, PEERS_NOT_EVALUATED, 0,
			0},
		{{KIND(NULL, "InfiniBand", "MT4129"), true, GBPS(200, 4)}, PEERS_NOT_EVALUATED, 0,
			0});
	CHECK_ROWS("those that do not count are no evidence",
		{{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4},
		{{IB, GBPS(400, 4)}, PEERS_MEETS, 400, 4},
		{{KIND("compute", "InfiniBand", "MT4129"), false, GBPS(10, 4)}, PEERS_NOT_EVALUATED,
			0, 0},
		{{KIND("compute", "InfiniBand", "MT4129"), false, GBPS(10, 4)}, PEERS_NOT_EVALUATED,
			0, 0},
		{{KIND("compute", "InfiniBand", "MT4129"), false, GBPS(10, 4)}, PEERS_NOT_EVALUATED,
			0, 0});
	CHECK_ROWS("nor are those whose rate is not known", {{IB, GBPS(400, 0)}, PEERS_ALONE, 0, 0},
		{{IB, GBPS(0, 0)}, PEERS_NOT_EVALUATED, 0, 0},
		{{IB, GBPS(0, 0)}, PEERS_NOT_EVALUATED, 0, 0});
}

#define ETH KIND("storage", "Ethernet", "MT4129"), true

static void
placeholders(void)
{
	CHECK_ROWS("4X QDR of an Ethernet port", {{ETH, GBPS(200, 4)}, PEERS_MEETS, 200, 4},
		{{ETH, GBPS(40, 4)}, PEERS_NOT_EVALUATED, 200, 4},
		{{ETH, GBPS(200, 4)}, PEERS_MEETS, 200, 4});
	CHECK_ROWS("it is no evidence about others", {{ETH, GBPS(10, 1)}, PEERS_ALONE, 0, 0},
		{{ETH, GBPS(40, 4)}, PEERS_NOT_EVALUATED, 0, 0},
		{{ETH, GBPS(40, 4)}, PEERS_NOT_EVALUATED, 0, 0});
	CHECK_ROWS("other 40 Gb/s, and other rates", {{ETH, GBPS(200, 4)}, PEERS_MEETS, 200, 4},
		{{ETH, GBPS(40, 1)}, PEERS_RATE_BELOW, 200, 4},
		{{ETH, GBPS(50, 4)}, PEERS_RATE_BELOW, 200, 4},
		{{ETH, GBPS(25, 4)}, PEERS_RATE_BELOW, 200, 4},
		{{ETH, GBPS(200, 4)}, PEERS_MEETS, 200, 4});
	CHECK_ROWS("4X QDR of InfiniBand is a rate", {{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4},
		{{IB, GBPS(40, 4)}, PEERS_RATE_BELOW, 200, 4},
		{{IB, GBPS(200, 4)}, PEERS_MEETS, 200, 4});
	CHECK_ROWS("EFA's is the adapter's, not the link's",
		{{KIND("compute", "EFA", NULL), true, GBPS(200, 4)}, PEERS_NOT_EVALUATED, 0, 0},
		{{KIND("compute", "EFA", NULL), true, GBPS(200, 4)}, PEERS_NOT_EVALUATED, 0, 0},
		{{KIND("compute", "EFA", NULL), true, GBPS(100, 4)}, PEERS_NOT_EVALUATED, 0, 0});
}

static void
many(void)
{
	static struct peers_port ports[4096];
	const size_t count = CHECK_COUNT(ports);
	char models[64][8];
	for (size_t i = 0; i < CHECK_COUNT(models); i++)
		snprintf(models[i], sizeof models[i], "MT%zu", i);
	for (size_t i = 0; i < count; i++)
		ports[i] = (struct peers_port){.kind = KIND(i % 2 == 0 ? "compute" : "storage",
						       "InfiniBand", models[i % 64]),
			.counts = true,
			/* One of each kind, in the last row. */
			.rate_gbps = i >= count - 64 ? 100 : 200,
			.width = 4};
	CHECK_INT(peers_eval(ports, count), 0);
	for (size_t i = 0; i < count; i++) {
		check_row("port %zu", i);
		if (!CHECK_INT(ports[i].verdict, i >= count - 64 ? PEERS_RATE_BELOW : PEERS_MEETS))
			return;
	}
}

static void
lanes(void)
{
	static const struct {
		const char *rate;
		unsigned width;
	} rows[] = {
		{"400 Gb/sec (4X NDR)", 4},
		{"200 Gb/sec (2X NDR)", 2},
		{"2.5 Gb/sec (1X SDR)", 1},
		{"120 Gb/sec (12X QDR)", 12},
		{"10 Gb/sec (4X)", 4},
		{NULL, 0},
		{"", 0},
		{"400 Gb/sec", 0},
		{"400 Gb/sec (", 0},
		{"400 Gb/sec ()", 0},
		{"400 Gb/sec (4", 0},
		{"400 Gb/sec (NDR)", 0},
		{"400 Gb/sec (X NDR)", 0},
		{"400 Gb/sec (-4X NDR)", 0},
		{"400 Gb/sec (1023X NDR)", 1023},
		{"400 Gb/sec (1024X NDR)", 0},
		{"400 Gb/sec (99999999999999999999X NDR)", 0},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].rate != NULL ? rows[i].rate : "none");
		CHECK_INT(peers_width(rows[i].rate), rows[i].width);
	}
}

static void
words(void)
{
	char text[PEERS_TEXT_SIZE];
	struct peers_port port = {IB, GBPS(200, 2), PEERS_RATE_BELOW, 400, 4};

	CHECK_STR(peers_rate(400, text, sizeof text), "400 Gb/s");
	CHECK_STR(peers_rate(2.5, text, sizeof text), "2.5 Gb/s");
	CHECK_STR(peers_rate(1600000, text, sizeof text), "1600000 Gb/s");
	CHECK_STR(peers_reason(&port, text, sizeof text), "rate 200 Gb/s, peers 400 Gb/s");
	port.verdict = PEERS_WIDTH_BELOW;
	CHECK_STR(peers_reason(&port, text, sizeof text), "width 2X, peers 4X");
	port.verdict = PEERS_MEETS;
	CHECK_STR(peers_reason(&port, text, sizeof text), "");

	/* The worst values of a record still fit, and a small buffer does not overflow. */
	port = (struct peers_port){IB, GBPS(1.7976931348623157e308, 1023), PEERS_RATE_BELOW,
		2.2250738585072014e-308, 1023};
	CHECK_STR(peers_reason(&port, text, sizeof text),
		"rate 1.797693135e+308 Gb/s, peers 2.225073859e-308 Gb/s");
	CHECK_STR(peers_reason(&port, text, 8), "rate 1.");
}

static const struct check_test tests[] = {
	{"the most common value is found; ties and single values have none", modes},
	{"a port is below its peers if it is slower than most of them", rates},
	{"a port is below its peers if it has their rate over fewer lanes than most", widths},
	{"ports of another role, link layer or model are not peers", kinds},
	{"a driver's placeholder for an unknown rate is no rate", placeholders},
	{"thousands of ports of many kinds are evaluated", many},
	{"the lanes are parsed from sysfs's rate", lanes},
	{"rates are written as people write them", words},
};
CHECK_MAIN(tests)
