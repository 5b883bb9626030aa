/* Unit tests of nicview's cells: the texts of a row's columns. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/nicview/cells.h"

#include "check.h"

static void
rates(void)
{
	static const struct {
		const char *rate;
		double gbps;
		const char *number, *lanes;
	} rows[] = {
		{"400 Gb/sec (4X NDR)", 400, "400", "4X NDR"},
		{"2.5 Gb/sec (1X SDR)", 2.5, "2.5", "1X SDR"},
		{"10 Gb/sec (4X)", 10, "10", "4X"},
		{"0 Gb/sec (8X )", 0, "0", "8X"},
		{"14 Gb/sec", 14, "14", "-"},
		{"400 Gb/sec ()", 400, "400", "-"},
		{"400 Gb/sec (4X NDR", 400, "400", "4X NDR"},
		/* a text in no form of the kernel */
		{NULL, 200, "200", "-"},
		{NULL, 2.5, "2.5", "-"},
		{"fast", 400, "400", "-"},
		{"fast", 0, "-", "-"},
		{"400 Mb/sec", 0, "-", "-"},
		{"", 0, "-", "-"},
		{NULL, 0, "-", "-"},
		{"11111111111111111111111111111111111111111111111111111111111111111 Gb/sec (4X)", 1,
			"1", "4X"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[CELL_SIZE];
		const struct scanrec_port port = {.rate = rows[i].rate, .rate_gbps = rows[i].gbps};
		const struct row row = {.port = &port};
		check_row("row %zu", i);
		CHECK_STR(cell_text(&row, COLUMN_RATE, false, text), rows[i].number);
		CHECK_STR(cell_text(&row, COLUMN_LANES, false, text), rows[i].lanes);
	}
}

static void
shorter(void)
{
	static const struct scanrec_device device = {.device = "d", .pci = "0000:a5:00.0"};
	static const struct scanrec_port port = {
		.device = "d", .role = "management", .link_layer = "InfiniBand"};
	static const struct {
		enum column column;
		const char *full, *brief;
	} rows[] = {
		{COLUMN_PCI, "0000:a5:00.0", "a5:00.0"},
		{COLUMN_ROLE, "management", "mgmt"},
		{COLUMN_LINK, "InfiniBand", "IB"},
		{COLUMN_STATE, "-", "-"},
	};
	const struct row row = {.device = &device, .port = &port};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[CELL_SIZE];
		CHECK_STR(cell_text(&row, rows[i].column, false, text), rows[i].full);
		CHECK_STR(cell_text(&row, rows[i].column, true, text), rows[i].brief);
	}
}

static void
roles(void)
{
	static const struct scanrec_device vf = {
		.device = "d", .vf = true, .reason = "virtual_function"};
	static const struct scanrec_device excluded = {.device = "d", .reason = "excluded"};
	static const struct scanrec_device unknown = {.device = "d"};
	static const struct scanrec_device storage = {.device = "d", .role = "storage"};
	static const struct scanrec_device watched = {
		.device = "d", .reason = "no_metadata", .monitored = true};
	static const struct scanrec_port port = {.device = "d"};
	static const struct {
		struct row row;
		const char *role;
	} rows[] = {
		{{.device = &vf, .port = &port}, "vf"},
		{{.device = &excluded, .port = &port}, "excluded"},
		{{.device = &unknown, .port = &port}, "-"},
		{{.device = &watched, .port = &port}, "-"},
		{{.device = &storage}, "storage"},
		{{.port = &port}, "-"},
		{{.unbound = "0000:01:00.0"}, "-"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[CELL_SIZE];
		check_row("row %zu", i);
		CHECK_STR(cell_text(&rows[i].row, COLUMN_ROLE, false, text), rows[i].role);
	}
}

static void
escapes(void)
{
	static const struct {
		const char *text, *expected;
	} rows[] = {
		{"mlx5_0", "mlx5_0"},
		{"a b~", "a b~"},
		{"\033[31mred", "\\x1b[31mred"},
		{"a\tb\nc\rd\x7f", "a\\x09b\\x0ac\\x0dd\\x7f"},
		/* C1 in two bytes, a wide character, a combining one, one that writes to the left,
		 * invalid UTF-8 */
		{"\xc2\x9b", "\\xc2\\x9b"},
		{"\xe6\xbc\xa2", "\\xe6\\xbc\\xa2"},
		{"e\xcc\x81", "e\\xcc\\x81"},
		{"\xe2\x80\xae", "\\xe2\\x80\\xae"},
		{"\xff", "\\xff"},
		{"", ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[CELL_SIZE];
		check_row("row %zu", i);
		CHECK_STR(cell_escape(rows[i].text, text, sizeof text), rows[i].expected);
	}
	/* Cut at the end, but never inside an escape. */
	char small[6];
	CHECK_STR(cell_escape("ab\033c", small, sizeof small), "ab");
	CHECK_STR(cell_escape("a\033c", small, sizeof small), "a\\x1b");
	CHECK_STR(cell_escape("abcdefgh", small, sizeof small), "abcde");
}

static void
shortens(void)
{
	static const struct {
		const char *text;
		size_t width;
		const char *expected;
	} rows[] = {
		{"mlx5_0", 6, "mlx5_0"},
		{"mlx5_0", 99, "mlx5_0"},
		{"mlx5_bond_0", 7, "mlx~d_0"},
		{"mlx5_bond_0", 8, "mlx5~d_0"},
		{"abc", 2, "a~"},
		{"abc", 1, "~"},
		{"abc", 0, ""},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		char text[32];
		strcpy(text, rows[i].text);
		CHECK_STR(cell_shorten(text, rows[i].width), rows[i].expected);
	}
}

static const struct check_test tests[] = {
	{"a rate is shown as number and lanes, as far as they are known", rates},
	{"some columns have a shorter form", shorter},
	{"a device without a role shows the reason", roles},
	{"any byte other than printable ASCII becomes \\xNN", escapes},
	{"a long text is shortened in the middle", shortens},
};
CHECK_MAIN(tests)
