#!/usr/bin/env bats
# replay: hours of scans in milliseconds, with the real programs. The scenarios are in replay/;
# replay/README.md explains their notation.
# SPDX-License-Identifier: Apache-2.0

load lib/common

# Each process plays twenty scenarios, since its start takes as long as one. The test of a scenario
# reports a status other than 0.
setup_file() {
	export RESULTS=$BATS_FILE_TMPDIR/results
	mkdir "$RESULTS"
	local files=("$BATS_TEST_DIRNAME"/replay/*.scenario)
	printf '%s\0' "${files[@]}" | xargs -0 -n 20 -P "$(nproc)" \
		"$BATS_TEST_DIRNAME/replay/replay" --results "$RESULTS" 3>&- || true
}

# scenario NAME - return success if it held, else print the differences from its expectations
scenario() {
	local status
	read -r status <"$RESULTS/$1.status"
	[ "$status" -eq 0 ] || {
		cat "$RESULTS/$1.said" >&2
		return 1
	}
}

@test "every scenario is a test in this file, named by the promise in its first line" {
	local files=("$BATS_TEST_DIRNAME"/replay/*.scenario)
	paste -d '\t' <("$BATS_TEST_DIRNAME/replay/replay" --promise "${files[@]}") <(basename -a \
		-s .scenario "${files[@]}") |
		awk -F '\t' '{ printf "@test \"%s\" { scenario %s; }\n", $1, $2 }' | sort |
		diff - <(grep -E '^@test .* \{ scenario [a-z0-9-]+; \}$' "$BATS_TEST_FILENAME" |
		sort)
}

# bad LINE MESSAGE - check that a scenario with LINE before its last one is rejected with MESSAGE
bad() {
	printf '# Promise.\nplatform l40s-onprem\nat 5s down mlx5_1/1\n%s\nuntil 10s\n' \
		"$1" >"$BATS_TEST_TMPDIR/bad.scenario"
	run "$BATS_TEST_DIRNAME/replay/replay" "$BATS_TEST_TMPDIR/bad.scenario"
	[ "$status" -eq 65 ]
	[ "$output" = "replay: $BATS_TEST_TMPDIR/bad.scenario:4: $2" ] || { echo "$output" >&2; \
		return 1; }
}

@test "a bad scenario makes one message with its line number" {
	bad "at 4s" "time goes back: 4s"
	bad "at 5x" "not a time: '5x'"
	bad "at 6s down mlx5_9/1" "down: no such device: mlx5_9"
	bad "at 6s explode mlx5_1" "unknown command: explode"
	bad "at 6s monitor starts" "at 6s: the monitor runs already"
	bad "at 6s next scan loses device mlx5_9" \
		"at 10s: nothing in the scan to lose: device mlx5_9"
	bad "wait 5s" "unknown word: wait (platform interval config checks starts changes at \
expect until)"
}

@test "a receiver that believes too much or too little fails a scenario" {
	local bin=$BATS_TEST_TMPDIR/bin
	mkdir "$bin"
	ln -s "$NHM_BIN"/{ibscan,topoclass} "$bin"
	# The recovery of a port also clears its breach, and the recovery of mlx5_2 names another
	# device.
	cat >"$bin/ctreval" <<-END
		#!/bin/bash
		set -o pipefail
		"$NHM_BIN/ctreval" "\$@" | sed -u -E '/"isHealthy":true/s/"errorCode":\\["port_state"\\],//; /mlx5_2 .*healthy/s/mlx5_2/mlx5_9/g'
	END
	chmod +x "$bin/ctreval"
	cat >"$BATS_TEST_TMPDIR/wrong.scenario" <<-'END'
		# Not so.
		platform l40s-onprem
		at 5s     add mlx5_1/1 counters/link_downed 1
		at 10s    down mlx5_1/1
		at 15s    up mlx5_1/1
		at 20s    down mlx5_2/1
		at 25s    up mlx5_2/1
		at 30s
		until 35s
	END
	NHM_BIN=$bin run "$BATS_TEST_DIRNAME/replay/replay" "$BATS_TEST_TMPDIR/wrong.scenario"
	[ "$status" -eq 1 ]
	[[ $output = *'at 15s '*'the node condition does not have: fatal InfiniBandStateCheck NIC=mlx5_1,NICPort=1 link_downed'* ]]
	[[ $output = *'at 25s '*'emit --standing has what does not stand: fatal InfiniBandStateCheck NIC=mlx5_2,NICPort=1 port_state'* ]]
}

@test "a missing event and an extra one both fail a scenario, with the expected and the actual events" {
	cat >"$BATS_TEST_TMPDIR/wrong.scenario" <<-'END'
		# Not so.
		platform l40s-onprem
		at 5s     down mlx5_1/1
		expect    fatal InfiniBandStateCheck mlx5_2/1 port_state "Port mlx5_2 port 1: state DOWN, phys_state Disabled"
		until 10s
	END
	run "$BATS_TEST_DIRNAME/replay/replay" --filter "$BATS_TEST_TMPDIR/wrong.scenario"
	[ "$status" -eq 1 ]
	diff - <(tail -n 3 <<<"$output") <<-'END'
		  at 5s (03:00:05):
		    - expected  fatal InfiniBandStateCheck mlx5_2/1 port_state "Port mlx5_2 port 1: state DOWN, phys_state Disabled"  (line 4)
		    + came      fatal InfiniBandStateCheck mlx5_1/1 port_state "Port mlx5_1 port 1: state DOWN, phys_state Disabled"
	END
}

@test "After an administrator resets the counters, a reported breach is cleared once, and the next breach is reported." { scenario admin-reset; }
@test "A breach is cleared if the counters are reset after the monitor reported it and was killed at once." { scenario admin-reset-killed; }
@test "A breach is cleared if the counters are reset while the monitor restarts." { scenario admin-reset-restart; }
@test "When all ports of a role are down together, each port is reported, and no card is compared with cards that are down too." { scenario all-ports-down; }
@test "Without a subnet manager all ports stay in INIT: each port is reported as degraded, and no card as below its peers." { scenario all-ports-stuck; }
@test "Two NICs joined in a bond at run time become one RDMA device: no NIC is reported as missing, and none as new when the bond is dissolved." { scenario bond-at-run-time; }
@test "With bootGrace the first verdicts after a boot wait: a port or NIC that comes up late, and errors of links that come up, are no fault." { scenario boot-grace; }
@test "When bootGrace is over, the first verdicts follow: also about a port that came up in it and failed, over a kill and a restart." { scenario boot-grace-over; }
@test "A link that came up within bootGrace and is not up in the scan that ends it is no fault of its card at once, over a restart too; it is one after settleSeconds." { scenario boot-grace-blip; }
@test "A driver reload that ended well within bootGrace is over: the next one has all of driverReloadGrace, and a link that fails later is at once a fault." { scenario boot-grace-reloads; }
@test "A port that goes down while the monitor is down is reported when the monitor is back, without evidence from peers." { scenario broken-while-down; }
@test "A card is not reported if all its missing ports have been reported as fatal." { scenario card-adds-nothing; }
@test "A card with one port reported as fatal and another that is only stuck is reported, because of the stuck port." { scenario card-adds-something; }
@test "A card with a function that the operator excludes is not reported for having fewer ports than its peers." { scenario card-with-excluded-function; }
@test "A reported card stays reported over a restart, and is cleared if it was repaired meanwhile." { scenario card-over-restart; }
@test "A card below its peers whose functions are then joined in a bond is no longer compared, and its event is cleared." { scenario card-then-bond; }
@test "When an inclusion override comes to name a reported card, the card is no longer compared, and its event is cleared." { scenario card-then-pinned; }
@test "Cards are not compared while an inclusion override names the NICs." { scenario cards-pinned; }
@test "Carrier changes of an IPoIB interface are not evaluated, because its carrier follows the subnet manager; one that an earlier version reported is cleared." { scenario carrier-changes-ipoib; }
@test "Two carrier changes in an interval are a replugged cable, three an unstable link." { scenario carrier-changes; }
@test "A breach is cleared under the check name it was reported with, even if the configuration has changed." { scenario check-name-of-the-breach; }
@test "With --checks only events of these checks are written." { scenario checks-subset; }
@test "A NIC that is replaced while the node runs has counters of its own: what they are at is no growth, but what they grow by from then on is." { scenario card-replaced; }
@test "What counters grow by while their check is switched off is no fault when the check is on again; a breach from before that, and its reset, still count." { scenario check-off-counters; }
@test "A class directory that cannot be listed is no evidence against any NIC, also over a restart; once it can be listed, missing NICs are reported." { scenario class-directory-gone; }
@test "With disappearance.confirmScans: 3 a NIC must be missing in three scans in a row." { scenario confirm-scans; }
@test "The number of scans in which a NIC was missing is kept over a restart." { scenario confirm-scans-restart; }
@test "A link that went down and came up while the monitor was down is reported when the monitor is back." { scenario counted-while-down; }
@test "Disabling a counter clears its breach; enabled again, the counter starts from zero history." { scenario counter-disabled-while-breached; }
@test "A counter that cannot be read for a while is no evidence meanwhile, and is evaluated over the whole gap once it can be read." { scenario counter-missing-for-a-while; }
@test "When a counter's path changes, what was reported about the old file is cleared, and the counter starts anew with the new file." { scenario counter-path-changes; }
@test "With counterDetection off no counter is evaluated, and ports are evaluated as usual." { scenario counters-off; }
@test "A counter that the operator defines is evaluated like the built-in ones." { scenario custom-counter; }
@test "A NIC of which only the name can be read from the start keeps its card from being evaluated, because its place is known." { scenario dangling-from-the-start; }
@test "A NIC that is back with its port down does not count as back until the port is healthy." { scenario device-back-but-down; }
@test "A NIC that had no cable before it vanished counts as back as soon as it is present." { scenario device-back-as-dark; }
@test "A port that had no cable before it vanished counts as back as soon as it is present." { scenario port-back-as-dark; }
@test "A port that had no cable before it vanished can come back even if the set of monitored NICs has changed." { scenario port-gone-dark-scope; }
@test "Excluding a device clears its events and forgets the device, which is not reported as missing." { scenario device-excluded-while-breached; }
@test "A NIC that is gone is reported once, also over restarts and kills, and cleared once when it returns." { scenario device-gone-over-restart; }
@test "A NIC that vanishes keeps its breach; when it is back with reset counters the breach is cleared." { scenario device-keeps-its-flags; }
@test "A NIC whose PCI function left the bus is gone at once; one that is only not listed is gone after three scans." { scenario device-leaves-the-bus; }
@test "A NIC that vanishes is one fatal event about the NIC; when it is back with a healthy port, NIC and port are cleared." { scenario device-vanishes; }
@test "A NIC that vanishes while the monitor is down is reported after the first scan of the new monitor." { scenario device-vanishes-while-down; }
@test "NICs that vanish together are reported one by one." { scenario devices-vanish-together; }
@test "A driver reload between two scans causes no event, although it resets all counters." { scenario driver-reload; }
@test "With driverReloadGrace a NIC that is back from a driver reload before it counts as gone, with its port down, is degraded until that time is over." { scenario driver-reload-quick; }
@test "driverReloadGrace goes on for a NIC that is back under another name; a port that was reported as fatal before is reported again at once." { scenario driver-reload-renamed; }
@test "With driverReloadGrace a NIC without its driver is degraded for that long, and fatal after it; a NIC off the bus is fatal at once." { scenario driver-reload-grace; }
@test "A NIC whose port is not healthy after a driver reload is fatal once driverReloadGrace is over, over a restart too; one that is healthy in time is only degraded." { scenario driver-reload-no-link; }
@test "A NIC that is listed without ports, as for a moment during a driver reload, has lost no port." { scenario driver-unload; }
@test "A driver that is unloaded and loaded causes no event, even if each step is scanned." { scenario driver-unload-and-load; }
@test "A plane of a multi-plane NIC that is down is reported once as non-fatal, over a restart too, and its card is not below its peers." { scenario plane-down; }
@test "After a boot each healthy plane is reported as healthy, and one that is down is reported, even if it was never up." { scenario planes-baseline; }
@test "A multi-plane NIC that leaves the bus is one fatal event that covers its planes; it counts as back even without its SMI device." { scenario planes-go-with-nic; }
@test "With baseline.clearCheck: false planes that are first listed after the baseline are reported as healthy." { scenario planes-late; }
@test "When planes leave monitoring with their SMI device or their NIC, their events are cleared." { scenario planes-left; }
@test "Planes follow their NIC to its new name, and their events stay active." { scenario planes-renamed; }
@test "While the port of a multi-plane NIC is down its planes are not reported; a plane that is still down when the port is up is reported." { scenario planes-with-nic; }
@test "Adding or deleting an SMI device is a note, never a NIC that comes or goes; events about its planes are cleared." { scenario smi-deleted; }
@test "With earlyBreach a count that already exceeds the threshold of the whole window is reported at once; exactly the threshold is not." { scenario early-breach; }
@test "120 symbol errors in exactly one hour are within the specification, also with a restart in the middle of the hour." { scenario errors-120-an-hour; }
@test "121 symbol errors in exactly one hour are outside the specification, also with a restart in the middle of the hour." { scenario errors-121-an-hour; }
@test "A monitor that is killed in the middle of the hour still counts errors of the whole hour." { scenario errors-121-an-hour-killed; }
@test "With fatalCounterCheck: degradation fatal counters are reported under the degradation check, where no healthy port can hide them." { scenario fatal-counters-as-degradation; }
@test "The first evaluation and the baseline wait up to three scans for a NIC that hangs, and then use what can be read." { scenario first-scan-hung-device; }
@test "A NIC that hangs after a boot keeps its earlier events; they are cleared when it can be read, and each check when it has no active condition." { scenario first-scan-hung-device-later; }
@test "A NIC that the operator names is reported if it is down from the start, with or without peers." { scenario first-scan-pinned; }
@test "A port that is down when first seen is reported only if its card has fewer active ports than its peers." { scenario first-scan-port-down; }
@test "A port without a cable is not reported when the other port of its card is down when first seen, because either may be meant." { scenario first-scan-no-cable; }
@test "A port that is polling when first seen while its peers are up is degraded, and its card is fatal at once." { scenario first-scan-port-polling; }
@test "The baseline waits for the first complete scan and no longer." { scenario first-scan-waits; }
@test "A port that is repaired while the monitor is down is cleared when the monitor is back." { scenario fixed-while-down; }
@test "A port that flaps 100 times in a minute is reported at each scanned change, and its carrier changes once." { scenario flapping; }
@test "A link whose outages are shorter than a scan is detected as flapping by its counter alone, reported once an hour with the count, and cleared after an hour without a flap." { scenario flaps-between-scans; }
@test "What link_downed counts in more than an hour in which nobody reads it is one link-down; in less, each counts." { scenario flaps-while-unread; }
@test "On a node without a state file every healthy port, card and counter is reported as healthy once." { scenario fresh-start; }
@test "On a node without a state file each enabled check is cleared, also one without a port on this node." { scenario fresh-start-a-check-each; }
@test "The baseline covers both link layers: InfiniBand compute cards, and Ethernet storage cards whose second ports have no cable." { scenario fresh-start-infiniband; }
@test "With baseline.clearCheck: false a NIC whose driver loads after the baseline is cleared when it is listed, over a restart too." { scenario fresh-start-nic-late; }
@test "With baseline.clearCheck: false each readable NIC and card is cleared instead of the whole check." { scenario fresh-start-without-clear; }
@test "Hanging firmware is reported after three scans in a row, over a restart too, and cleared when it answers; its port keeps its last state." { scenario hung-device; }
@test "Rates are computed over the elapsed time, whatever the polling interval." { scenario interval-changes; }
@test "A monitor that is killed after every scan writes the same events as one that runs on, and none twice." { scenario killed-over-and-over; }
@test "A breach is reported once, however often the monitor is stopped, killed and started." { scenario latched-over-restart; }
@test "A card with the management NIC is not compared with others." { scenario management-sibling; }
@test "Nothing about the management NIC is reported, also when it loses its link and its route." { scenario management-silent; }
@test "Ports that were unhealthy when first seen and have no better peers are not reported until they turn fatal or healthy." { scenario muted-ports; }
@test "A driver reload that loses a card gives its name to the next card: the NICs continue under their new names, and the missing one is named by its PCI address." { scenario names-move-on; }
@test "Without a state file the monitor sends no baseline, and after a restart it sees everything for the first time." { scenario no-state-file; }
@test "A burst of symbol errors is a degradation at once and exceeds the specification after an hour; one reset clears both." { scenario one-file-two-counters; }
@test "The state file of the original program is used: its breach is not reported again until a reset, its DOWN port recovers, and its missing NIC is reported." { scenario original-state-file; }
@test "A state file of an earlier boot is ignored: a baseline is sent, and none of its NICs is reported as missing." { scenario original-state-file-other-boot; }
@test "A state file of version 2 of the original program is used: nothing is cleared at the start, and each fault in it is cleared when it ends." { scenario original-2; }
@test "Entries of an original version 2 state file about absent NICs are kept until the NICs are back: a card, a counter of an interface, and a check that only a scan can determine." { scenario original-2-absent; }
@test "With a version 2 state file of an original program that still owed its baseline after a boot, known faults are kept, and each check is cleared once it has no active condition." { scenario original-2-owing; }
@test "A baseline that is due when the monitor is killed is sent by the next monitor." { scenario owed-baseline-killed; }
@test "A baseline that is due when the monitor is restarted is sent by the next monitor." { scenario owed-baseline-restart; }
@test "Ethernet: DOWN is fatal for any reason, states on the way up are not reported." { scenario port-states-ethernet; }
@test "InfiniBand: DOWN and Disabled are fatal, states on the way up (Polling, training, recovery, INIT, ARMED) are degradations." { scenario port-states-infiniband; }
@test "A degraded port that turns fatal causes two events; after that only its recovery is reported." { scenario port-turns-fatal; }
@test "A port that vanishes from a NIC that stays is fatal for the port alone, and cleared when it is back and healthy." { scenario port-vanishes; }
@test "A single Ethernet port of sixteen that is slower than its peers is reported as a RoCE port under the Ethernet check." { scenario rate-below-first-ethernet; }
@test "A port that is slower than its peers when first seen is reported at once, after its check's baseline." { scenario rate-below-first; }
@test "While the degradation check is off, no slow port is reported or cleared; the check sends its baseline when it is enabled." { scenario rate-checks; }
@test "A slow port whose NIC vanishes stays reported, and is cleared when it is back and as fast as its peers; the half minute restarts." { scenario rate-device-vanishes; }
@test "A rate that is low for less than half a minute, however often, or between two port states, is a link in training and is not reported." { scenario rate-flaps; }
@test "When a slow port leaves monitoring, its event is cleared, and the port is forgotten." { scenario rate-leaves-monitoring; }
@test "When a reported card leaves monitoring, its event is cleared with its code." { scenario card-leaves-monitoring; }
@test "When a function of a reported card becomes a management NIC, the card is no longer compared, and its event is cleared." { scenario card-exempt; }
@test "When a flapping link leaves monitoring, its event is cleared with its code, and the link is forgotten." { scenario flapping-leaves-monitoring; }
@test "A NIC that was reported as gone stays watched over a change of scope: it becomes fatal when driverReloadGrace is over, and its event is cleared when its function is passed on." { scenario gone-over-scope; }
@test "A reload that also unloads ib_core, so that no device can be listed, is covered by driverReloadGrace, also over a restart, and for no longer." { scenario driver-reload-everything; }
@test "What the counters of a NIC grow by while driverReloadGrace covers it is no fault, also over a restart; a link that goes down later is one." { scenario driver-reload-counted; }
@test "A scan that lost a port's record when driverReloadGrace is over does not show that the port is not healthy." { scenario grace-torn-scan; }
@test "A card is held with its port: it counts the port as missing only when the port is reported." { scenario hold-card; }
@test "A port that is still down when portStateHoldDown is over is reported then, once, and its recovery is not held." { scenario hold-due; }
@test "A port that is down when it is first seen is not held." { scenario hold-first-seen; }
@test "A held port that leaves monitoring causes no event." { scenario hold-leaves; }
@test "A port that vanishes while it is held is evaluated as gone, and its hold ends." { scenario hold-port-vanished; }
@test "A reboot discards a hold: a port that is down after it counts as down when first seen, and is not held." { scenario hold-reboot; }
@test "A renamed NIC keeps the hold of its port." { scenario hold-renamed; }
@test "A hold continues over a restart and a kill, and keeps its start time." { scenario hold-restart; }
@test "A hold continues when a restart excludes other NICs." { scenario hold-scope; }
@test "A port that is healthy again before portStateHoldDown is over causes one event with the duration, and each outage is held separately." { scenario hold-short; }
@test "When portStateHoldDown is shorter or off after a restart, the new value decides when a held port is reported." { scenario hold-switched-off; }
@test "A scan that lost the port neither restarts nor shortens its hold." { scenario hold-torn; }
@test "An Ethernet port on its way up stays held, and its card counts it as active only while it is held." { scenario hold-transient; }
@test "A reported port that turns fatal is not held, and neither are counters." { scenario hold-turns-fatal; }
@test "A port stays held while its device cannot be read, and is due once the device can be read again." { scenario hold-unreadable; }
@test "A device that vanishes while its port is held is evaluated as gone, and the hold ends." { scenario hold-vanished; }
@test "A held port that gets worse is reported in its last state when the hold ends." { scenario hold-worse; }
@test "The rate of a slow port is ignored while its link is down; it is cleared when the link is up and as fast as its peers." { scenario rate-link-down; }
@test "The rate of the management NIC is neither evaluated nor used as evidence." { scenario rate-management; }
@test "A slow port stays reported over restarts and kills, its half minute continues, and a port repaired meanwhile is cleared." { scenario rate-over-restart; }
@test "After a reboot the report of a slow port from before is discarded, and a port that is slow now is reported at once." { scenario rate-reboot; }
@test "A change of scope neither repeats nor forgets a slow port." { scenario rate-scope-changes; }
@test "homogeneity.settleSeconds sets how long a port may be below its peers." { scenario rate-settle-seconds; }
@test "A port that falls below its peers is reported after half a minute, once even if its rate changes, and cleared when it is as fast again." { scenario rate-settles; }
@test "Two fast and two slow ports do not show which rate is right; a third port decides." { scenario rate-tied; }
@test "A NIC of another generation may be slower, and so may one with more lanes that is cabled to another kind of link." { scenario rate-two-generations; }
@test "The half minute of a slow port restarts after scans in which it could not be read or its peers did not show which rate is right." { scenario rate-undecided; }
@test "An unreadable NIC is no evidence about the rates of others, and a scan that lost a line is no evidence about any." { scenario rate-unreadable; }
@test "A port with fewer lanes than its peers is reported though it is as fast." { scenario rate-width; }
@test "After a reboot earlier conditions are discarded: every check is cleared, and everything healthy is reported as healthy." { scenario reboot; }
@test "After a reboot a NIC that did not come up is detected by comparing its card with peers." { scenario reboot-nic-missing; }
@test "After a reboot with other NICs the old ones are not reported as missing." { scenario reboot-other-nics; }
@test "After a reboot a port that did not come up is reported, because its peers did." { scenario reboot-port-down; }
@test "A NIC that udev renames is not missing: its counters continue, and active conditions are cleared under the old name and reported under the new one." { scenario renamed; }
@test "When a NIC is renamed while a check is disabled, the events of the check are cleared under the old name once it is enabled." { scenario renamed-while-check-is-off; }
@test "A counter reset inside a velocity window starts a new window: earlier counts are discarded." { scenario reset-in-window; }
@test "A counter that is at its maximum when first seen is reported as saturated once until it is reset, also over a restart." { scenario saturated; }
@test "Of two counters that read one file, the one that was reported as saturated is cleared, even if the other one has taken over." { scenario saturated-two-counters; }
@test "A change of scope makes no NIC disappear, and counters continue: a breach stays latched, and is cleared by a reset." { scenario scope-changes; }
@test "homogeneity.settleSeconds sets how long a card may be below its peers." { scenario settle-seconds; }
@test "A port that trains for less than half a minute, however often, does not make its card fatal." { scenario settles-in-time; }
@test "A card without peers is never evaluated; its port is, once it has been seen healthy." { scenario singleton-group; }
@test "A port that is healthy again is cleared, but its breaches stay active and are not reported again." { scenario standing-breach; }
@test "When a port is healthy again with reset counters, its state and its breaches are each cleared once." { scenario standing-breach-reset; }
@test "A breach from before a restart is not reported again when its port is healthy again, and is cleared when the counters are reset." { scenario standing-breach-restart; }
@test "An event that an older version reported without an errorCode is cleared without one, and the breach that this hides is reported again, once; later events have their code." { scenario state-of-an-older-version; }
@test "An InfiniBand port stuck in ARMED is degraded at once, and its card is fatal after half a minute." { scenario stuck-in-armed; }
@test "An Ethernet port stuck in INIT is never reported itself, but its card is, after half a minute below its peers." { scenario stuck-in-init; }
@test "A pulled cable is a degradation at once; if the port is still polling after half a minute, its card is fatal." { scenario stuck-in-polling; }
@test "Two cards with different numbers of ports do not show which of them is right." { scenario tied-group; }
@test "A scan that lost lines is no evidence that a NIC is gone; the NICs that are left in it are evaluated." { scenario torn-scan; }
@test "A NIC that vanishes in a scan that lost a line is reported with the next complete scan." { scenario torn-scan-while-gone; }
@test "A card with an unreadable function is not evaluated, because its ports are unknown." { scenario unreadable-card; }
@test "An unreadable NIC is unknown, not faulty: one event after three scans in a row, and one when it can be read again." { scenario unreadable-device; }
@test "An unreadable NIC that then vanishes is reported as gone." { scenario unreadable-then-gone; }
@test "Virtual functions that come up, go down, count errors or vanish cause no event." { scenario virtual-functions; }
@test "A wall clock that jumps forth and back by a day moves no window: windows are measured in uptime, also over a restart." { scenario wall-clock-jumps; }
@test "A wall clock that jumps by a day neither advances nor delays the report of a card." { scenario wall-clock-settle; }
@test "A velocity is computed over the whole window: exactly the threshold is allowed, one more is not, and a burst is not extrapolated." { scenario window-exact; }
@test "A velocity window continues while the monitor is down: the rate covers the elapsed time." { scenario window-over-downtime; }
@test "Changed firmware, a slower PCI link or another name of a NIC is reported once, a minute later, over restarts and kills; changes by a reboot are reported after it." { scenario changes; }
@test "A character device that is missing in three scans in a row is reported as fatal once, and cleared when it is back; two scans are not reported." { scenario chardev-missing; }
@test "A restart or a kill neither repeats nor loses the report of a missing character device, and scans before it count." { scenario chardev-restart; }
@test "A reboot clears the check of character devices; a device that is still missing is reported again at once." { scenario chardev-reboot; }
@test "The baseline of character devices waits until every device can be read, also over a restart." { scenario chardev-reboot-waits; }
@test "While a class of character devices cannot be listed, nothing about it is reported or cleared, and one warning is printed." { scenario chardev-class-absent; }
@test "With charDeviceCheck.issm: always a missing issm is fatal; after a return to never, the check is cleared, and devices still missing are reported again." { scenario chardev-issm-mode; }
@test "While a NIC is gone or unreadable, events about its character devices are kept, also over a restart." { scenario chardev-device-vanishes; }
@test "A missing character device of a renamed NIC is cleared under the old name and reported under the new one; a renamed NIC with all devices is not reported." { scenario chardev-renamed; }
@test "When a NIC leaves monitoring, events about its character devices are cleared; those of other NICs stay." { scenario chardev-leaves-monitoring; }
@test "Character devices that the original program reported as missing are not reported again, and are cleared when they exist." { scenario original-2-char-devices; }
@test "If a state file of the original program does not name the expected character devices, the check is cleared, and missing devices are reported again." { scenario original-2-char-devices-without-mode; }
@test "EFA beside mlx5: counter files with equal names count only for their own driver, and each link layer has its own checks and cards." { scenario efa-beside-mlx5; }
@test "EFA: counters of the adapter and its port breach above their thresholds, stay latched over a restart, and recover after a reset." { scenario efa-counters; }
@test "EFA: a port that is down when first seen is reported with its card, because the other adapters are up." { scenario efa-first-scan; }
@test "EFA: a port that is down becomes healthy when an interface is up, not when its interface disappears; a healthy port causes no event." { scenario efa-interface-gone; }
@test "EFA: a reported fault of an adapter stays active while the adapter cannot be read, over a restart and under a new name; a reboot clears it, and a remaining fault is reported again." { scenario efa-middle; }
@test "EFA: an interface that goes down or loses its carrier makes the port fatal, and the port is cleared once the interface is up." { scenario efa-operstate; }
@test "EFA: a state file of the original program is used, and each fault in it is cleared when it ends." { scenario efa-original; }
@test "EFA: an adapter that vanishes is fatal at the third scan without it, as is one without an interface that leaves the bus." { scenario efa-vanishes; }
