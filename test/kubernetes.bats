#!/usr/bin/env bats
# kubernetes: the base and each overlay of dist/kubernetes render, have only valid fields, ask for
# no more rights than documented, and start the service with valid arguments.
# shellcheck disable=SC2154 # bats sets output and stderr
# Thorough: tools
# SPDX-License-Identifier: Apache-2.0

load lib/common

KUSTOMIZATIONS=(base overlays/{alertmanager,kernel-log,no-metadata,nvsentinel}
	overlays/{prometheus-operator,site})
# The kustomizations with pods.
PODS=(base alertmanager kernel-log no-metadata nvsentinel site)

# setup_file - render all of them once; kubectl's messages go to NAME.said
setup_file() {
	local kustomization name
	can_try || return 0
	for kustomization in "${KUSTOMIZATIONS[@]}"; do
		name=$BATS_FILE_TMPDIR/${kustomization##*/}
		kubectl kustomize "$ROOT/dist/kubernetes/$kustomization" >"$name.yaml" \
			2>"$name.said" || { cat "$name.said" >&2 && return 1; }
	done
}

setup() {
	can_try || skip "left out: no kubectl or python3-kubernetes (dist/install-deps --thorough)"
	T=$BATS_TEST_TMPDIR
	RENDERED=$BATS_FILE_TMPDIR
}

can_try() {
	command -v kubectl >/dev/null && /usr/bin/python3 -c \
		'import importlib.util as u; raise SystemExit(not u.find_spec("kubernetes"))'
}

# of NAME JQ-FILTER - print the filter's result for each object
of() { jq -r --yaml-input "$2" "$RENDERED/$1.yaml"; }
# container NAME JQ-FILTER - apply the filter to the only container of its pods
container() { of "$1" "select(.kind == \"DaemonSet\").spec.template.spec.containers | if length == 1
	then .[0] else error(\"not one container\") end | $2"; }

# holds NAME JQ-CONDITION - return success if the condition holds for its pods
holds() {
	[ "$(of "$1" "select(.kind == \"DaemonSet\").spec.template.spec | $2")" = true ] || {
		echo "$1: this does not hold: $2" >&2
		return 1
	}
}

strict() { "$ROOT/test/kubernetes/strict" "$@"; }

@test "all overlays are tested, and kubectl warns only about deprecated fields" {
	diff <(cd "$ROOT/dist/kubernetes" && printf '%s\n' base overlays/* | sort) \
		<(printf '%s\n' "${KUSTOMIZATIONS[@]}" | sort)
	diff /dev/null <(grep -v -h -E "'(bases|patchesJson6902)' is deprecated" "$RENDERED"/*.said)
}

@test "Kubernetes knows every field of every object" {
	local file
	for file in "$RENDERED"/*.yaml; do
		run --separate-stderr strict "$file"
		status_is 0
		[ "$stderr" = '' ]
	done
}

# found SED-EXPRESSION PROBLEM - check that `strict` reports PROBLEM after this change of the site's
# objects
found() {
	sed -E "$1" "$RENDERED/site.yaml" >"$T/changed.yaml"
	none cmp -s "$RENDERED/site.yaml" "$T/changed.yaml"
	run --separate-stderr strict "$T/changed.yaml"
	status_is 1
	grep -q -x "strict: $2" <<<"$stderr" || {
		printf '%s is not found, but:\n%s\n' "$1" "$stderr" >&2
		return 1
	}
}

@test "the checker finds misspelt fields, values of a wrong type and missing fields" {
	local at=DaemonSet.spec.template.spec in=DaemonSet.spec.template.spec.containers.0
	found 's/livenessProbe/livenesProbe/' "$in.livenesProbe: unknown"
	found '/hostPath:/{n;s/path:/pth:/}' "$at.volumes.0.hostPath.pth: unknown"
	found '/hostPath:/{n;s/path:/pth:/}' "$at.volumes.0.hostPath.path: missing"
	found 's/requests:/request:/' "$in.resources.request: unknown"
	found 's/readOnlyRootFilesystem: true/runAsNonRoot: "yes"/' \
		"$in.securityContext.runAsNonRoot: str is no bool"
	found 's/containerPort: 2112/containerPort: "2112"/' \
		"$in.ports.0.containerPort: str is no int"
	found 's/periodSeconds: 10/periodSeconds: true/' \
		"$in.livenessProbe.periodSeconds: bool is no int"
	found 's/32Mi/32MiB/' "$in.resources.requests.memory: 32MiB is no quantity"
	found 's/- ALL/- {}/' "$in.securityContext.capabilities.drop.0: dict is no str"
	found 's/maxUnavailable: .*/maxUnavailable: []/' \
		"DaemonSet.spec.updateStrategy.rollingUpdate.maxUnavailable: list is neither .*"
	found 's/^  selector:/  selectors:/' 'DaemonSet.spec.selector: missing'
	found 's/apps.v1/apps\/v2/' 'apps/v2 DaemonSet: unknown'
	found 's/kind: NetworkPolicy/kind: NetPolicy/' 'networking.k8s.io/v1 NetPolicy: unknown'
	found 's/podSelector:/podSelectors:/' 'NetworkPolicy.spec.podSelector: missing'
	found 's/jobLabel/joblabel/' 'PodMonitor.spec.joblabel: unknown'
	found 's/^  name: nic-health-monitor$/  generation: 1/' 'DaemonSet.metadata.name: missing'
	run --separate-stderr strict /dev/null
	status_is 1 'no objects'
}

@test "each object is in the namespace and has the common label; the namespace allows hostPath volumes" {
	local name
	for name in "${KUSTOMIZATIONS[@]##*/}"; do
		[ "$(of "$name" 'select(.kind != "Namespace").metadata.namespace' | sort -u)" = \
			nic-health-monitor ]
		[ "$(of "$name" 'select(.kind != "ConfigMap").metadata.labels
			| ."app.kubernetes.io/name"' | sort -u)" = nic-health-monitor ]
	done
	[ "$(of base 'select(.kind == "Namespace") | [.metadata.name,
		.metadata.labels."pod-security.kubernetes.io/enforce"] | join(" ")')" = \
		'nic-health-monitor privileged' ]
}

@test "no pod is privileged, shares a namespace of the node, or has a capability that it does not need" {
	local name
	for name in "${PODS[@]}"; do
		holds "$name" '[.hostNetwork, .hostPID, .hostIPC, .shareProcessNamespace] | all(. != true)'
		holds "$name" '.automountServiceAccountToken == false and .serviceAccountName == null'
		holds "$name" '.initContainers == null and (.containers | length == 1)'
		holds "$name" '.containers[0].securityContext | .privileged == false
			and .allowPrivilegeEscalation == false and .readOnlyRootFilesystem == true
			and .capabilities.drop == ["ALL"]
			and .seccompProfile.type == "RuntimeDefault"'
	done
	for name in base alertmanager no-metadata nvsentinel site; do
		holds "$name" '.containers[0].securityContext.capabilities.add == null'
	done
	holds kernel-log '.containers[0].securityContext | .capabilities.add == ["SYSLOG"]
		and .runAsUser == 0'
}

@test "a pod mounts everything of the node read-only except the state and the spool" {
	local name
	for name in "${PODS[@]}"; do
		holds "$name" '.containers[0].volumeMounts | map(select(.readOnly != true) | .name)
			| sort == ["spool", "state"]'
		holds "$name" '(.volumes | map(.name) | sort) ==
			(.containers[0].volumeMounts | map(.name) | sort)'
		# Mounts below these would be writable.
		holds "$name" '.volumes | map(.hostPath.path // empty)
			| all(IN("/", "/sys", "/proc", "/dev", "/run", "/var", "/etc") | not)'
		holds "$name" '.volumes | all(.hostPath == null or .hostPath.type != null)'
	done
}

@test "pods request CPU and memory, and limit only memory" {
	local name
	for name in "${PODS[@]}"; do
		holds "$name" '.containers[0].resources | .requests == {cpu: "20m", memory: "32Mi"}
			and (.limits | del(."squat.ai/kmsg")) == {memory: "128Mi"}'
		holds "$name" '.priorityClassName == "system-node-critical"
			and .tolerations == [{operator: "Exists"}]'
	done
}

@test "probes, scraper and network policy use the port of --metrics-port" {
	local name port
	for name in "${PODS[@]}"; do
		port=$(container "$name" '.args[] | select(startswith("--metrics-port="))')
		port=${port#*=}
		[ "$(container "$name" '.ports[] | select(.name == "metrics").containerPort')" = \
			"$port" ]
		[ "$(container "$name" '[.livenessProbe, .readinessProbe][].httpGet
			| .path + " " + .port' | xargs)" = '/healthz metrics /readyz metrics' ]
	done
	[ "$(of prometheus-operator 'select(.kind == "PodMonitor").spec.podMetricsEndpoints[].port')" = \
		metrics ]
	[ "$(of prometheus-operator 'select(.kind == "NetworkPolicy").spec.ingress[].ports[].port')" = \
		"$port" ]
}

@test "the operator's labels of a pod that replaces another one are the same" {
	[ "$(of prometheus-operator 'select(.kind == "PodMonitor").spec.podMetricsEndpoints[].relabelings[]
		| select(.action == "labeldrop").regex')" = pod ]
}

@test "a pod has as long to stop as the systemd unit" {
	holds base ".terminationGracePeriodSeconds == $(sed -n 's/^TimeoutStopSec=//p' \
		"$ROOT/dist/nic-health-monitor.service")"
}

@test "the program knows each argument of a pod and accepts its configuration" {
	local name argument
	nic-health-monitor --help >"$T/help"
	for name in "${PODS[@]}"; do
		while read -r argument; do
			grep -q -E -e "^ +${argument%%=*}( |\$)" "$T/help" || {
				echo "$name: $argument is not an option" >&2
				return 1
			}
		done < <(container "$name" '.args[]')
		of "$name" 'select(.kind == "ConfigMap").data."config.yaml"' >"$T/config.yaml"
		[ -s "$T/config.yaml" ]
		run --separate-stderr ctreval --check-config --config "$T/config.yaml"
		status_is 0
		[ "$stderr" = '' ]
	done
}

# told NAME - check that the service accepts its pods' arguments on the simulated node
told() {
	local arguments
	mapfile -t arguments < <(container "$1" '.args[]' | sed -e "s|=/host/|=$NODE/|" \
		-e "s|/proc/1/net|/proc/net|; s|:/var/lib/nvsentinel|:$NODE/var/lib/nvsentinel|" \
		-e "s|^--state=.*|--state=|; s|^--kmsg=/dev/kmsg|--kmsg=$NODE/dev/kmsg|" \
		-e 's|^--metrics-port=.*|--metrics-port=0|')
	of "$1" 'select(.kind == "ConfigMap").data."config.yaml"' >"$T/config.yaml"
	run --separate-stderr nic-health-monitor --check-config --config "$T/config.yaml" \
		--boot-id-file "$NODE/proc/sys/kernel/random/boot_id" --node gpu-1 --spool '' \
		"${arguments[@]}"
	status_is 0 '17 ports of 17 devices to be monitored \(compute 16, storage 1\)'
	none grep -q -E 'error|warning' <<<"$stderr"
}

@test "the service accepts each pod's arguments on a simulated node" {
	local name
	shared_node h100-oci
	for name in "${PODS[@]}"; do
		told "$name"
	done
}

# arguments NAME - print a pod's arguments in one line
arguments() { container "$1" '.args | join(" ")'; }

@test "each overlay sets its sinks, its source of GPU metadata and its kernel log" {
	local socket=grpc:unix:///run/nvsentinel/nvsentinel.sock name
	[[ $(arguments base) = '--default-sink=- --kmsg= '* ]]
	[[ $(arguments alertmanager) = "$(arguments base)" ]]
	of alertmanager 'select(.kind == "ConfigMap").data."config.yaml"' |
		jq -e --yaml-input '.sinks == ["alertmanager:http://alertmanager-operated.monitoring.svc:9093"]'
	[[ $(arguments no-metadata) = "--default-sink=$socket --kmsg= "* ]]
	none grep -q -e --metadata <<<"$(arguments base) $(arguments no-metadata)"
	[ "$(arguments nvsentinel)" = \
		"$(arguments no-metadata) --metadata=auto:/var/lib/nvsentinel/gpu_metadata.json" ]
	for name in no-metadata nvsentinel site; do
		holds "$name" '[.volumes[] | select(.name == "connector").hostPath.path] == ["/run/nvsentinel"]'
	done
	[[ $(arguments kernel-log) = '--default-sink=- --kmsg=/dev/kmsg '* ]]
	[ "$(container kernel-log '.resources.limits."squat.ai/kmsg"')" = 1 ]
	[ "$(arguments site)" = "$(arguments nvsentinel)" ]
	of site 'select(.kind == "ConfigMap").data."config.yaml"' |
		jq -e --yaml-input --arg socket "$socket" '.sinks[0] == $socket and (.sinks | length == 2)'
}

@test "network policies allow only what an overlay needs" {
	holds_policies() { [ "$(of "$1" 'select(.kind == "NetworkPolicy") | .metadata.name' | sort |
		xargs)" = "$2" ]; }
	holds_policies base nic-health-monitor
	[ "$(of base 'select(.kind == "NetworkPolicy").spec | [.policyTypes, .ingress, .egress]
		| tojson')" = '[["Ingress","Egress"],null,null]' ]
	holds_policies nvsentinel nic-health-monitor
	holds_policies alertmanager 'nic-health-monitor nic-health-monitor-alertmanager'
	holds_policies site \
		'nic-health-monitor nic-health-monitor-alertmanager nic-health-monitor-metrics'
	diff <(grep -v '^#' "$ROOT/dist/kubernetes/overlays/alertmanager/networkpolicy.yaml") \
		<(grep -v '^#' "$ROOT/dist/kubernetes/overlays/site/networkpolicy.yaml")
}

@test "a changed configuration replaces the pods" {
	local name names=()
	for name in base alertmanager site; do
		holds "$name" '[.volumes[].configMap.name // empty] | length == 1'
		[ "$(of "$name" 'select(.kind == "ConfigMap").metadata.name')" = \
			"$(of "$name" 'select(.kind == "DaemonSet").spec.template.spec.volumes[]
				| .configMap.name // empty')" ]
		names+=("$(of "$name" 'select(.kind == "ConfigMap").metadata.name')")
	done
	[ "$(printf '%s\n' "${names[@]}" | sort -u | wc -l)" -eq 3 ]
}

@test "the command in doc/kubernetes.md turns the rules into PrometheusRules" {
	sed -n '/^    for f in /,/^    done/s/^    //p' "$ROOT/doc/kubernetes.md" >"$T/command"
	[ -s "$T/command" ]
	(cd "$ROOT/dist/prometheus" && bash "$T/command" >"$T/rules.yaml")
	run --separate-stderr strict "$T/rules.yaml"
	status_is 0
	[ "$(jq -r --yaml-input .metadata.name "$T/rules.yaml" | xargs)" = \
		'nic-health-monitor-recording nic-health-monitor-monitor-alerts nic-health-monitor-nic-alerts' ]
	count() { jq --yaml-input "$1[].rules | length" "${@:2}" | command jq -s add; }
	[ "$(count .spec.groups "$T/rules.yaml")" -eq \
		"$(count .groups "$ROOT"/dist/prometheus/{recording,*-alerts}.yaml)" ]
}
