# Events from a short description, for tests of correlate that need hours or many nodes:
# `jq -n -c -L test/lib 'include "events"; worse(1, 2, 3; "mlx5_0")'`.
# SPDX-License-Identifier: Apache-2.0

# Format seconds with a fraction as a timestamp.
def stamp($at): (1700000000 + ($at | floor) | todate | rtrimstr("Z"))
	+ ".\(1000000 + (($at - ($at | floor)) * 1000000 | round) | tostring | .[1:])Z";

# Make an event of n1 about port 1 of a NIC.
def event($at; $nic; $check; $code; $fatal; $healthy):
	{kind: "event", id: "\($nic)-\($at)", version: 1, agent: "nic-health-monitor",
	componentClass: "NIC", checkName: $check, isFatal: $fatal, isHealthy: $healthy,
	message: "\($code) at \($at)", errorCode: [$code],
	recommendedAction: (if $fatal then "REPLACE_VM" else "NONE" end),
	entitiesImpacted: [{entityType: "NIC", entityValue: $nic},
		{entityType: "NICPort", entityValue: "1"}],
	metadata: {}, generatedTimestamp: stamp($at), nodeName: "n1",
	processingStrategy: "EXECUTE_REMEDIATION", source: ("n1-" + $check)[0:16],
	seq: ($at * 1000 + 1 | floor)};

# Change the node of an event.
def of($node): .nodeName = $node | .source = ($node + .checkName)[0:16] | .id = $node + "-" + .id;

def worse($at; $nic): event($at; $nic; "InfiniBandDegradationCheck"; "symbol_error"; false; false);
def down($at; $nic): event($at; $nic; "InfiniBandStateCheck"; "port_state"; true; false);
def up($at; $nic): event($at; $nic; "InfiniBandStateCheck"; "port_state"; false; true);
def link_downed($at; $nic): event($at; $nic; "InfiniBandStateCheck"; "link_downed"; true; false);
def driver($at; $code; $fatal):
	event($at; "mlx5_0"; "SysLogsNICDriverError"; $code; $fatal; false);
