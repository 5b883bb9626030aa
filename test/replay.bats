#!/usr/bin/env bats
# Replay: hours in milliseconds, through the real programs. The scenarios are in replay/, and replay/README.md says how to read them.

load lib/common

# scenario NAME - runs one; what differs from its expectations is printed.
scenario() { "$BATS_TEST_DIRNAME/replay/replay" "$BATS_TEST_DIRNAME/replay/$1.scenario"; }

@test "every scenario is in this file, under the promise that it begins with" {
	local file name
	for file in "$BATS_TEST_DIRNAME"/replay/*.scenario; do
		name=$(basename "$file" .scenario)
		printf '@test "%s" { scenario %s; }\n' "$("$BATS_TEST_DIRNAME/replay/replay" --promise "$file")" "$name"
	done | sort | diff - <(grep -E '^@test .* \{ scenario [a-z0-9-]+; \}$' "$BATS_TEST_FILENAME" | sort)
}

# bad LINE MESSAGE - a scenario with such a line before its last one is refused, with this message.
bad() {
	printf '# Promise.\nplatform l40s-onprem\nat 5s down mlx5_1/1\n%s\nuntil 10s\n' "$1" >"$BATS_TEST_TMPDIR/bad.scenario"
	run "$BATS_TEST_DIRNAME/replay/replay" "$BATS_TEST_TMPDIR/bad.scenario"
	[ "$status" -eq 65 ]
	[ "$output" = "replay: $BATS_TEST_TMPDIR/bad.scenario:4: $2" ] || { echo "$output" >&2; return 1; }
}

@test "a bad scenario is one message with its line" {
	bad "at 4s" "time goes back: 4s"
	bad "at 5x" "not a time: '5x'"
	bad "at 6s down mlx5_9/1" "down: no such device: mlx5_9"
	bad "at 6s explode mlx5_1" "unknown command: explode"
	bad "at 6s monitor starts" "at 6s: the monitor runs already"
	bad "at 6s next scan loses device mlx5_9" "at 10s: nothing in the scan to lose: device mlx5_9"
	bad "wait 5s" "unknown word: wait (platform interval config checks starts at expect until)"
}

@test "an event that is missing and one that is too many both fail a scenario, with what was to come and what came" {
	cat >"$BATS_TEST_TMPDIR/wrong.scenario" <<-'END'
		# Not so.
		platform l40s-onprem
		at 5s     down mlx5_1/1
		expect    fatal InfiniBandStateCheck mlx5_2/1 "Port mlx5_2 port 1: state DOWN, phys_state Disabled"
		until 10s
	END
	run "$BATS_TEST_DIRNAME/replay/replay" --filter "$BATS_TEST_TMPDIR/wrong.scenario"
	[ "$status" -eq 1 ]
	diff - <(tail -n 3 <<<"$output") <<-'END'
		  at 5s (03:00:05):
		    - expected  fatal InfiniBandStateCheck mlx5_2/1 "Port mlx5_2 port 1: state DOWN, phys_state Disabled"  (line 4)
		    + came      fatal InfiniBandStateCheck mlx5_1/1 "Port mlx5_1 port 1: state DOWN, phys_state Disabled"
	END
}

@test "An administrator resets the counters: the breach that was reported once is taken back once, and the next one counts." { scenario admin-reset; }
@test "The monitor is killed right after it reported a breach, and the counters are reset before it is back: the breach is taken back." { scenario admin-reset-killed; }
@test "The counters are reset while the monitor is restarted: the breach is taken back all the same." { scenario admin-reset-restart; }
@test "All ports of a role down together are that many ports, and no card is compared with cards that are down too." { scenario all-ports-down; }
@test "Without a subnet manager all ports stay in INIT: that many degradations, and no card stands out." { scenario all-ports-stuck; }
@test "A port that goes down while the monitor is down is reported when it is back, and needs no peers for evidence." { scenario broken-while-down; }
@test "A card whose missing ports have all been reported as fatal is not reported on top of them." { scenario card-adds-nothing; }
@test "A card with one port reported as fatal and another that is merely stuck is reported, for the sake of the other." { scenario card-adds-something; }
@test "A card of which the operator excludes one function has fewer ports than its peers by intent: nobody is told." { scenario card-with-excluded-function; }
@test "A card that was reported stays reported over a restart, and one that is mended meanwhile is taken back." { scenario card-over-restart; }
@test "Two carrier changes in an interval are a replugged cable, three are an instability." { scenario carrier-changes; }
@test "A breach is taken back under the name it was reported with, though the configuration has changed since." { scenario check-name-of-the-breach; }
@test "With --checks only what these checks say is said." { scenario checks-subset; }
@test "A class directory that cannot be listed is no evidence against any NIC, also over a restart; when it is back, what is missing is." { scenario class-directory-gone; }
@test "With disappearance.confirmScans: 3 a NIC must be missing in three looks in a row." { scenario confirm-scans; }
@test "How often a NIC has been missing is remembered over a restart." { scenario confirm-scans-restart; }
@test "A link that went down and came back while the monitor was down is reported when it is back." { scenario counted-while-down; }
@test "A counter that is switched off while it is breached takes its breach back; switched on again it starts from nothing." { scenario counter-disabled-while-breached; }
@test "A counter that cannot be read for a while is no evidence meanwhile, and is judged over the whole gap when it is back." { scenario counter-missing-for-a-while; }
@test "With counterDetection off no counter is judged, and ports are as before." { scenario counters-off; }
@test "A counter of the operator's own is judged like the others." { scenario custom-counter; }
@test "A NIC that is back with its port down is not back yet: nothing is said until the port is healthy." { scenario device-back-but-down; }
@test "A device that is excluded while something stands against it takes that back, and is forgotten rather than missed." { scenario device-excluded-while-breached; }
@test "A NIC that is gone is reported once, over restarts and kills too, and taken back once when it returns." { scenario device-gone-over-restart; }
@test "A NIC that is merely gone keeps its breach; back with new counters the breach is taken back." { scenario device-keeps-its-flags; }
@test "A NIC that vanishes is one fatal event about the NIC; when it is back with a healthy port, NIC and port are taken back." { scenario device-vanishes; }
@test "A NIC that vanishes while the monitor is down is reported at its first look." { scenario device-vanishes-while-down; }
@test "NICs that vanish together are reported each." { scenario devices-vanish-together; }
@test "A driver reload that a scan does not see says nothing, though all counters start anew." { scenario driver-reload; }
@test "With earlyBreach a count that already exceeds the whole window's is reported at once; exactly the threshold is not." { scenario early-breach; }
@test "120 symbol errors in exactly one hour are within the specification, also with a restart in the middle of the hour." { scenario errors-120-an-hour; }
@test "121 symbol errors in exactly one hour are outside the specification, also with a restart in the middle of the hour." { scenario errors-121-an-hour; }
@test "A monitor that is killed in the middle of the hour still counts the whole hour." { scenario errors-121-an-hour-killed; }
@test "With fatalCounterCheck: degradation fatal counters go under the degradation check, where no healthy port can hide them." { scenario fatal-counters-as-degradation; }
@test "The first verdicts and the baseline wait for a NIC that hangs, for three looks; then they go on with what can be read." { scenario first-scan-hung-device; }
@test "A NIC that the operator names is reported when it is down from the start, peers or not." { scenario first-scan-pinned; }
@test "A port that is down when first seen is reported if its card has fewer ports than its peers, and only then." { scenario first-scan-port-down; }
@test "A port that is polling when first seen, while its peers are up, is a degradation, and its card is broken at once." { scenario first-scan-port-polling; }
@test "The baseline waits for the first scan that has everything, and does not wait longer." { scenario first-scan-waits; }
@test "A port that is mended while the monitor is down is taken back when it is back." { scenario fixed-while-down; }
@test "A port that flaps 100 times in a minute is reported as it is seen, change by change, and its carrier changes once." { scenario flapping; }
@test "On a node never seen before every healthy port, card and counter is said to be healthy, once." { scenario fresh-start; }
@test "Each enabled check clears what was said before, also on a node that has no port for it." { scenario fresh-start-a-check-each; }
@test "The baseline has both link layers: InfiniBand compute cards, and Ethernet storage cards whose second ports have no cable." { scenario fresh-start-infiniband; }
@test "With baseline.clearCheck: false there are no check-wide events." { scenario fresh-start-without-clear; }
@test "Firmware that hangs is reported after three looks in a row, over a restart too, and taken back; its port keeps its last state." { scenario hung-device; }
@test "Rates are over the time that really passed, whatever the polling interval is." { scenario interval-changes; }
@test "A monitor that is killed after every scan says all that one says that lives, and nothing twice." { scenario killed-over-and-over; }
@test "A breach is reported once, however often the monitor is stopped, killed and started." { scenario latched-over-restart; }
@test "A card that the management NIC sits on is not compared with others." { scenario management-sibling; }
@test "What happens to the management NIC is nobody's business, also when it loses its link and its route with it." { scenario management-silent; }
@test "Ports that were unhealthy when first seen, without peers that are better, stay silent until they turn fatal or healthy." { scenario muted-ports; }
@test "Without a state file nothing is remembered: no baseline, and after a restart everything is seen for the first time." { scenario no-state-file; }
@test "A burst of symbol errors is a degradation at once and outside the specification after an hour; one reset takes both back." { scenario one-file-two-counters; }
@test "The state file of the original program is picked up: its breach stays silent until reset, its DOWN port recovers, its NIC is missed." { scenario original-state-file; }
@test "A state file of an earlier boot is worth nothing: a baseline, and no NIC of then is missed." { scenario original-state-file-other-boot; }
@test "A baseline that is still owed when the monitor is killed is sent by the next one." { scenario owed-baseline-killed; }
@test "A baseline that is still owed when the monitor is restarted is sent by the next one." { scenario owed-baseline-restart; }
@test "Ethernet: DOWN is fatal for whatever reason, states on the way up are not reported." { scenario port-states-ethernet; }
@test "InfiniBand: DOWN and Disabled are fatal, what is on its way up (Polling, recovery, INIT, ARMED) is a degradation." { scenario port-states-infiniband; }
@test "A port that is degraded and turns fatal is two events; after that nothing but healthy is news." { scenario port-turns-fatal; }
@test "A port that vanishes from a NIC that stays is fatal for the port alone, and taken back when it is there again and healthy." { scenario port-vanishes; }
@test "An Ethernet port that is slower than its peers is a RoCE port under the Ethernet check, also when it is a single one of sixteen." { scenario rate-below-first-ethernet; }
@test "A port that is slower than its peers when first seen is reported at once, behind its check's baseline." { scenario rate-below-first; }
@test "Without its degradation check a slow port is not reported, nor is one taken back that was." { scenario rate-checks; }
@test "A slow port whose NIC vanishes stays reported, and is taken back when it is there again and as fast; the half minute counts anew." { scenario rate-device-vanishes; }
@test "A rate that is low for less than half a minute, however often, is a link that trains; and so is one between two states of its port." { scenario rate-flaps; }
@test "A slow port that leaves monitoring takes that back, and is forgotten." { scenario rate-leaves-monitoring; }
@test "While the link of a slow port is down its rate is nobody's business; it is taken back when it is up and as fast as its peers." { scenario rate-link-down; }
@test "The rate of the management NIC is nobody's business, and no evidence." { scenario rate-management; }
@test "A slow port stays reported over restarts and kills, the half minute goes on meanwhile, and one that is mended meanwhile is taken back." { scenario rate-over-restart; }
@test "After a reboot a slow port of before counts for nothing, and one that is slow now is reported at once." { scenario rate-reboot; }
@test "A change of scope neither repeats nor forgets a slow port." { scenario rate-scope-changes; }
@test "homogeneity.settleSeconds says how long a port may be below its peers." { scenario rate-settle-seconds; }
@test "A port that falls below its peers is reported after half a minute, once whatever rate it comes to, and taken back when it is as fast again." { scenario rate-settles; }
@test "Two ports against two say nothing about which of them is right; a third decides." { scenario rate-tied; }
@test "A NIC of another generation is slower by intent, and so is one that is cabled to something else with more lanes." { scenario rate-two-generations; }
@test "A NIC that cannot be read is no evidence about the rates of others, and a scan that lost a line none about any." { scenario rate-unreadable; }
@test "A port with fewer lanes than its peers is reported though it is as fast." { scenario rate-width; }
@test "After a reboot nothing of before counts: every check is cleared and everything healthy is said to be." { scenario reboot; }
@test "After a reboot a NIC that did not come up is found by its card's peers." { scenario reboot-nic-missing; }
@test "After a reboot with other NICs no one misses the old ones." { scenario reboot-other-nics; }
@test "After a reboot a port that did not come up is reported, for its peers did." { scenario reboot-port-down; }
@test "A NIC that udev gives another name is not missing: its counters go on, and what stands is taken back under the old name and said under the new one." { scenario renamed; }
@test "A counter reset inside a velocity window begins a new window: what was counted before it no longer counts." { scenario reset-in-window; }
@test "A counter that stood at its maximum when first seen is said to be blind, once, until it is reset; also over a restart." { scenario saturated; }
@test "A change of scope makes no NIC disappear, and counters go on: a breach stays latched, and is taken back by a reset." { scenario scope-changes; }
@test "homogeneity.settleSeconds says how long a card may be below its peers." { scenario settle-seconds; }
@test "A port that trains for less than half a minute, however often, is no broken card." { scenario settles-in-time; }
@test "A card without peers is never judged; its port is, once it has been seen healthy." { scenario singleton-group; }
@test "A port that is healthy again under the same check name does not hide its breaches: each fatal one is sent again right after." { scenario standing-breach; }
@test "A port that is healthy again with its counters reset says both, and sends no breach again that is over." { scenario standing-breach-reset; }
@test "A breach that stands since before a restart is sent again, in its own words, when its port is healthy again." { scenario standing-breach-restart; }
@test "An InfiniBand port stuck in ARMED is a degradation at once, and a broken card after half a minute." { scenario stuck-in-armed; }
@test "An Ethernet port stuck in INIT is never reported itself, but its card is, after half a minute below its peers." { scenario stuck-in-init; }
@test "A cable that is pulled is a degradation at once; a port that is still polling after half a minute is a broken card." { scenario stuck-in-polling; }
@test "Two cards of which one has fewer ports say nothing about which of them is right." { scenario tied-group; }
@test "A scan that lost lines is no evidence that a NIC is gone; what it has left is judged." { scenario torn-scan; }
@test "A NIC that vanishes in a scan that lost a line is reported with the next one that is whole." { scenario torn-scan-while-gone; }
@test "A card with a function that cannot be read is not judged: what it has is not known." { scenario unreadable-card; }
@test "A NIC that cannot be read is unknown, not broken: one event after three looks in a row, one when it can be read again." { scenario unreadable-device; }
@test "A NIC that cannot be read and then vanishes has vanished." { scenario unreadable-then-gone; }
@test "Virtual functions come up, go down, count errors and vanish, and no one is told." { scenario virtual-functions; }
@test "A wall clock that jumps forth and back by a day moves no window: an hour is an hour of uptime, also over a restart." { scenario wall-clock-jumps; }
@test "A wall clock that jumps by a day neither hastens nor delays the verdict about a card." { scenario wall-clock-settle; }
@test "A velocity is judged over the whole window: exactly the threshold is allowed, one more is not, and a burst is not extrapolated." { scenario window-exact; }
@test "A velocity window goes on while the monitor is down: the rate is over the time that really passed." { scenario window-over-downtime; }
