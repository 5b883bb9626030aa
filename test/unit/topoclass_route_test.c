/* Unit tests of topoclass's route: finding the interface of the host's default route. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoclass/route.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#define HEAD4 \
	"Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT\n"
#define R4(iface, destination, flags, metric, mask) \
	iface "\t" destination "\t0102A8C0\t" flags "\t0\t0\t" metric "\t" mask "\t0\t0\t0\n"
#define DEFAULT4(iface, metric) R4(iface, "00000000", "0003", metric, "00000000")

#define ZERO32 "00000000000000000000000000000000"
#define GATEWAY "fe800000000000000000000000000001"
#define R6(destination, prefix, metric, flags, iface) \
	destination " " prefix " " ZERO32 " 00 " GATEWAY " " metric " 00000001 00000000 " flags \
		    " " iface "\n"
#define DEFAULT6(iface, metric) R6(ZERO32, "00", metric, "00450003", iface)

struct row {
	const char *what, *text, *interface; /* NULL: no default route */
};

static void
check_rows(bool (*parse)(const char *, char *), const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char interface[IF_NAMESIZE] = "untouched";
		check_row("%s", rows[i].what);
		CHECK_INT(parse(rows[i].text, interface), rows[i].interface != NULL);
		CHECK_STR(interface, rows[i].interface != NULL ? rows[i].interface : "untouched");
	}
}

static void
ipv4(void)
{
	static const struct row rows[] = {
		{"one", HEAD4 DEFAULT4("eth0", "100"), "eth0"},
		{"among others",
			HEAD4 R4("eth1", "0002A8C0", "0001", "0", "00FFFFFF") DEFAULT4(
				"bond0.12", "0") R4("eth2", "00000A0A", "0001", "0", "0000FFFF"),
			"bond0.12"},
		{"lowest metric",
			HEAD4 DEFAULT4("a", "200") DEFAULT4("b", "100") DEFAULT4("c", "150"), "b"},
		{"metric is decimal", HEAD4 DEFAULT4("a", "9") DEFAULT4("b", "10"), "a"},
		{"the first of equals", HEAD4 DEFAULT4("a", "100") DEFAULT4("b", "100"), "a"},
		{"largest metric", HEAD4 DEFAULT4("a", "4294967295"), "a"},
		{"without a head line", DEFAULT4("eth0", "0"), "eth0"},
		{"no newline at the end",
			HEAD4 "eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0", "eth0"},
		{"longest name", DEFAULT4("abcdefghijklmno", "0"), "abcdefghijklmno"},
		{"padding", "eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t0\t0\t0        \n",
			"eth0"},
	};
	check_rows(route_parse_ipv4, rows, CHECK_COUNT(rows));
}

static void
ipv4_none(void)
{
	static const struct row rows[] = {
		{"empty", "", NULL},
		{"head only", HEAD4, NULL},
		{"no default", HEAD4 R4("eth0", "0002A8C0", "0001", "0", "00FFFFFF"), NULL},
		{"destination 0 with a mask (0.0.0.0/8)",
			R4("eth0", "00000000", "0003", "0", "000000FF"), NULL},
		{"mask 0 with a destination", R4("eth0", "0000000A", "0003", "0", "00000000"),
			NULL},
		{"down", R4("eth0", "00000000", "0002", "0", "00000000"), NULL},
		{"reject", R4("*", "00000000", "0201", "0", "00000000"), NULL},
		{"down does not hide", R4("a", "00000000", "0002", "0", "00000000"), NULL},
	};
	check_rows(route_parse_ipv4, rows, CHECK_COUNT(rows));
}

static void
ipv4_malformed(void)
{
	static const struct row rows[] = {
		{"noise", "x\n\n\n \t\n%s%n\n", NULL},
		{"cut", "eth0\t00000000\t0102A8C0\t0003\t0\t0\n", NULL},
		{"not hexadecimal", R4("eth0", "zzzzzzzz", "0003", "0", "00000000"), NULL},
		{"empty columns", "eth0\t\t\t\t\t\t\t\t\n", NULL},
		{"noise before", "x\n" DEFAULT4("eth0", "0"), "eth0"},
		{"noise behind", DEFAULT4("eth0", "0") "x\ny", "eth0"},
		{"unreachable, then good",
			R4("a", "00000000", "0200", "0", "00000000") DEFAULT4("b", "50"), "b"},
	};
	check_rows(route_parse_ipv4, rows, CHECK_COUNT(rows));
}

static void
ipv6(void)
{
	static const struct row rows[] = {
		{"one", DEFAULT6("eth0", "00000400"), "eth0"},
		{"among others",
			R6("fe800000000000000000000000000000", "40", "00000100", "00000001", "eth1")
				DEFAULT6("eth0", "00000400"),
			"eth0"},
		{"aligned to the right, as the kernel prints it",
			R6(ZERO32, "00", "00000400", "00000003", "    eth0"), "eth0"},
		{"lowest metric", DEFAULT6("a", "00000400") DEFAULT6("b", "00000064"), "b"},
		{"metric is hexadecimal", DEFAULT6("a", "00000010") DEFAULT6("b", "0000000f"), "b"},
		{"the first of equals", DEFAULT6("a", "00000400") DEFAULT6("b", "00000400"), "a"},
		{"the loopback's does not count",
			R6(ZERO32, "00", "ffffffff", "00200200", "lo") DEFAULT6("eth0", "00000400"),
			"eth0"},
		{"an up route over lo does not count",
			R6(ZERO32, "00", "00000001", "00000001", "lo") DEFAULT6("eth0", "00000400"),
			"eth0"},
	};
	check_rows(route_parse_ipv6, rows, CHECK_COUNT(rows));
}

static void
ipv6_tables(void)
{
#define PREFIX6(iface) R6("fe800000000000000000000000000000", "40", "00000100", "00000001", iface)
#define EMPTY6 R6(ZERO32, "00", "ffffffff", "00200200", "lo")
	static const struct row rows[] = {
		{"tables of rules before the main one",
			PREFIX6("a") DEFAULT6("a", "00000400") PREFIX6("b") DEFAULT6(
				"b", "00000400") PREFIX6("c") DEFAULT6("c", "00000400") EMPTY6,
			"c"},
		{"a lower metric in another table",
			PREFIX6("a") DEFAULT6("a", "00000064") PREFIX6("b")
				DEFAULT6("b", "00000400") DEFAULT6("c", "00000800"),
			"b"},
		{"tables with nothing but their default routes",
			DEFAULT6("a", "00000064") DEFAULT6("b", "00000064") PREFIX6("c")
				DEFAULT6("c", "00000400"),
			"c"},
		{"an empty table before the main one",
			DEFAULT6("a", "00000064") EMPTY6 DEFAULT6("b", "00000400"), "b"},
	};
	check_rows(route_parse_ipv6, rows, CHECK_COUNT(rows));
}

static void
ipv6_none(void)
{
	static const struct row rows[] = {
		{"empty", "", NULL},
		{"lo only", R6(ZERO32, "00", "00000001", "00000001", "lo"), NULL},
		{"reject", R6(ZERO32, "00", "00000400", "00000201", "eth0"), NULL},
		{"down", R6(ZERO32, "00", "00000400", "00000002", "eth0"), NULL},
		{"a prefix (::/8)", R6(ZERO32, "08", "00000400", "00000003", "eth0"), NULL},
		{"another destination",
			R6("00000000000000000000000000000001", "00", "00000400", "00000003",
				"eth0"),
			NULL},
		{"short destination", R6("0000", "00", "00000400", "00000003", "eth0"), NULL},
		{"cut", ZERO32 " 00 " ZERO32 " 00 " GATEWAY " 00000400\n", NULL},
		{"no interface", R6(ZERO32, "00", "00000400", "00000003", ""), NULL},
		{"noise", "x\n\n%n%s\n", NULL},
	};
	check_rows(route_parse_ipv6, rows, CHECK_COUNT(rows));
}

static void
long_lines(void)
{
	/* The rest of a long line must not be parsed as the next line. */
	char interface[IF_NAMESIZE] = "untouched";
	char *noise = check_repeat_new('x', 100000);
	size_t size = 2 * strlen(noise) + 1000;
	char *text = malloc(size);

	snprintf(
		text, size, "%s%s%s\n%s", noise, "\t", DEFAULT4("bad", "0"), DEFAULT4("good", "5"));
	CHECK(route_parse_ipv4(text, interface));
	CHECK_STR(interface, "good");
	/* A part that no column needs may be cut off. */
	snprintf(text, size, "eth0\t00000000\t0102A8C0\t0003\t0\t0\t0\t00000000\t%s\n", noise);
	CHECK(route_parse_ipv4(text, interface));
	CHECK_STR(interface, "eth0");
	snprintf(text, size, "%s %s\n%s", noise, ZERO32, DEFAULT6("six", "00000001"));
	CHECK(route_parse_ipv6(text, interface));
	CHECK_STR(interface, "six");
	free(text);
	free(noise);
}

/* Read the route from the named files. */
static bool
read_named(const char *four, const char *six, char interface[IF_NAMESIZE])
{
	static const char *const nowhere[] = {"/no/such/directory", NULL};
	const struct route_files files = {.ipv4 = four, .ipv6 = six, .directories = nowhere};
	struct route route = {0};
	bool found = route_read(&files, &route);
	if (found)
		strcpy(interface, route.interface);
	return found;
}

static void
reading(void)
{
	char v4[200], v6[200], none[200], interface[IF_NAMESIZE] = "untouched";
	snprintf(v4, sizeof v4, "%s", check_file("route", HEAD4 DEFAULT4("four", "0")));
	snprintf(v6, sizeof v6, "%s", check_file("ipv6_route", DEFAULT6("six", "00000001")));
	snprintf(none, sizeof none, "%s", check_file("none", HEAD4));

	CHECK(read_named(v4, v6, interface));
	CHECK_STR(interface, "four");
	CHECK(read_named(none, v6, interface));
	CHECK_STR(interface, "six");
	CHECK(read_named(NULL, v6, interface));
	CHECK_STR(interface, "six");
	CHECK(read_named("/no/such/file", v6, interface));
	CHECK(read_named(v4, "/no/such/file", interface));
	CHECK(read_named(v4, NULL, interface));
	CHECK(!read_named(none, none, interface));
	CHECK(!read_named(NULL, NULL, interface));
	CHECK(!read_named("/no/such/file", "/", interface));
}

static void
many_routes(void)
{
	static const char route[] = PREFIX6("eth0"), last[] = DEFAULT6("six", "00000001");
	const size_t count = 20000, length = strlen(route);
	char interface[IF_NAMESIZE] = "untouched";
	char *text = malloc(count * length + sizeof last);

	for (size_t i = 0; i < count; i++)
		memcpy(text + i * length, route, length);
	memcpy(text + count * length, last, sizeof last);
	CHECK(read_named(NULL, check_file("ipv6_route", text), interface));
	CHECK_STR(interface, "six");
	free(text);
}

static void
ipv4_was_there(void)
{
	static const char *const nowhere[] = {"/no/such/directory", NULL};
	char v4[200], v6[200];
	snprintf(v4, sizeof v4, "%s", check_file("route", HEAD4 DEFAULT4("four", "0")));
	snprintf(v6, sizeof v6, "%s", check_file("ipv6_route", DEFAULT6("six", "00000001")));
	const struct route_files without = {.ipv6 = v6, .directories = nowhere};
	const struct route_files with = {.ipv4 = v4, .ipv6 = v6, .directories = nowhere};
	struct route route = {0};

	CHECK(route_read(&without, &route));
	CHECK_STR(route.interface, "six");
	CHECK(!route.is_ipv4);
	CHECK(route_read(&with, &route));
	CHECK_STR(route.interface, "four");
	CHECK(route.is_ipv4);
	CHECK(!route_read(&without, &route));
	CHECK_STR(route.interface, "four");
}

/* Make a directory with a kernel's routes, without a file if NULL. Return its path, in `path`. */
static const char *
network(const char *name, const char *four, const char *six, char path[200])
{
	char file[100];
	snprintf(path, 200, "%s/%s", check_dir(), name);
	CHECK_INT(mkdir(path, 0700), 0);
	snprintf(file, sizeof file, "%s/route", name);
	if (four != NULL)
		check_file(file, four);
	snprintf(file, sizeof file, "%s/ipv6_route", name);
	if (six != NULL)
		check_file(file, six);
	return path;
}

/* Another network may have a default route when the node has none, over an interface with the same
 * name as one of the node's. */
static void
networks(void)
{
	static const char host4[] = HEAD4 DEFAULT4("host4", "0");
	static const char host6[] = DEFAULT6("host6", "00000001");
	static const char pod4[] = HEAD4 DEFAULT4("pod4", "0");
	static const char pod6[] = DEFAULT6("pod6", "00000001");
	static const struct {
		const char *four, *six, *expected;
	} rows[] = {
		{host4, host6, "host4"},
		{host4, NULL, "host4"},
		{HEAD4, host6, "host6"},
		{NULL, host6, "host6"},
		{HEAD4, NULL, NULL},
		{HEAD4, "", NULL},
		{NULL, "", NULL},
		/* no file there: the next directory counts */
		{NULL, NULL, "pod4"},
	};
	char host[200], pod[200], name[20];
	network("pod", pod4, pod6, pod);
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%zu", i);
		snprintf(name, sizeof name, "host%zu", i);
		const char *directories[] = {"/no/such/directory",
			network(name, rows[i].four, rows[i].six, host), pod, NULL};
		struct route_files files = {.directories = directories};
		struct route route = {0};
		CHECK_INT(route_read(&files, &route), rows[i].expected != NULL);
		CHECK_STR(route.interface, rows[i].expected != NULL ? rows[i].expected : "");
	}
	/* A named file replaces only its own protocol's. */
	const char *directories[] = {network("other", HEAD4, host6, host), pod, NULL};
	struct route_files files = {.ipv4 = "/no/such/file", .directories = directories};
	struct route route = {0};
	CHECK(route_read(&files, &route));
	CHECK_STR(route.interface, "host6");
}

static void
places(void)
{
	static const char *const expected[] = {
		"/nvsentinel/proc/1/net", "/nvsentinel/proc/net", "/proc/1/net", "/proc/net"};
	for (size_t i = 0; i < CHECK_COUNT(expected); i++)
		CHECK_STR(route_default_directories[i], expected[i]);
	CHECK(route_default_directories[CHECK_COUNT(expected)] == NULL);
}

static const struct check_test tests[] = {
	{"the IPv4 default route with the lowest metric is found", ipv4},
	{"other, down and rejecting IPv4 routes are not default routes", ipv4_none},
	{"malformed IPv4 lines are skipped", ipv4_malformed},
	{"the IPv6 default route with the lowest metric is found, never the loopback's", ipv6},
	{"the IPv6 default route is that of the main table, which is the last that has one",
		ipv6_tables},
	{"other, down, rejecting and malformed IPv6 routes are not default routes", ipv6_none},
	{"a long line is one line", long_lines},
	{"IPv6 counts only without an IPv4 default route, and files may be missing", reading},
	{"an IPv6 default route is found behind 20,000 other routes", many_routes},
	{"IPv6 does not count while an earlier IPv4 default route is away", ipv4_was_there},
	{"of several networks only the first one with files counts", networks},
	{"the node's own network is that of process 1", places},
};
CHECK_MAIN(tests)
