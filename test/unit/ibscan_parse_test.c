/* Unit tests of ibscan's parse: parsing the texts of sysfs's InfiniBand attributes. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/ibscan/parse.h"

#include "check.h"

static void
numbered(void)
{
	static const struct {
		const char *text;
		int64_t id;
		const char *name;
	} rows[] = {
		{"4: ACTIVE", 4, "ACTIVE"},
		{"1: DOWN", 1, "DOWN"},
		{"5: LinkUp", 5, "LinkUp"},
		{"4: PortConfigurationTraining", 4, "PortConfigurationTraining"},
		{"7: Phy Test", 7, "Phy Test"},
		{"0: ", 0, ""},
		{"8:", 8, ""},
		{"9:<unknown>", 9, "<unknown>"},
		{"4:   ACTIVE", 4, "ACTIVE"},
		{"4:\tACTIVE", 4, "ACTIVE"},
		{"007: X", 7, "X"},
		{"2147483647: X", 2147483647, "X"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		int64_t id = -7;
		const char *name = NULL;
		check_row("\"%s\"", rows[i].text);
		CHECK(parse_numbered(rows[i].text, &id, &name));
		CHECK_INT(id, rows[i].id);
		CHECK_STR(name, rows[i].name);
	}
}

static void
numbered_malformed(void)
{
	static const char *const rows[] = {"", ":", ": ACTIVE", "ACTIVE", "ACTIVE: 4", " 4: ACTIVE",
		"-1: ACTIVE", "+4: ACTIVE", "4 : ACTIVE", "4. ACTIVE", "0x4: ACTIVE", "4x: ACTIVE",
		"2147483648: X", "99999999999999999999: X", "123456789012345678901234567890: X"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		int64_t id = -7;
		const char *name = NULL;
		check_row("\"%s\"", rows[i]);
		CHECK(!parse_numbered(rows[i], &id, &name));
	}
}

static void
rate(void)
{
	static const struct {
		const char *text;
		double gbps;
	} rows[] = {
		{"400 Gb/sec (4X NDR)", 400},
		{"200 Gb/sec (4X HDR)", 200},
		{"100 Gb/sec (4X EDR)", 100},
		{"2.5 Gb/sec (1X SDR)", 2.5},
		{"14 Gb/sec", 14},
		{"0 Gb/sec (8X )", 0},
		{"1600 Gb/sec (8X NDR)", 1600},
		/* A number of the maximum length. */
		{"1.000000000000000000000 Gb/sec", 1},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		double gbps = -1;
		check_row("\"%s\"", rows[i].text);
		CHECK(parse_rate_gbps(rows[i].text, &gbps));
		CHECK_NEAR(gbps, rows[i].gbps);
	}
}

static void
rate_malformed(void)
{
	static const char *const rows[] = {"", "400", "Gb/sec", " 400 Gb/sec", "400Gb/sec",
		"400  Gb/sec", "400 Mb/sec", "400 gb/sec", "-400 Gb/sec", "+400 Gb/sec",
		"4e2 Gb/sec", "1.2.3 Gb/sec", ". Gb/sec", "inf Gb/sec", "nan Gb/sec", "0x10 Gb/sec",
		"1,5 Gb/sec", "400 Gb/se", "1.0000000000000000000000 Gb/sec",
		"1111111111111111111111111111111111111111 Gb/sec"};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		double gbps = -1;
		check_row("\"%s\"", rows[i]);
		CHECK(!parse_rate_gbps(rows[i], &gbps));
	}
}

static void
lid(void)
{
	static const struct {
		const char *text;
		int64_t lid; /* -1: malformed */
	} rows[] = {{"0x0", 0}, {"0x11", 17}, {"0xffff", 65535}, {"0xFFFF", 65535}, {"0x0001", 1},
		{"0x10000", -1}, {"0xffffffffffffffffff", -1}, {"17", -1}, {"", -1}, {"0x", -1},
		{"0x1 ", -1}, {"-0x1", -1}, {"0xg", -1}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		int64_t out = -7;
		check_row("\"%s\"", rows[i].text);
		CHECK_INT(parse_lid(rows[i].text, &out), rows[i].lid >= 0);
		if (rows[i].lid >= 0)
			CHECK_INT(out, rows[i].lid);
	}
}

static void
pci_link(void)
{
	static const struct {
		const char *text;
		int64_t lanes;
	} widths[] = {{"1", 1}, {"16", 16}, {"32", 32}, {"33", 0}, {"63", 0}, {"255", 0}, {"0", 0},
		{"", 0}, {"x16", 0}, {"-1", 0}, {"16 ", 0}};
	for (size_t i = 0; i < CHECK_COUNT(widths); i++) {
		check_row("\"%s\"", widths[i].text);
		CHECK_INT(parse_link_width(widths[i].text), widths[i].lanes);
	}
	CHECK(parse_is_link_speed("32.0 GT/s PCIe"));
	CHECK(parse_is_link_speed("8 GT/s"));
	CHECK(!parse_is_link_speed("Unknown"));
	CHECK(!parse_is_link_speed("Unknown speed"));
}

static const char uevent_text[] = "DRIVER=mlx5_core\n"
				  "PCI_CLASS=20700\n"
				  "PCI_ID=15B3:1021\n"
				  "PCI_SLOT_NAME=0000:18:00.0\n"
				  "EMPTY=\n"
				  "MODALIAS=pci:v=1,d=2\n"
				  "LAST=end";

static void
uevent(void)
{
	static const struct {
		const char *key, *value; /* NULL: none */
	} rows[] = {
		{"DRIVER", "mlx5_core"},
		{"PCI_SLOT_NAME", "0000:18:00.0"},
		{"PCI_ID", "15B3:1021"},
		{"MODALIAS", "pci:v=1,d=2"},
		{"LAST", "end"},
		{"EMPTY", NULL},
		{"PCI", NULL},
		{"SLOT_NAME", NULL},
		{"driver", NULL},
		{"DRIVER=mlx5_core", NULL},
		{"mlx5_core", NULL},
		{"NONE", NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char value[32] = "";
		check_row("%s", rows[i].key);
		CHECK_INT(parse_uevent(uevent_text, rows[i].key, value, sizeof value),
			rows[i].value != NULL);
		if (rows[i].value != NULL)
			CHECK_STR(value, rows[i].value);
	}
	char value[32];
	CHECK(!parse_uevent("", "DRIVER", value, sizeof value));
	CHECK(!parse_uevent("\n\n", "DRIVER", value, sizeof value));
	CHECK(parse_uevent("\n\nDRIVER=x\n", "DRIVER", value, sizeof value));
	CHECK(!parse_uevent("DRIVER", "DRIVER", value, sizeof value));
}

static void
uevent_room(void)
{
	/* `mlx5_core` is 9 bytes and a NUL. */
	char value[16];
	for (size_t size = 1; size <= 12; size++) {
		memset(value, 'X', sizeof value);
		check_row("room for %zu", size);
		CHECK_INT(parse_uevent(uevent_text, "DRIVER", value, size), size >= 10);
		CHECK_INT(value[size], 'X');
	}
}

static void
gid(void)
{
	static const struct {
		const char *text;
		enum parse_gid kind;
	} rows[] = {
		{"0000:0000:0000:0000:0000:0000:0000:0000", GID_UNUSED},
		{"0000:0000:0000:0000:0000:ffff:0a00:0001", GID_IPV4_MAPPED},
		{"0000:0000:0000:0000:0000:ffff:0000:0000", GID_IPV4_MAPPED},
		{"fe80:0000:0000:0000:a288:c2ff:fe66:0a48", GID_OTHER},
		{"0000:0000:0000:0000:0000:0000:0000:0001", GID_OTHER},
		{"0000:0000:0000:0000:0001:ffff:0a00:0001", GID_OTHER},
		{"fe80:0000:0000:0000:0000:ffff:0a00:0001", GID_OTHER},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s", rows[i].text);
		CHECK_INT(parse_gid(rows[i].text), rows[i].kind);
	}
}

static void
representor(void)
{
	static const struct {
		const char *name;
		bool is;
	} rows[] = {{"pf0vf3", true}, {"c1pf0sf7", true}, {"pf1sf88", true}, {"c12pf3vf4", true},
		{"p0", false}, {"p1", false}, {"", false}, {"c1", false}, {"c", false},
		{"c1p0", false}, {"vf0", false}, {"xpf0vf0", false}, {"PF0VF0", false}};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("\"%s\"", rows[i].name);
		CHECK_INT(parse_is_representor(rows[i].name), rows[i].is);
	}
}

static void
guid_of_address(void)
{
	static const struct {
		const char *guid, *address;
		bool may_be;
	} rows[] = {
		{"0000:00ff:fe00:0001", "02:00:00:00:00:01", true},
		{"1234:56ff:fe78:9abc", "10:34:56:78:9a:bc", true},
		{"1234:56FF:FE78:9ABC", "10:34:56:78:9A:BC", true},
		{"f034:56ff:fe78:9af9", "f2:34:56:78:9a:f9", true},
		/* One byte differs. */
		{"1134:56ff:fe78:9abc", "10:34:56:78:9a:bc", false},
		{"1235:56ff:fe78:9abc", "10:34:56:78:9a:bc", false},
		{"1234:57ff:fe78:9abc", "10:34:56:78:9a:bc", false},
		{"1234:56fe:fe78:9abc", "10:34:56:78:9a:bc", false},
		{"1234:56ff:ff78:9abc", "10:34:56:78:9a:bc", false},
		{"1234:56ff:fe79:9abc", "10:34:56:78:9a:bc", false},
		{"1234:56ff:fe78:9bbc", "10:34:56:78:9a:bc", false},
		{"1234:56ff:fe78:9abd", "10:34:56:78:9a:bc", false},
		{"0000:0000:0000:0001", "10:34:56:78:9a:bc", false},
		{"0100:0000:0000:0000", "10:34:56:78:9a:bc", false},
		{"1234:56ff:fe78:9abc", "00:00:00:00:00:00", false},
		/* One that cannot be compared. */
		{"0000:0000:0000:0000", "10:34:56:78:9a:bc", true},
		{"", "10:34:56:78:9a:bc", true},
		{"1234:56ff:fe78:9ab", "10:34:56:78:9a:00", true},
		{"1234:56ff:fe78:9abd:e", "10:34:56:78:9a:bc", true},
		{"1234:56ff:fe78:9abg", "10:34:56:78:9a:bc", true},
		{"1234:56ff:fe78:9abc", "", true},
		{"1234:56ff:fe78:9abc", "10:34:56:78:9a", true},
		{"1234:56ff:fe78:9abc", "10:34:56:78:9a:00:0", true},
		{"1234:56ff:fe78:9abc", "10:34:56:78:9a:0x", true},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s of %s", rows[i].guid, rows[i].address);
		CHECK_INT(parse_may_be_guid_of(rows[i].guid, rows[i].address), rows[i].may_be);
	}
}

static const struct check_test tests[] = {
	{"a numbered state is parsed into number and name, which may be missing", numbered},
	{"a state without a number and a colon, or beyond 31 bits, is refused", numbered_malformed},
	{"a rate is a plain number of Gb/sec", rate},
	{"a rate in any other form is refused", rate_malformed},
	{"a lid is hexadecimal and fits 16 bits", lid},
	{"a PCI link has 1 to 32 lanes and a known speed, else both are unknown", pci_link},
	{"a uevent value is found by its whole key", uevent},
	{"a uevent value that does not fit is refused", uevent_room},
	{"a GID is unused, an IPv4 address, or another one", gid},
	{"a representor is not an uplink", representor},
	{"a node GUID matches an Ethernet address, does not, or cannot be compared",
		guid_of_address},
};
CHECK_MAIN(tests)
