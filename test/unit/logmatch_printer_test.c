/* Unit tests of logmatch's printer: the forms in which the kernel starts a message about a NIC, and
 * texts that imitate them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "../../tools/logmatch/printer.h"

#include "check.h"
#include "randomness.h"

#include <stdio.h>
#include <stdlib.h>

#define DRIVER PRINTER_DRIVER
#define PCI PRINTER_PCI
#define BOTH (PRINTER_DRIVER | PRINTER_PCI)
#define EFA (PRINTER_EFA | PRINTER_PCI)

static char *
span_new(const char *at, size_t length)
{
	return at != NULL ? strndup(at, length) : strdup("");
}

/* Parse a copy without a NUL, so that the sanitizer detects reads beyond it. */
static bool
parse(const char *text, struct printer *out, char **copy)
{
	size_t length = strlen(text);
	*copy = malloc(length > 0 ? length : 1);
	memcpy(*copy, text, length);
	return printer_parse(*copy, length, out);
}

static void
forms(void)
{
	static const struct {
		const char *text;
		unsigned forms;
		const char *bus, *device, *body;
	} rows[] = {
		{"mlx5_core 0000:18:00.0: b", BOTH, "pci", "0000:18:00.0", "b"},
		{"mlx5_core 0000:18:00.0: ", BOTH, "pci", "0000:18:00.0", ""},
		{"mlx5_core 10000:18:1f.7: b", BOTH, "pci", "10000:18:1f.7", "b"},
		{"mlx5_core 0000:18:00.0: f:1:(pid 2): b", BOTH, "pci", "0000:18:00.0", "b"},
		{"mlx5_core 0000:18:00.0: 0000:18:00.0:f:1:(pid 2): b", BOTH, "pci", "0000:18:00.0",
			"b"},
		{"mlx5_core 0000:18:00.0: f.constprop.0:1:(pid 2): b", BOTH, "pci", "0000:18:00.0",
			"b"},
		{"mlx5_core 0000:18:00.0: f: b", BOTH, "pci", "0000:18:00.0", "f: b"},
		{"mlx5_core 0000:18:00.0: f:1: b", BOTH, "pci", "0000:18:00.0", "f:1: b"},
		{"mlx5_core 0000:18:00.0: f:1:(pid x): b", BOTH, "pci", "0000:18:00.0",
			"f:1:(pid x): b"},
		{"mlx5_core 0000:18:00.0: (pid 1): b", BOTH, "pci", "0000:18:00.0", "(pid 1): b"},
		{"mlx5_core 0000:18:00.0: a b:1:(pid 1): c", BOTH, "pci", "0000:18:00.0",
			"a b:1:(pid 1): c"},
		{"mlx5_core 0000:18:00.0 ens1f0np0: b", BOTH, "pci", "0000:18:00.0", "b"},
		{"mlx5_core 0000:18:00.0 ens1f0np0 (unregistering): b", BOTH, "pci", "0000:18:00.0",
			"b"},
		{"mlx5_core 0000:18:00.0 (unnamed net_device) (uninitialized): b", BOTH, "pci",
			"0000:18:00.0", "b"},
		{"mlx5_core 0000:18:00.0 \xC3\xA9!\"#: b", BOTH, "pci", "0000:18:00.0", "b"},
		{"mlx5_core.sf mlx5_core.sf.4: b", DRIVER, "auxiliary", "mlx5_core.sf.4", "b"},
		{"mlx5_core.sf mlx5_core.sf.4 eth4: b", DRIVER, "auxiliary", "mlx5_core.sf.4", "b"},
		{"mlx5_core.eth mlx5_core.eth-rep.1: b", DRIVER, "auxiliary", "mlx5_core.eth-rep.1",
			"b"},
		{"mlx5_ib.rdma mlx5_core.rdma.0: b", DRIVER, "auxiliary", "mlx5_core.rdma.0", "b"},
		{"pcieport 0000:17:01.0: AER: b", PCI, "pci", "0000:17:01.0", "AER: b"},
		{"nvme 0000:28:00.0: b", PCI, "pci", "0000:28:00.0", "b"},
		{"pci 0000:28:00.0: b", PCI, "pci", "0000:28:00.0", "b"},
		{"mlx5_vfio_pci 0000:18:00.2: b", PCI, "pci", "0000:18:00.2", "b"},
		{"pciehp 0000:17:01.0:pcie004: b", PCI, "pci_express", "0000:17:01.0:pcie004", "b"},
		{"dpc 0000:17:01.0:pcie010: b", PCI, "pci_express", "0000:17:01.0:pcie010", "b"},
		{"efa 0000:4f:00.0: b", EFA, "pci", "0000:4f:00.0", "b"},
		{"efa 0000:4f:00.0 rdmap79s0: b", EFA, "pci", "0000:4f:00.0", "b"},
		{"efa 0000:4f:00.0 a-name-of-more-bytes-than-an-interface: b", EFA, "pci",
			"0000:4f:00.0", "b"},
		{"efa 0000:4f:00.0 rdmap79s0: note: b", EFA, "pci", "0000:4f:00.0", "note: b"},
		{"infiniband rdmap79s0: b", PRINTER_EFA, "infiniband", "rdmap79s0", "b"},
		{"infiniband efa_0: b", PRINTER_EFA, "infiniband", "efa_0", "b"},
		{"ena 0000:4f:00.0: b", PCI, "pci", "0000:4f:00.0", "b"},
		{"efa_x 0000:4f:00.0: b", PCI, "pci", "0000:4f:00.0", "b"},
		{"mlx5_core: probe of 0000:18:00.0 failed with error -110", PRINTER_PROBE, "",
			"0000:18:00.0", "probe of 0000:18:00.0 failed with error -110"},
		{"mlx5_core.eth: probe of mlx5_core.eth.0 failed with error -5", PRINTER_PROBE, "",
			"mlx5_core.eth.0", "probe of mlx5_core.eth.0 failed with error -5"},
		{"mlx5_ib.rdma: probe of mlx5_core.rdma.0 failed with error -12", PRINTER_PROBE, "",
			"mlx5_core.rdma.0", "probe of mlx5_core.rdma.0 failed with error -12"},
		{"NETDEV WATCHDOG: ens1f0 (mlx5_core): transmit queue 3 timed out",
			PRINTER_WATCHDOG, "", "ens1f0", "transmit queue 3 timed out"},
		{"NETDEV WATCHDOG: ens1f0 (mlx5_core.sf): transmit queue 3 timed out 5032 ms",
			PRINTER_WATCHDOG, "", "ens1f0", "transmit queue 3 timed out 5032 ms"},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct printer got;
		char *copy;
		check_row("%s", rows[i].text);
		CHECK(parse(rows[i].text, &got, &copy));
		CHECK_INT(got.forms, rows[i].forms);
		CHECK_STR(got.bus != NULL ? got.bus : "", rows[i].bus);
		char *device = span_new(got.device, got.device_length);
		char *body = span_new(got.body, got.body_length);
		CHECK_STR(device, rows[i].device);
		CHECK_STR(body, rows[i].body);
		free(device);
		free(body);
		free(copy);
	}
}

static void
others(void)
{
	static const char *const texts[] = {
		"",
		"m",
		"mlx5_core",
		"mlx5_core ",
		"mlx5_core 0000:18:00.0",
		"mlx5_core 0000:18:00.0:",
		"mlx5_core 0000:18:00.0:b",
		"mlx5_core 0000:18:00.8: b",
		"mlx5_core 0000:18:00.00: b",
		"mlx5_core 000:18:00.0: b",
		"mlx5_core 0000:118:00.0: b",
		"mlx5_core 0000:18:00: b",
		"mlx5_core  0000:18:00.0: b",
		" mlx5_core 0000:18:00.0: b",
		"\nmlx5_core 0000:18:00.0: b",
		"mlx5_core\n0000:18:00.0: b",
		"mlx5_core 0000:18:00.0\n: b",
		"mlx5_core 0000:18:00.0 a b: b",
		"mlx5_core 0000:18:00.0 sixteen.letters.: b",
		"mlx5_core 0000:18:00.0 a/b: b",
		"mlx5_core 0000:18:00.0 : b",
		"mlx5_core 0000:18:00.0 \tx: b",
		"mlx5_core 0000:18:00.0 e (a b): b",
		"mlx5_core: b",
		"mlx5_core: health recovery succeeded",
		"mlx5_core.sf mlx5_core.sf: b",
		"mlx5_core.sf mlx5_core.sf.x: b",
		"mlx5_core.sf mlx5_core..4: b",
		"a.out mlx5_core.sf.4: b",
		"a.out[7]: segfault at 0 ip 0 sp 0 error 6 in mlx5_core 0000:18:00.0: b",
		"a.out[7] 0000:18:00.0: b",
		"mlx5_core: prob[7]: segfault at 0",
		"mlx5_core: probe of 0000:18:00.0 failed with error -110 or so",
		"mlx5_core: probe of 0000:18:00.0 failed with error ",
		"mlx5_core: probe of a failed with error -1",
		"nvme: probe of 0000:18:00.0 failed with error -110",
		"a mlx5_core: probe of 0000:18:00.0 failed with error -110",
		"NETDEV WATCHDOG[7]: segfault",
		"NETDEV WATCHDOG: e (ixgbe): transmit queue 3 timed out",
		"NETDEV WATCHDOG: e (mlx5_core): transmit queue 3 timed out at noon",
		"NETDEV WATCHDOG: e (mlx5_core): transmit queue x timed out",
		"NETDEV WATCHDOG: (mlx5_core): transmit queue 3 timed out",
		"in NETDEV WATCHDOG: e (mlx5_core): transmit queue 3 timed out",
		"infiniband mlx5_0: b",
		"infiniband rdma: b",
		"infiniband rdmap79s0 b",
		"infiniband rdmap79s0:b",
		"infiniband rdma/p: b",
		"efa: b",
	};
	for (size_t i = 0; i < CHECK_COUNT(texts); i++) {
		struct printer got;
		char *copy;
		check_row("%s", texts[i]);
		CHECK(!parse(texts[i], &got, &copy));
		CHECK_INT(got.forms, PRINTER_NONE);
		CHECK(got.bus == NULL && got.device == NULL && got.body == NULL);
		free(copy);
	}
}

static void
dictionaries(void)
{
	static const char text[] = "mlx5_core 0000:18:00.0: b",
			  sf[] = "mlx5_core.sf mlx5_core.sf.4: b",
			  port[] = "pciehp 0000:17:01.0:pcie004: b",
			  probe[] = "mlx5_core: probe of 0000:18:00.0 failed with error -110";
	static const struct {
		const char *text, *subsystem, *device;
		bool named;
	} rows[] = {
		{text, "pci", "+pci:0000:18:00.0", true},
		{text, "pci", "+pci:0000:18:00.1", false},
		{text, "pci", "+pci:0000:18:00.0x", false},
		{text, "pci", "+pci:0000:18:00.", false},
		{text, "pci", "pci:0000:18:00.0", false},
		{text, "pci", "0000:18:00.0", false},
		{text, "pci", "", false},
		{text, "", "+pci:0000:18:00.0", false},
		{text, "usb", "+pci:0000:18:00.0", false},
		{text, "usb", "+usb:0000:18:00.0", false},
		{text, "pc", "+pc:0000:18:00.0", false},
		{text, "pci", NULL, false},
		{text, NULL, "+pci:0000:18:00.0", false},
		{text, NULL, NULL, false},
		{sf, "auxiliary", "+auxiliary:mlx5_core.sf.4", true},
		{sf, "pci", "+pci:0000:18:00.0", false},
		{port, "pci_express", "+pci_express:0000:17:01.0:pcie004", true},
		{port, "pci", "+pci:0000:17:01.0", false},
		/* printk() has no dictionary. */
		{probe, NULL, NULL, true},
	};
	for (size_t i = 0; i < CHECK_COUNT(rows); i++) {
		struct printer printer;
		const char *subsystem = rows[i].subsystem, *device = rows[i].device;
		check_row("%s, %s, %s", rows[i].text, subsystem ? subsystem : "none",
			device ? device : "none");
		CHECK(printer_parse(rows[i].text, strlen(rows[i].text), &printer));
		CHECK_INT(printer_is_named(&printer, subsystem, subsystem ? strlen(subsystem) : 0,
				  device, device ? strlen(device) : 0),
			rows[i].named);
	}
}

/* A message cut or changed at any byte is parsed within its bounds, and the results point into
 * it. */
static void
damaged(void)
{
	static const char *const texts[] = {
		"mlx5_core 0000:18:00.0 ens1f0 (unregistering): 0000:18:00.0:f:1:(pid 2): b",
		"pciehp 0000:17:01.0:pcie004: b",
		"mlx5_core.sf mlx5_core.sf.4: b",
		"mlx5_core: probe of 0000:18:00.0 failed with error -110",
		"NETDEV WATCHDOG: ens1f0 (mlx5_core): transmit queue 3 timed out 5032 ms",
	};
	uint64_t state = 17;
	for (size_t i = 0; i < 50000; i++) {
		const char *text = texts[randomness_below(&state, CHECK_COUNT(texts))];
		size_t length = randomness_below(&state, strlen(text) + 1);
		char *copy = malloc(length > 0 ? length : 1);
		memcpy(copy, text, length);
		for (size_t left = randomness_below(&state, 3); left > 0 && length > 0; left--)
			copy[randomness_below(&state, length)] =
				(char)randomness_below(&state, 256);
		struct printer got;
		check_row("%.*s", (int)length, copy);
		if (printer_parse(copy, length, &got)) {
			CHECK(got.forms != PRINTER_NONE);
			CHECK(got.body >= copy && got.body + got.body_length == copy + length);
			CHECK(got.device >= copy &&
				got.device + got.device_length <= copy + length);
		}
		free(copy);
	}
}

static const struct check_test tests[] = {
	{"the forms of the driver, PCI core, driver core and network core are recognised", forms},
	{"a message that starts in no form has none", others},
	{"a dictionary either names the message's device and bus, or does not", dictionaries},
	{"damaged messages are parsed within their bounds", damaged},
};
CHECK_MAIN(tests)
