/* logpattern - the names of logmatch's kernel log patterns. */
/* SPDX-License-Identifier: Apache-2.0 */
#include "logpattern.h"

#include "words.h"

static const char *const names[LOGPATTERN_N] = {
	[LOGPATTERN_CMD_EXEC_TIMEOUT] = "cmd_exec_timeout",
	[LOGPATTERN_HEALTH_POLL_FAILED] = "health_poll_failed",
	[LOGPATTERN_UNRECOVERABLE_ERR] = "unrecoverable_err",
	[LOGPATTERN_NAPI_SOFT_LOCKUP] = "mlx5_napi_soft_lockup",
	[LOGPATTERN_PCI_POWER_INSUFFICIENT] = "pci_power_insufficient",
	[LOGPATTERN_PORT_MODULE_HIGH_TEMP] = "port_module_high_temp",
	[LOGPATTERN_ACCESS_REG_FAILED] = "access_reg_failed",
	[LOGPATTERN_NETDEV_WATCHDOG] = "netdev_watchdog",
	[LOGPATTERN_MODULE_UNPLUGGED] = "module_unplugged",
	[LOGPATTERN_TX_TIMEOUT_DETECTED] = "mlx5_tx_timeout_detected",
	[LOGPATTERN_RX_TIMEOUT_DETECTED] = "mlx5_rx_timeout_detected",
	[LOGPATTERN_FW_INIT_TIMEOUT] = "fw_init_timeout",
	[LOGPATTERN_INIT_ONE_FAILED] = "init_one_failed",
	[LOGPATTERN_PROBE_FAILED] = "probe_failed",
	[LOGPATTERN_FATAL_SENSOR] = "fatal_sensor",
	[LOGPATTERN_NIC_RESET_SENSOR] = "nic_reset_sensor",
	[LOGPATTERN_PCI_SLOT_UNAVAILABLE] = "pci_slot_unavailable",
	[LOGPATTERN_FW_HIGH_TEMP] = "fw_high_temp",
	[LOGPATTERN_FW_SYNDROME_FATAL] = "fw_syndrome_fatal",
	[LOGPATTERN_FW_SYNDROME] = "fw_syndrome",
	[LOGPATTERN_HEALTH_ISSUE_FATAL] = "health_issue_fatal",
	[LOGPATTERN_HEALTH_ISSUE] = "health_issue",
	[LOGPATTERN_HEALTH_COMPROMISED] = "health_compromised",
	[LOGPATTERN_RECOVERY_ABORTED] = "recovery_aborted",
	[LOGPATTERN_RECOVERY_FAILED] = "recovery_failed",
	[LOGPATTERN_NIC_IFC_STUCK] = "nic_ifc_stuck",
	[LOGPATTERN_RECOVERY_SUCCEEDED] = "recovery_succeeded",
	[LOGPATTERN_CMD_NO_COMPLETION] = "cmd_no_completion",
	[LOGPATTERN_CMD_QUEUE_TIMEOUT] = "cmd_queue_timeout",
	[LOGPATTERN_CMD_ENTRY_FAILED] = "cmd_entry_failed",
	[LOGPATTERN_CMD_RECOVERED] = "cmd_recovered",
	[LOGPATTERN_TEMP_WARN] = "temp_warn",
	[LOGPATTERN_PORT_POWER_DOWN] = "port_power_down",
	[LOGPATTERN_PORT_MODULE_ERROR] = "port_module_error",
	[LOGPATTERN_PCIE_RECOVERY_FAILED] = "pcie_recovery_failed",
	[LOGPATTERN_PCIE_DPC] = "pcie_dpc",
	[LOGPATTERN_PCIE_SLOT_DOWN] = "pcie_slot_down",
	[LOGPATTERN_PCIE_FATAL_ERROR] = "pcie_fatal_error",
	[LOGPATTERN_PCIE_NONFATAL_ERROR] = "pcie_nonfatal_error",
	[LOGPATTERN_DRIVER_SOFT_LOCKUP] = "mlx5_soft_lockup",
	[LOGPATTERN_DRIVER_HARD_LOCKUP] = "mlx5_hard_lockup",
	[LOGPATTERN_DRIVER_RCU_STALL] = "mlx5_rcu_stall",
	[LOGPATTERN_HEALTH_TASK_HUNG] = "mlx5_health_task_hung",
	[LOGPATTERN_EFA_ADMIN_CMD_TIMEOUT] = "efa_admin_cmd_timeout",
	[LOGPATTERN_EFA_ADMIN_QUEUE_CLOSED] = "efa_admin_queue_closed",
	[LOGPATTERN_EFA_DEVICE_RESET_FAILED] = "efa_device_reset_failed",
	[LOGPATTERN_EFA_DEVICE_NOT_READY] = "efa_device_not_ready",
	[LOGPATTERN_EFA_ADMIN_CMD_FAILED] = "efa_admin_cmd_failed",
};

const char *
logpattern_name(enum logpattern pattern)
{
	return names[pattern];
}

enum logpattern
logpattern_find(const char *name, size_t length)
{
	for (enum logpattern pattern = 0; pattern < LOGPATTERN_N; pattern++) {
		if (words_equal(names[pattern], name, length))
			return pattern;
	}
	return LOGPATTERN_N;
}

bool
logpattern_is_extended(enum logpattern pattern)
{
	return pattern > LOGPATTERN_RX_TIMEOUT_DETECTED;
}
