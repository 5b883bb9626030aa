# sources - ctreval: its main file, and the rest, which unit tests link too; one a line.
# SPDX-License-Identifier: Apache-2.0
ctreval_MAIN := tools/ctreval/main.c
ctreval_SRCS := \
	tools/ctreval/announce.c \
	tools/ctreval/check/baseline.c \
	tools/ctreval/check/below.c \
	tools/ctreval/check/bond.c \
	tools/ctreval/check/card.c \
	tools/ctreval/check/cardlist.c \
	tools/ctreval/check/changed.c \
	tools/ctreval/check/chardev.c \
	tools/ctreval/check/clear.c \
	tools/ctreval/check/counter.c \
	tools/ctreval/check/counterexplain.c \
	tools/ctreval/check/device.c \
	tools/ctreval/check/deviceevent.c \
	tools/ctreval/check/eval.c \
	tools/ctreval/check/evaluation.c \
	tools/ctreval/check/flap.c \
	tools/ctreval/check/gids.c \
	tools/ctreval/check/grace.c \
	tools/ctreval/check/hold.c \
	tools/ctreval/check/leave.c \
	tools/ctreval/check/lnet.c \
	tools/ctreval/check/missing.c \
	tools/ctreval/check/names.c \
	tools/ctreval/check/observe.c \
	tools/ctreval/check/plane.c \
	tools/ctreval/check/pollstall.c \
	tools/ctreval/check/port.c \
	tools/ctreval/check/portevent.c \
	tools/ctreval/check/portflap.c \
	tools/ctreval/check/rate.c \
	tools/ctreval/check/saturation.c \
	tools/ctreval/check/unreachable.c \
	tools/ctreval/check/watched.c \
	tools/ctreval/check/withdraw.c \
	tools/ctreval/evalmetrics.c \
	tools/ctreval/portmetrics.c \
	tools/ctreval/session.c \
	tools/ctreval/state/codec.c \
	tools/ctreval/state/forget.c \
	tools/ctreval/state/identity.c \
	tools/ctreval/state/memory.c \
	tools/ctreval/state/original.c \
	tools/ctreval/state/section.c \
	tools/ctreval/state/standing.c \
	tools/ctreval/state/state.c \
	tools/ctreval/state/statechardevs.c \
	tools/ctreval/state/statecounters.c \
	tools/ctreval/state/statedevices.c \
	tools/ctreval/state/statefile.c \
	tools/ctreval/state/stateidentities.c \
	tools/ctreval/state/stateorphans.c \
	tools/ctreval/state/stateports.c \
	tools/ctreval/state/table.c \
	tools/ctreval/tally.c
