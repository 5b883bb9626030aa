/* Unit tests of topoparse's topo, matrix and output: parsing whole texts, and printing the
 * result. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoparse/row.h"
#include "../../tools/topoparse/topo.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

/* Return the parsed text as "GPU's number:node ...; NIC=level,level ...", or "line: reason". */
static const char *
said(const char *text, size_t length)
{
	static char out[32 << 10];
	struct topo topo;
	struct topo_error error;
	size_t used = 0;
	char buffer[8];

	enum topo_status status = topo_parse(text, length, &topo, &error);
	if (status != TOPO_OK) {
		CHECK(topo.gpus == NULL && topo.nics == NULL);
		snprintf(out, sizeof out, "%zu: %s", error.line, error.reason);
		return out;
	}
	for (size_t i = 0; i < topo.gpu_count; i++)
		used += (size_t)snprintf(out + used, sizeof out - used, "%u:%d ", topo.gpus[i].id,
			topo.gpus[i].numa_node);
	for (size_t i = 0; i < topo.nic_count; i++) {
		used += (size_t)snprintf(out + used, sizeof out - used,
			"%s%s%s=", i == 0 ? "; " : " ", topo.nics[i].name,
			topo.nics[i].is_named ? "" : "?");
		for (size_t n = 0; n < topo.gpu_count; n++)
			used += (size_t)snprintf(out + used, sizeof out - used, "%s%s",
				n == 0 ? "" : ",", row_level_text(topo.nics[i].levels[n], buffer));
	}
	topo_fini(&topo);
	CHECK(topo.gpus == NULL);
	return out;
}

#define HEADER "\tGPU0\tGPU1\tNIC0\tNIC1\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\n"
#define ROW0 "GPU0\t X \tNV4\tPIX\tSYS\t0-31\t0\t\tN/A\n"
#define ROW1 "GPU1\tNV4\t X \tSYS\tNODE\t32-63\t1\t\tN/A\n"
#define NIC0 "NIC0\tPIX\tSYS\t X \tSYS\t\t\t\t\n"
#define NIC1 "NIC1\tSYS\tNODE\tSYS\t X \t\t\t\t\n"
#define LEGEND \
	"\nLegend:\n\n  X    = Self\n  SYS  = a long way\n  NV#  = Connection\n\n" \
	"NIC Legend:\n\n  NIC0: mlx5_0\n  NIC1: mlx5_1\n\n"
#define ALL HEADER ROW0 ROW1 NIC0 NIC1 LEGEND
#define GOOD "0:0 1:1 ; mlx5_0=PIX,SYS mlx5_1=SYS,NODE"
#define PLAIN "0:0 1:1 ; NIC0?=PIX,SYS NIC1?=SYS,NODE"

struct row {
	const char *text, *said;
};

static void
check_rows(const struct row *rows, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		check_row("%zu: %s", i, rows[i].text);
		CHECK_HAS(said(rows[i].text, strlen(rows[i].text)), rows[i].said);
	}
	check_row("%s", "");
}

static void
good_texts(void)
{
	static const struct row rows[] = {
		{ALL, GOOD},
		{"$ nvidia-smi topo -m\nGPU 0: an H100\nWARNING: X\n\n" ALL "$ exit\n", GOOD},
		{ALL ALL, GOOD},
		{HEADER ROW1 NIC1 ROW0 ROW0 NIC0 "\n" ROW1 LEGEND, GOOD},
		{HEADER ROW0 ROW1 LEGEND, GOOD},
		{HEADER ROW0 ROW1 LEGEND "$ startx X\nNIC\n", GOOD},
		{HEADER ROW0 "GPU1\tNV4\t X \tSYS\tNODE\t32-63\t\t\t\n" NIC0 LEGEND,
			"0:0 1:-1 ; mlx5_0=PIX,SYS mlx5_1=SYS,NODE"},
		{HEADER ROW0 "GPU1\tNV4\t X \tSYS\tNODE\t\t\t\n" NIC0 LEGEND,
			"0:0 1:-1 ; mlx5_0=PIX,SYS mlx5_1=SYS,NODE"},
		{HEADER ROW0 "WARNING: infoROM is corrupted\n" ROW1 NIC1 LEGEND, GOOD},
		{HEADER ROW0 ROW1 NIC0 NIC1, PLAIN},
		{HEADER ROW0 ROW1 "\nLegend:\n\n  X    = Self\n  PI", PLAIN},
		{HEADER ROW0 ROW1 "\nLegend:\n\n  X", PLAIN},
		{HEADER ROW0 ROW1 "\n  X    = Self\n", PLAIN},
		{HEADER ROW0 ROW1 "NIC Legend:\n  NIC0: mlx5_0\n  NIC1",
			"0:0 1:1 ; mlx5_0=PIX,SYS NIC1?=SYS,NODE"},
		{HEADER ROW0 ROW1 "NIC Legend:\n  NIC0: mlx5_0\n  NIC1:",
			"0:0 1:1 ; mlx5_0=PIX,SYS NIC1?=SYS,NODE"},
		{HEADER ROW0 ROW1 "NIC Legend:\n  NIC1: mlx5_1\n  NIC0: mlx5_0", GOOD},
		{HEADER ROW0 ROW1 "  NIC0:mlx5_0\n  NIC1:  mlx5_1 \n", GOOD},
		{HEADER ROW0 ROW1 LEGEND "NICs: see above\n", GOOD},
		{"GPU0\nGPU0 X\nLegend:\nGPU0 X\n", "0:-1 "},
		/* a name that only its row explains */
		{"GPU0 ibp3s0 CPU Affinity\nGPU0 X PIX 0-7\nibp3s0 PIX X\n", "0:-1 ; ibp3s0=PIX"},
		{"GPU0 a\nGPU0 X PIX\na PIX X\nGPU0 a\n", "0:-1 ; a=PIX"},
		/* GPUs that are not in order, and missing numbers */
		{"GPU7 mlx5_0 GPU3 NUMA Affinity\nGPU7 X PIX SYS 1\nGPU3 SYS NODE X 0\n",
			"3:0 7:1 ; mlx5_0=NODE,PIX"},
		{"\tGPU0\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t0-7\tN/A\n", "0:-1 "},
		{"GPU0\nGPU0 X\n", "0:-1 "},
		{"GPU0 GPU1 NIC0 CPU Affinity\nGPU0 X SYS PIX\nNIC0 PIX NODE X\n",
			"0:-1 1:-1 ; NIC0?=PIX,NODE"},
		/* the NICs' rows replace a missing GPU's row, but a NUMA node must not be lost */
		{"GPU0 GPU1 NIC0 CPU Affinity\nGPU1 SYS X PIX 0-7\nNIC0 NODE PIX X\n",
			"0:-1 1:-1 ; NIC0?=NODE,PIX"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
no_matrix(void)
{
	static const struct row rows[] = {
		{"", "0: no GPU column"},
		{"\n\n", "0: no GPU column"},
		{"bash: nvidia-smi: command not found\n", "0: no GPU column"},
		{"No devices were found\n", "1: the command failed: 'No devices were found'"},
		{"GPU0 GPU1 CPU Affinity\nFailed to run topology matrix\n",
			"2: the command failed"},
		{ALL "Failed to run topology matrix\n", "the command failed"},
		{HEADER, "1: a header without rows"},
		{"\n" HEADER LEGEND, "2: a header without rows"},
		{ROW0 ROW1, "1: a row of GPU0 before any header"},
		{"=== ROCm ===\nGPU0 GPU1\nGPU0 0 52\nGPU1 52 0\n", "3: '0' in the row of GPU0"},
		{"GPU0 GPU1\nGPU0 X OK\nGPU1 OK X\n", "2: 'OK' in the row of GPU0"},
		{"GPU0 GPU1 CPU\nGPU0 X SYS\n", "1: the header breaks off at 'CPU'"},
		{"GPU0 NIC0 eth0 CPU Affinity\n", "1: 'eth0' in the header"},
		{"GPU0 NIC0\nNIC1 eth0\n", "2: 'eth0' in the header"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
bad_rows(void)
{
	static const struct row rows[] = {
		{HEADER "GPU0\t X \tNV4\tPIX\n", "2: 3 cells in the row of GPU0, 4 columns"},
		{HEADER "GPU0\t X \tNV4\tPIX\tSYS\tSYS\t0-31\t0\n", "2: more than 4 cells"},
		{HEADER "GPU0\t X \tNV4\tPIX\tSYS\tX\t0-31\t0\n", "2: more than 4 cells"},
		{HEADER "GPU0\t X \tNV4\tPIX\t\t0-31\t0\n",
			"2: '0-31' in the row of GPU0, where 1 more"},
		{HEADER "GPU0\t X \tNV4\tPIXS\tSYS\t0-31\t0\n", "2: 'S' in the row of GPU0"},
		{HEADER "GPU0\t X \tSOC\tPIX\tSYS\t0-31\t0\n", "2: 'SOC'"},
		{HEADER "GPU0\t X \tNV4\tNV1212\tSYS\t0-31\t0\n", "2: 'NV1212'"},
		{HEADER "GPU0\n", "2: 0 cells in the row of GPU0, 4 columns"},
		{HEADER "GPU0\tNV4\t X \tPIX\tSYS\t0-31\t0\n",
			"2: no X in the row of GPU0 in the column of GPU0"},
		{HEADER "GPU0\t X \tNV4\tPIX\t X \t0-31\t0\n",
			"2: the X in the row of GPU0 is in the column of NIC1"},
		{HEADER "GPU0\t X \tNV4\tPIX\tNV4\t0-31\t0\n", "2: NVLinks between GPU0 and NIC1"},
		{HEADER ROW0 "GPU1\tNV4\t X \tSYS\tNODE\t32-63\t1\t\tN/A\tN/A\n", "3: '32-63"},
		{HEADER ROW0 "GPU1\tNV4\t X \tSYS\tNODE\t32-63\tone\t\tN/A\n",
			"is not an affinity"},
		{HEADER ROW0 "GPU1\tNV4\t X \tSYS\tNODE\t32-631\t\tN/A\n", "is ambiguous"},
		{HEADER ROW0 "GPU1\tNV4\t X \tSYS\tNODE\n",
			"3: nothing follows the cells, unlike in line 2"},
		{HEADER ROW0 "GPU1\tNV4\t X \tSYS\tNODE\t\t\n",
			"3: nothing follows the cells, unlike in line 2"},
		{"GPU0 NIC0 GPU1 CPU Affinity\nGPU0 X PIX SYS\nGPU1 SYS NODE X 0-7\n",
			"2: nothing follows the cells, unlike in line 3"},
		{"GPU0 NUMA Affinity\nGPU0 X 1", "2: the text ends in the NUMA affinity of GPU0"},
		{HEADER ROW0 "X\n", "3: cells without a label: 'X'"},
		{HEADER ROW0 "GPU0\n", "3: 0 cells in the row of GPU0, 4 columns"},
		{HEADER ROW0 "SYS SYS\n", "3: cells without a label: 'SYS SYS'"},
		{HEADER ROW0 "GPU2\tNV4\t X \tSYS\tNODE\n",
			"3: a row of 'GPU2', which has no column"},
		{HEADER ROW0 "mlx5_7\n", "3: a row of 'mlx5_7', which has no column"},
		{HEADER ROW0 "mlx5_7 NOE SYS\n", "3: a row of 'mlx5_7', which has no column"},
		{HEADER ROW0 "eth0\tNODE\tX\n", "3: a row of 'eth0', which has no column"},
		{ALL "NIC7\tSYS\tX\n", "a row of 'NIC7', which has no column"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

static void
contradictions(void)
{
	static const struct row rows[] = {
		{HEADER ROW0 ROW1 "GPU0\t X \tNV4\tPIX\tNODE\t0-31\t0\t\tN/A\n",
			"4: a second row of GPU0, other than the one in line 2"},
		{HEADER ROW0 ROW1 "GPU0\t X \tNV4\tPIX\tSYS\t0-31\t1\t\tN/A\n",
			"4: a second row of GPU0"},
		{HEADER ROW0 "GPU1\tNV2\t X \tSYS\tNODE\t32-63\t1\t\tN/A\n",
			"3: GPU0 and GPU1 are NV2 to each other here, and NV4 in line 2"},
		{HEADER ROW0 ROW1 "NIC0\tPIX\tNODE\t X \tSYS\n",
			"4: GPU1 and NIC0 are NODE to each other here, and SYS in line 3"},
		{HEADER ROW0 ROW1 NIC0 "NIC1\tSYS\tNODE\tPIX\t X \n",
			"5: NIC0 and NIC1 are PIX to each other here, and SYS in line 4"},
		{HEADER ROW0 ROW1 "NIC1\tPIX\tNODE\tSYS\t X \n",
			"4: GPU0 and NIC1 are PIX to each other here, and SYS in line 2"},
		{HEADER ROW1 NIC0 NIC1, "1: GPU0 has a column but no row"},
		{HEADER ROW0 NIC0 NIC1 LEGEND,
			"1: GPU1 has a column but no row: its NUMA node is not known"},
		{"GPU0 GPU1 NIC0 NIC1\nGPU0 X SYS SYS PIX\nNIC0 SYS NODE X SYS\n",
			"1: neither GPU1 nor NIC1 has a row"},
		{HEADER ROW0 ROW1 "\tGPU0\tGPU1\tNIC1\tNIC0\tCPU Affinity\n",
			"4: a second header, other than the one in line 1"},
		{"GPU0 GPU1\nGPU0 X SYS\nGPU1 SYS X\nGPU1GPU0\n",
			"4: a second header, other than the one in line 1"},
		{"GPU0 NIC0 NIC1 NIC2\nGPU0 X PIX PIX PIX\nNIC0: mlx5_0\nNIC1: mlx5_1\n"
		 "NIC2: mlx5_1\n",
			"5: two columns for mlx5_1"},
		{HEADER ROW0 ROW1 "NIC0: mlx5_1\nNIC1: mlx5_1", "5: two columns for mlx5_1"},
		{HEADER ROW0 ROW1 "NIC0: mlx5_0\nNIC0: mlx5_1\n",
			"5: NIC0 is mlx5_1 here, and mlx5_0 in line 4"},
		{HEADER ROW0 ROW1 "NIC0: mlx5_0\nNIC1: mlx5_0\n", "5: two columns for mlx5_0"},
		{HEADER ROW0 ROW1 "NIC0: NIC1\n", "two columns for NIC1"},
		{HEADER ROW0 ROW1 "NIC0: mlx5_0\nNIC2: mlx5_2\n",
			"5: the NIC Legend has NIC2, which has no column"},
		{HEADER ROW0 ROW1 "NIC0: mlx5_0 NIC1: mlx5_1\n",
			"4: 'mlx5_0 NIC1: mlx5_1' is not a device name for NIC0"},
		{HEADER ROW0 ROW1 "NIC Legend: NIC0: mlx5_0\n",
			"4: the NIC Legend is not one line per NIC"},
		{HEADER ROW0 ROW1 "NIC0: ../x\n", "4: '../x' is not a device name"},
		{HEADER ROW0 ROW1 "NIC0: mlx5_\n", "4: 'mlx5_' is not a device name"},
		{HEADER ROW0 ROW1 "NIC0: mlx5", "4: the text ends in the name of NIC0, 'mlx5', "
						"which may have been cut off"},
		{HEADER ROW0 ROW1 "NIC0: ml", "4: the text ends in the name of NIC0"},
		{HEADER ROW0 ROW1 "NIC0: mlx5_10\nNIC1: mlx5_1",
			"5: the text ends in the name of NIC1"},
		{HEADER ROW0 ROW1 "NIC0: mlx5_10\nNIC1: mlx5_1\n", "mlx5_1=SYS,NODE"},
	};
	check_rows(rows, CHECK_COUNT(rows));
}

/* Return a header and rows of `count` columns; the last row is cut off behind `cells` cells. */
static char *
wide_new(size_t count, size_t cells)
{
	char *text = malloc(count * 10 + cells * 5 + 100);
	size_t used = 0;
	if (!CHECK(text != NULL))
		exit(1);
	for (size_t i = 0; i < count; i++)
		used += (size_t)sprintf(text + used, "%s%zu ", i == 0 ? "GPU" : "NIC", i);
	used += (size_t)sprintf(text + used, "\nGPU0 X");
	for (size_t i = 1; i < cells; i++)
		used += (size_t)sprintf(text + used, " SYS");
	sprintf(text + used, "\n");
	return text;
}

static void
limits(void)
{
	char *text = wide_new(TOPO_MAX_COLUMNS, TOPO_MAX_COLUMNS);
	CHECK_HAS(said(text, strlen(text)), "NIC1023?=SYS");
	free(text);
	text = wide_new(TOPO_MAX_COLUMNS + 1, 1);
	CHECK_HAS(said(text, strlen(text)), "1: more than 1024 columns");
	free(text);

	text = check_repeat_new('a', (64 << 10) + 1);
	CHECK_HAS(said(text, strlen(text)), "1: a line of more than 65536 bytes");
	free(text);
	text = check_repeat_new('\n', (64 << 10) + 1);
	CHECK_HAS(said(text, strlen(text)), "0: more than 65536 lines");
	free(text);

	/* The maximum number of lines, and the longest possible one. */
	static const char matrix[] = "GPU0 ibp3s0\nGPU0 X PIX\nibp3s0 PIX X\n";
	char *most = malloc((64 << 10) + sizeof matrix + 1);
	if (CHECK(most != NULL)) {
		memset(most, '\n', 64 << 10);
		strcpy(most + (64 << 10) - 3, matrix);
		CHECK_STR(said(most, strlen(most)), "0:-1 ; ibp3s0=PIX");
		memset(most, 'a', 64 << 10);
		strcpy(most + (64 << 10), "\n");
		strcpy(most + (64 << 10) + 1, matrix);
		CHECK_STR(said(most, strlen(most)), "0:-1 ; ibp3s0=PIX");
	}
	free(most);

	/* A message shows part of a long word; NUL bytes do not end it. */
	text = check_repeat_new('a', 5000);
	char *long_word = malloc(6000);
	if (CHECK(long_word != NULL)) {
		snprintf(long_word, 6000, "%sGPU0\t X \tNV4\tPIX\t%s\n", HEADER, text);
		CHECK(strlen(said(long_word, strlen(long_word))) < 300);
	}
	free(text);
	free(long_word);
	static const char nul[] = HEADER "GPU0\t X \tNV4\tPIX\tS\0YS\t0-31\t0\t\tN/A\n";
	CHECK_HAS(said(nul, sizeof nul - 1), "2: 'S");
}

static void
written(void)
{
	struct topo topo;
	struct topo_error error;
	size_t length;

	if (CHECK_INT(topo_parse(ALL, strlen(ALL), &topo, &error), TOPO_OK)) {
		snprintf(topo.gpus[1].uuid, sizeof topo.gpus[1].uuid, "GPU-1");
		snprintf(topo.gpus[1].pci_address, sizeof topo.gpus[1].pci_address, "0000:0f:00.0");
		snprintf(topo.gpus[1].serial, sizeof topo.gpus[1].serial, "7");
		char *text = topo_format_new(&topo, &length);
		CHECK_STR(text, "{\n  \"gpus\": [\n    {\"gpu_id\": 0, \"numa_node\": 0},\n"
				"    {\"gpu_id\": 1, \"uuid\": \"GPU-1\", \"pci_address\": "
				"\"0000:0f:00.0\", \"serial_number\": \"7\", \"numa_node\": 1}\n  "
				"],\n  \"nic_topology\": {\n"
				"    \"mlx5_0\": [\"PIX\", \"SYS\"],\n    \"mlx5_1\": [\"SYS\", "
				"\"NODE\"]\n  }\n}\n");
		CHECK_U64(length, strlen(text));
		free(text);
		topo_fini(&topo);
	}
}

static const struct check_test tests[] = {
	{"the matrix is found, with any text around it, missing rows or repetitions", good_texts},
	{"a text that is not a matrix is refused with the line", no_matrix},
	{"a row with missing, extra or shifted cells is refused with its line", bad_rows},
	{"rows and legends that contradict each other are refused with both lines", contradictions},
	{"texts beyond the limits are refused, texts at the limits are accepted", limits},
	{"the document has a line per GPU and per NIC, and no key for unknown facts", written},
};
CHECK_MAIN(tests)
