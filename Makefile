# nic-health-monitor. `make help` lists the targets; V=1 shows the commands; CFLAGS, CPPFLAGS and LDFLAGS are yours.

# --- what is built -------------------------------------------------------------------------------------------------

LIB_SRCS := lib/acks.c lib/array.c lib/atomfile.c lib/clock.c lib/conf.c lib/confcounters.c lib/confpatterns.c lib/confprint.c lib/confsysfs.c \
	lib/counters.c lib/diag.c lib/event.c lib/exposition.c lib/filter.c lib/host.c lib/intake.c lib/line.c lib/logpattern.c lib/metricname.c \
	lib/metrics.c lib/metricspage.c lib/metricsvalue.c lib/natural.c lib/num.c lib/opt.c lib/outbox.c lib/outlet.c lib/pcifn.c lib/peers.c lib/portcounters.c \
	lib/portfacts.c lib/proc.c lib/rec.c lib/rx.c lib/scan.c lib/scanmetrics.c lib/scanrec.c lib/stop.c lib/store.c lib/sysfs.c lib/terminal.c \
	lib/utf8.c lib/yamldoc.c

# Per program: its main file, and the rest, which the unit tests link too.
PROGRAMS := ibscan topoclass topoparse ctreval logmatch emit nic-health-monitor
# Programs that are shell scripts, assembled from their parts.
SCRIPTS := nhm-capture
nhm-capture_SRCS := tools/capture/nhm-capture $(wildcard tools/capture/*.sh tools/capture/*.awk)
ibscan_SRCS := tools/ibscan/cells.c tools/ibscan/config.c tools/ibscan/descriptors.c tools/ibscan/device.c tools/ibscan/errorcounts.c \
	tools/ibscan/evidence.c tools/ibscan/headline.c tools/ibscan/identity.c tools/ibscan/layout.c tools/ibscan/live.c \
	tools/ibscan/output.c tools/ibscan/parse.c tools/ibscan/port.c \
	tools/ibscan/readers.c tools/ibscan/record.c tools/ibscan/recorded.c tools/ibscan/remarks.c tools/ibscan/rows.c tools/ibscan/scanner.c \
	tools/ibscan/style.c tools/ibscan/table.c tools/ibscan/unbound.c
topoclass_SRCS := tools/topoclass/annotate.c tools/topoclass/classify.c tools/topoclass/metadata.c \
	tools/topoclass/route.c tools/topoclass/scanbuf.c
topoparse_SRCS := tools/topoparse/devices.c tools/topoparse/gpus.c tools/topoparse/header.c tools/topoparse/input.c tools/topoparse/level.c \
	tools/topoparse/matrix.c tools/topoparse/output.c tools/topoparse/row.c tools/topoparse/tail.c tools/topoparse/text.c tools/topoparse/topo.c
ctreval_SRCS := tools/ctreval/announce.c tools/ctreval/card.c tools/ctreval/cardcheck.c tools/ctreval/check.c tools/ctreval/counter.c tools/ctreval/countercheck.c \
	tools/ctreval/decodecounters.c tools/ctreval/decoder.c \
	tools/ctreval/device.c tools/ctreval/devicecheck.c tools/ctreval/eval.c tools/ctreval/evaluation.c \
	tools/ctreval/explain.c tools/ctreval/leave.c tools/ctreval/numbers.c tools/ctreval/observe.c tools/ctreval/port.c tools/ctreval/portcheck.c \
	tools/ctreval/rate.c tools/ctreval/ratecheck.c tools/ctreval/session.c tools/ctreval/state.c tools/ctreval/statedecode.c tools/ctreval/stateencode.c \
	tools/ctreval/table.c tools/ctreval/tally.c
logmatch_SRCS := tools/logmatch/analysis.c tools/logmatch/blocks.c tools/logmatch/cards.c tools/logmatch/civil.c tools/logmatch/follow.c tools/logmatch/journaljson.c \
	tools/logmatch/judge.c tools/logmatch/kmsg.c tools/logmatch/kmsgform.c tools/logmatch/lineform.c tools/logmatch/listing.c tools/logmatch/lockup.c \
	tools/logmatch/lockupline.c tools/logmatch/logtime.c tools/logmatch/matcher.c tools/logmatch/memory.c tools/logmatch/noise.c tools/logmatch/numbers.c tools/logmatch/output.c \
	tools/logmatch/pattern.c tools/logmatch/pciaddr.c tools/logmatch/pcilook.c tools/logmatch/session.c tools/logmatch/sieve.c tools/logmatch/stamp.c \
	tools/logmatch/standing.c tools/logmatch/syslogform.c
emit_SRCS := tools/emit/alertmanager.c tools/emit/alerts.c tools/emit/batch.c tools/emit/conditions.c tools/emit/curlsetup.c tools/emit/database.c \
	tools/emit/facts.c tools/emit/fault.c tools/emit/grpc.c tools/emit/held.c tools/emit/history.c tools/emit/historylines.c tools/emit/historylist.c \
	tools/emit/historyoptions.c tools/emit/historyreplay.c tools/emit/historyrow.c tools/emit/historytable.c tools/emit/historytext.c tools/emit/http.c \
	tools/emit/httpclient.c tools/emit/inputs.c tools/emit/journal.c tools/emit/journalin.c tools/emit/journalspool.c tools/emit/numbers.c tools/emit/options.c \
	tools/emit/queue.c tools/emit/reply.c tools/emit/request.c tools/emit/resolver.c tools/emit/retention.c tools/emit/retry.c tools/emit/routing.c \
	tools/emit/run.c tools/emit/salvage.c tools/emit/schema.c tools/emit/sent.c tools/emit/sink.c tools/emit/sinkspec.c tools/emit/sources.c tools/emit/spool.c \
	tools/emit/spoolsize.c tools/emit/spoolsql.c tools/emit/spoolview.c tools/emit/stamp.c tools/emit/stream.c tools/emit/token.c tools/emit/transport.c tools/emit/verdict.c \
	tools/emit/webhook.c tools/emit/when.c tools/emit/wire.c
# What protoc-c makes of a .proto, in $(BUILD)/gen.
emit_PROTOS := tools/emit/health_event.proto
nic-health-monitor_SRCS := tools/supervisor/answers.c tools/supervisor/checks.c tools/supervisor/confcopy.c tools/supervisor/connector.c \
	tools/supervisor/health.c tools/supervisor/heartbeat.c tools/supervisor/httpd.c tools/supervisor/keeper.c tools/supervisor/lastscan.c \
	tools/supervisor/listener.c tools/supervisor/notify.c tools/supervisor/once.c tools/supervisor/options.c tools/supervisor/outside.c \
	tools/supervisor/pipeline.c tools/supervisor/preflight.c tools/supervisor/probe.c tools/supervisor/readiness.c tools/supervisor/report.c \
	tools/supervisor/restart.c tools/supervisor/scrape.c tools/supervisor/self.c tools/supervisor/service.c tools/supervisor/sinkwords.c \
	tools/supervisor/stagecall.c tools/supervisor/stagerun.c tools/supervisor/stages.c tools/supervisor/statefiles.c tools/supervisor/summary.c \
	tools/supervisor/textbox.c tools/supervisor/watch.c tools/supervisor/watched.c

ibscan_MAIN := tools/ibscan/main.c
topoclass_MAIN := tools/topoclass/main.c
topoparse_MAIN := tools/topoparse/main.c
ctreval_MAIN := tools/ctreval/main.c
logmatch_MAIN := tools/logmatch/main.c
emit_MAIN := tools/emit/main.c
nic-health-monitor_MAIN := tools/supervisor/main.c

TOOL_SRCS := $(foreach p,$(PROGRAMS),$($(p)_SRCS))
UNIT_TESTS := $(patsubst test/unit/%.c,%,$(wildcard test/unit/*_test.c))
FUZZERS := $(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/fuzz_*.c))
MANUALS := $(wildcard tools/*/*.1 doc/*.5 doc/*.7)

# --- how -----------------------------------------------------------------------------------------------------------

PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
BIN ?= bin
CC ?= cc
LIBRARIES := jansson libpcre2-8 yaml-0.1 sqlite3 libcurl libprotobuf-c libmicrohttpd
WERROR ?=

# FORTIFY needs optimisation and does not go with the sanitizers, which bring their own checks.
SANITIZE ?=
HARDENING := -fstack-protector-strong -fstack-clash-protection -fcf-protection \
	$(if $(SANITIZE),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wformat=2 -Wwrite-strings -Wundef \
	-Wpointer-arith -Wvla $(if $(WERROR),-Werror)

ALL_CPPFLAGS = -D_GNU_SOURCE -Ilib -I$(BUILD)/gen $(shell pkg-config --cflags $(LIBRARIES) 2>/dev/null) $(CPPFLAGS)
ALL_CFLAGS = -std=gnu11 -O2 -g -fPIE -pthread $(WARNINGS) $(HARDENING) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all) $(CFLAGS)
ALL_LDFLAGS = -pie -pthread -Wl,-z,relro -Wl,-z,now -Wl,--as-needed $(if $(SANITIZE),-fsanitize=$(SANITIZE)) \
	$(LDFLAGS)
LIBS = $(shell pkg-config --libs $(LIBRARIES) 2>/dev/null) -lm

ALL_CPPFLAGS := $(ALL_CPPFLAGS)
LIBS := $(LIBS)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/%.o)
PROTO_OBJS := $(patsubst %.proto,$(BUILD)/gen/%.pb-c.o,$(notdir $(foreach p,$(PROGRAMS),$($(p)_PROTOS))))
TOOL_OBJS := $(TOOL_SRCS:%.c=$(BUILD)/%.o) $(PROTO_OBJS)
# All objects of a program but its main one.
program_objs = $($(1)_SRCS:%.c=$(BUILD)/%.o) $(patsubst %.proto,$(BUILD)/gen/%.pb-c.o,$(notdir $($(1)_PROTOS)))
MAIN_OBJS := $(foreach p,$(PROGRAMS),$($(p)_MAIN:%.c=$(BUILD)/%.o))

.PHONY: all programs
all: programs ## build the programs into bin/ (the default)
programs: $(PROGRAMS:%=$(BIN)/%) $(SCRIPTS:%=$(BIN)/%)

# A library that is missing would otherwise show as a page of errors about headers.
.PHONY: libraries
libraries:
	@pkg-config --exists $(LIBRARIES) || \
		{ echo "make: libraries are missing ($(LIBRARIES)); 'make deps' installs them" >&2; exit 1; }

$(LIB_OBJS) $(TOOL_OBJS) $(MAIN_OBJS): | libraries

$(BUILD)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -MMD -MP $(ALL_CFLAGS) -c -o $@ $<

# What includes a generated header is compiled after it has been made.
define proto_rule
$(BUILD)/gen/$(basename $(notdir $(1))).pb-c.h: $(1) | libraries
	$$(call say,PROTO,$$<)
	$$(Q)mkdir -p $$(@D)
	$$(Q)protoc-c --proto_path=$$(<D) --c_out=$$(@D) $$<
$(BUILD)/gen/$(basename $(notdir $(1))).pb-c.o: $(BUILD)/gen/$(basename $(notdir $(1))).pb-c.h
	$$(call say,CC,$$(<:.h=.c))
	$$(Q)$$(CC) $$(ALL_CPPFLAGS) $$(ALL_CFLAGS) -c -o $$@ $$(<:.h=.c)
$(filter $(BUILD)/$(dir $(1))%,$(TOOL_SRCS:%.c=$(BUILD)/%.o)): | $(BUILD)/gen/$(basename $(notdir $(1))).pb-c.h
endef
$(foreach p,$(PROGRAMS),$(foreach f,$($(p)_PROTOS),$(eval $(call proto_rule,$(f)))))
PROTO_HEADERS := $(PROTO_OBJS:.o=.h)

define program_rule
$(BIN)/$(1): $$($(1)_MAIN:%.c=$$(BUILD)/%.o) $$(call program_objs,$(1)) $$(LIB_OBJS)
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach p,$(PROGRAMS),$(eval $(call program_rule,$(p))))

$(BIN)/nhm-capture: $(nhm-capture_SRCS) lib/version.h
	$(call say,SCRIPT,$@)
	$(Q)mkdir -p $(@D)
	$(Q)version=$$(sed -n 's/^#define NHM_VERSION "\(.*\)"/\1/p' lib/version.h) && \
		awk -v "version=$$version" -v dir='$(<D)/' '{ gsub(/@VERSION@/, version) } \
			!/^#include / { print; next } \
			{ while ((got = getline line < (dir $$2)) > 0) print line; if (got < 0) exit 1 }' $< >$@.new
	$(Q)chmod 755 $@.new && mv $@.new $@

# --- tests ---------------------------------------------------------------------------------------------------------

# The names in test/unit say which program's files a unit test needs: ctreval_counter_test links ctreval's.
unit_objs = $(foreach p,$(PROGRAMS),$(if $(filter $(p)_%,$(1)),$(call program_objs,$(p))))

define unit_rule
$(BUILD)/test/unit/$(1): $(BUILD)/test/unit/$(1).o $(BUILD)/test/unit/check.o $(call unit_objs,$(1)) $$(LIB_OBJS)
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach t,$(UNIT_TESTS),$(eval $(call unit_rule,$(t))))
UNIT_OBJS := $(UNIT_TESTS:%=$(BUILD)/test/unit/%.o) $(BUILD)/test/unit/check.o

.PHONY: deps check check-all check-unit check-bats demo
deps: ## install what is missing for building and testing (root or sudo; else it prints the command)
	$(Q)dist/install-deps

check: deps ## install what is missing, build, run the tests; with NHM_THOROUGH=1 also those that kill at random for minutes
	$(Q)$(MAKE) --no-print-directory check-all

check-all: check-unit check-bats ## every test, without the set-up

check-unit: $(UNIT_TESTS:%=$(BUILD)/test/unit/%) ## the unit tests
	$(Q)test/run-unit $^

check-bats: programs ## the tests that drive the built programs; T=ibscan runs one file
	$(Q)NHM_BIN='$(abspath $(BIN))' test/run-bats $(T)

.PHONY: check-kernel
check-kernel: ## the tests that need a real kernel, in virtual machines with Linux 6.1 and 6.12 (installs qemu); T=ports runs one file
	$(Q)dist/install-deps --kernel
	$(Q)$(MAKE) --no-print-directory programs
	$(Q)NHM_BIN='$(abspath $(BIN))' test/kernel/run $(T)

demo: deps ## install what is missing, build, and watch a simulated H100 node break
	$(Q)$(MAKE) --no-print-directory programs
	$(Q)NHM_BIN='$(abspath $(BIN))' test/demo/demo

BENCH_PROGRAMS := $(patsubst test/bench/%.c,$(BUILD)/test/bench/%,$(wildcard test/bench/*.c))
$(BENCH_PROGRAMS): %: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: bench
bench: programs $(BENCH_PROGRAMS) ## the benchmarks, as ratios; T=ibscan runs one; not part of check
	$(Q)NHM_BIN='$(abspath $(BIN))' NHM_BENCH_BUILD='$(abspath $(BUILD))' test/bench/bench $(T)

bench-%: ## one of them: bench-logmatch is bench T=logmatch
	$(Q)$(MAKE) --no-print-directory bench T='$*'

.PHONY: check-asan check-asan-decisions check-tsan fuzz lint fmt check-fmt
# But for capture, which drives a program that is a shell script.
check-asan: ## the whole suite under the address and undefined-behaviour sanitizers
	$(Q)WITHOUT=capture $(MAKE) --no-print-directory BUILD=build/asan BIN=build/asan/bin SANITIZE=address,undefined check-all

# What decides, without what waits: the unit tests, and the cases of corpus and replay.
check-asan-decisions: ## the unit tests, corpus and replay under the same sanitizers
	$(Q)$(MAKE) --no-print-directory BUILD=build/asan BIN=build/asan/bin SANITIZE=address,undefined check-unit
	$(Q)$(MAKE) --no-print-directory BUILD=build/asan BIN=build/asan/bin SANITIZE=address,undefined check-bats T='corpus replay'

check-tsan: ## ibscan, the one with threads, under the thread sanitizer
	$(Q)$(MAKE) --no-print-directory BUILD=build/tsan BIN=build/tsan/bin SANITIZE=thread programs
	$(Q)NHM_BIN='$(abspath build/tsan/bin)' test/run-bats ibscan

FUZZ_SECONDS ?= 20
FUZZ_CC ?= clang
FUZZ_BUILD := build/fuzz
fuzz: ## run each fuzz target for FUZZ_SECONDS (20), corpus and past crashes first (needs clang)
	$(Q)$(MAKE) --no-print-directory BUILD=$(FUZZ_BUILD) CC=$(FUZZ_CC) SANITIZE=address,undefined \
		CFLAGS='$(CFLAGS) -fsanitize=fuzzer-no-link' $(FUZZERS:%=$(FUZZ_BUILD)/test/fuzz/%)
	$(Q)test/run-fuzz $(FUZZ_SECONDS) $(FUZZERS:%=$(FUZZ_BUILD)/test/fuzz/%)

# Of the tools' files, some of which define the same names, each target takes what it uses.
$(BUILD)/test/fuzz/tools.a: $(TOOL_OBJS)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) qcs $@ $^

$(BUILD)/test/fuzz/%: $(BUILD)/test/fuzz/%.o $(BUILD)/test/fuzz/tools.a $(LIB_OBJS)
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

.SECONDARY: $(FUZZERS:%=$(FUZZ_BUILD)/test/fuzz/%.o)
$(FUZZERS:%=$(BUILD)/test/fuzz/%.o): | $(PROTO_HEADERS)

C_FILES := $(wildcard lib/*.[ch] tools/*/*.[ch] test/unit/*.[ch] test/fuzz/*.[ch] test/bench/*.[ch])
SHELL_FILES := .ci/run .ci/thorough .ci/jobs.bash dist/install-deps test/run-unit test/run-bats test/run-fuzz test/demo/demo test/bench/bench test/lib/logforms test/logmatch/ordinary \
	test/kernel/run test/kernel/vm test/kernel/image test/kernel/guest-init test/kernel/guestfiles.bash
lint: $(SCRIPTS:%=$(BIN)/%) $(PROTO_HEADERS) ## clang-tidy, shellcheck, mandoc (warnings are errors)
	$(Q)printf '%s\n' $(filter lib/% tools/%,$(filter %.c,$(C_FILES))) | xargs -P "$$(nproc)" -n 16 \
		sh -c 'exec clang-tidy --quiet "$$@" -- -std=gnu11 $(ALL_CPPFLAGS)' clang-tidy
	$(Q)shellcheck -x $(SHELL_FILES) $(SCRIPTS:%=$(BIN)/%)
	$(Q)shellcheck --shell=bats $(wildcard test/*.bats test/kernel/*.bats) test/lib/*.bash test/kernel/guest.bash
	$(Q)mandoc -T lint -W warning $(MANUALS)

fmt: ## format the C files
	$(Q)clang-format -i $(C_FILES)

check-fmt: ## fail when a C file is not formatted
	$(Q)clang-format --dry-run --Werror $(C_FILES)

# --- install -------------------------------------------------------------------------------------------------------

BINDIR := $(DESTDIR)$(PREFIX)/bin
MANDIR := $(DESTDIR)$(PREFIX)/share/man
UNIT := nic-health-monitor.service
UNITDIR := $(DESTDIR)$(PREFIX)/lib/systemd/system

.PHONY: install uninstall clean help
install: programs ## install programs, manuals and the systemd unit below DESTDIR and PREFIX
	$(Q)install -d '$(BINDIR)'
	$(Q)install -m 755 $(PROGRAMS:%=$(BIN)/%) $(SCRIPTS:%=$(BIN)/%) '$(BINDIR)'
	$(Q)for m in $(MANUALS); do install -D -m 644 "$$m" '$(MANDIR)'/man"$${m##*.}"/"$${m##*/}" || exit 1; done
	$(Q)install -D -m 644 dist/$(UNIT) '$(UNITDIR)/$(UNIT)'
	$(Q)sed -i 's|^ExecStart=/usr/bin/|ExecStart=$(PREFIX)/bin/|' '$(UNITDIR)/$(UNIT)'

# In a staging tree the directories go too, as far as they are empty, and never the tree itself.
uninstall: ## remove what install put there
	$(Q)rm -f $(PROGRAMS:%='$(BINDIR)'/%) $(SCRIPTS:%='$(BINDIR)'/%)
	$(Q)for m in $(MANUALS); do rm -f '$(MANDIR)'/man"$${m##*.}"/"$${m##*/}"; done
	$(Q)rm -f '$(UNITDIR)/$(UNIT)'
	$(Q)[ -z '$(DESTDIR)' ] || ! cd '$(DESTDIR)' 2>/dev/null || \
		for d in share/man/man1 share/man/man5 share/man/man7 lib/systemd/system bin; do \
			rmdir -p --ignore-fail-on-non-empty '$(patsubst /%,%,$(PREFIX))'/"$$d" 2>/dev/null || true; \
		done

clean: ## remove everything that was built
	$(Q)rm -rf build $(PROGRAMS:%=bin/%) $(SCRIPTS:%=bin/%)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

-include $(LIB_OBJS:.o=.d) $(TOOL_OBJS:.o=.d) $(MAIN_OBJS:.o=.d) $(UNIT_OBJS:.o=.d) \
	$(FUZZERS:%=$(BUILD)/test/fuzz/%.d) $(BENCH_PROGRAMS:%=%.d)
