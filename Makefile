# nic-health-monitor. `make help` lists the targets; V=1 shows the commands; CFLAGS, CPPFLAGS and
# LDFLAGS are yours.
# SPDX-License-Identifier: Apache-2.0

# --- what is built --------------------------------------------------------------------------------

# The library's files, and those of each program, one a line.
PROGRAMS := ibscan ibevent rdmatrace topoclass topoparse lnetread ctreval logmatch correlate \
	blastradius fleetread fleetview fleetpage fleetsetup emit nicdiff nichist nicsilence \
	nicview nicwhy niccheck pcitopo nic-health-monitor
include lib/sources.mk
include $(sort $(wildcard tools/*/sources.mk))

VERSION := $(shell sed -n 's/^\#define NHM_VERSION "\(.*\)"/\1/p' lib/version.h)

TOOL_SRCS := $(sort $(foreach p,$(PROGRAMS),$($(p)_SRCS)))
UNIT_TESTS := $(patsubst test/unit/%.c,%,$(wildcard test/unit/*_test.c))
FUZZERS := $(patsubst test/fuzz/%.c,%,$(wildcard test/fuzz/fuzz_*.c))
BENCHES := $(patsubst test/bench/%.c,%,$(wildcard test/bench/*.c))
MANUALS := $(wildcard tools/*/*.1 doc/*.5 doc/*.7)

# --- how ------------------------------------------------------------------------------------------

PREFIX ?= /usr/local
DESTDIR ?=
BUILD ?= build
BIN ?= bin
CC ?= cc
# The C++ compiler that goes with the C compiler.
ifeq ($(origin CXX),default)
CXX := $(if $(filter cc,$(CC)),c++,$(subst clang,clang++,$(subst gcc,g++,$(CC))))
endif
PKG_CONFIG ?= pkg-config
LIBRARIES := jansson libpcre2-8 yaml-0.1 tomlplusplus sqlite3 libcurl libprotobuf-c libmicrohttpd \
	libseccomp libibverbs libbpf libnats libpq simdjson
WERROR ?=

# FORTIFY needs optimisation and does not go with the sanitizers, which bring their own checks.
SANITIZE ?=
# What keeps a jump from going astray is a question of the processor.
MACHINE := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2>/dev/null)))
CONTROL_FLOW_x86_64 := -fcf-protection
CONTROL_FLOW_aarch64 := -mbranch-protection=standard
HARDENING := -fstack-protector-strong -fstack-clash-protection $(CONTROL_FLOW_$(MACHINE)) \
	$(if $(SANITIZE),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
# With the sanitizers the compilers know less, and warn of what cannot be.
WARNINGS := $(if $(SANITIZE),-w,-Wall -Wextra -Wshadow -Wformat=2 -Wwrite-strings -Wundef \
	-Wpointer-arith -Wvla $(if $(WERROR),-Werror))
C_WARNINGS := $(if $(SANITIZE),,-Wstrict-prototypes -Wmissing-prototypes)

ALL_CPPFLAGS = -D_GNU_SOURCE -Ilib -I$(BUILD)/gen \
	$(shell $(PKG_CONFIG) --cflags $(LIBRARIES) 2>/dev/null) $(CPPFLAGS)
# Half of what compiling with the sanitizers takes goes into -O2.
COMPILING = $(if $(SANITIZE),-O1,-O2) -g -fPIE -pthread $(WARNINGS) $(HARDENING) \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) -fno-omit-frame-pointer -fno-sanitize-recover=all)
ALL_CFLAGS = -std=gnu11 $(COMPILING) $(C_WARNINGS) $(CFLAGS)
# vptr is a check for C++ alone, whose runtime a linker for C does not bring.
CXXFLAGS ?= $(CFLAGS)
ALL_CXXFLAGS = -std=c++17 $(COMPILING) $(if $(SANITIZE),-fno-sanitize=vptr) $(CXXFLAGS)
# The search for leaks at the end of each process looks through the libraries of gcc's sanitizers,
# too, unless they are linked in.
STATIC_SANITIZER := $(if $(findstring clang,$(CC)),,-static-libasan -static-libubsan)
ALL_LDFLAGS = -pie -pthread -Wl,-z,relro -Wl,-z,now -Wl,--as-needed \
	$(if $(SANITIZE),-fsanitize=$(SANITIZE) $(STATIC_SANITIZER)) $(LDFLAGS)
LIBS = $(shell $(PKG_CONFIG) --libs $(LIBRARIES) 2>/dev/null) -lstdc++ -lm

ALL_CPPFLAGS := $(ALL_CPPFLAGS)
LIBS := $(LIBS)

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-7s %s\n' $(1) $(2))

LIB_OBJS := $(LIB_SRCS:%.c=$(BUILD)/%.o) $(LIB_CXX_SRCS:%.cc=$(BUILD)/%.o)
proto_objs = $(patsubst %.proto,$(BUILD)/gen/%.pb-c.o,$(notdir $($(1)_PROTOS)))
PROTO_OBJS := $(sort $(foreach p,$(PROGRAMS),$(call proto_objs,$(p))))
TOOL_OBJS := $(TOOL_SRCS:%.c=$(BUILD)/%.o) $(PROTO_OBJS)
# All objects of a program but its main one.
program_objs = $($(1)_SRCS:%.c=$(BUILD)/%.o) $(call proto_objs,$(1))
MAIN_OBJS := $(foreach p,$(PROGRAMS),$($(p)_MAIN:%.c=$(BUILD)/%.o))

.PHONY: all programs
all: programs completions ## build the programs into bin/, and what is installed (the default)
programs: $(PROGRAMS:%=$(BIN)/%) $(SCRIPTS:%=$(BIN)/%)

# A library that is missing would otherwise show as a page of errors about headers.
.PHONY: libraries
libraries:
	@$(PKG_CONFIG) --exists $(LIBRARIES) || \
		{ echo "make: libraries are missing ($(LIBRARIES)); 'make deps' installs them" \
			>&2; exit 1; }

$(LIB_OBJS) $(TOOL_OBJS) $(MAIN_OBJS): | libraries

$(BUILD)/%.o: %.c
	$(call say,CC,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -MMD -MP $(ALL_CFLAGS) -c -o $@ $<

$(BUILD)/%.o: %.cc
	$(call say,CXX,$<)
	$(Q)mkdir -p $(@D)
	$(Q)$(CXX) $(ALL_CPPFLAGS) -MMD -MP $(ALL_CXXFLAGS) -c -o $@ $<

# What includes a generated header is compiled after it has been made.
# (1) is the .proto, (2) what is made of it without its ending.
define proto_rule
$(2).h: $(1) | libraries
	$$(call say,PROTO,$$<)
	$$(Q)mkdir -p $$(@D)
	$$(Q)protoc-c --proto_path=$$(<D) --c_out=$$(@D) $$<
$(2).o: $(2).h
	$$(call say,CC,$$(<:.h=.c))
	$$(Q)$$(CC) $$(ALL_CPPFLAGS) $$(ALL_CFLAGS) -c -o $$@ $$(<:.h=.c)
$(filter $(BUILD)/$(dir $(1))%,$(TOOL_SRCS:%.c=$(BUILD)/%.o)): | $(2).h
endef
$(foreach f,$(sort $(foreach p,$(PROGRAMS),$($(p)_PROTOS))), \
	$(eval $(call proto_rule,$(f),$(BUILD)/gen/$(basename $(notdir $(f))).pb-c)))
PROTO_HEADERS := $(PROTO_OBJS:.o=.h)

# The names of system calls by number, as the compiler's processor has them, for lib/callfilter.c.
CALL_NAMES := $(BUILD)/gen/syscallnames.inc
$(CALL_NAMES):
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)echo '#include <asm/unistd.h>' | $(CC) $(CPPFLAGS) -E -dM -x c - | LC_ALL=C sort | \
		sed -n 's/^#define __NR_\([a-z0-9_]*\) .*/[__NR_\1] = "\1",/p' >$@.new
	$(Q)grep -q '"read"' $@.new && mv $@.new $@
$(BUILD)/lib/callfilter.o: $(CALL_NAMES)

# The names by which the linker knows libraries that are loaded only when they are needed.
SONAMES := $(BUILD)/gen/sonames.h
$(SONAMES): Makefile | libraries
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)for library in libcurl libnats libpq; do \
		readelf -d "$$($(CC) -print-file-name=$$library.so)" | sed -n \
			"s/.*(SONAME).*\[\(.*\)\]/#define SONAME_\U$$library\E \"\1\"/p"; \
	done >$@.new
	$(Q)[ $$(wc -l <$@.new) -eq 3 ] && mv $@.new $@
$(patsubst %,$(BUILD)/tools/emit/out/%lib.o,curl nats pq): $(SONAMES)

# A file as a text of C.
AS_TEXT := sed 's/["\\]/\\&/g; s/^/"/; s/$$/\\n"/'

# The rules that are built into correlate.
RULE_TEXT := $(BUILD)/gen/correlate_rules.inc
$(RULE_TEXT): tools/correlate/rules.yaml
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(AS_TEXT) $< >$@
$(BUILD)/tools/correlate/rules.o: $(RULE_TEXT)

# (1) is made of the files (2): for each $$file, whose name without its ending is $$name, the
# commands in the variable (3) write the rows.
define rows_rule
$(1): $(2)
	$$(call say,GEN,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)for file in $(2); do \
		name=$$$$(basename "$$$${file%.*}"); \
		$$($(3)); \
	done >$$@.new && mv $$@.new $$@
endef

# The schema that is built into fleetsetup.
SCHEMA := $(sort $(wildcard dist/fleet/*.sql))
SCHEMA_TEXT := $(BUILD)/gen/fleet_schema.inc
SCHEMA_ROW = echo "$$name" | sed 's/^0*\([0-9]*\)-.*/{\1, "&",/'; $(AS_TEXT) "$$file"; echo '},'
$(eval $(call rows_rule,$(SCHEMA_TEXT),$(SCHEMA),SCHEMA_ROW))
$(BUILD)/tools/fleetsetup/schema.o: $(SCHEMA_TEXT)

# What the runbooks have a heading for, and on which page.
RUNBOOKS := $(sort $(wildcard doc/runbooks/*.md))
RUNBOOK_HEADINGS := $(BUILD)/gen/runbook_headings.inc
RUNBOOK_ROWS = sed -n "s/^\#\#\# \([A-Za-z0-9_]*\)$$/{\"$$name\", \"\1\"},/p" "$$file"
$(eval $(call rows_rule,$(RUNBOOK_HEADINGS),$(RUNBOOKS),RUNBOOK_ROWS))
$(BUILD)/lib/runbook.o: $(RUNBOOK_HEADINGS)
GENERATED := $(PROTO_HEADERS) $(CALL_NAMES) $(SONAMES) $(RULE_TEXT) $(SCHEMA_TEXT) \
	$(RUNBOOK_HEADINGS)

define program_rule
$(BIN)/$(1): $$($(1)_MAIN:%.c=$$(BUILD)/%.o) $$(call program_objs,$(1)) $$(BUILD)/archive/lib.a
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach p,$(PROGRAMS),$(eval $(call program_rule,$(p))))

define script_rule
$(BIN)/$(1): $$($(1)_SRCS) lib/version.h
	$$(call say,SCRIPT,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)awk -v 'version=$(VERSION)' -v dir='$$(<D)/' '{ gsub(/@VERSION@/, version) } \
			!/^#include / { print; next } \
			{ while ((got = getline line < (dir $$$$2)) > 0) print line; \
				if (got < 0) exit 1 }' $$< >$$@.new
	$$(Q)chmod 755 $$@.new && mv $$@.new $$@
endef
$(foreach s,$(SCRIPTS),$(eval $(call script_rule,$(s))))

# --- tests ----------------------------------------------------------------------------------------

# Tests link archives, of which the linker takes the files that a test uses: a third of the time.
# Thin ones only name the files.
$(BUILD)/archive/lib.a: $(LIB_OBJS)
define archive_rule
$(BUILD)/archive/$(1).a: $(call program_objs,$(1))
endef
$(foreach p,$(PROGRAMS),$(eval $(call archive_rule,$(p))))
ARCHIVES := lib $(PROGRAMS)
$(ARCHIVES:%=$(BUILD)/archive/%.a):
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D) && rm -f $@ && $(AR) qcs --thin $@ $^

# The names in test/unit say which program's files a unit test needs: ctreval_counter_test links
# ctreval's.
unit_archive = $(foreach p,$(PROGRAMS),$(if $(filter $(p)_%,$(1)),$(BUILD)/archive/$(p).a))

define unit_rule
$(BUILD)/test/unit/$(1): $(BUILD)/test/unit/$(1).o $(BUILD)/test/unit/check.o \
		$(call unit_archive,$(1)) $(BUILD)/archive/lib.a
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach t,$(UNIT_TESTS),$(eval $(call unit_rule,$(t))))
UNIT_OBJS := $(UNIT_TESTS:%=$(BUILD)/test/unit/%.o) $(BUILD)/test/unit/check.o

# T=emit means all tests of emit: the unit tests emit_*_test and the bats files emit.bats and
# emit-*.bats, or those that its sources.mk names. T=counters, of the library, is counters_test.
# T='emit an ack' means the tests of emit.bats that have `an ack` in their names: a word that names
# no test begins such a name.
tests_of = $(filter $(1)_test $(1)_%,$(UNIT_TESTS)) $(filter $(1),$(UNIT_TESTS))
files_of = $(patsubst test/%.bats,%,$(wildcard test/$(1).bats test/$(1)-*.bats)) $($(1)_BATS)
T_WORDS := $(wordlist 2,$(words $(T)),$(T))
names_some = $(strip $(call tests_of,$(1)) $(call files_of,$(1)))
T_NAMED := $(strip $(foreach t,$(T_WORDS),$(if $(call names_some,$(t)),,$(t))))
ifneq ($(T_NAMED),)
export TEST_NAME := $(T_WORDS)
T_UNIT :=
T_FILES := $(firstword $(T))
T_BATS := $(T_FILES)
else
T_FILES := $(T)
T_UNIT := $(if $(T),$(sort $(foreach t,$(T),$(call tests_of,$(t)))),$(UNIT_TESTS))
T_BATS := $(sort $(foreach t,$(T),$(call files_of,$(t))))
endif

# The programs with code in them that tries what nobody who got into one may do.
TAKEOVER := $(PROGRAMS:%=$(BUILD)/takeover/%)
$(BUILD)/takeover/confine.o: lib/confine.c
	$(call say,CC,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -DTEST_TAKEOVER -MMD -MP $(ALL_CFLAGS) -c -o $@ $<
define takeover_rule
$(BUILD)/takeover/$(1): $$($(1)_MAIN:%.c=$$(BUILD)/%.o) $$(call program_objs,$(1)) \
		$$(filter-out $(BUILD)/lib/confine.o,$$(LIB_OBJS)) $(BUILD)/takeover/confine.o \
		$(BUILD)/test/takeover/takeover.o
	$$(call say,LD,$$@)
	$$(Q)$$(CC) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -o $$@ $$^ $$(LIBS)
endef
$(foreach p,$(PROGRAMS),$(eval $(call takeover_rule,$(p))))

.PHONY: deps check check-all check-unit check-bats demo
deps: ## install what is missing for building and testing (root or sudo, else it says the command)
	$(Q)dist/install-deps

check: deps ## install what is missing, build, test; T=emit: all of emit; T='FILE NAME': one test
	$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j"$$(nproc)") check-all

# One after the other also where make may do several things at once: each of the two keeps all
# processors busy. NHM_THOROUGH=1: also what kills at random for minutes. The fuzz targets and
# benchmarks are compiled along, so that none is left behind by a change; `make fuzz` and `make
# bench` run them.
ifeq ($(T),)
COMPILED_ALONG := $(FUZZERS:%=$(BUILD)/test/fuzz/%.o) $(BENCHES:%=$(BUILD)/test/bench/%.o)
check-all: programs $(COMPILED_ALONG) ## every test, without the set-up
	$(Q)$(MAKE) --no-print-directory check-unit
	$(Q)$(MAKE) --no-print-directory check-bats
	$(if $(NHM_THOROUGH),$(Q)$(MAKE) --no-print-directory check-attack)
else
check-all: programs
	$(if $(T_UNIT)$(T_BATS),,$(error T=$(T): no unit test and no bats file has that name))
	$(if $(T_UNIT),$(Q)$(MAKE) --no-print-directory check-unit)
	$(if $(T_BATS),$(Q)$(MAKE) --no-print-directory check-bats T='$(T_BATS)')
endif

check-unit: $(T_UNIT:%=$(BUILD)/test/unit/%) ## the unit tests; T=emit: its own; T=emit_retry: one
	$(Q)test/run-unit $^

# Only one file, which is not a part of the whole, needs those of TAKEOVER.
check-bats: programs $(if $(NHM_THOROUGH)$(filter takeover,$(T_FILES)),$(TAKEOVER))
check-bats: ## what drives the programs; T=ibscan: one file
	$(Q)NHM_BIN='$(abspath $(BIN))' NHM_TAKEOVER_BIN='$(abspath $(BUILD))/takeover' \
		test/run-bats $(T_FILES)

.PHONY: check-changed
check-changed: programs ## the unit tests, and the files that belong to what differs from main
	$(Q)files=$$(test/lint/belonging) && $(MAKE) --no-print-directory check-unit && \
		{ [ -z "$$files" ] || \
			$(MAKE) --no-print-directory check-bats T="$$(echo $$files)"; }

.PHONY: check-confined
check-confined: ## every test, with programs that end where they cannot be confined
	$(Q)NHM_CONFINE=require $(MAKE) --no-print-directory check-all

.PHONY: check-scenario
check-scenario: programs ## a replayed scenario, T=admin-reset; SHOW=1: with all that happens
	$(Q)NHM_BIN='$(abspath $(BIN))' test/replay/replay $(if $(SHOW),-v) \
		$(or $(T:%=test/replay/%.scenario),$(error T=NAME, of test/replay/NAME.scenario))

.PHONY: check-belief
STORIES ?= 10000
check-belief: $(BIN)/ctreval $(BIN)/emit ## random stories: receivers believe what stands; STORIES=N
	$(Q)NHM_BIN='$(abspath $(BIN))' test/belief/belief --stories $(STORIES) $(SEED:%=--seed %)
	$(Q)NHM_BIN='$(abspath $(BIN))' test/belief/silenced --stories $$(( $(STORIES) / 10 )) \
		$(SEED:%=--seed %)

.PHONY: check-attack
ROUNDS ?= 1000
check-attack: programs ## a random attack on the service's processes and disk; ROUNDS=N SEED=N
	$(Q)NHM_BIN='$(abspath $(BIN))' test/attack/attack --rounds $(ROUNDS) --again 2 \
		$(SEED:%=--seed %) $(if $(SANITIZE),--jobs $$((4 * $$(nproc))))

.PHONY: inject
inject: programs ## each call of each program fails once: no crash, no lie, no loss; T=ctreval-state
	$(Q)NHM_BIN='$(abspath $(BIN))' test/inject/inject $(T)

.PHONY: mutate
mutate: ## change an operator or constant of a decision: the unit tests must notice; T=FILE.c
	$(Q)tests=$$(test/mutate/mutate --tests $(T)) && \
		$(MAKE) --no-print-directory BUILD=build/mutate BIN=build/mutate/bin \
			CFLAGS='-w -fPIC' $$(printf 'build/mutate/test/unit/%s ' $$tests)
	$(Q)BUILD=build/mutate test/mutate/mutate $(T)

.PHONY: check-kernel
check-kernel: ## what needs a real kernel, in machines with 6.1 and 6.12 (installs qemu); T=ports
	$(Q)dist/install-deps --kernel
	$(Q)$(MAKE) --no-print-directory programs $(TAKEOVER)
	$(Q)NHM_BIN='$(abspath $(BIN))' NHM_TAKEOVER_BIN='$(abspath $(BUILD))/takeover' \
		test/kernel/run $(T)

demo: deps ## install what is missing, build, and watch a simulated H100 node break for a minute
	$(Q)$(MAKE) --no-print-directory programs
	$(Q)NHM_BIN='$(abspath $(BIN))' test/demo/demo

.PHONY: demo-fleet
demo-fleet: deps ## the same of two hundred nodes below leaf switches, one of which dies
	$(Q)$(MAKE) --no-print-directory programs
	$(Q)NHM_BIN='$(abspath $(BIN))' test/demo/fleet

.PHONY: check-arm64
ARM64_PACKAGES := libc6-dev libstdc++-12-dev libbpf-dev libcurl4-openssl-dev libibverbs-dev \
	libjansson-dev libmicrohttpd-dev libnats-dev libpcre2-dev libpq-dev libprotobuf-c-dev \
	libseccomp-dev libsimdjson-dev libsqlite3-dev libtomlplusplus-dev libyaml-dev
# The emulator knows neither NETLINK_SOCK_DIAG, by which peer.c asks whose a connection is, nor all
# of TCP_INFO, by which httpd.c asks what a client has received.
NOT_EMULATED := nic-health-monitor_httpd_test nic-health-monitor_peer_test
check-arm64: ## build for arm64 (Grace nodes), and run the unit tests in an emulator (installs both)
	$(Q)dist/install-deps --arm64
	$(Q)root=$$(test/arm64/root $(ARM64_PACKAGES)) && usr=$$root/usr && \
		PKG_CONFIG_SYSROOT_DIR="$$root" \
		PKG_CONFIG_LIBDIR="$$usr/lib/aarch64-linux-gnu/pkgconfig:$$usr/share/pkgconfig" \
		RUNNER="qemu-aarch64 -L $$root" \
		$(MAKE) --no-print-directory BUILD=build/arm64 BIN=build/arm64/bin \
			CC="aarch64-linux-gnu-gcc --sysroot=$$root" \
			CXX="aarch64-linux-gnu-g++ --sysroot=$$root" \
			UNIT_TESTS='$(filter-out $(NOT_EMULATED),$(UNIT_TESTS))' \
			programs check-unit

BENCH_PROGRAMS := $(BENCHES:%=$(BUILD)/test/bench/%)
$(BENCH_PROGRAMS): %: %.o
	$(call say,LD,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

.PHONY: bench
bench: programs $(BENCH_PROGRAMS) ## the benchmarks; T=ibscan runs one; COMPARE=FILE of before
	$(Q)NHM_BIN='$(abspath $(BIN))' NHM_BENCH_BUILD='$(abspath $(BUILD))' \
		COMPARE='$(COMPARE)' test/bench/bench $(T)

.PHONY: check-bench
check-bench: programs $(BENCH_PROGRAMS) ## whether anything is 15 % worse than with test/bench/base
	$(Q)base=$$(test/bench/base-programs '$(abspath $(BUILD))/base') && \
		NHM_BIN='$(abspath $(BIN))' NHM_BENCH_BUILD='$(abspath $(BUILD))' \
			test/bench/check "$$base"

bench-%: ## one of them: bench-logmatch is bench T=logmatch
	$(Q)$(MAKE) --no-print-directory bench T='$*'

.PHONY: check-asan check-asan-decisions check-tsan check-integer crash fuzz fuzz-coverage lint
.PHONY: check-citations fmt check-fmt
# But for what asks the programs nothing that other files do not: tests of scripts, papers and the
# simulator, and those that play random stories, which their own jobs do at length. The sanitizers
# make calls that no program keeps when it gives up what it does not need, and on a crowded node
# their last look for leaks takes longer than a stage has for its end.
NOT_SANITIZED := agree analyze attack belief capture circles citations docs inject install \
	service-confined service-load sim suite takeover unitfile
check-asan: ## the whole suite under the address and undefined-behaviour sanitizers
	$(Q)WITHOUT='$(NOT_SANITIZED)' \
		LSAN_OPTIONS='suppressions=$(abspath test/lib/leaks):print_suppressions=0' \
		$(MAKE) --no-print-directory BUILD=build/asan BIN=build/asan/bin \
			SANITIZE=address,undefined check-all

# What decides, without what waits.
check-asan-decisions: ## the unit tests, corpus and replay under the same sanitizers
	$(Q)$(MAKE) --no-print-directory BUILD=build/asan BIN=build/asan/bin \
		SANITIZE=address,undefined check-unit
	$(Q)$(MAKE) --no-print-directory BUILD=build/asan BIN=build/asan/bin \
		SANITIZE=address,undefined check-bats T='corpus replay'

check-tsan: ## ibscan, the one with threads, under the thread sanitizer
	$(Q)$(MAKE) --no-print-directory BUILD=build/tsan BIN=build/tsan/bin SANITIZE=thread \
		programs
	$(Q)NHM_BIN='$(abspath build/tsan/bin)' test/run-bats ibscan ibscan-events

# Only clang knows these checks: where an unsigned number leaves its range, and where a number
# becomes another one by an assignment or in a call. A shift may drop bits, and `WRAPS` of
# lib/wraps.h marks what is meant to wrap, as headers of C++ do without a mark. Not optimised: most
# of the time goes into compiling.
INTEGER_FLAGS := -O0 -g0 -fno-sanitize=unsigned-shift-base
check-integer: ## the unit tests and the pure filters, where each integer keeps its value (clang)
	$(Q)$(MAKE) --no-print-directory BUILD=build/integer BIN=build/integer/bin CC=clang \
		SANITIZE=integer CFLAGS='$(CFLAGS) $(INTEGER_FLAGS)' \
			CXXFLAGS='$(CXXFLAGS) -fno-sanitize=all' check-unit programs
	$(Q)NHM_BIN='$(abspath build/integer/bin)' \
		test/run-bats ctreval topoparse lnetread logmatch ibscan

FUZZ_SECONDS ?= 20
FUZZ_CC ?= clang
FUZZ_BUILD := build/fuzzers
# What each target runs is counted in all builds, so that one will do.
FUZZ_FLAGS := -fsanitize=fuzzer-no-link -fprofile-instr-generate -fcoverage-mapping \
	-fcoverage-compilation-dir=.
FUZZ_PROGRAMS := $(FUZZERS:%=$(FUZZ_BUILD)/test/fuzz/%)
.PHONY: fuzz-programs
fuzz-programs:
	$(Q)$(MAKE) --no-print-directory BUILD=$(FUZZ_BUILD) CC=$(FUZZ_CC) \
		SANITIZE=address,undefined CFLAGS='$(CFLAGS) $(FUZZ_FLAGS)' $(FUZZ_PROGRAMS)

fuzz: fuzz-programs ## run the fuzz targets for FUZZ_SECONDS each (20), or FUZZ_RUNS inputs in all
	$(Q)test/run-fuzz $(if $(FUZZ_RUNS),--runs $(FUZZ_RUNS),--seconds $(FUZZ_SECONDS)) \
		$(FUZZ_LOG:%=--log %) $(FUZZ_PROGRAMS)

CRASH_KILLS ?= 3000
crash: programs ## kill ctreval, logmatch and emit CRASH_KILLS times in all (3000), with CRASH_SEED
	$(Q)PATH='$(abspath $(BIN))':"$$PATH" test/run-crash --kills $(CRASH_KILLS) \
		$(CRASH_SEED:%=--seed %) $(CRASH_LOG:%=--log %)

fuzz-coverage: fuzz-programs ## which lines of each parser the fuzz targets run; fails below 85 %
	$(Q)test/fuzz/coverage $(FUZZ_BUILD)/test/fuzz $(T)

# Of the tools whose headers it includes, each target takes the files it uses: others may define the
# same names.
fuzz_tools = $(patsubst supervisor,nic-health-monitor,$(sort $(shell \
	sed -n 's|^.include "../../tools/\([a-z]*\)/.*|\1|p' test/fuzz/$(1).c)))

define fuzz_rule
$(BUILD)/test/fuzz/$(1): $(BUILD)/test/fuzz/$(1).o $(2:%=$(BUILD)/archive/%.a) $$(LIB_OBJS)
	$$(call say,LD,$$@)
	$$(Q)$$(CXX) $$(ALL_CFLAGS) $$(ALL_LDFLAGS) -fsanitize=fuzzer -o $$@ $$^ $$(LIBS)
endef
$(foreach f,$(FUZZERS),$(eval $(call fuzz_rule,$(f),$(call fuzz_tools,$(f)))))

.SECONDARY: $(FUZZERS:%=$(FUZZ_BUILD)/test/fuzz/%.o)
$(FUZZERS:%=$(BUILD)/test/fuzz/%.o): | $(PROTO_HEADERS)

CXX_FILES := $(sort $(shell find lib tools test -name '*.cc'))
C_FILES := $(sort $(shell find lib tools test -name '*.[ch]'))
PYTHON_FILES = $(sort $(shell grep -lsE '^\#!.*python3' dist/*/* test/*/*) \
	$(shell find test -name '*.py'))
KUBERNETES := dist/kubernetes/values2config $(wildcard $(addprefix dist/kubernetes/,*/*.yaml \
	overlays/*/*.yaml))
SHELL_FILES = $(shell grep -lsE '^\#!/bin/(ba)?sh' .ci/* dist/* dist/*/* test/* test/*/*)
SOURCED_FILES := $(wildcard .ci/*.bash dist/nhc/*.nhc test/lib/*.bash test/kernel/*.bash)
BATS_FILES := $(wildcard test/*.bats test/kernel/*.bats)
check-citations: ## fail when a rule that something cites is not there, or is there twice
	$(Q)test/docs/citations

# Of our own text, not of data.
LICENSED = Makefile .clang-format .clang-tidy $(C_FILES) $(CXX_FILES) $(PYTHON_FILES) \
	$(SHELL_FILES) $(SOURCED_FILES) $(BATS_FILES) $(MANUALS) \
	$(wildcard *.md doc/*.md doc/*/*.md test/*/README.md dist/*.service dist/*.timer \
	dist/*.conf dist/*/*.yaml $(KUBERNETES) lib/sources.mk tools/*/sources.mk tools/*/*.proto \
	tools/capture/* test/*/*.proto test/lib/*.jq)
.PHONY: check-sources
LISTED := $(LIB_SRCS) $(LIB_CXX_SRCS) $(TOOL_SRCS) $(foreach p,$(PROGRAMS),$($(p)_MAIN))
check-sources: ## fail when a source is in no list or map, a list not sorted, or files in a circle
	$(Q)left='$(filter-out $(LISTED),$(filter lib/%.c tools/%.c,$(C_FILES)) $(CXX_FILES))' && \
		echo "$$left" | sed '/^$$/d; s/$$/: in no sources.mk/' && [ -z "$$left" ]
	$(Q)for f in lib/sources.mk tools/*/sources.mk; do \
		sed -n 's/^\t\([^ ]*\).*/\1/p' "$$f" | LC_ALL=C sort -c || exit 1; \
	done
	$(Q)for f in $(filter-out %/main.c,$(TOOL_SRCS)); do \
		name=$${f##*/} && tool=$${f#tools/} && tool=$${tool%%/*} && \
			sed '/\*\/$$/q' "tools/$$tool/main.c" | grep -q -w "$${name%.c}" || \
			{ echo "$$f: not in the map of tools/$$tool/main.c"; exit 1; }; \
	done
	$(Q)test/lint/circles

# Tables of Markdown, addresses, and what a program has printed, are as wide as they are. A line of
# a script may be longer if it names a test or is data (in a here-document that END or EOF ends),
# and if 100 columns or less remain of it without its quoted texts of 40 columns and more.
.PHONY: check-columns
NARROW = Makefile $(C_FILES) $(CXX_FILES) $(PYTHON_FILES) $(KUBERNETES) \
	$(wildcard lib/sources.mk tools/*/sources.mk dist/* dist/grafana/*.yaml test/lib/*.jq \
	tools/capture/*.awk)
PROSE := $(wildcard *.md doc/*.md doc/*/*.md test/*/README.md)
SCRIPT_FILES = $(SHELL_FILES) $(SOURCED_FILES) $(BATS_FILES) \
	$(wildcard lib/*.sh tools/capture/nhm-capture tools/capture/*.sh tools/nhm/nhm)
# (1) is what is done to a line before its columns are counted: `next` when it may be of any width.
too_wide = perl -CSD -MText::Tabs -ne 'chomp; $$_ = $$line = expand($$_); $(1) \
	if (length > 100) { print "$$ARGV:$$.:$$line\n"; $$wide = 1 } \
	} continue { close ARGV if eof } END { $$? ||= $$wide'
check-columns: ## fail when a line is longer than 100 columns
	$(Q)$(call too_wide,) $(NARROW)
	$(Q)$(call too_wide,next if /^(\||    |  +https:\S+$$)/;) $(PROSE)
	$(Q)$(call too_wide,next if /^\@test / || \
		(/<<-?\W?(END|EOF)\b/ .. (/^ *(END|EOF)$$/ || eof)) > 1; \
		s/\x27[^\x27]*\x27|"(\\.|[^"\\])*"/length($$&) < 42 ? $$& : ""/ge;) $(SCRIPT_FILES)

.PHONY: check-licence
check-licence: ## fail when a file of ours does not say under which licence it is
	$(Q)! grep -L 'SPDX-License-Identifier: Apache-2\.0' $(LICENSED) | grep .

# What analyzers find in the programs. A second run looks at what has changed only. Findings that
# are no faults stand in test/analyze/explained, each with its reason.
ANALYSIS := build/analyze
ANALYZED := $(filter lib/% tools/%,$(filter %.c,$(C_FILES)))
.PHONY: analyze analyze-cppcheck analyze-clang analyze-gcc
EXPLAINED := test/analyze/explained
analyze: ## what analyzers find in the programs, minutes: a part of .ci/thorough
	$(Q)$(MAKE) --no-print-directory $(if $(filter -j%,$(MAKEFLAGS)),,-j"$$(nproc)") \
		analyze-cppcheck analyze-clang analyze-gcc

# readdir() is safe where each stream belongs to one thread, as here; readdir_r() is deprecated. The
# header that protoc-c makes asks for a version, of a library's header that cppcheck does not read.
analyze-cppcheck: $(GENERATED)
	$(Q)mkdir -p $(ANALYSIS)/cppcheck
	$(Q)cppcheck --quiet -j "$$(nproc)" --cppcheck-build-dir=$(ANALYSIS)/cppcheck --std=c11 \
		--enable=warning,performance,portability --suppress=readdirCalled \
		--library=posix --library=gnu --library=test/analyze/jansson.cfg \
		--template='{file}:{line}:{column}: warning: {message} [{id}]' \
		-D_GNU_SOURCE -DPROTOBUF_C_VERSION_NUMBER=1004000 -Ilib -I$(BUILD)/gen \
		$(ANALYZED) 2>$(ANALYSIS)/cppcheck.log
	$(Q)test/analyze/findings --explained $(EXPLAINED) cppcheck $(ANALYSIS)/cppcheck.log

# Clang's analyzer and what else .clang-tidy names. A process for each file: in a second one the
# analyzer of clang 14 does not know va_start() again.
analyze-clang: $(ANALYZED:%=$(ANALYSIS)/clang/%.log)
	$(Q)test/analyze/findings --explained $(EXPLAINED) clang $^

$(ANALYSIS)/clang/%.log: % .clang-tidy | $(GENERATED)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) -MM -MP -MF $(@:.log=.d) -MT $@ $<
	$(Q)clang-tidy --quiet $< -- -std=gnu11 $(ALL_CPPFLAGS) >$@.new 2>&1 || \
		{ [ $$? -eq 1 ] || { cat $@.new; exit 1; }; }
	$(Q)mv $@.new $@

analyze-gcc: $(ANALYZED:%=$(ANALYSIS)/gcc/%.log)
	$(Q)test/analyze/findings --explained $(EXPLAINED) gcc $^

# Without optimisation, which joins conditions so that the analyzer takes them for others.
$(ANALYSIS)/gcc/%.log: % | $(GENERATED)
	$(Q)mkdir -p $(@D)
	$(Q)gcc $(ALL_CPPFLAGS) -std=gnu11 -fanalyzer -MMD -MP -MF $(@:.log=.d) -MT $@ \
		-S -o /dev/null $< 2>$@.new || { cat $@.new; exit 1; }
	$(Q)mv $@.new $@

lint: check-citations check-licence check-sources check-columns ## what the linters find
lint: $(SCRIPTS:%=$(BIN)/%) $(GENERATED)
	$(Q)clang-tidy --quiet $(CXX_FILES) -- -std=c++17 $(ALL_CPPFLAGS)
	$(Q)shellcheck -x $(SHELL_FILES) $(SCRIPTS:%=$(BIN)/%)
	$(Q)shellcheck --shell=bats $(BATS_FILES) $(SOURCED_FILES)
	$(Q)mandoc -T lint -W warning $(MANUALS)

BLACK := black --quiet --line-length 100 --skip-string-normalization --skip-magic-trailing-comma
fmt: ## format the C, C++ and Python files
	$(Q)clang-format -i $(C_FILES) $(CXX_FILES)
	$(Q)$(BLACK) $(PYTHON_FILES)

check-fmt: ## fail when a C, C++ or Python file is not formatted
	$(Q)clang-format --dry-run --Werror $(C_FILES) $(CXX_FILES)
	$(Q)$(BLACK) --check --diff $(PYTHON_FILES)

# --- install --------------------------------------------------------------------------------------

BINDIR := $(DESTDIR)$(PREFIX)/bin
MANDIR := $(DESTDIR)$(PREFIX)/share/man
BASHDIR := $(DESTDIR)$(PREFIX)/share/bash-completion/completions
ZSHDIR := $(DESTDIR)$(PREFIX)/share/zsh/site-functions
FISHDIR := $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d
SHAREDIR := $(DESTDIR)$(PREFIX)/share/nic-health-monitor
UNIT := nic-health-monitor.service
UNITS := $(UNIT) nic-health-monitor-lnet.service nic-health-monitor-lnet.timer \
	nic-health-monitor-trace.service nic-health-monitor-fleet@.service
UNITDIR := $(DESTDIR)$(PREFIX)/lib/systemd/system
SYSUSERS := nic-health-monitor.conf nic-health-monitor-trace.conf
SYSUSERSDIR := $(DESTDIR)$(PREFIX)/lib/sysusers.d

# --- packages -------------------------------------------------------------------------------------

RELEASE := nic-health-monitor-$(VERSION)
TARBALL := $(BUILD)/$(RELEASE).tar.gz

.PHONY: dist deb rpm
# An unpacked tarball has no repository: it is packed again.
ARCHIVE = $(if $(wildcard .git),git archive --format=tar --prefix=$(RELEASE)/ HEAD, \
	tar -c --sort=name --owner=0 --group=0 --transform='s,^\.,$(RELEASE),' --exclude=./build \
		$(PROGRAMS:%=--exclude=./bin/%) $(SCRIPTS:%=--exclude=./bin/%) .)
dist: ## the sources of the last commit as build/nic-health-monitor-VERSION.tar.gz
	$(call say,TAR,$(TARBALL))
	$(Q)mkdir -p $(BUILD)
	$(Q)$(ARCHIVE) >$(TARBALL:.gz=)
	$(Q)gzip -9 -n -f $(TARBALL:.gz=)

deb: dist ## Debian's packages of these sources, in build/deb
	$(Q)rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb
	$(Q)tar -x -z -f $(TARBALL) -C $(BUILD)/deb
	$(Q)mv $(BUILD)/deb/$(RELEASE)/dist/debian $(BUILD)/deb/$(RELEASE)/debian
	$(Q)cd $(BUILD)/deb/$(RELEASE) && unset MAKEFLAGS && dpkg-buildpackage --build=full -us -uc

rpm: dist ## RPM packages of these sources, in build/rpm; Debian's rpmbuild will do
	$(Q)rm -rf $(BUILD)/rpm && mkdir -p $(BUILD)/rpm/SOURCES
	$(Q)cp $(TARBALL) $(BUILD)/rpm/SOURCES
	$(Q)unset MAKEFLAGS && rpmbuild -ba --nodeps $(RPMFLAGS) \
		--define '_topdir $(abspath $(BUILD))/rpm' --define '_smp_mflags -j2' \
		--define 'release_version $(VERSION)' dist/rpm/nic-health-monitor.spec

.PHONY: image
image: deb ## a container image of this version, in build/image; as root, doc/container.md
	$(Q)dist/container/build

.PHONY: check-packaging
check-packaging: ## packages and image, on Debian 12 and 13 and arm64: nine minutes, as root
	$(Q)test/packaging/run

# Completion for shells, of what each program says with --help.
COMPLETIONS := $(foreach p,$(PROGRAMS) $(SCRIPTS),$(BUILD)/completion/bash/$(p) \
	$(BUILD)/completion/zsh/_$(p) $(BUILD)/completion/fish/$(p).fish)
define complete
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D) && $(BIN)/$* --help | awk -f dist/completion/options.awk | \
		awk -v program=$* -f dist/completion/$(1).awk >$@.new && mv $@.new $@
endef
$(BUILD)/completion/bash/%: $(BIN)/% dist/completion/options.awk dist/completion/bash.awk
	$(call complete,bash)
$(BUILD)/completion/zsh/_%: $(BIN)/% dist/completion/options.awk dist/completion/zsh.awk
	$(call complete,zsh)
$(BUILD)/completion/fish/%.fish: $(BIN)/% dist/completion/options.awk dist/completion/fish.awk
	$(call complete,fish)
.PHONY: completions
completions: $(COMPLETIONS) ## completion of all programs for bash, zsh and fish

# What is installed below share, each in a directory of its own there: of dist/fleet/1-x.sql this is
# fleet/1-x.sql.
SHARED := $(SCHEMA) $(RUNBOOKS) $(wildcard $(addprefix dist/,prometheus/* grafana/*.json slurm/* \
	nhc/* node-problem-detector/*)) $(KUBERNETES)

.PHONY: install uninstall clean help
install: programs completions ## install programs, manuals and units below DESTDIR and PREFIX
	$(Q)install -d '$(BINDIR)'
	$(Q)install -m 755 $(PROGRAMS:%=$(BIN)/%) $(SCRIPTS:%=$(BIN)/%) '$(BINDIR)'
	$(Q)for m in $(MANUALS); do \
		install -D -m 644 "$$m" '$(MANDIR)'/man"$${m##*.}"/"$${m##*/}" || exit 1; \
	done
	$(Q)install -D -m 644 -t '$(BASHDIR)' $(filter $(BUILD)/completion/bash/%,$(COMPLETIONS))
	$(Q)install -D -m 644 -t '$(ZSHDIR)' $(filter $(BUILD)/completion/zsh/%,$(COMPLETIONS))
	$(Q)install -D -m 644 -t '$(FISHDIR)' $(filter $(BUILD)/completion/fish/%,$(COMPLETIONS))
	$(Q)install -d '$(UNITDIR)'
	$(Q)install -m 644 $(UNITS:%=dist/%) '$(UNITDIR)'
	$(Q)sed -i -e '/^ExecStart=/s|/usr/bin/|$(PREFIX)/bin/|' \
		-e '/^Environment=PATH=/s|/usr|$(PREFIX)|' \
		$(if $(filter-out /usr,$(PREFIX)),-e 's/^AppArmorProfile=/#&/') \
		$(UNITS:%='$(UNITDIR)'/%)
	$(Q)for f in $(SHARED); do \
		[ -x "$$f" ] && mode=755 || mode=644; \
		install -D -m "$$mode" "$$f" '$(SHAREDIR)'/"$${f#*/}" || exit 1; \
	done
	$(Q)sed -i 's|/usr/bin/|$(PREFIX)/bin/|' '$(SHAREDIR)'/node-problem-detector/*.json
	$(Q)$(if $(filter-out /usr /usr/local,$(PREFIX)),sed -i \
		'/PATH=/s|/usr/local/bin|$(PREFIX)/bin:&|' \
		'$(SHAREDIR)'/slurm/node-check '$(SHAREDIR)'/nhc/*.nhc)
	$(Q)install -d '$(SYSUSERSDIR)'
	$(Q)install -m 644 $(SYSUSERS:%=dist/%) '$(SYSUSERSDIR)'

# In a staging tree the directories of others go too, as far as they are empty, and never the tree
# itself.
uninstall: ## remove what install put there
	$(Q)rm -f $(PROGRAMS:%='$(BINDIR)'/%) $(SCRIPTS:%='$(BINDIR)'/%)
	$(Q)rm -f $(PROGRAMS:%='$(BASHDIR)'/%) $(SCRIPTS:%='$(BASHDIR)'/%)
	$(Q)rm -f $(PROGRAMS:%='$(ZSHDIR)'/_%) $(SCRIPTS:%='$(ZSHDIR)'/_%)
	$(Q)rm -f $(PROGRAMS:%='$(FISHDIR)'/%.fish) $(SCRIPTS:%='$(FISHDIR)'/%.fish)
	$(Q)for m in $(MANUALS); do rm -f '$(MANDIR)'/man"$${m##*.}"/"$${m##*/}"; done
	$(Q)rm -f $(UNITS:%='$(UNITDIR)'/%) $(SYSUSERS:%='$(SYSUSERSDIR)'/%)
	$(Q)for f in $(SHARED); do rm -f '$(SHAREDIR)'/"$${f#*/}"; done
	$(Q)[ ! -d '$(SHAREDIR)' ] || find '$(SHAREDIR)' -depth -type d -empty -delete
	$(Q)[ -z '$(DESTDIR)' ] || ! cd '$(DESTDIR)' 2>/dev/null || \
		for d in share/man/man1 share/man/man5 share/man/man7 lib/systemd/system \
			share/bash-completion/completions \
			share/zsh/site-functions share/fish/vendor_completions.d \
			lib/sysusers.d bin; do \
			rmdir -p --ignore-fail-on-non-empty '$(patsubst /%,%,$(PREFIX))'/"$$d" \
				2>/dev/null || true; \
		done

clean: ## remove everything that was built
	$(Q)rm -rf build $(PROGRAMS:%=bin/%) $(SCRIPTS:%=bin/%)

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "  make %-17s %s\n", $$1, $$2 }' \
		$(MAKEFILE_LIST)
	@printf '\nOne of each:\n'
	@printf '  %-52s %s\n' \
		'make bin/emit' 'a program' \
		'make check T=emit' 'all tests of a tool' \
		'make check-unit T=emit_retry' 'a unit test' \
		'make check T="niccheck settle 0s"' 'those of a file with this in their names' \
		'UPDATE=1 make check-bats T=nicview' 'a file, whose snapshots are written anew' \
		'make check-scenario T=admin-reset SHOW=1' 'a scenario, and all its events'

-include $(LIB_OBJS:.o=.d) $(TOOL_OBJS:.o=.d) $(MAIN_OBJS:.o=.d) $(UNIT_OBJS:.o=.d) \
	$(BUILD)/takeover/confine.d $(BUILD)/test/takeover/takeover.d \
	$(ANALYZED:%=$(ANALYSIS)/clang/%.d) $(ANALYZED:%=$(ANALYSIS)/gcc/%.d) \
	$(FUZZERS:%=$(BUILD)/test/fuzz/%.d) $(BENCH_PROGRAMS:%=%.d)
