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

@test "An administrator resets the counters: the breach that was reported once is taken back once, and the next one counts." { scenario admin-reset; }
@test "When the monitor is killed right after it reported a breach, and the counters are reset before it is back, the breach is taken back." { scenario admin-reset-killed; }
@test "When the counters are reset while the monitor restarts, the breach is still taken back." { scenario admin-reset-restart; }
@test "When all ports of a role are down together, each port is reported, and no card is compared with cards that are down too." { scenario all-ports-down; }
@test "Without a subnet manager all ports stay in INIT: each port is reported as degraded, and no card is below its peers." { scenario all-ports-stuck; }
@test "Two NICs that are joined in a bond at run time become one RDMA device: nothing is missing, and when the bond is dissolved nothing is new." { scenario bond-at-run-time; }
@test "A port that goes down while the monitor is down is reported when it is back, and needs no peers for evidence." { scenario broken-while-down; }
@test "A card whose missing ports have all been reported as fatal is not reported on top of them." { scenario card-adds-nothing; }
@test "A card with one port reported as fatal and another that is merely stuck is reported, for the sake of the other." { scenario card-adds-something; }
@test "A card of which the operator excludes one function has fewer ports than its peers on purpose: there is no event." { scenario card-with-excluded-function; }
@test "A card that was reported stays reported over a restart, and one that is mended meanwhile is taken back." { scenario card-over-restart; }
@test "Cards are not compared while an inclusion override names the NICs." { scenario cards-pinned; }
@test "The carrier of an IPoIB interface follows its subnet manager, too: its changes are not judged, and one that an earlier version reported is taken back." { scenario carrier-changes-ipoib; }
@test "Two carrier changes in an interval are a replugged cable, three are an instability." { scenario carrier-changes; }
@test "A breach is taken back under the name it was reported with, though the configuration has changed since." { scenario check-name-of-the-breach; }
@test "With --checks only events of these checks are written." { scenario checks-subset; }
@test "A class directory that cannot be listed is no evidence against any NIC, also over a restart; when it is back, missing NICs are reported." { scenario class-directory-gone; }
@test "With disappearance.confirmScans: 3 a NIC must be missing in three scans in a row." { scenario confirm-scans; }
@test "How often a NIC has been missing is remembered over a restart." { scenario confirm-scans-restart; }
@test "A link that went down and came back while the monitor was down is reported when it is back." { scenario counted-while-down; }
@test "A counter that is switched off while it is breached takes its breach back; switched on again it starts from nothing." { scenario counter-disabled-while-breached; }
@test "A counter that cannot be read for a while is no evidence meanwhile, and is judged over the whole gap when it is back." { scenario counter-missing-for-a-while; }
@test "With counterDetection off no counter is judged, and ports are as before." { scenario counters-off; }
@test "A counter of the operator's own is judged like the others." { scenario custom-counter; }
@test "A NIC of which only the name can be read from the start keeps its card from being judged, because its place is known." { scenario dangling-from-the-start; }
@test "A NIC that is back with its port down does not count as back: there is no event until the port is healthy." { scenario device-back-but-down; }
@test "A NIC without a cable is back as soon as it is there: it was dark before it went." { scenario device-back-as-dark; }
@test "A port without a cable is back as soon as it is there." { scenario port-back-as-dark; }
@test "A port that was dark, and is gone, can come back even if the monitored NICs have changed meanwhile." { scenario port-gone-dark-scope; }
@test "When a device is excluded while something stands about it, that is taken back, and the device is forgotten, not missed." { scenario device-excluded-while-breached; }
@test "A NIC that is gone is reported once, over restarts and kills too, and taken back once when it returns." { scenario device-gone-over-restart; }
@test "A NIC that is merely gone keeps its breach; when it is back with new counters the breach is taken back." { scenario device-keeps-its-flags; }
@test "A NIC whose PCI function has left the bus is gone at once; one that is merely not listed is gone after three scans." { scenario device-leaves-the-bus; }
@test "A NIC that vanishes is one fatal event about the NIC; when it is back with a healthy port, NIC and port are taken back." { scenario device-vanishes; }
@test "A NIC that vanishes while the monitor is down is reported at its first look." { scenario device-vanishes-while-down; }
@test "NICs that vanish together are reported each." { scenario devices-vanish-together; }
@test "A driver reload that no scan sees causes no event, though all counters start anew." { scenario driver-reload; }
@test "With driverReloadGrace a NIC without its driver is a degradation for that long, and fatal only then; off the bus it is fatal at once." { scenario driver-reload-grace; }
@test "A NIC that is listed without its ports, as for a moment whenever a driver comes or goes, has lost none of them." { scenario driver-unload; }
@test "A driver that is unloaded and loaded, and seen at each step, causes no event." { scenario driver-unload-and-load; }
@test "A plane of a multi-plane NIC that is down is one non-fatal event, over a restart too, and its card is not below its peers." { scenario plane-down; }
@test "After a boot each healthy plane is reported as healthy, and one that is down is reported, even if it was never up." { scenario planes-baseline; }
@test "A multi-plane NIC that leaves the bus is one fatal event, and takes its planes along; back without its SMI device it is back." { scenario planes-go-with-nic; }
@test "Planes leave monitoring with their SMI device or with their NIC, and what was reported about them is taken back." { scenario planes-left; }
@test "Planes follow their NIC to its new name, and what was reported about them still stands." { scenario planes-renamed; }
@test "While the port of a multi-plane NIC is down its planes are not reported; one that is still down when the port is up is reported." { scenario planes-with-nic; }
@test "An SMI device that is added or deleted is a note, never a NIC that comes or goes; what was reported about its planes is taken back." { scenario smi-deleted; }
@test "With earlyBreach a count that already exceeds the whole window's is reported at once; exactly the threshold is not." { scenario early-breach; }
@test "120 symbol errors in exactly one hour are within the specification, also with a restart in the middle of the hour." { scenario errors-120-an-hour; }
@test "121 symbol errors in exactly one hour are outside the specification, also with a restart in the middle of the hour." { scenario errors-121-an-hour; }
@test "A monitor that is killed in the middle of the hour still counts the whole hour." { scenario errors-121-an-hour-killed; }
@test "With fatalCounterCheck: degradation fatal counters go under the degradation check, where no healthy port can hide them." { scenario fatal-counters-as-degradation; }
@test "The first verdicts and the baseline wait for a NIC that hangs, for three scans; then they go on with what can be read." { scenario first-scan-hung-device; }
@test "A NIC that hangs after a boot keeps what was reported about it before: it is cleared when it can be read, and each check when nothing stands under it." { scenario first-scan-hung-device-later; }
@test "A NIC that the operator names is reported when it is down from the start, peers or not." { scenario first-scan-pinned; }
@test "A port that is down when first seen is reported if its card has fewer ports than its peers, and only then." { scenario first-scan-port-down; }
@test "A port that is polling when first seen, while its peers are up, is degraded, and its card is broken at once." { scenario first-scan-port-polling; }
@test "The baseline waits for the first scan that has everything, and does not wait longer." { scenario first-scan-waits; }
@test "A port that is mended while the monitor is down is taken back when it is back." { scenario fixed-while-down; }
@test "A port that flaps 100 times in a minute is reported as it is seen, change by change, and its carrier changes once." { scenario flapping; }
@test "A link that fails for less than a scan at a time is known to flap by its counter alone; this is reported once an hour with the count, and taken back after an hour without." { scenario flaps-between-scans; }
@test "On a node never seen before every healthy port, card and counter is reported as healthy, once." { scenario fresh-start; }
@test "Each enabled check clears what was reported before, also on a node that has no port for it." { scenario fresh-start-a-check-each; }
@test "The baseline has both link layers: InfiniBand compute cards, and Ethernet storage cards whose second ports have no cable." { scenario fresh-start-infiniband; }
@test "With baseline.clearCheck: false no whole check is cleared, but each NIC and card that can be read." { scenario fresh-start-without-clear; }
@test "Firmware that hangs is reported after three scans in a row, over a restart too, and taken back; its port keeps its last state." { scenario hung-device; }
@test "Rates are over the time that really passed, whatever the polling interval is." { scenario interval-changes; }
@test "A monitor that is killed after every scan writes the same events as one that lives, and none twice." { scenario killed-over-and-over; }
@test "A breach is reported once, however often the monitor is stopped, killed and started." { scenario latched-over-restart; }
@test "A card with the management NIC is not compared with others." { scenario management-sibling; }
@test "Nothing that happens to the management NIC is reported, also when it loses its link and its route with it." { scenario management-silent; }
@test "Ports that were unhealthy when first seen, without peers that are better, stay silent until they turn fatal or healthy." { scenario muted-ports; }
@test "A driver reload that loses a card gives that card's name to the next one: the NICs go on under their new names, and the missing one is named by its PCI address." { scenario names-move-on; }
@test "Without a state file nothing is remembered: no baseline, and after a restart everything is seen for the first time." { scenario no-state-file; }
@test "A burst of symbol errors is a degradation at once and outside the specification after an hour; one reset takes both back." { scenario one-file-two-counters; }
@test "The state file of the original program is used: its breach stays silent until reset, its DOWN port recovers, and its missing NIC is noticed." { scenario original-state-file; }
@test "A state file of an earlier boot counts for nothing: there is a baseline, and none of its NICs is missed." { scenario original-state-file-other-boot; }
@test "A state file of version 2 of the original program is used: nothing is cleared, and each fault that it has is taken back when it ends." { scenario original-2; }
@test "What a state file of the original's version 2 has of NICs that are absent waits for them: a card, an interface's counter, and a check that only the scan can tell." { scenario original-2-absent; }
@test "The state file of version 2 of a program that owed a baseline after a boot: what it knows is kept, and each check is cleared once nothing stands under it." { scenario original-2-owing; }
@test "A baseline that is still owed when the monitor is killed is sent by the next one." { scenario owed-baseline-killed; }
@test "A baseline that is still owed when the monitor is restarted is sent by the next one." { scenario owed-baseline-restart; }
@test "Ethernet: DOWN is fatal for whatever reason, states on the way up are not reported." { scenario port-states-ethernet; }
@test "InfiniBand: DOWN and Disabled are fatal, what is on its way up (Polling, recovery, INIT, ARMED) is a degradation." { scenario port-states-infiniband; }
@test "A port that is degraded and turns fatal is two events; after that only its recovery is reported." { scenario port-turns-fatal; }
@test "A port that vanishes from a NIC that stays is fatal for the port alone, and taken back when it is back and healthy." { scenario port-vanishes; }
@test "A single Ethernet port of sixteen that is slower than its peers is reported as a RoCE port, under the Ethernet check." { scenario rate-below-first-ethernet; }
@test "A port that is slower than its peers when first seen is reported at once, after its check's baseline." { scenario rate-below-first; }
@test "While the degradation check is off, no slow port is reported or taken back; the check has its baseline when it is switched on." { scenario rate-checks; }
@test "A slow port whose NIC vanishes stays reported, and is taken back when it is back and as fast as its peers; the half minute begins anew." { scenario rate-device-vanishes; }
@test "A rate that is low for less than half a minute, however often, is a link that trains; and so is one between two states of its port." { scenario rate-flaps; }
@test "When a slow port leaves monitoring, its event is taken back, and the port is forgotten." { scenario rate-leaves-monitoring; }
@test "When a reported card leaves monitoring, its event is taken back with its code." { scenario card-leaves-monitoring; }
@test "When a function of a reported card becomes a management NIC, the card is compared no longer, and its event is taken back." { scenario card-exempt; }
@test "When a link that flaps leaves monitoring, its event is taken back with its code, and the link is forgotten." { scenario flapping-leaves-monitoring; }
@test "A card is held with its port: it has one port less only when the port is reported." { scenario hold-card; }
@test "A port that is down until portStateHoldDown is over is reported then, once, and its recovery is not held." { scenario hold-due; }
@test "A port that is down when it is first seen is not held." { scenario hold-first-seen; }
@test "A held port that leaves monitoring leaves nothing behind." { scenario hold-leaves; }
@test "A port that vanishes while it is held is judged as gone, and its hold is over." { scenario hold-port-vanished; }
@test "A reboot forgets a hold: a port that is down after it is first seen so, and not held." { scenario hold-reboot; }
@test "A NIC that is renamed takes its hold along." { scenario hold-renamed; }
@test "A hold goes on over a restart and over a kill, and keeps its beginning." { scenario hold-restart; }
@test "A hold goes on when other NICs are excluded by a restart." { scenario hold-scope; }
@test "A port that is healthy again before portStateHoldDown is over leaves one event with its duration, and each outage is held anew." { scenario hold-short; }
@test "When portStateHoldDown is shorter or off after a restart, what was held is due by the new one." { scenario hold-switched-off; }
@test "A scan that lost the port neither begins its hold anew nor uses it up." { scenario hold-torn; }
@test "An Ethernet port on its way up stays held, and counts for its card only while the hold lasts." { scenario hold-transient; }
@test "A reported port that turns fatal is not held, and neither are counters." { scenario hold-turns-fatal; }
@test "A device that cannot be read keeps the hold of its port, which is due when it can be read again." { scenario hold-unreadable; }
@test "A device that vanishes while its port is held is judged as gone, and its hold is over." { scenario hold-vanished; }
@test "A held port that gets worse is reported as it is when the hold is over." { scenario hold-worse; }
@test "While the link of a slow port is down its rate does not matter; it is taken back when the link is up and as fast as its peers." { scenario rate-link-down; }
@test "The rate of the management NIC is neither judged nor evidence." { scenario rate-management; }
@test "A slow port stays reported over restarts and kills, the half minute goes on, and a port that is repaired meanwhile is taken back." { scenario rate-over-restart; }
@test "After a reboot a slow port from before counts for nothing, and one that is slow now is reported at once." { scenario rate-reboot; }
@test "A change of scope neither repeats nor forgets a slow port." { scenario rate-scope-changes; }
@test "homogeneity.settleSeconds says how long a port may be below its peers." { scenario rate-settle-seconds; }
@test "A port that falls below its peers is reported after half a minute, once even if its rate changes, and taken back when it is as fast again." { scenario rate-settles; }
@test "Two ports against two do not tell which rate is right; a third decides." { scenario rate-tied; }
@test "A NIC of another generation may be slower, and so may one that is cabled to something else with more lanes." { scenario rate-two-generations; }
@test "A NIC that cannot be read is not evidence about the rates of others, and a scan that lost a line is none about any." { scenario rate-unreadable; }
@test "A port with fewer lanes than its peers is reported though it is as fast." { scenario rate-width; }
@test "After a reboot nothing from before counts: every check is cleared, and everything healthy is reported as healthy." { scenario reboot; }
@test "After a reboot a NIC that did not come up is found by its card's peers." { scenario reboot-nic-missing; }
@test "After a reboot with other NICs the old ones are not missed." { scenario reboot-other-nics; }
@test "After a reboot a port that did not come up is reported, because its peers did." { scenario reboot-port-down; }
@test "A NIC that udev gives another name is not missing: its counters go on, and what stands is taken back under the old name and reported under the new one." { scenario renamed; }
@test "When a NIC is renamed while a check is switched off, the check's events are taken back under the old name when it is on again." { scenario renamed-while-check-is-off; }
@test "A counter reset inside a velocity window begins a new window: what was counted before it no longer counts." { scenario reset-in-window; }
@test "A counter that stood at its maximum when first seen is reported as blind, once, until it is reset; also over a restart." { scenario saturated; }
@test "Of two counters of one file the one that was reported as blind is the one that is taken back, also when the other one has taken over." { scenario saturated-two-counters; }
@test "A change of scope makes no NIC disappear, and counters go on: a breach stays latched, and is taken back by a reset." { scenario scope-changes; }
@test "homogeneity.settleSeconds says how long a card may be below its peers." { scenario settle-seconds; }
@test "A port that trains for less than half a minute, however often, does not make its card broken." { scenario settles-in-time; }
@test "A card without peers is never judged; its port is, once it has been seen healthy." { scenario singleton-group; }
@test "A port that is healthy again takes back that it was down, and nothing else: its breaches stand, and are not reported again." { scenario standing-breach; }
@test "When a port is healthy again with its counters reset, its state and its breaches are each taken back once." { scenario standing-breach-reset; }
@test "A breach from before a restart is not reported again when its port is healthy again, and is taken back when the counters are reset." { scenario standing-breach-restart; }
@test "What an older version has reported without an errorCode is taken back without one, and the breach that this hides is reported again, once; later events have their code." { scenario state-of-an-older-version; }
@test "An InfiniBand port stuck in ARMED is a degradation at once, and a broken card after half a minute." { scenario stuck-in-armed; }
@test "An Ethernet port stuck in INIT is never reported itself, but its card is, after half a minute below its peers." { scenario stuck-in-init; }
@test "A cable that is pulled is a degradation at once; a port that is still polling after half a minute is a broken card." { scenario stuck-in-polling; }
@test "Two cards with different numbers of ports do not tell which of them is right." { scenario tied-group; }
@test "A scan that lost lines is no evidence that a NIC is gone; what is left of it is judged." { scenario torn-scan; }
@test "A NIC that vanishes in a scan that lost a line is reported with the next one that is whole." { scenario torn-scan-while-gone; }
@test "A card with a function that cannot be read is not judged, because its ports are not known." { scenario unreadable-card; }
@test "A NIC that cannot be read is unknown, not broken: one event after three scans in a row, one when it can be read again." { scenario unreadable-device; }
@test "A NIC that cannot be read and then vanishes has vanished." { scenario unreadable-then-gone; }
@test "Virtual functions come up, go down, count errors and vanish without any event." { scenario virtual-functions; }
@test "A wall clock that jumps forth and back by a day moves no window: an hour is an hour of uptime, also over a restart." { scenario wall-clock-jumps; }
@test "A wall clock that jumps by a day neither hastens nor delays the verdict about a card." { scenario wall-clock-settle; }
@test "A velocity is judged over the whole window: exactly the threshold is allowed, one more is not, and a burst is not extrapolated." { scenario window-exact; }
@test "A velocity window goes on while the monitor is down: the rate is over the time that really passed." { scenario window-over-downtime; }
@test "A NIC with other firmware, a slower link on the PCI bus, or another name is told a minute later, once, over restarts and kills; and what a reboot has changed, after it." { scenario changes; }
@test "A character device that is missing in three scans in a row is fatal, once, and taken back when it is there again; two scans are nothing." { scenario chardev-missing; }
@test "A restart or a kill neither repeats nor forgets a missing character device, and the scans before it count." { scenario chardev-restart; }
@test "A reboot clears the check of character devices; what is still missing is reported again at once, what is there again is not." { scenario chardev-reboot; }
@test "The baseline of character devices waits until every device can be read, also over a restart." { scenario chardev-reboot-waits; }
@test "A class of character devices that cannot be listed is no evidence: nothing is reported or taken back until it can be, and one warning says so." { scenario chardev-class-absent; }
@test "With charDeviceCheck.issm: always a missing issm is fatal; back to never, the check is cleared, and what is still missing is reported again." { scenario chardev-issm-mode; }
@test "What was reported about the character devices of a NIC is held while the NIC is gone or cannot be read, over a restart too." { scenario chardev-device-vanishes; }
@test "A missing character device of a NIC that is renamed is taken back under the old name and reported under the new one; a NIC whose nodes are there lacks none under its new name." { scenario chardev-renamed; }
@test "When a NIC leaves monitoring, what was reported about its character devices is taken back; those of other NICs stay reported." { scenario chardev-leaves-monitoring; }
@test "Character devices that the original has reported as missing are not reported again, and taken back when they are there." { scenario original-2-char-devices; }
@test "A file of the original that does not say which character devices were expected has the check cleared, and what is missing reported again." { scenario original-2-char-devices-without-mode; }
@test "EFA beside mlx5: files of the same names count only where they belong, and each link layer has its own checks and cards." { scenario efa-beside-mlx5; }
@test "EFA: counters of the adapter and of its port breach above their thresholds, latch over a restart, and recover by a reset." { scenario efa-counters; }
@test "EFA: a port that is down when first seen is reported, and its card, because the other adapters are up." { scenario efa-first-scan; }
@test "EFA: a port that is down is not healthy because its interface goes, but when one is up; a healthy one says nothing." { scenario efa-interface-gone; }
@test "EFA: what was reported of an adapter stands while it cannot be read, over a restart, and under a new name; a reboot clears it, and what is still wrong is reported again." { scenario efa-middle; }
@test "EFA: an interface that goes down, or loses its carrier, is fatal for the port, and taken back once it is up." { scenario efa-operstate; }
@test "EFA: a state file of the original is used, and each fault that it has is taken back when it ends." { scenario efa-original; }
@test "EFA: an adapter that vanishes is fatal at the third scan without it, also one without an interface that leaves the bus." { scenario efa-vanishes; }
