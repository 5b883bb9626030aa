/* logpattern - the names of logmatch's kernel log patterns (spec#log-patterns).
 *
 * Only the names, which the configuration and logmatch share. logmatch has the expressions and
 * severities. */
/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NHM_LOGPATTERN_H
#define NHM_LOGPATTERN_H

#include <stdbool.h>
#include <stddef.h>

/* In matching order: logmatch reports the first pattern that matches a line. */
enum logpattern {
	/* the core patterns */
	LOGPATTERN_CMD_EXEC_TIMEOUT,
	LOGPATTERN_HEALTH_POLL_FAILED,
	LOGPATTERN_UNRECOVERABLE_ERR,
	LOGPATTERN_NAPI_SOFT_LOCKUP,
	LOGPATTERN_PCI_POWER_INSUFFICIENT,
	LOGPATTERN_PORT_MODULE_HIGH_TEMP,
	LOGPATTERN_ACCESS_REG_FAILED,
	LOGPATTERN_NETDEV_WATCHDOG,
	LOGPATTERN_MODULE_UNPLUGGED,
	LOGPATTERN_TX_TIMEOUT_DETECTED,
	LOGPATTERN_RX_TIMEOUT_DETECTED,

	/* extended: the device did not initialise */
	LOGPATTERN_FW_INIT_TIMEOUT,
	LOGPATTERN_INIT_ONE_FAILED,
	LOGPATTERN_PROBE_FAILED,
	/* sensors and syndromes */
	LOGPATTERN_FATAL_SENSOR,
	LOGPATTERN_NIC_RESET_SENSOR,
	LOGPATTERN_PCI_SLOT_UNAVAILABLE,
	LOGPATTERN_FW_HIGH_TEMP,
	LOGPATTERN_FW_SYNDROME_FATAL,
	LOGPATTERN_FW_SYNDROME,
	LOGPATTERN_HEALTH_ISSUE_FATAL,
	LOGPATTERN_HEALTH_ISSUE,
	LOGPATTERN_HEALTH_COMPROMISED,
	/* recovery */
	LOGPATTERN_RECOVERY_ABORTED,
	LOGPATTERN_RECOVERY_FAILED,
	LOGPATTERN_NIC_IFC_STUCK,
	LOGPATTERN_RECOVERY_SUCCEEDED,
	/* command interface */
	LOGPATTERN_CMD_NO_COMPLETION,
	LOGPATTERN_CMD_QUEUE_TIMEOUT,
	LOGPATTERN_CMD_ENTRY_FAILED,
	LOGPATTERN_CMD_RECOVERED,
	/* heat and power */
	LOGPATTERN_TEMP_WARN,
	LOGPATTERN_PORT_POWER_DOWN, /* a special case of the next one, so it comes first */
	LOGPATTERN_PORT_MODULE_ERROR,
	/* PCIe around a NIC */
	LOGPATTERN_PCIE_RECOVERY_FAILED,
	LOGPATTERN_PCIE_DPC,
	LOGPATTERN_PCIE_SLOT_DOWN,
	LOGPATTERN_PCIE_FATAL_ERROR,
	LOGPATTERN_PCIE_NONFATAL_ERROR,
	/* lock-ups */
	LOGPATTERN_DRIVER_SOFT_LOCKUP,
	LOGPATTERN_DRIVER_HARD_LOCKUP,
	LOGPATTERN_DRIVER_RCU_STALL,
	LOGPATTERN_HEALTH_TASK_HUNG,
	/* EFA adapters */
	LOGPATTERN_EFA_ADMIN_CMD_TIMEOUT,
	LOGPATTERN_EFA_ADMIN_QUEUE_CLOSED,
	LOGPATTERN_EFA_DEVICE_RESET_FAILED,
	LOGPATTERN_EFA_DEVICE_NOT_READY,
	LOGPATTERN_EFA_ADMIN_CMD_FAILED,

	LOGPATTERN_N
};

/* Return the name, as in errorCode and in the configuration. */
const char *logpattern_name(enum logpattern pattern);

/* Return the pattern named by the first `length` bytes of `name`, or LOGPATTERN_N if there is
 * none. */
enum logpattern logpattern_find(const char *name, size_t length);

/* Return true for patterns beyond the core ones: operators should watch them before letting them
 * drain a node. */
bool logpattern_is_extended(enum logpattern pattern);

#endif
