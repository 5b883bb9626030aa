/* Unit tests of topoparse's gpus: joining a query in CSV to the GPUs of a matrix. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/topoparse/gpus.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>

#define UUID0 "GPU-5d5ba0d6-d33d-2b2c-524d-9e3d8d2b8a77"
#define UUID1 "GPU-00000000-0000-4000-8000-000000000001"

/* Join a CSV to `count` GPUs; return NULL, or the reason. */
static const char *
join_to(size_t count, const char *text, struct topo *topo, struct topo_error *error)
{
	static struct topo_gpu gpus[3];

	for (unsigned i = 0; i < CHECK_COUNT(gpus); i++)
		gpus[i] = (struct topo_gpu){.id = i};
	*topo = (struct topo){.gpus = gpus, .gpu_count = count};
	return gpus_join(text, strlen(text), topo, error) == TOPO_OK ? NULL : error->reason;
}

/* Join a CSV to GPU0 and GPU1. GPU2 lies behind them in memory and is not part of the matrix. */
static const char *
join(const char *text, struct topo *topo, struct topo_error *error)
{
	return join_to(2, text, topo, error);
}

static void
joined(void)
{
	static const char *const texts[] = {
		"index, uuid, serial, pci.bus_id\n0, " UUID0 ", 1320220004711, 00000000:0F:00.0\n"
		"1, " UUID1 ", [N/A], 00000001:C1:00.0\n",
		"0, " UUID0 ", 1320220004711, 00000000:0F:00.0\r\n1, " UUID1
		", [Not Supported], 00000001:C1:00.0",
		"gpu_bus_id,name,gpu_uuid,gpu_serial,index\n00000001:C1:00.0,H100,\x1b[1m" UUID1
		"\x1b[0m,N/A,1\n\n00000000:0F:00.0,H100," UUID0 ",1320220004711,0\n",
	};
	struct topo topo;
	struct topo_error error;

	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		check_row("%zu", i);
		CHECK_STR(join(texts[i], &topo, &error), NULL);
		CHECK_STR(topo.gpus[0].uuid, UUID0);
		CHECK_STR(topo.gpus[0].pci_address, "0000:0f:00.0");
		CHECK_STR(topo.gpus[0].serial, "1320220004711");
		CHECK_STR(topo.gpus[1].uuid, UUID1);
		CHECK_STR(topo.gpus[1].pci_address, "0001:c1:00.0");
		CHECK_STR(topo.gpus[1].serial, "");
	}
	check_row("%s", "");
	CHECK_STR(join("index\n1\n0\n", &topo, &error), NULL);
	CHECK_STR(topo.gpus[0].uuid, "");
}

static void
addresses(void)
{
	static const struct {
		const char *text, *address; /* NULL: rejected */
	} rows[] = {
		{"00000000:0F:00.0", "0000:0f:00.0"},
		{"0000:0F:00.0", "0000:0f:00.0"},
		{"00000008:01:00.0", "0008:01:00.0"},
		{"0000ABCD:FF:1F.7", "abcd:ff:1f.7"},
		{"00010000:01:00.0", "10000:01:00.0"},
		{"10002:01:00.0", "10002:01:00.0"},
		{"FFFFFFFF:01:00.0", "ffffffff:01:00.0"},
		{"[N/A]", ""},
		{"000:0F:00.0", NULL},
		{"000000000:0F:00.0", NULL},
		{"0000:0F:20.0", NULL},
		{"0000:0F:00.8", NULL},
		{"0000:0F:00", NULL},
		{"0000:0F:00.", NULL},
		{"0000-0F:00.0", NULL},
		{"0000:0F:00:0", NULL},
		{"0000:0F:00.00", NULL},
		{"0000:0x:00.0", NULL},
		{"+000:0F:00.0", NULL},
		{"0000:0F: 0.0", NULL},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct topo topo;
		struct topo_error error;
		char text[200];
		snprintf(text, sizeof text, "index,pci.bus_id\n1,[N/A]\n0,%s\n", rows[i].text);
		const char *reason = join(text, &topo, &error);
		check_row("%s", rows[i].text);
		if (rows[i].address == NULL) {
			CHECK_HAS(reason, "is not a PCI address");
			CHECK_U64(error.line, 3);
			continue;
		}
		CHECK_STR(reason, NULL);
		CHECK_STR(topo.gpus[0].pci_address, rows[i].address);
	}
}

static void
refused(void)
{
	static const struct {
		const char *text;
		size_t line;
		const char *reason;
	} rows[] = {
		{"", 0, "GPU0 is in the matrix, but not here"},
		{"index\n1\n", 0, "GPU0 is in the matrix, but not here"},
		{"index\n0\n1\n2\n", 4, "GPU2 is not in the matrix"},
		{"index\n0\n1\n\n0\n", 5, "GPU0 was in line 2 already"},
		{"index\n0\n01\n", 3, "GPU01 is not in the matrix"},
		{"index\n0\n-1\n", 3, "'-1' is not an index of a GPU"},
		{"index\n0\n[N/A]\n", 3, "'[N/A]' is not an index of a GPU"},
		{"index\n0\nindex\n", 3, "'index' is not an index of a GPU"},
		{"index,uuid\n0\n", 2, "1 values, 2 columns"},
		{"index\n0,1\n", 2, "2 values, 1 columns"},
		{"0\n1\n", 1, "1 values, 4 columns"},
		{"uuid,serial\n", 1, "no column 'index'"},
		{"No devices were found\n", 1, "no column 'index'"},
		{"index,uuid,gpu_uuid\n", 1, "two columns for uuid"},
		{"index,uuid\n0,GPU-5d5ba0d6\n", 2, "is not a UUID"},
		{"index,uuid\n0,MIG-00000000-0000-4000-8000-000000000001\n", 2, "is not a UUID"},
		{"index,uuid\n0,GPU-0000000g-0000-4000-8000-000000000001\n", 2, "is not a UUID"},
		{"index,uuid\n0,G\n", 2, "is not a UUID"},
		{"index,serial\n0,12 34\n", 2, "is not a serial number"},
		{"index,serial\n0,+\n", 2, "is not a serial number"},
		{"index,serial\n0,\"1234\"\n", 2, "is not a serial number"},
		{"index,pci.bus_id\n0,1\n", 2, "is not a PCI address"},
		{"index,uuid\n0," UUID0 "\n1," UUID0 "\n", 3,
			"GPU1 and GPU0 (line 2) have the same UUID"},
		{"index,gpu_bus_id\n1,0000:01:00.0\n0,00000000:01:00.0\n", 2,
			"the same PCI address"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct topo topo;
		struct topo_error error;
		check_row("%s", rows[i].text);
		CHECK_HAS(join(rows[i].text, &topo, &error), rows[i].reason);
		CHECK_U64(error.line, rows[i].line);
	}
}

static void
last_two_are_one(void)
{
	struct topo topo;
	struct topo_error error;
	CHECK_HAS(join_to(3, "index,uuid\n0,[N/A]\n1," UUID0 "\n2," UUID0 "\n", &topo, &error),
		"GPU2 and GPU1 (line 3) have the same UUID");
	CHECK_U64(error.line, 4);
}

static void
serial_numbers(void)
{
	struct topo topo;
	struct topo_error error;
	size_t most = sizeof topo.gpus->serial - 1;
	char text[200];

	for (size_t length = most; length <= most + 1; length++) {
		char *serial = check_repeat_new('7', length);
		snprintf(text, sizeof text, "index,serial\n0,%s\n1,[N/A]\n", serial);
		const char *reason = join(text, &topo, &error);
		check_row("%zu", length);
		if (length == most) {
			CHECK_STR(reason, NULL);
			CHECK_STR(topo.gpus[0].serial, serial);
		} else {
			CHECK_HAS(reason, "is not a serial number");
		}
		free(serial);
	}
}

static void
many_fields(void)
{
	struct topo topo;
	struct topo_error error;
	char text[1000];

	for (size_t commas = 255; commas <= 256; commas++) {
		char *more = check_repeat_new(',', commas);
		snprintf(text, sizeof text, "index%s\n0%s\n1%s\n", more, more, more);
		const char *reason = join(text, &topo, &error);
		check_row("%zu", commas);
		if (commas == 255)
			CHECK_STR(reason, NULL);
		else
			CHECK_HAS(reason, "more than 256 values");
		free(more);
	}
}

static const struct check_test tests[] = {
	{"a query joins its GPUs, by its column names or in the order of the query", joined},
	{"PCI addresses are converted to the kernel's form, whatever the domain", addresses},
	{"a query about other GPUs is refused with line and reason", refused},
	{"two GPUs with one UUID are found wherever they are", last_two_are_one},
	{"a serial number may be as long as its buffer", serial_numbers},
	{"a line with too many values is refused", many_fields},
};
CHECK_MAIN(tests)
