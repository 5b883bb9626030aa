# configured - for tests of a service that takes its sinks from a configuration, which it can load
# again. It loads lib/service.
# shellcheck shell=bash disable=SC2034,SC2154 # the test files use and set them
# SPDX-License-Identifier: Apache-2.0

load lib/service

CONFIG=$T/config.yaml

# configure LINE... - write the configuration
configure() { printf '%s\n' "$@" >"$CONFIG"; }

# launch OPTION... - start the service with that configuration and without options about sinks
launch() {
	node_options
	started service nic-health-monitor "${NODE_OPTIONS[@]}" --config "$CONFIG" \
		--state-file "$T/run/state.json" --spool "$T/var/spool.db" \
		--metrics-port 0 --metrics-address 127.0.0.1 "$@"
	SERVICE=$PID
	wait_until 30 says 'ctreval: note: counters available'
}

# reload LINE... - make the service load another configuration
reload() {
	local before
	before=$(grep -c 'SIGHUP: configuration reloaded' "$T/service.err" || true)
	configure "$@"
	kill -HUP "$SERVICE"
	wait_until 20 says 'SIGHUP: configuration reloaded' $((before + 1))
}

end_service() {
	kill "$SERVICE"
	ends_with 0 "$SERVICE"
}
