# node - the node of test/kept, below the present directory, and how it was watched.
# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0

KEPT_PLATFORM=l40s-onprem

# kept_command - sets COMMAND: the service. Its paths are relative, so that a spool has the same
# sinks wherever it is.
kept_command() {
	COMMAND=(nic-health-monitor --sysfs-root node/sys --node-name gpu-1 --interval 100ms
		--metadata-path node/var/lib/nvsentinel/gpu_metadata.json --events=
		--route-path node/proc/net/route --route6-path node/proc/net/ipv6_route
		--boot-id-path node/proc/sys/kernel/random/boot_id --kmsg-path node/dev/kmsg
		--state-file run/state.json --spool var/spool.db
		--metrics-port 0 --metrics-address 127.0.0.1 --sink file:told --sink file:later/told)
}

# kept_faults - what has happened on it.
kept_faults() {
	nicsim node add mlx5_2/1 counters/link_downed 1
	nicsim node unplug mlx5_3/1
	nicsim node unplug mlx5_4/1
	nicsim node kmsg 'mlx5_core 0000:18:00.0: wait_func:1176:(pid 126): ENABLE_HCA(0x104) timeout. Will cause a leak of a command resource'
}

# kept_scan - one scan of it, as ctreval reads it.
kept_scan() {
	ibscan --sysfs-root node/sys --boot-id-file node/proc/sys/kernel/random/boot_id \
		--node gpu-1 | topoclass --metadata node/var/lib/nvsentinel/gpu_metadata.json \
		--route node/proc/net/route --route6 node/proc/net/ipv6_route --config /dev/null
}
