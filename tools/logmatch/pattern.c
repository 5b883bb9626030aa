/* pattern - what each pattern means, and the expressions that find it. */
#include "pattern.h"

/* Non-fatal: told again after a minute, with the count. */
#define NOTE_S 60

/* The lines of one report of the kernel: print_health_info() writes about 17 of them without a pause. */
#define REPORT_S 1

/* The name of a function stands between device and text, or not, by kernel (`print_health_info:430:(pid 0): `). Sub-functions are
 * `mlx5_core.sf mlx5_core.sf.4: `, without a PCI address. No key goes across the first colon of a message: dmesg gives what is before it a colour. */
const struct pattern_row pattern_rows[] = {
	{LOGPATTERN_CMD_EXEC_TIMEOUT,
		"mlx5_core.*timeout\\. Will cause a leak of a command resource",
		"Will cause a leak of a command resource"},
	{LOGPATTERN_HEALTH_POLL_FAILED,
		"mlx5_core.*device's health compromised.*reached miss count",
		"device's health compromised"},
	{LOGPATTERN_UNRECOVERABLE_ERR, "mlx5_core.*unrecoverable hardware error",
		"unrecoverable hardware error"},
	{LOGPATTERN_PCI_POWER_INSUFFICIENT,
		"mlx5_core.*Detected insufficient power on the PCIe slot",
		"Detected insufficient power on the PCIe slot"},
	{LOGPATTERN_PORT_MODULE_HIGH_TEMP, "mlx5_core.*Port module event.*High Temperature",
		"High Temperature"},
	{LOGPATTERN_ACCESS_REG_FAILED, "mlx5_cmd_out_err.*ACCESS_REG.*failed", "ACCESS_REG"},
	/* The same until kernel 5.16. */
	{LOGPATTERN_ACCESS_REG_FAILED, "mlx5_cmd_check.*ACCESS_REG.*failed", "ACCESS_REG"},
	{LOGPATTERN_NETDEV_WATCHDOG,
		"(NETDEV WATCHDOG.*mlx5_core|mlx5_core.*NETDEV WATCHDOG).*transmit queue.*timed out",
		"NETDEV WATCHDOG"},
	{LOGPATTERN_MODULE_UNPLUGGED, "mlx5_core.*Port module event.*Cable unplugged",
		"Cable unplugged"},
	{LOGPATTERN_TX_TIMEOUT_DETECTED, "mlx5_core.*TX timeout detected", "TX timeout detected"},
	{LOGPATTERN_RX_TIMEOUT_DETECTED, "mlx5_core.*RX timeout on channel",
		"RX timeout on channel"},

	/* `pre-initializing` and `initializing`. */
	{LOGPATTERN_FW_INIT_TIMEOUT,
		"mlx5_core.*Firmware over [0-9]+ MS in .*initializing state, aborting",
		"initializing state, aborting"},
	/* mlx5_load_one until kernel 5.11, and in the recovery from PCI errors. */
	{LOGPATTERN_INIT_ONE_FAILED, "mlx5_core.*mlx5_(?:init|load)_one failed with error code",
		"_one failed with error code"},
	/* `mlx5_core: probe of 0000:18:00.0 failed ...` until 6.10, also `mlx5_core.eth: probe of mlx5_core.eth.0 failed ...`. */
	{LOGPATTERN_PROBE_FAILED, "mlx5_core.*: probe of .*failed with error", "probe of "},
	{LOGPATTERN_PROBE_FAILED, "mlx5_ib.*: probe of mlx5_core\\..*failed with error",
		"probe of mlx5_core"},
	{LOGPATTERN_PROBE_FAILED, "mlx5_core.*probe with driver mlx5_.*failed with error",
		"probe with driver mlx5_"},

	/* 1: PCI reads give all ones; 2: the PCI channel is offline; 5: the firmware asks for a reset. */
	{LOGPATTERN_FATAL_SENSOR, "mlx5_core.*Fatal error [125] detected", "Fatal error "},
	/* 3 and 4: the NIC is being reset, perhaps by the function next to this one. */
	{LOGPATTERN_NIC_RESET_SENSOR, "mlx5_core.*Fatal error [0-9]+ detected", "Fatal error "},
	{LOGPATTERN_PCI_SLOT_UNAVAILABLE, "mlx5_core.*PCI slot is unavailable",
		"PCI slot is unavailable"},
	/* `High temprature` in kernels 4.x. */
	{LOGPATTERN_FW_HIGH_TEMP, "mlx5_core.* synd 0x10: High temp", "synd 0x10: High temp"},
	/* Firmware, IRISC, CRC, ICM fetch over PCI, hardware; 8 is unrecoverable_err. */
	{LOGPATTERN_FW_SYNDROME_FATAL, "mlx5_core.* synd 0x[179ab]: ", "synd 0x"},
	/* 0 is no syndrome, which the first kernels printed all the same. */
	{LOGPATTERN_FW_SYNDROME, "mlx5_core.* synd 0x[1-9a-f][0-9a-f]*: ", "synd 0x"},
	{LOGPATTERN_HEALTH_ISSUE_FATAL, "mlx5_core.*Health issue observed.*severity\\([0-2]\\)",
		"Health issue observed"},
	/* The firmware asks for a reset. */
	{LOGPATTERN_HEALTH_ISSUE_FATAL, "mlx5_core.*print_health_info:.*\\): rfr 1", "): rfr 1"},
	{LOGPATTERN_HEALTH_ISSUE, "mlx5_core.*Health issue observed", "Health issue observed"},
	/* The whole message in the first kernels. */
	{LOGPATTERN_HEALTH_COMPROMISED, "mlx5_core.*device's health compromised",
		"device's health compromised"},

	{LOGPATTERN_RECOVERY_ABORTED, "mlx5_core.*health recovery flow aborted",
		"health recovery flow aborted"},
	/* Since 5.18: no recovery was tried, as the last one was less than a minute ago, and the driver has let go of the NIC. */
	{LOGPATTERN_RECOVERY_ABORTED, "mlx5_core.*Driver is in error state\\. Unloading",
		"Driver is in error state. Unloading"},
	{LOGPATTERN_RECOVERY_FAILED, "mlx5_core.*health recovery failed", "health recovery failed"},
	{LOGPATTERN_NIC_IFC_STUCK, "mlx5_core.*NIC IFC still [0-9]+ after", "NIC IFC still "},
	{LOGPATTERN_RECOVERY_SUCCEEDED, "mlx5_core.*health recovery succeeded",
		"health recovery succeeded"},

	{LOGPATTERN_CMD_NO_COMPLETION, "mlx5_core.*No done completion", "No done completion"},
	{LOGPATTERN_CMD_QUEUE_TIMEOUT, "mlx5_core.*canceled on out of queue timeout",
		"canceled on out of queue timeout"},
	/* Since 6.10, and in the stable kernels of that time: both of them for one command. */
	{LOGPATTERN_CMD_QUEUE_TIMEOUT, "mlx5_core.*timed out while waiting for a slot",
		"timed out while waiting for a slot"},
	{LOGPATTERN_CMD_QUEUE_TIMEOUT, "mlx5_core.*timeout while waiting for command semaphore",
		"timeout while waiting for command semaphore"},
	{LOGPATTERN_CMD_ENTRY_FAILED, "mlx5_core.*failed to allocate command entry",
		"failed to allocate command entry"},
	{LOGPATTERN_CMD_RECOVERED, "mlx5_core.*recovered after timeout", "recovered after timeout"},
	{LOGPATTERN_CMD_RECOVERED, "mlx5_core.*Command completion arrived after timeout",
		"Command completion arrived after timeout"},

	{LOGPATTERN_TEMP_WARN, "mlx5_core.*High temperature on sensors",
		"High temperature on sensors"},
	{LOGPATTERN_PORT_POWER_DOWN,
		"mlx5_core.*Port module event.*powered down due to insufficient/unadvertised power",
		"powered down due to insufficient/unadvertised power"},
	{LOGPATTERN_PORT_MODULE_ERROR, "mlx5_core.*Port module event\\[error\\]",
		"Port module event[error]"},

	/* `Device` until about kernel 5.8. */
	{LOGPATTERN_PCIE_RECOVERY_FAILED, "AER: [Dd]evice recovery failed",
		"evice recovery failed"},
	/* `DPC containment event` until kernel 4.17. */
	{LOGPATTERN_PCIE_DPC, "DPC:? containment event, status", "containment event, status"},
	/* Not `Link Down/Up ignored`, which is a recovery that went well, and not what kernels until 4.18 add about link events while a slot is switched. */
	{LOGPATTERN_PCIE_SLOT_DOWN, "pciehp.*Slot\\(.*\\): Link Down(?!/| event)", "): Link Down"},
	{LOGPATTERN_PCIE_SLOT_DOWN, "pciehp.*Card not present", "Card not present"},
	/* `Uncorrectable` in the newest kernels. */
	{LOGPATTERN_PCIE_FATAL_ERROR, "PCIe Bus Error: severity=Uncorrect(?:ed|able) \\(Fatal\\)",
		"severity=Uncorrect"},
	{LOGPATTERN_PCIE_NONFATAL_ERROR,
		"PCIe Bus Error: severity=Uncorrect(?:ed|able) \\(Non-Fatal\\)",
		"severity=Uncorrect"},
};

const size_t pattern_row_count = sizeof pattern_rows / sizeof *pattern_rows;

static const struct pattern patterns[LOGPATTERN_N] = {
	[LOGPATTERN_CMD_EXEC_TIMEOUT] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_HEALTH_POLL_FAILED] = {.severity = PATTERN_FATAL, .recoverable = true},
	/* Since 5.17 in `Health issue observed, ...` and in `synd 0x8: ...` of each report. */
	[LOGPATTERN_UNRECOVERABLE_ERR] = {.severity = PATTERN_FATAL,
		.window_s = REPORT_S,
		.any_text = true,
		.recoverable = true},
	[LOGPATTERN_NAPI_SOFT_LOCKUP] = {.severity = PATTERN_FATAL, .stateful = true},
	[LOGPATTERN_PCI_POWER_INSUFFICIENT] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},
	[LOGPATTERN_PORT_MODULE_HIGH_TEMP] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},
	[LOGPATTERN_ACCESS_REG_FAILED] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},
	[LOGPATTERN_NETDEV_WATCHDOG] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},
	[LOGPATTERN_MODULE_UNPLUGGED] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},
	[LOGPATTERN_TX_TIMEOUT_DETECTED] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},
	[LOGPATTERN_RX_TIMEOUT_DETECTED] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},

	/* Recoverable: the driver also waits for the firmware while it recovers, and may come through the next time. */
	[LOGPATTERN_FW_INIT_TIMEOUT] = {.severity = PATTERN_FATAL_ON_PF, .recoverable = true},
	[LOGPATTERN_INIT_ONE_FAILED] = {.severity = PATTERN_FATAL_ON_PF},
	[LOGPATTERN_PROBE_FAILED] = {.severity = PATTERN_FATAL_ON_PF},

	[LOGPATTERN_FATAL_SENSOR] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_NIC_RESET_SENSOR] = {.severity = PATTERN_NONFATAL,
		.window_s = NOTE_S,
		.recoverable = true},
	[LOGPATTERN_PCI_SLOT_UNAVAILABLE] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_FW_HIGH_TEMP] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},
	[LOGPATTERN_FW_SYNDROME_FATAL] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_FW_SYNDROME] = {.severity = PATTERN_NONFATAL,
		.window_s = NOTE_S,
		.recoverable = true},
	/* `severity(n)` and `rfr 1` of one report. */
	[LOGPATTERN_HEALTH_ISSUE_FATAL] = {.severity = PATTERN_FATAL,
		.window_s = REPORT_S,
		.any_text = true,
		.recoverable = true},
	[LOGPATTERN_HEALTH_ISSUE] = {.severity = PATTERN_NONFATAL,
		.window_s = NOTE_S,
		.recoverable = true},
	[LOGPATTERN_HEALTH_COMPROMISED] = {.severity = PATTERN_FATAL, .recoverable = true},

	[LOGPATTERN_RECOVERY_ABORTED] = {.severity = PATTERN_FATAL, .recoverable = true},
	/* By mlx5_health_try_recover(), and by its caller once more where devlink has no reporter. */
	[LOGPATTERN_RECOVERY_FAILED] = {.severity = PATTERN_FATAL,
		.window_s = REPORT_S,
		.any_text = true,
		.recoverable = true},
	[LOGPATTERN_NIC_IFC_STUCK] = {.severity = PATTERN_FATAL, .recoverable = true},
	[LOGPATTERN_RECOVERY_SUCCEEDED] = {.severity = PATTERN_HEALTHY},

	[LOGPATTERN_CMD_NO_COMPLETION] = {.severity = PATTERN_NONFATAL,
		.window_s = NOTE_S,
		.recoverable = true},
	[LOGPATTERN_CMD_QUEUE_TIMEOUT] = {.severity = PATTERN_NONFATAL,
		.window_s = NOTE_S,
		.any_text = true,
		.recoverable = true},
	[LOGPATTERN_CMD_ENTRY_FAILED] = {.severity = PATTERN_NONFATAL,
		.window_s = NOTE_S,
		.recoverable = true},
	[LOGPATTERN_CMD_RECOVERED] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},

	[LOGPATTERN_TEMP_WARN] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},
	[LOGPATTERN_PORT_POWER_DOWN] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},
	[LOGPATTERN_PORT_MODULE_ERROR] = {.severity = PATTERN_NONFATAL, .window_s = NOTE_S},

	[LOGPATTERN_PCIE_RECOVERY_FAILED] = {.severity = PATTERN_FATAL, .pcie = true},
	[LOGPATTERN_PCIE_DPC] = {.severity = PATTERN_FATAL, .pcie = true},
	/* `Link Down` and `Card not present` of one removal; kernels 4.9 to 4.18 print `Link Down` twice. */
	[LOGPATTERN_PCIE_SLOT_DOWN] = {.severity = PATTERN_FATAL,
		.window_s = REPORT_S,
		.any_text = true,
		.pcie = true},
	[LOGPATTERN_PCIE_FATAL_ERROR] = {.severity = PATTERN_FATAL, .pcie = true},
	[LOGPATTERN_PCIE_NONFATAL_ERROR] = {.severity = PATTERN_NONFATAL,
		.window_s = NOTE_S,
		.pcie = true},

	[LOGPATTERN_DRIVER_SOFT_LOCKUP] = {.severity = PATTERN_FATAL, .stateful = true},
	[LOGPATTERN_DRIVER_HARD_LOCKUP] = {.severity = PATTERN_FATAL, .stateful = true},
	[LOGPATTERN_DRIVER_RCU_STALL] = {.severity = PATTERN_FATAL, .stateful = true},
	[LOGPATTERN_HEALTH_TASK_HUNG] = {.severity = PATTERN_NONFATAL,
		.window_s = NOTE_S,
		.stateful = true},
};

const struct pattern *
pattern_of(enum logpattern pattern)
{
	return &patterns[pattern];
}
