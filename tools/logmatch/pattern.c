/* pattern - severities of the patterns, and the expressions that match them. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "pattern.h"

#include "array.h"

#include <stdio.h>

/* A text of the driver that is the start of the message's body. */
#define DRIVER_TEXT(text) "mlx5_core.*" text, text, PRINTER_DRIVER, text

/* A text of the efa driver. The ena driver uses the same words. */
#define EFA_TEXT(expression, key) \
	"(?:efa |infiniband (?:rdmap|efa_)).*: " expression, key, PRINTER_EFA, expression

/* `cmd[0]: ENABLE_HCA(0x104) `; the slot since Linux 5.10. */
#define COMMAND "(?:cmd\\[-?[0-9]+\\]: )?[A-Za-z0-9_ ]+\\(0x[0-9a-f]+\\) "

/* Some kernels print a function's name between device and text (`print_health_info:430:(pid 0): `).
 * Sub-functions print `mlx5_core.sf mlx5_core.sf.4: `, without a PCI address. No key spans the
 * first colon of a message, because dmesg colours the text before it. */
const struct pattern_row pattern_rows[] = {
	{LOGPATTERN_CMD_EXEC_TIMEOUT,
		"mlx5_core.*timeout\\. Will cause a leak of a command resource",
		"Will cause a leak of a command resource", PRINTER_DRIVER,
		COMMAND "(?:Async, )?timeout\\."},
	{LOGPATTERN_HEALTH_POLL_FAILED,
		"mlx5_core.*device's health compromised.*reached miss count",
		"device's health compromised", PRINTER_DRIVER, "device's health compromised"},
	{LOGPATTERN_UNRECOVERABLE_ERR, "mlx5_core.*unrecoverable hardware error",
		"unrecoverable hardware error", PRINTER_DRIVER,
		"(?:synd 0x[0-9a-f]+: |Health issue observed, )unrecoverable"},
	{LOGPATTERN_PCI_POWER_INSUFFICIENT,
		"mlx5_core.*Detected insufficient power on the PCIe slot",
		"Detected insufficient power on the PCIe slot", PRINTER_DRIVER,
		"Detected insufficient power"},
	{LOGPATTERN_PORT_MODULE_HIGH_TEMP, "mlx5_core.*Port module event.*High Temperature",
		"High Temperature", PRINTER_DRIVER, "Port module event"},
	{LOGPATTERN_ACCESS_REG_FAILED, "mlx5_cmd_out_err.*ACCESS_REG.*failed", "ACCESS_REG",
		PRINTER_DRIVER, "ACCESS_REG\\("},
	/* Until kernel 5.16. */
	{LOGPATTERN_ACCESS_REG_FAILED, "mlx5_cmd_check.*ACCESS_REG.*failed", "ACCESS_REG",
		PRINTER_DRIVER, "ACCESS_REG\\("},
	{LOGPATTERN_NETDEV_WATCHDOG,
		"(NETDEV WATCHDOG.*mlx5_core|mlx5_core.*NETDEV WATCHDOG).*transmit queue.*timed "
		"out",
		"NETDEV WATCHDOG", PRINTER_DRIVER | PRINTER_WATCHDOG,
		"(?:NETDEV WATCHDOG: CPU: [0-9]+: )?transmit queue "},
	{LOGPATTERN_MODULE_UNPLUGGED, "mlx5_core.*Port module event.*Cable unplugged",
		"Cable unplugged", PRINTER_DRIVER, "Port module event"},
	{LOGPATTERN_TX_TIMEOUT_DETECTED, DRIVER_TEXT("TX timeout detected")},
	{LOGPATTERN_RX_TIMEOUT_DETECTED, DRIVER_TEXT("RX timeout on channel")},

	/* Matches `pre-initializing` and `initializing`. */
	{LOGPATTERN_FW_INIT_TIMEOUT,
		"mlx5_core.*Firmware over [0-9]+ MS in .*initializing state, aborting",
		"initializing state, aborting", PRINTER_DRIVER, "Firmware over "},
	/* mlx5_load_one: until kernel 5.11, and during recovery from PCI errors. */
	{LOGPATTERN_INIT_ONE_FAILED, "mlx5_core.*mlx5_(?:init|load)_one failed with error code",
		"_one failed with error code", PRINTER_DRIVER,
		"(?:mlx5_pci_resume: )?mlx5_(?:init|load)_one failed"},
	/* Until 6.10: `mlx5_core: probe of 0000:18:00.0 failed ...` or `mlx5_core.eth: probe of
	 * mlx5_core.eth.0 failed ...`. */
	{LOGPATTERN_PROBE_FAILED, "mlx5_core.*: probe of .*failed with error", "probe of ",
		PRINTER_PROBE, "probe of "},
	{LOGPATTERN_PROBE_FAILED, "mlx5_ib.*: probe of mlx5_core\\..*failed with error",
		"probe of mlx5_core", PRINTER_PROBE, "probe of "},
	{LOGPATTERN_PROBE_FAILED, "mlx5_core.*probe with driver mlx5_.*failed with error",
		"probe with driver mlx5_", PRINTER_DRIVER, "probe with driver mlx5_"},

	/* 1: PCI reads return all ones; 2: the PCI channel is offline; 5: the firmware requests a
	 * reset. */
	{LOGPATTERN_FATAL_SENSOR, "mlx5_core.*Fatal error [125] detected", "Fatal error ",
		PRINTER_DRIVER, "Fatal error "},
	/* 3 and 4: the NIC is being reset, perhaps by its other function. */
	{LOGPATTERN_NIC_RESET_SENSOR, "mlx5_core.*Fatal error [0-9]+ detected", "Fatal error ",
		PRINTER_DRIVER, "Fatal error "},
	{LOGPATTERN_PCI_SLOT_UNAVAILABLE, DRIVER_TEXT("PCI slot is unavailable")},
	/* Kernels 4.x print `High temprature`. */
	{LOGPATTERN_FW_HIGH_TEMP, "mlx5_core.* synd 0x10: High temp", "synd 0x10: High temp",
		PRINTER_DRIVER, "synd 0x"},
	/* Firmware, IRISC, CRC, ICM fetch over PCI, hardware. 8 is unrecoverable_err. */
	{LOGPATTERN_FW_SYNDROME_FATAL, "mlx5_core.* synd 0x[179ab]: ", "synd 0x", PRINTER_DRIVER,
		"synd 0x"},
	/* 0 is no syndrome, but the first kernels print it. */
	{LOGPATTERN_FW_SYNDROME, "mlx5_core.* synd 0x[1-9a-f][0-9a-f]*: ", "synd 0x",
		PRINTER_DRIVER, "synd 0x"},
	{LOGPATTERN_HEALTH_ISSUE_FATAL, "mlx5_core.*Health issue observed.*severity\\([0-2]\\)",
		"Health issue observed", PRINTER_DRIVER, "Health issue observed"},
	/* The firmware requests a reset. */
	{LOGPATTERN_HEALTH_ISSUE_FATAL, "mlx5_core.*print_health_info:.*\\): rfr 1", "): rfr 1",
		PRINTER_DRIVER, "rfr 1"},
	{LOGPATTERN_HEALTH_ISSUE, DRIVER_TEXT("Health issue observed")},
	/* In the first kernels this was the whole message. */
	{LOGPATTERN_HEALTH_COMPROMISED, DRIVER_TEXT("device's health compromised")},

	{LOGPATTERN_RECOVERY_ABORTED, DRIVER_TEXT("health recovery flow aborted")},
	/* Since 5.18: the last recovery was less than a minute ago, so the driver gave up and
	 * unloaded the NIC. */
	{LOGPATTERN_RECOVERY_ABORTED, "mlx5_core.*Driver is in error state\\. Unloading",
		"Driver is in error state. Unloading", PRINTER_DRIVER,
		"Driver is in error state\\. Unloading"},
	{LOGPATTERN_RECOVERY_FAILED, DRIVER_TEXT("health recovery failed")},
	{LOGPATTERN_NIC_IFC_STUCK, "mlx5_core.*NIC IFC still [0-9]+ after", "NIC IFC still ",
		PRINTER_DRIVER, "NIC IFC still "},
	{LOGPATTERN_RECOVERY_SUCCEEDED, DRIVER_TEXT("health recovery succeeded")},

	{LOGPATTERN_CMD_NO_COMPLETION, "mlx5_core.*No done completion", "No done completion",
		PRINTER_DRIVER, "cmd\\[-?[0-9]+\\]: [A-Za-z0-9_ ]+\\(0x[0-9a-f]+\\) "},
	{LOGPATTERN_CMD_QUEUE_TIMEOUT, "mlx5_core.*canceled on out of queue timeout",
		"canceled on out of queue timeout", PRINTER_DRIVER,
		COMMAND "canceled on out of queue timeout"},
	/* Since 6.10 and in the stable kernels of that time. A command prints both messages. */
	{LOGPATTERN_CMD_QUEUE_TIMEOUT, "mlx5_core.*timed out while waiting for a slot",
		"timed out while waiting for a slot", PRINTER_DRIVER, COMMAND "timed out while"},
	{LOGPATTERN_CMD_QUEUE_TIMEOUT, "mlx5_core.*timeout while waiting for command semaphore",
		"timeout while waiting for command semaphore", PRINTER_DRIVER,
		COMMAND "timeout while"},
	{LOGPATTERN_CMD_ENTRY_FAILED, DRIVER_TEXT("failed to allocate command entry")},
	{LOGPATTERN_CMD_RECOVERED, "mlx5_core.*recovered after timeout", "recovered after timeout",
		PRINTER_DRIVER, COMMAND "(?:Async, )?recovered after timeout"},
	{LOGPATTERN_CMD_RECOVERED, DRIVER_TEXT("Command completion arrived after timeout")},

	{LOGPATTERN_TEMP_WARN, DRIVER_TEXT("High temperature on sensors")},
	{LOGPATTERN_PORT_POWER_DOWN,
		"mlx5_core.*Port module event.*powered down due to insufficient/unadvertised power",
		"powered down due to insufficient/unadvertised power", PRINTER_DRIVER,
		"Port module event"},
	{LOGPATTERN_PORT_MODULE_ERROR, "mlx5_core.*Port module event\\[error\\]",
		"Port module event[error]", PRINTER_DRIVER, "Port module event"},

	/* Kernels until about 5.8 print `Device`. */
	{LOGPATTERN_PCIE_RECOVERY_FAILED, "AER: [Dd]evice recovery failed", "evice recovery failed",
		PRINTER_PCI, "AER: "},
	/* Kernels until 4.17 print `DPC containment event`. */
	{LOGPATTERN_PCIE_DPC, "DPC:? containment event, status", "containment event, status",
		PRINTER_PCI, "DPC"},
	/* Not `Link Down/Up ignored`, a successful recovery, and not the link events that kernels
	 * until 4.18 report while a slot is being switched. */
	{LOGPATTERN_PCIE_SLOT_DOWN, "pciehp.*Slot\\(.*\\): Link Down(?!/| event)", "): Link Down",
		PRINTER_PCI, "(?:pciehp: )?Slot\\("},
	{LOGPATTERN_PCIE_SLOT_DOWN, "pciehp.*Card not present", "Card not present", PRINTER_PCI,
		"(?:pciehp: )?(?:Slot\\([^()]*\\): )?Card not present"},
	/* The newest kernels print `Uncorrectable`. */
	{LOGPATTERN_PCIE_FATAL_ERROR, "PCIe Bus Error: severity=Uncorrect(?:ed|able) \\(Fatal\\)",
		"severity=Uncorrect", PRINTER_PCI, "(?:AER: )?PCIe Bus Error: "},
	{LOGPATTERN_PCIE_NONFATAL_ERROR,
		"PCIe Bus Error: severity=Uncorrect(?:ed|able) \\(Non-Fatal\\)",
		"severity=Uncorrect", PRINTER_PCI, "(?:AER: )?PCIe Bus Error: "},

	{LOGPATTERN_EFA_ADMIN_CMD_TIMEOUT, EFA_TEXT("Wait for completion \\(polling\\) timeout",
						   "Wait for completion (polling) timeout")},
	{LOGPATTERN_EFA_ADMIN_CMD_TIMEOUT,
		EFA_TEXT("The device didn't send any completion for admin cmd",
			"The device didn't send any completion for admin cmd")},
	{LOGPATTERN_EFA_ADMIN_QUEUE_CLOSED,
		EFA_TEXT("Admin queue is closed", "Admin queue is closed")},
	{LOGPATTERN_EFA_DEVICE_RESET_FAILED, EFA_TEXT("Reset indication didn't turn o(?:n|ff)",
						     "Reset indication didn't turn o")},
	{LOGPATTERN_EFA_DEVICE_RESET_FAILED, EFA_TEXT("Device isn't ready, can't reset device",
						     "Device isn't ready, can't reset device")},
	{LOGPATTERN_EFA_DEVICE_NOT_READY, EFA_TEXT("Device isn't ready, abort com init",
						  "Device isn't ready, abort com init")},
	{LOGPATTERN_EFA_ADMIN_CMD_FAILED,
		EFA_TEXT("Failed to process command", "Failed to process command")},
	{LOGPATTERN_EFA_ADMIN_CMD_FAILED,
		EFA_TEXT("Failed to submit command", "Failed to submit command")},
};

const size_t pattern_row_count = ARRAY_COUNT(pattern_rows);

static const struct pattern patterns[LOGPATTERN_N] = {
	[LOGPATTERN_CMD_EXEC_TIMEOUT] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_HEALTH_POLL_FAILED] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_UNRECOVERABLE_ERR] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_NAPI_SOFT_LOCKUP] = {.severity = PATTERN_FATAL, .stateful = true},
	[LOGPATTERN_PCI_POWER_INSUFFICIENT] = {.severity = PATTERN_NONFATAL},
	[LOGPATTERN_PORT_MODULE_HIGH_TEMP] = {.severity = PATTERN_NONFATAL},
	[LOGPATTERN_ACCESS_REG_FAILED] = {.severity = PATTERN_NONFATAL},
	[LOGPATTERN_NETDEV_WATCHDOG] = {.severity = PATTERN_NONFATAL},
	[LOGPATTERN_MODULE_UNPLUGGED] = {.severity = PATTERN_NONFATAL},
	[LOGPATTERN_TX_TIMEOUT_DETECTED] = {.severity = PATTERN_NONFATAL},
	[LOGPATTERN_RX_TIMEOUT_DETECTED] = {.severity = PATTERN_NONFATAL},

	/* Recoverable: the driver also waits for the firmware during recovery and may succeed the
	 * next time. */
	[LOGPATTERN_FW_INIT_TIMEOUT] = {.severity = PATTERN_FATAL_ON_PF, .recoverable = true},
	[LOGPATTERN_INIT_ONE_FAILED] = {.severity = PATTERN_FATAL_ON_PF},
	[LOGPATTERN_PROBE_FAILED] = {.severity = PATTERN_FATAL_ON_PF},

	[LOGPATTERN_FATAL_SENSOR] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_NIC_RESET_SENSOR] = {.severity = PATTERN_NONFATAL, .recoverable = true},
	[LOGPATTERN_PCI_SLOT_UNAVAILABLE] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_FW_HIGH_TEMP] = {.severity = PATTERN_NONFATAL},
	[LOGPATTERN_FW_SYNDROME_FATAL] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_FW_SYNDROME] = {.severity = PATTERN_NONFATAL, .recoverable = true},
	[LOGPATTERN_HEALTH_ISSUE_FATAL] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_HEALTH_ISSUE] = {.severity = PATTERN_NONFATAL, .recoverable = true},
	[LOGPATTERN_HEALTH_COMPROMISED] = {.severity = PATTERN_FATAL, .recoverable = true},

	[LOGPATTERN_RECOVERY_ABORTED] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_RECOVERY_FAILED] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_NIC_IFC_STUCK] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_RECOVERY_SUCCEEDED] = {.severity = PATTERN_HEALTHY},

	[LOGPATTERN_CMD_NO_COMPLETION] = {.severity = PATTERN_NONFATAL, .recoverable = true},
	[LOGPATTERN_CMD_QUEUE_TIMEOUT] = {.severity = PATTERN_NONFATAL, .recoverable = true},
	[LOGPATTERN_CMD_ENTRY_FAILED] = {.severity = PATTERN_NONFATAL, .recoverable = true},
	[LOGPATTERN_CMD_RECOVERED] = {.severity = PATTERN_NONFATAL},

	[LOGPATTERN_TEMP_WARN] = {.severity = PATTERN_NONFATAL},
	[LOGPATTERN_PORT_POWER_DOWN] = {.severity = PATTERN_NONFATAL},
	[LOGPATTERN_PORT_MODULE_ERROR] = {.severity = PATTERN_NONFATAL},

	[LOGPATTERN_PCIE_RECOVERY_FAILED] = {.severity = PATTERN_FATAL, .pcie = true},
	[LOGPATTERN_PCIE_DPC] = {.severity = PATTERN_FATAL, .pcie = true},
	[LOGPATTERN_PCIE_SLOT_DOWN] = {.severity = PATTERN_FATAL, .pcie = true},
	[LOGPATTERN_PCIE_FATAL_ERROR] = {.severity = PATTERN_FATAL, .pcie = true},
	[LOGPATTERN_PCIE_NONFATAL_ERROR] = {.severity = PATTERN_NONFATAL, .pcie = true},

	[LOGPATTERN_DRIVER_SOFT_LOCKUP] = {.severity = PATTERN_FATAL, .stateful = true},
	[LOGPATTERN_DRIVER_HARD_LOCKUP] = {.severity = PATTERN_FATAL, .stateful = true},
	[LOGPATTERN_DRIVER_RCU_STALL] = {.severity = PATTERN_FATAL, .stateful = true},
	[LOGPATTERN_HEALTH_TASK_HUNG] = {.severity = PATTERN_NONFATAL, .stateful = true},

	[LOGPATTERN_EFA_ADMIN_CMD_TIMEOUT] = {.severity = PATTERN_FATAL, .efa = true},
	[LOGPATTERN_EFA_ADMIN_QUEUE_CLOSED] = {.severity = PATTERN_FATAL, .efa = true},
	[LOGPATTERN_EFA_DEVICE_RESET_FAILED] = {.severity = PATTERN_FATAL, .efa = true},
	[LOGPATTERN_EFA_DEVICE_NOT_READY] = {.severity = PATTERN_FATAL, .efa = true},
	[LOGPATTERN_EFA_ADMIN_CMD_FAILED] = {.severity = PATTERN_NONFATAL, .efa = true},
};

const struct pattern *
pattern_of(enum logpattern pattern)
{
	return &patterns[pattern];
}

/* --- --list --- */

static const char *
severity_of(enum logpattern pattern)
{
	switch (pattern_of(pattern)->severity) {
	case PATTERN_NONFATAL:
		return "non-fatal";
	case PATTERN_FATAL:
		return "fatal";
	case PATTERN_FATAL_ON_PF:
		return "fatal on a physical function";
	case PATTERN_HEALTHY:
		return "healthy";
	}
	return "";
}

/* Describe the beginning of messages in these forms. */
static const char *
form_of(unsigned forms)
{
	return (forms & PRINTER_EFA) != 0     ? "efa DEVICE [NAME]: | infiniband NAME: "
	       : (forms & PRINTER_PROBE) != 0 ? "DRIVER: "
	       : (forms & PRINTER_WATCHDOG) != 0
		       ? "NETDEV WATCHDOG: INTERFACE (mlx5_core): | mlx5_core DEVICE INTERFACE: "
	       : (forms & PRINTER_DRIVER) != 0 ? "mlx5_core DEVICE: [FUNCTION:LINE:(pid PID): ]"
					       : "DRIVER DEVICE: ";
}

int
pattern_list(void)
{
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		printf("%s (%s, %s)\n", logpattern_name(pattern),
			logpattern_is_extended(pattern) ? "extended" : "core",
			severity_of(pattern));
		if (pattern_of(pattern)->stateful)
			printf("\tseveral lines, see the manual\n");
		for (size_t row = 0; row < pattern_row_count; row++) {
			if (pattern_rows[row].pattern == pattern)
				printf("\t%s\n\t\tbegins: %s%s\n", pattern_rows[row].expression,
					form_of(pattern_rows[row].forms), pattern_rows[row].start);
		}
	}
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : -1;
}
