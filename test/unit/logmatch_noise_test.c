/* Unit tests of logmatch's noise control. */
#include "../../tools/logmatch/noise.h"

#include "check.h"
#include "num.h"

#include <stdio.h>
#include <stdlib.h>

#define PATTERN LOGPATTERN_ACCESS_REG_FAILED
#define PCI "0000:18:00.0"
#define S(seconds) (UINT64_C(seconds) * NUM_NS_PER_S)
#define START_NS S(1767323045)

static uint64_t
key_of(const char *text)
{
	return noise_key(PATTERN, PCI, text, strlen(text), false);
}

/* --- what is the same --- */

static void
same_texts(void)
{
	static const char *const rows[][2] = {
		{"mlx5_core 0000:18:00.0: mlx5_cmd_out_err:808:(pid 1196): ACCESS_REG(0x805) op_mod(0x1) failed, "
		 "status bad parameter(0x3), syndrome (0x6231ae), err(-22)",
			"mlx5_core 0000:18:00.0: mlx5_cmd_out_err:797:(pid 7): ACCESS_REG(0x805) op_mod(0x0) failed, "
			"status bad parameter(0x30), syndrome (0x0), err(-5)"},
		{"NETDEV WATCHDOG: ens1f0np0 (mlx5_core): transmit queue 3 timed out 5120 ms",
			"NETDEV WATCHDOG: ens1f0np0 (mlx5_core): transmit queue 63 timed out 9 ms"},
		{"NETDEV WATCHDOG: CPU: 12: transmit queue 3 timed out",
			"NETDEV WATCHDOG: CPU: 5: transmit queue 3 timed out"},
		{"mlx5_core 0000:18:00.0 ens1f0: TX timeout detected",
			"mlx5_core 0000:3b:00.1 ens2f1: TX timeout detected"},
		{"TX timeout on queue: 17, SQ: 0x1a2b, CQ: 0xabcdef, SQ Cons: 0x1 SQ Prod: 0x2, usecs since last trans: 15",
			"TX timeout on queue: 1, SQ: 0xa, CQ: 0x4, SQ Cons: 0xffff SQ Prod: 0xe, usecs since last trans: 7"},
		{"assert_var[0] 0x00000001", "assert_var[4] 0xfffffffe"},
		{"hw_id 0x00000216 fw_ver 16.35.2000", "hw_id 0x00000020 fw_ver 22.31.1014"},
		{"at deadbee1", "at 00000000"},
		{"at deadbeefdeadbe0f", "at ffffffffc0a1b2c3"},
		{"at ffffffffa0a1b2c3", "at 0xC0A1B2C3"},
		{"kworker/u128:3", "kworker/u64:12"},
		{"Jan 2 03:04:05.123", "Jan 31 23:59:59.9"},
		{"port 1 is up", "port 2 is up"},
		{"", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s | %s", rows[i][0], rows[i][1]);
		CHECK_U64(key_of(rows[i][0]), key_of(rows[i][1]));
	}
}

static void
different_texts(void)
{
	static const char *const rows[][2] = {
		{"Port module event[error]: module 0, Cable error, Bad or unsupported EEPROM",
			"Port module event[error]: module 0, Cable error, Unsupported cable"},
		{"ACCESS_REG(0x805) failed, status bad parameter(0x3)",
			"ACCESS_REG(0x805) failed, status bad resource(0x5)"},
		{"ens1f0np0: transmit queue 3 timed out", "enp1f0np0: transmit queue 3 timed out"},
		{"TX timeout", "RX timeout"},
		{"CREATE_MKEY(0x200) failed", "DESTROY_MKEY(0x202) failed"},
		/* Words, though of hexadecimal digits. */
		{"dead", "beef"},
		{"add a bad face", "add a bad cafe"},
		{"a b", "a  b"},
		{"", " "},
		{"1 2", "1"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		check_row("%s | %s", rows[i][0], rows[i][1]);
		CHECK(key_of(rows[i][0]) != key_of(rows[i][1]));
	}
}

static void
devices_without_address(void)
{
	static const char *const rows[][2] = {
		{"NETDEV WATCHDOG: ens108np0 (mlx5_core): transmit queue 3 timed out",
			"NETDEV WATCHDOG: ens109np0 (mlx5_core): transmit queue 3 timed out"},
		{"mlx5_core.sf mlx5_core.sf.4: cmd_work_handler:1:(pid 2): x",
			"mlx5_core.sf mlx5_core.sf.5: cmd_work_handler:1:(pid 2): x"},
		{"mlx5_core.sf mlx5_core.sf.4 eth0: NETDEV WATCHDOG: CPU: 9: x",
			"mlx5_core.sf mlx5_core.sf.5 eth0: NETDEV WATCHDOG: CPU: 9: x"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		const char *a = rows[i][0], *b = rows[i][1];
		check_row("%s", a);
		CHECK(noise_key(PATTERN, "", a, strlen(a), false) !=
			noise_key(PATTERN, "", b, strlen(b), false));
		CHECK(noise_key(PATTERN, "", a, strlen(a), true) !=
			noise_key(PATTERN, "", b, strlen(b), true));
		/* The address says more. */
		CHECK(noise_key(PATTERN, PCI, a, strlen(a), false) ==
			noise_key(PATTERN, PCI, b, strlen(b), false));
	}
	const char *queue = "NETDEV WATCHDOG: ens108np0 (mlx5_core): transmit queue 63 timed out";
	CHECK(noise_key(PATTERN, "", rows[0][0], strlen(rows[0][0]), false) ==
		noise_key(PATTERN, "", queue, strlen(queue), false));
	const char *cut = "NETDEV WATCHDOG: ";
	CHECK_U64(noise_device(cut, strlen(cut), &cut), 0);
}

static void
keys(void)
{
	uint64_t key = noise_key(PATTERN, PCI, "a", 1, false);
	CHECK(key != noise_key(LOGPATTERN_TEMP_WARN, PCI, "a", 1, false));
	CHECK(key != noise_key(PATTERN, "0000:18:00.1", "a", 1, false));
	CHECK(key != noise_key(PATTERN, "", "a", 1, false));
	CHECK(key != noise_key(PATTERN, PCI, "b", 1, true));
	CHECK(noise_key(PATTERN, PCI, "b", 1, true) == noise_key(PATTERN, PCI, "c", 1, true));
	CHECK(key == noise_key(PATTERN, PCI, "abc", 1, false));
	/* Any bytes. */
	CHECK(noise_key(PATTERN, PCI, "\0\xFF\n", 3, false) !=
		noise_key(PATTERN, PCI, "\0\xFE\n", 3, false));
}

/* --- windows --- */

static struct noise *
noise_new(void)
{
	struct noise *noise = calloc(1, sizeof *noise);
	CHECK(noise != NULL);
	return noise;
}

static void
windows(void)
{
	static const struct {
		int64_t time_ns; /* after the start */
		uint64_t window_ns;
		bool news;
		uint64_t repeats;
	} rows[] = {
		{0, S(60), true, 0},
		{0, S(60), false, 0},
		{(int64_t)S(60) - 1, S(60), false, 0},
		/* Lines of several CPUs are not in order. */
		{-(int64_t)S(60) + 1, S(60), false, 0},
		{(int64_t)S(60), S(60), true, 3},
		{(int64_t)S(61), S(60), false, 0},
		{(int64_t)S(121), S(60), true, 1},
		{(int64_t)S(300), S(60), true, 0},
		/* Far back is another log. */
		{(int64_t)S(240), S(60), true, 0},
		{(int64_t)S(181), S(60), false, 0},
		/* A smaller window than before. */
		{(int64_t)S(245), S(2), true, 1},
	};
	struct noise *noise = noise_new();
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		uint64_t repeats = 99;
		check_row("row %zu", i);
		CHECK_INT(noise_take(noise, 5, PCI, START_NS + (uint64_t)rows[i].time_ns,
				  rows[i].window_ns, &repeats),
			rows[i].news);
		CHECK_U64(repeats, rows[i].repeats);
	}
	CHECK_U64(noise->count, 1);
	free(noise);
}

static void
no_window(void)
{
	struct noise *noise = noise_new();
	for (size_t i = 0; i < 5; i++) {
		uint64_t repeats = 99;
		CHECK(noise_take(noise, 5, PCI, START_NS, 0, &repeats));
		CHECK_U64(repeats, 0);
	}
	CHECK_U64(noise->count, 0);
	free(noise);
}

/* Every event and every count of 10,000 is told once: nothing is lost in between. */
static void
counts_add_up(void)
{
	struct noise *noise = noise_new();
	uint64_t told = 0, time_ns = START_NS;
	for (size_t i = 0; i < 10000; i++, time_ns += S(1) / 3) {
		uint64_t repeats;
		if (noise_take(noise, 1 + i % 7, PCI, time_ns, S(60), &repeats))
			told += 1 + repeats;
	}
	for (uint64_t key = 1; key <= 7; key++) {
		uint64_t repeats;
		CHECK(noise_take(noise, key, PCI, time_ns + S(60), S(60), &repeats));
		told += repeats;
	}
	CHECK_U64(told, 10000);
	free(noise);
}

static void
eviction(void)
{
	struct noise *noise = noise_new();
	uint64_t repeats;
	for (uint64_t key = 1; key <= NOISE_ENTRIES_MAX; key++)
		CHECK(noise_take(noise, key, PCI, START_NS + key, S(60), &repeats));
	for (uint64_t key = 1; key <= NOISE_ENTRIES_MAX; key++)
		CHECK(!noise_take(noise, key, PCI, START_NS + S(1), S(60), &repeats));
	/* The one that was reported longest ago, the first, makes room. */
	CHECK(noise_take(noise, 5000, PCI, START_NS + S(2), S(60), &repeats));
	CHECK_U64(noise->count, NOISE_ENTRIES_MAX);
	CHECK(!noise_take(noise, 2, PCI, START_NS + S(3), S(60), &repeats));
	CHECK(noise_take(noise, 1, PCI, START_NS + S(3), S(60), &repeats));
	CHECK_U64(repeats, 0);
	CHECK(noise_take(noise, 2, PCI, START_NS + S(3), S(60), &repeats));
	CHECK(!noise_take(noise, 5000, PCI, START_NS + S(3), S(60), &repeats));
	/* What is over goes before what is not. */
	noise_end_device(noise, PCI);
	CHECK(noise_take(noise, 5000, PCI, START_NS + S(4), S(60), &repeats));
	CHECK_U64(repeats, 1);
	CHECK(noise_take(noise, 6000, PCI, START_NS + S(4), S(60), &repeats));
	CHECK(!noise_take(noise, 5000, PCI, START_NS + S(5), S(60), &repeats));
	free(noise);
}

static void
end_of_device(void)
{
	struct noise *noise = noise_new();
	uint64_t repeats;
	CHECK(noise_take(noise, 1, PCI, START_NS, S(60), &repeats));
	CHECK(noise_take(noise, 2, "0000:18:00.1", START_NS, S(60), &repeats));
	CHECK(noise_take(noise, 3, "", START_NS, S(60), &repeats));
	CHECK(!noise_take(noise, 1, PCI, START_NS, S(60), &repeats));
	noise_end_device(noise, PCI);
	CHECK(!noise_take(noise, 2, "0000:18:00.1", START_NS, S(60), &repeats));
	CHECK(!noise_take(noise, 3, "", START_NS, S(60), &repeats));
	/* What was counted before is still told. */
	CHECK(noise_take(noise, 1, PCI, START_NS + 1, S(60), &repeats));
	CHECK_U64(repeats, 1);
	CHECK(!noise_take(noise, 1, PCI, START_NS + 2, S(60), &repeats));
	free(noise);
}

static const struct check_test tests[] = {
	{"texts that differ in numbers, addresses and times are the same", same_texts},
	{"texts that differ in words are not the same", different_texts},
	{"pattern, device and text make the difference", keys},
	{"interfaces and sub-functions are devices where there is no address",
		devices_without_address},
	{"within the window, either way, a thing is counted; then the count is told", windows},
	{"without a window everything is told", no_window},
	{"each thing is told or counted once", counts_add_up},
	{"of too many things the one told longest ago is forgotten", eviction},
	{"what was said of a device that recovered is news again", end_of_device},
};
CHECK_MAIN(tests)
