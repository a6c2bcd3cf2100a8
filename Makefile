# SPDX-License-Identifier: GPL-2.0-or-later
#
# eddy: one non-recursive Makefile.  Everything that is made stands under build/.
#
#   make            the program          make test      unit, golden and live tests
#   make profile    build and profile    make bench     figures (never asserted)
#   make lint fuzz install deps clean   make check-kernels   on other kernels, emulated
#   SAN=1  WERROR=1  CC=clang  V=1
#   ARCH=arm64      cross-built under build/arm64, also check-unit (emulated)
#
# Floors: the table below says what each floor of user/ may use.  One archive a floor; the link
# line of every unit test is derived from the table, so the linker keeps it, and
# tests/lint/includes.sh keeps the #includes by the same table (make print-floors).

FLOORS := util profile symbol unwind input analysis collect capture output cli

USES_util     :=
USES_profile  := util
USES_symbol   := profile util
USES_unwind   := util
USES_input    := profile util
USES_analysis := profile util
USES_collect  := profile symbol util
USES_capture  := unwind util
USES_output   := analysis profile util
USES_cli      := output capture collect analysis input unwind symbol profile util

# What a floor needs from outside.
LIBS_symbol   := -llzma -liberty
LIBS_input    := -lz
LIBS_analysis := -lm
LIBS_capture  := -lbpf -lelf -lz -lpthread
LIBS_output   := -ldeflate -lm
# What its unit tests compare it with.
TEST_LIBS_unwind = -ldw -lelf $(if $(IS_CROSS),-lz -llzma -lbz2)
TEST_LIBS_output = -lz

# ---- tools and flags -------------------------------------------------------------------------

comma   := ,
HOST_ARCH := $(shell uname -m | sed 's/aarch64/arm64/')
ARCH      ?= $(HOST_ARCH)
BPF_ARCH  := $(if $(filter arm64,$(ARCH)),arm64,x86)

# Another machine's program: Debian's cross-compiler, and libraries of that machine that stand
# beside the build (tests/sysroot.sh).  What it cannot know by uname it must be told: only arm64.
IS_CROSS := $(filter-out $(HOST_ARCH),$(ARCH))
TRIPLE   := $(if $(IS_CROSS),aarch64-linux-gnu)
CROSS    := $(if $(IS_CROSS),$(TRIPLE)-)
ifneq ($(filter-out arm64,$(IS_CROSS)),)
$(error ARCH=$(ARCH) on $(HOST_ARCH): only ARCH=arm64 can be built for from elsewhere)
endif

# Runs one of its programs here; its C library is the cross-compiler's.
EMULATOR  = qemu-aarch64-static -L /usr/$(TRIPLE) -E EDDY_EMULATED=1 -E OBJDUMP=$(CROSS)objdump \
            -E LD_LIBRARY_PATH=$(SYSROOT)/usr/lib/$(TRIPLE)

CC      ?= cc
ifeq ($(origin CC),default)
CC      := $(CROSS)gcc
endif
CLANG   ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool /usr/local/sbin/bpftool) bpftool)
AR      ?= ar
PREFIX  ?= /usr/local
SYSCONFDIR ?= /etc
VERSION := 0.1.0

B := build$(if $(IS_CROSS),/$(ARCH))$(if $(filter 1,$(SAN)),/san)$(if $(filter clang%,$(notdir $(CC))),/clang)
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2)';)

SYSROOT   := $(if $(IS_CROSS),build/$(ARCH)/sysroot)
MULTIARCH := $(shell $(CC) -dumpmachine 2>/dev/null)

CFLAGS   ?= -O2 -g
CFLAGS   += -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes \
            -fno-strict-aliasing -Wstrict-prototypes -Wshadow -Wvla -Wformat=2 -Wundef -fno-common \
            $(if $(filter 1,$(WERROR)),-Werror) \
            $(if $(filter 1,$(SAN)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all \
             -fno-omit-frame-pointer)
CPPFLAGS += -Iuser -Iinclude -I$(B)/gen -D_GNU_SOURCE -DEDDY_VERSION='"$(VERSION)"' \
            $(SYSROOT:%=-isystem %/usr/include -isystem %/usr/include/$(TRIPLE))
LDFLAGS  += $(SYSROOT:%=-L%/usr/lib/$(TRIPLE)) \
            $(if $(filter 1,$(SAN)),-fsanitize=address$(comma)undefined)
# -idirafter: asm/ of the host's libc headers; vmlinux/ by -I so that -MMD names it.
BPF_CFLAGS := -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -O2 -g -mcpu=v3 -Wall -Wextra \
              -Wno-unused-parameter -Wno-missing-declarations \
              -Wno-gnu-variable-sized-type-not-at-end \
              $(if $(filter 1,$(WERROR)),-Werror) -Iinclude -Ivmlinux -Ibpf \
              -idirafter /usr/include/$(MULTIARCH) $(TRIPLE:%=-idirafter /usr/%/include)

# ---- sources ---------------------------------------------------------------------------------

closure = $(sort $(1) $(foreach f,$(USES_$(1)),$(call closure,$(f))))
# Archives in link order: a floor after those that use it.
rev_floors := cli output capture collect analysis input unwind symbol profile util
archives   = $(foreach f,$(filter $(call closure,$(1)),$(rev_floors)),$(B)/lib/$(f).a)
floor_libs = $(foreach f,$(filter $(call closure,$(1)),$(rev_floors)),$(LIBS_$(f)))

src  = $(filter-out user/cli/main.c,$(wildcard user/$(1)/*.c))
objs = $(patsubst user/%.c,$(B)/obj/%.o,$(call src,$(1)))

BPF_SRCS := $(wildcard bpf/*.bpf.c)
SKELS    := $(patsubst bpf/%.bpf.c,$(B)/gen/%.skel.h,$(BPF_SRCS))

UNIT_SRCS := $(wildcard tests/unit/*/test_*.c)
UNIT_BINS := $(patsubst tests/%.c,$(B)/tests/%,$(UNIT_SRCS))
WORKLOAD_MK := tests/live/workloads/workloads.mk
BENCH_MK    := tests/bench/bench.mk
FUZZ_MK     := tests/fuzz/fuzz.mk
KERNELS_MK  := tests/kernels/kernels.mk

.PHONY: all test check-unit check-golden check-live bench benches lint fuzz fuzzers install deps profile clean \
        print-floors format tests
.DELETE_ON_ERROR:
.SUFFIXES:
# Objects made on the way to a skeleton are kept.
.SECONDARY:
all: $(B)/eddy

# ---- BPF -------------------------------------------------------------------------------------

$(B)/bpf/%.bpf.o: bpf/%.bpf.c Makefile | need-tools
	@mkdir -p $(@D)
	$(call say,BPF,$@)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(B)/gen/%.skel.h: $(B)/bpf/%.bpf.o
	@mkdir -p $(@D)
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

.PHONY: need-tools
need-tools:
	@command -v $(BPFTOOL) >/dev/null 2>&1 || { \
	  echo "eddy: bpftool is missing: 'make deps' installs it (or set BPFTOOL=)" >&2; exit 1; }
	@command -v $(CLANG) >/dev/null 2>&1 || { \
	  echo "eddy: clang is missing: 'make deps' installs it (or set CLANG=)" >&2; exit 1; }

# ---- C ---------------------------------------------------------------------------------------

ifneq ($(SYSROOT),)
HAVE_SYSROOT := $(SYSROOT)/.complete
$(HAVE_SYSROOT): tests/sysroot.sh tests/apt.sh
	$(call say,FETCH,$(SYSROOT))tests/sysroot.sh $(SYSROOT) $(ARCH)
endif

$(B)/obj/%.o: user/%.c Makefile | $(HAVE_SYSROOT)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

# Before the first build no .d file names the skeletons.
$(call objs,capture): | $(SKELS)

define floor_rule
$(B)/lib/$(1).a: $(call objs,$(1)) Makefile
	@mkdir -p $$(@D)
	$$(call say,AR,$$@)rm -f $$@ && $(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach f,$(FLOORS),$(eval $(call floor_rule,$(f))))

$(B)/eddy: $(B)/obj/cli/main.o $(call archives,cli)
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(call floor_libs,cli) $(LDLIBS)

define unit_rule
$(B)/tests/unit/$(1)/%: tests/unit/$(1)/%.c $(call archives,$(1)) Makefile
	@mkdir -p $$(@D)
	$$(call say,TEST,$$@)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) -o $$@ $$< \
	  $(call archives,$(1)) -lcmocka $(call floor_libs,$(1)) $(TEST_LIBS_$(1)) -lm
endef
$(foreach f,$(FLOORS),$(eval $(call unit_rule,$(f))))

# The sampler against libdwfl: it uses the floors as the program does.
DWFL_SRCS := $(wildcard tests/live/dwfl_*.c)
$(B)/live/dwfl_check: $(DWFL_SRCS) $(wildcard tests/live/dwfl_*.h) $(call archives,capture) Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(DWFL_SRCS) \
	  $(call archives,capture) $(TEST_LIBS_unwind) $(call floor_libs,capture)

# Windows one after the other, without files; kernel stacks against the kernel's own.
$(B)/live/windows_check $(B)/live/kernel_check: $(B)/live/%: tests/live/%.c $(call archives,cli) \
                                                Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< \
	  $(call archives,cli) $(call floor_libs,cli)

-include $(WORKLOAD_MK) $(BENCH_MK) $(FUZZ_MK) $(KERNELS_MK)

# ---- tests -----------------------------------------------------------------------------------

tests: $(UNIT_BINS) $(WORKLOADS) $(B)/live/dwfl_check $(B)/live/windows_check $(B)/live/kernel_check \
       $(B)/eddy

test: deps-test
	$(Q)$(MAKE) --no-print-directory tests
	$(Q)B=$(B) tests/run.sh unit golden live

check-unit: $(UNIT_BINS)
	$(Q)B=$(B) $(if $(IS_CROSS),RUNNER='$(EMULATOR)') tests/run.sh unit
check-golden: $(B)/eddy
	$(Q)B=$(B) tests/run.sh golden
check-live: $(B)/eddy $(WORKLOADS) $(B)/live/dwfl_check $(B)/live/windows_check $(B)/live/kernel_check
	$(Q)B=$(B) tests/run.sh live

# BENCH="merge snapshot" runs these alone.
bench: deps-bench
	$(Q)$(MAKE) --no-print-directory benches
	$(Q)B=$(B) tests/bench/run.sh $(BENCH)
benches: $(B)/eddy $(WORKLOADS) $(BENCHES) $(B)/live/dwfl_check

lint: deps-lint
	$(Q)$(MAKE) --no-print-directory all
	$(Q)B=$(B) tests/lint/run.sh

fuzzers: $(FUZZERS)
fuzz: deps-lint
	$(Q)$(MAKE) --no-print-directory $(FUZZERS)
	$(Q)B=$(B) tests/fuzz/run.sh

print-floors:
	@$(foreach f,$(FLOORS),echo '$(f): $(USES_$(f))';)

format:
	$(Q)git ls-files '*.c' '*.h' '*.cc' | grep -v ^vmlinux/ | xargs clang-format -i

# ---- using it --------------------------------------------------------------------------------

.PHONY: deps-test deps-build deps-lint deps-bench
deps-build:
	$(Q)./tests/deps.sh build
deps-test:
	$(Q)./tests/deps.sh build test
deps-lint:
	$(Q)./tests/deps.sh build lint
deps-bench:
	$(Q)./tests/deps.sh build bench
deps:
	$(Q)./tests/deps.sh build test lint bench

profile: deps-build
	$(Q)$(MAKE) --no-print-directory all
	$(Q)if [ "$$(id -u)" = 0 ]; then $(B)/eddy record -d 10; else sudo $(B)/eddy record -d 10; fi

# The unit is neither enabled nor started, and limits that are there stay.
install: all $(B)/eddy.8 $(B)/eddy.service
	install -D -m 0755 $(B)/eddy $(DESTDIR)$(PREFIX)/bin/eddy
	install -D -m 0644 $(B)/eddy.8 $(DESTDIR)$(PREFIX)/share/man/man8/eddy.8
	install -D -m 0644 $(B)/eddy.service $(DESTDIR)$(PREFIX)/lib/systemd/system/eddy.service
	[ -e $(DESTDIR)$(SYSCONFDIR)/eddy.conf ] || \
	  install -D -m 0644 dist/eddy.conf $(DESTDIR)$(SYSCONFDIR)/eddy.conf

# Made anew each time: PREFIX may be another one.
.PHONY: $(B)/eddy.service
$(B)/eddy.service:
	@mkdir -p $(@D)
	$(Q)sed 's,@BINDIR@,$(PREFIX)/bin,; s,@SYSCONFDIR@,$(SYSCONFDIR),' dist/eddy.service > $@

$(B)/eddy.8: docs/eddy.8
	@mkdir -p $(@D)
	$(Q)cp $< $@

clean:
	rm -rf build

-include $(shell find $(B) -name '*.d' -type f 2>/dev/null)
