#!/usr/bin/env bats
# receivers: the receiver models of the belief tests, rule by rule, in the notation of lib/believe.
# SPDX-License-Identifier: Apache-2.0

load lib/common

believe() { "$BATS_TEST_DIRNAME/lib/believe" "$@"; }

# must_be_acted_on RECEIVER - check that it ignores events that are not fatal or are STORE_ONLY
must_be_acted_on() {
	believe "$1" <<-'END'
		degraded A NIC=mlx5_0 a
		fatal A NIC=mlx5_1 a STORE_ONLY
		=> nothing
		fatal A NIC=mlx5_2 a
		healthy A NIC=mlx5_2 a STORE_ONLY
		=> fatal A NIC=mlx5_2 a
	END
}

# --- NVSentinel's platform connector: node conditions ---

@test "node condition: a fatal event stands until a healthy event with its entities and its code" {
	believe condition <<-'END'
		fatal A NIC=mlx5_0,NICPort=1 link_downed
		=> fatal A NIC=mlx5_0,NICPort=1 link_downed
		healthy A NIC=mlx5_0,NICPort=1 link_downed
		=> nothing
	END
}

@test "node condition: a healthy event with a code leaves other codes; one without a code clears its entities" {
	believe condition <<-'END'
		fatal A NIC=mlx5_0,NICPort=1 link_downed
		fatal A NIC=mlx5_0,NICPort=1 port_state
		healthy A NIC=mlx5_0,NICPort=1 port_state
		=> fatal A NIC=mlx5_0,NICPort=1 link_downed
		fatal A NIC=mlx5_0,NICPort=1 port_state
		healthy A NIC=mlx5_0,NICPort=1 -
		=> nothing
	END
}

@test "node condition: one common code of several is enough, on either side" {
	believe condition <<-'END'
		fatal A NIC=mlx5_0 a,b
		fatal A NIC=mlx5_1 c
		healthy A NIC=mlx5_0 b
		=> fatal A NIC=mlx5_1 c
		healthy A NIC=mlx5_1 a,b,c
		=> nothing
	END
}

@test "node condition: a healthy event clears the messages that name all of its entities" {
	believe condition <<-'END'
		fatal A NIC=mlx5_0,NICPort=1 a
		fatal A NIC=mlx5_0,NICPort=2 a
		fatal A NIC=mlx5_0 a
		healthy A NIC=mlx5_0,NICPort=2 a
		=> fatal A NIC=mlx5_0,NICPort=1 a
		=> fatal A NIC=mlx5_0 a
		healthy A NIC=mlx5_0 a
		=> nothing
	END
}

@test "node condition: mlx5_1 does not match mlx5_10, nor symbol_error symbol_error_fatal" {
	believe condition <<-'END'
		fatal A NIC=mlx5_10 a
		fatal A NIC=mlx5_1 symbol_error_fatal
		healthy A NIC=mlx5_1 a
		healthy A NIC=mlx5_1 symbol_error
		=> fatal A NIC=mlx5_10 a
		=> fatal A NIC=mlx5_1 symbol_error_fatal
	END
}

@test "node condition: a healthy event without entities clears its check, whatever its code, and no other" {
	believe condition <<-'END'
		fatal A NIC=mlx5_0 a
		fatal A NIC=mlx5_1 b
		fatal B NIC=mlx5_0 a
		healthy A node z
		=> fatal B NIC=mlx5_0 a
	END
}

@test "node condition: an event that is not fatal, or is STORE_ONLY, makes no condition" {
	must_be_acted_on condition
}

@test "node condition: a repeated message is there once; another one about its entities is cleared with it" {
	believe condition <<-'END'
		fatal A NIC=mlx5_0 a value=1
		--
		fatal A NIC=mlx5_0 a value=1
		--
		fatal A NIC=mlx5_0 a value=2
		=> fatal A NIC=mlx5_0 a
		healthy A NIC=mlx5_0 a
		=> nothing
	END
}

@test "node condition: a semicolon in a message does not end it" {
	believe condition <<-'END'
		fatal A NIC=mlx5_0 a one; two; NIC:mlx5_9
		=> fatal A NIC=mlx5_0 a
	END
}

@test "node condition: the events of a batch are sorted by time, those of two calls are not" {
	believe condition <<-'END'
		healthy A NIC=mlx5_0 a at 20
		fatal A NIC=mlx5_0 a at 10
		=> nothing
		healthy A NIC=mlx5_0 a at 20
		--
		fatal A NIC=mlx5_0 a at 10
		=> fatal A NIC=mlx5_0 a
	END
}

@test "node condition: the seed decides the order of events of the same time" {
	local seed ends=
	for seed in 1 2 3 4 5 6 7 8; do
		# shellcheck disable=SC2015 # either way
		believe condition --seed "$seed" >/dev/null <<-'END' && ends+=c || ends+=s
			fatal A NIC=mlx5_0 a at 10
			healthy A NIC=mlx5_0 a at 10
			=> nothing
		END
	done
	[[ $ends = *c* && $ends = *s* ]]
}

# --- NVSentinel's fault quarantine ---

@test "quarantine: a fatal event is a key for each entity and code, and its healthy event removes them" {
	believe quarantine <<-'END'
		fatal A NIC=mlx5_0,NICPort=1 a,b
		=> fatal A NIC=mlx5_0 a
		=> fatal A NIC=mlx5_0 b
		=> fatal A NICPort=1 a
		=> fatal A NICPort=1 b
		healthy A NIC=mlx5_0,NICPort=1 a
		=> fatal A NIC=mlx5_0 b
		=> fatal A NICPort=1 b
		healthy A NIC=mlx5_0,NICPort=1 a,b
		=> nothing
	END
}

@test "quarantine: a healthy event without a code removes all keys of its entities" {
	believe quarantine <<-'END'
		fatal A NIC=mlx5_0,NICPort=1 a
		fatal A NIC=mlx5_0 -
		healthy A NIC=mlx5_0 -
		=> fatal A NICPort=1 a
	END
}

@test "quarantine: a healthy event with a code leaves keys without one" {
	believe quarantine <<-'END'
		fatal A NIC=mlx5_0 -
		healthy A NIC=mlx5_0 a
		=> fatal A NIC=mlx5_0 -
	END
}

@test "quarantine: a healthy event of another device removes the port's key of the same number, not the NIC's" {
	believe quarantine <<-'END'
		fatal A NIC=mlx5_0,NICPort=1 a
		healthy A NIC=mlx5_1,NICPort=1 a
		=> fatal A NIC=mlx5_0 a
	END
}

@test "quarantine: a healthy event without entities removes all keys of its check, or those with its code" {
	believe quarantine <<-'END'
		fatal A NIC=mlx5_0 a
		fatal A NIC=mlx5_1 b
		fatal B NIC=mlx5_0 a
		healthy A node a
		=> fatal A NIC=mlx5_1 b
		=> fatal B NIC=mlx5_0 a
		healthy A node -
		=> fatal B NIC=mlx5_0 a
	END
}

@test "quarantine: an event that is not fatal, or is STORE_ONLY, cordons no node" {
	must_be_acted_on quarantine
}

# --- emit --standing ---

@test "standing: conditions differ by check, entities and codes" {
	believe standing <<-'END'
		fatal A NIC=mlx5_0,NICPort=1 a
		degraded A NIC=mlx5_0,NICPort=1 b
		fatal B NIC=mlx5_0,NICPort=1 a
		healthy A NIC=mlx5_0,NICPort=1 a
		=> degraded A NIC=mlx5_0,NICPort=1 b
		=> fatal B NIC=mlx5_0,NICPort=1 a
	END
}

@test "standing: a condition that turns fatal replaces the earlier one and stays fatal until it ends" {
	believe standing <<-'END'
		degraded A NIC=mlx5_0 a
		fatal A NIC=mlx5_0 a
		=> fatal A NIC=mlx5_0 a
		degraded A NIC=mlx5_0 a
		=> fatal A NIC=mlx5_0 a
		healthy A NIC=mlx5_0 a
		=> nothing
	END
}

@test "standing: a healthy event ends conditions of all its entities with its codes, or with any if it has none" {
	believe standing <<-'END'
		fatal A NIC=mlx5_0,NICPort=1 a,b
		fatal A NIC=mlx5_0,NICPort=1 b
		fatal A NIC=mlx5_0,NICPort=1 -
		fatal A NIC=mlx5_0 b
		fatal A NIC=mlx5_1,NICPort=1 b
		healthy A NIC=mlx5_0,NICPort=1 b,c
		=> fatal A NIC=mlx5_0,NICPort=1 a,b
		=> fatal A NIC=mlx5_0,NICPort=1 -
		=> fatal A NIC=mlx5_0 b
		=> fatal A NIC=mlx5_1,NICPort=1 b
		healthy A NIC=mlx5_0 a,b
		=> fatal A NIC=mlx5_0,NICPort=1 -
		=> fatal A NIC=mlx5_1,NICPort=1 b
		healthy A NIC=mlx5_0 -
		=> fatal A NIC=mlx5_1,NICPort=1 b
	END
}

@test "standing: a healthy event without entities ends all conditions of its check" {
	believe standing <<-'END'
		fatal A NIC=mlx5_0 a
		fatal B NIC=mlx5_0 a
		healthy A node -
		=> fatal B NIC=mlx5_0 a
	END
}

@test "standing: a kernel log condition ends with the boot, and after an hour if it is not fatal" {
	believe standing <<-'END'
		fatal SysLogsNICDriverError NIC=mlx5_0 a
		degraded SysLogsNICDriverError NIC=mlx5_0 b
		degraded A NIC=mlx5_0 b
		at 3599
		=> fatal SysLogsNICDriverError NIC=mlx5_0 a
		=> degraded SysLogsNICDriverError NIC=mlx5_0 b
		=> degraded A NIC=mlx5_0 b
		at 3600
		=> fatal SysLogsNICDriverError NIC=mlx5_0 a
		=> degraded A NIC=mlx5_0 b
		boot
		=> degraded A NIC=mlx5_0 b
	END
}

# --- Alertmanager ---

@test "alert: the labels identify it: posting it again renews it, other labels make another alert" {
	believe alerts <<-'END'
		post alertname=A,port=1 0 100
		post alertname=A,port=2 0 100
		at 50
		post alertname=A,port=1 0 150
		=> alertname=A,port=1
		=> alertname=A,port=2
		at 120
		=> alertname=A,port=1
	END
}

@test "alert: an end in the past resolves it; without an end it lasts five minutes" {
	believe alerts <<-'END'
		post alertname=A 0 100
		post alertname=B - -
		at 50
		post alertname=A 0 50
		=> alertname=B
		at 300
		=> nothing
	END
}

@test "alert: an end before the start and missing labels are rejected; an empty label does not count" {
	believe alerts <<-'END'
		post alertname=A 10 5
		post port= 0 100
		post alertname=B,port= 0 100
		=> alertname=B
	END
}

@test "a story without a check is rejected, and a wrong one fails and prints what the receiver believes" {
	run believe condition <<<'fatal A NIC=mlx5_0 a'
	[ "$status" -eq 2 ]
	run believe condition <<<$'fatal A NIC=mlx5_0 a\n=> nothing'
	[ "$status" -eq 1 ]
	[ "$output" = $'at `=> nothing` the receiver believes:\nfatal A NIC=mlx5_0 a' ]
}
