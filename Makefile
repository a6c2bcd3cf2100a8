# SPDX-License-Identifier: GPL-2.0-or-later
#
# eddy: one non-recursive Makefile.  Everything that is made stands under build/.
#
#   make            the program          make test      unit, golden and live tests
#   make profile    build and profile    make bench     figures (never asserted)
#   make lint fuzz install deps clean   make check-kernels   on other kernels, emulated
#   make mutate     that the tests can fail: tests/mutate.sh (also check-mutations)
#   make deb        build/deb/*.deb, by lintian   make static   build/static/eddy, of no library
#   make check-attack   what hostile users do, as users who are made for it (root)
#   make check-noisy check-programs check-packages check-analyzer check-toolchains check-all
#                   see CONTRIBUTING.md
#   SAN=1  WERROR=1  CC=clang  V=1
#   ARCH=arm64      cross-built under build/arm64, also check-unit (emulated)
#
# The floors of user/ and what each may use stand in user/floors.mk.

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
# Where a release was packed, or what git says.
COMMIT  := $(or $(file <.commit),$(shell git describe --always --dirty --abbrev=12 2>/dev/null))

B := build$(if $(IS_CROSS),/$(ARCH))$(if $(filter 1,$(SAN)),/san)$(if $(filter clang%,$(notdir $(CC))),/clang)
Q := $(if $(filter 1,$(V)),,@)
say = $(if $(filter 1,$(V)),,@printf '  %-7s %s\n' '$(1)' '$(2)';)

SYSROOT   := $(if $(IS_CROSS),build/$(ARCH)/sysroot)
# clang's triple names a vendor, which the directories of headers do not.
MULTIARCH := $(subst -pc-,-,$(shell $(CC) -dumpmachine 2>/dev/null))

CFLAGS   ?= -O2 -g
CFLAGS   += -std=gnu11 -Wall -Wextra -Wno-unused-parameter -Wmissing-prototypes \
            -fno-strict-aliasing -Wstrict-prototypes -Wshadow -Wvla -Wformat=2 -Wundef -fno-common \
            $(if $(filter clang%,$(notdir $(CC))),-Wno-gnu-variable-sized-type-not-at-end) \
            $(if $(filter 1,$(WERROR)),-Werror) \
            $(if $(filter 1,$(SAN)),-fsanitize=address$(comma)undefined -fno-sanitize-recover=all \
             -fno-omit-frame-pointer)
CPPFLAGS += -Iuser -Iinclude -I$(B)/gen -D_GNU_SOURCE -DEDDY_VERSION='"$(VERSION)"' \
            $(if $(NO_ZYDIS),-DEDDY_NO_ZYDIS) \
            $(SYSROOT:%=-isystem %/usr/include -isystem %/usr/include/$(TRIPLE))
LDFLAGS  += $(SYSROOT:%=-L%/usr/lib/$(TRIPLE)) \
            $(if $(filter 1,$(SAN)),-fsanitize=address$(comma)undefined)
# -idirafter: asm/ of the host's libc headers; vmlinux/ by -I so that -MMD names it.
BPF_CFLAGS := -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -O2 -g -mcpu=v3 -Wall -Wextra \
              -Wno-unused-parameter -Wno-missing-declarations \
              -Wno-gnu-variable-sized-type-not-at-end \
              -Wno-unknown-warning-option -Wno-default-const-init-unsafe \
              $(if $(filter 1,$(WERROR)),-Werror) -Iinclude -Ivmlinux -Ibpf \
              -idirafter /usr/include/$(MULTIARCH) $(TRIPLE:%=-idirafter /usr/%/include)

# ---- what things are made with ----------------------------------------------------------------
#
# $(call made_with,NAME,TEXT) makes the file $(B)/flags/NAME, which is as new as the TEXT in it: who
# depends on it is made again when the compiler, the flags or the list of files are others.
# -Werror is no part of it: nothing comes out differently.

differ = $(subst |$(strip $(1))|,,|$(strip $(2))|)
define made_with_rule
$(B)/flags/$(1): $(if $(call differ,$(file <$(B)/flags/$(1)),$(2)),anew)
	@mkdir -p $$(@D) && printf '%s\n' '$(subst $$,$$$$,$(subst ','\'',$(strip $(2))))' >$$@
endef
made_with = $(eval $(call made_with_rule,$(1),$(2)))
where     = $(realpath $(shell command -v $(firstword $(1))))
.PHONY: anew

WITH_CC  := $(B)/flags/cc
WITH_BPF := $(B)/flags/bpf
$(call made_with,cc,$(CC) $(call where,$(CC)) $(CPPFLAGS) $(filter-out -Werror,$(CFLAGS)) \
                    $(LDFLAGS) $(LDLIBS))
$(call made_with,bpf,$(CLANG) $(call where,$(CLANG)) $(filter-out -Werror,$(BPF_CFLAGS)) \
                     $(BPFTOOL))

$(call made_with,commit,$(COMMIT))

# ---- sources ---------------------------------------------------------------------------------

.DEFAULT_GOAL := all
include user/floors.mk

src  = $(filter-out user/cli/main.c,$(wildcard user/$(1)/*.c))
objs = $(patsubst user/%.c,$(B)/obj/%.o,$(call src,$(1)))

BPF_SRCS := $(wildcard bpf/*.bpf.c)
SKELS    := $(patsubst bpf/%.bpf.c,$(B)/gen/%.skel.h,$(BPF_SRCS))

UNIT_SRCS := $(wildcard tests/unit/*/test_*.c)
UNIT_BINS := $(patsubst tests/%.c,$(B)/tests/%,$(UNIT_SRCS))
WORKLOAD_MK := tests/live/workloads/workloads.mk
BENCH_MK    := tests/bench/bench.mk
FUZZ_MK     := tests/fuzz/fuzz.mk
ATTACK_MK   := tests/attack/attack.mk
KERNELS_MK  := tests/kernels/kernels.mk

.PHONY: all install uninstall deb static deps profile clean format fuzzers bench benches
.PHONY: tests test check-unit check-golden check-live attack check-attack noisy check-noisy
.PHONY: check-programs check-packages check-corpus lint check-lint check-analyzer mutate
.PHONY: check-mutations fuzz
.PHONY: check-fuzz check-toolchains check-all
.DELETE_ON_ERROR:
.SUFFIXES:
all: $(B)/eddy

# ---- BPF -------------------------------------------------------------------------------------

# By their names and not by a pattern: what is missing on the way to something is made, else what is
# there would do.
BPF_OBJS := $(patsubst bpf/%.c,$(B)/bpf/%.o,$(BPF_SRCS))
$(BPF_OBJS): $(B)/bpf/%.bpf.o: bpf/%.bpf.c $(WITH_BPF) Makefile | need-tools
	@mkdir -p $(@D)
	$(call say,BPF,$@)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(SKELS): $(B)/gen/%.skel.h: $(B)/bpf/%.bpf.o
	@mkdir -p $(@D)
	$(call say,SKEL,$@)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

.PHONY: need-tools
need-tools:
	@command -v $(BPFTOOL) >/dev/null 2>&1 || { \
	  echo "eddy: bpftool is missing: 'make deps' installs it (or set BPFTOOL=)" >&2; exit 1; }
	@command -v $(CLANG) >/dev/null 2>&1 || { \
	  echo "eddy: clang is missing: 'make deps' installs it (or set CLANG=)" >&2; exit 1; }
	@$(if $(IS_CROSS),:,echo '#include <capstone/capstone.h>' | \
	  $(CC) $(CPPFLAGS) -E -o /dev/null - 2>/dev/null) || { \
	  echo "eddy: capstone is missing: 'make deps' installs it (libcapstone-dev)" >&2; exit 1; }

# ---- C ---------------------------------------------------------------------------------------

ifneq ($(SYSROOT),)
HAVE_SYSROOT := $(SYSROOT)/.complete
$(HAVE_SYSROOT): tests/sysroot.sh tests/apt.sh
	$(call say,FETCH,$(SYSROOT))tests/sysroot.sh $(SYSROOT) $(ARCH)
endif

$(B)/obj/%.o: user/%.c $(WITH_CC) Makefile | $(HAVE_SYSROOT)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c $< -o $@

$(B)/obj/cli/version.o: CPPFLAGS += -DEDDY_COMMIT='"$(COMMIT)"'
$(B)/obj/cli/version.o: $(B)/flags/commit

# One whose .d is gone would not see that a header has changed.
all_objs = $(BPF_OBJS) $(foreach f,$(FLOORS),$(call objs,$(f))) $(B)/obj/cli/main.o
unsure   = $(foreach o,$(wildcard $(all_objs)),$(if $(wildcard $(o:.o=.d)),,$(o)))
$(unsure): anew

# The viewer of pages (.html), as text that the program holds.
PAGE_DIR     := user/output/page
PAGE_PARTS   := buffers data tree collapse functions cycles method paint compare chance drift \
                believe ranges windows timeline pane table state picture controls app
PAGE_SCRIPTS := $(PAGE_PARTS:%=$(PAGE_DIR)/%.js)
$(B)/gen/html_page.h: $(PAGE_DIR)/embed.sh $(PAGE_DIR)/page.css $(PAGE_DIR)/page.html \
                      $(PAGE_SCRIPTS) Makefile
	@mkdir -p $(@D)
	$(call say,PAGE,$@)$(PAGE_DIR)/embed.sh $(filter-out Makefile %.sh,$^) >$@
$(B)/obj/output/html.o: $(B)/gen/html_page.h

# Before the first build no .d file names the skeletons.
$(call objs,capture): | $(SKELS)

define floor_rule
$(call made_with_rule,$(1),$(AR) $(call objs,$(1)))
$(B)/lib/$(1).a: $(call objs,$(1)) $(B)/flags/$(1) Makefile
	@mkdir -p $$(@D)
	$$(call say,AR,$$@)rm -f $$@ && $(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach f,$(FLOORS),$(eval $(call floor_rule,$(f))))

$(B)/eddy: $(B)/obj/cli/main.o $(call archives,cli) $(WITH_CC) user/floors.mk
	$(call say,LD,$@)$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o %.a,$^) \
	  $(call floor_libs,cli) $(LDLIBS)

define unit_rule
$(B)/tests/unit/$(1)/%: tests/unit/$(1)/%.c $(call archives,$(1) $(TEST_USES_$(1))) $(WITH_CC) \
                               user/floors.mk Makefile
	@mkdir -p $$(@D)
	$$(call say,TEST,$$@)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) -o $$@ $$< \
	  $(call archives,$(1) $(TEST_USES_$(1))) -lcmocka $(call floor_libs,$(1) $(TEST_USES_$(1))) \
	  $(TEST_LIBS_$(1)) -lm
endef
$(foreach f,$(FLOORS),$(eval $(call unit_rule,$(f))))

# The sampler against libdwfl: it uses the floors as the program does.
DWFL_SRCS := $(wildcard tests/live/dwfl_*.c)
$(B)/live/dwfl_check: $(DWFL_SRCS) $(wildcard tests/live/dwfl_*.h) $(call archives,capture) \
                      $(WITH_CC) Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) $(LDFLAGS) -o $@ $(DWFL_SRCS) \
	  $(call archives,capture) $(TEST_LIBS_unwind) $(call floor_libs,capture)

# Windows one after the other, without files; kernel stacks against the kernel's own; addresses.
LIVE_CHECKS := $(addprefix $(B)/live/,windows_check kernel_check address_check)
$(LIVE_CHECKS): $(B)/live/%: tests/live/%.c $(call archives,cli) \
                $(WITH_CC) Makefile
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< \
	  $(call archives,cli) $(call floor_libs,cli)

-include $(WORKLOAD_MK) $(BENCH_MK) $(FUZZ_MK) $(KERNELS_MK) $(ATTACK_MK)

# ---- tests -----------------------------------------------------------------------------------

tests: $(UNIT_BINS) $(WORKLOADS) $(B)/live/dwfl_check $(LIVE_CHECKS) $(B)/eddy

test: deps-test
	$(Q)$(MAKE) --no-print-directory tests
	$(Q)B=$(B) tests/run.sh unit golden live

check-unit: $(UNIT_BINS)
	$(Q)B=$(B) $(if $(IS_CROSS),RUNNER='$(EMULATOR)') tests/run.sh unit
check-golden: $(B)/eddy
	$(Q)B=$(B) tests/run.sh golden
check-live: $(B)/eddy $(WORKLOADS) $(B)/live/dwfl_check $(LIVE_CHECKS)
	$(Q)B=$(B) tests/run.sh live
attack: $(B)/eddy $(WORKLOADS) $(ATTACKERS)
check-attack: attack
	$(Q)B=$(B) tests/run.sh attack

# What needs a quiet machine, or judges what is rare.
noisy: $(B)/eddy $(WORKLOADS) $(B)/live/dwfl_check $(LIVE_CHECKS)
check-noisy: deps-test
	$(Q)$(MAKE) --no-print-directory noisy
	$(Q)B=$(B) tests/run.sh noisy
check-programs: deps-test
	$(Q)$(MAKE) --no-print-directory $(B)/eddy
	$(Q)B=$(B) tests/run.sh programs
# Its clones are made of what is committed.
check-packages: deps-package
	$(Q)TEST_TIMEOUT=$${TEST_TIMEOUT:-7200} tests/run.sh packages
check-corpus: $(FUZZERS)
	$(Q)B=$(B) tests/run.sh corpus
check-lint: all benches
	$(Q)B=$(B) tests/run.sh lint
check-analyzer: deps-lint
	$(Q)$(MAKE) --no-print-directory all
	$(Q)B=$(B) ANALYZE=1 tests/run.sh lint
check-mutations: mutate
check-fuzz: deps-lint
	$(Q)$(MAKE) --no-print-directory $(FUZZERS)
	$(Q)B=$(B) tests/run.sh fuzz
check-toolchains: deps-test
	$(Q)tests/toolchains.sh
check-all:
	$(Q)tests/check-all.sh

# BENCH="merge snapshot" runs these alone.
bench: deps-bench
	$(Q)$(MAKE) --no-print-directory benches
	$(Q)B=$(B) tests/bench/run.sh $(BENCH)
benches: $(B)/eddy $(WORKLOADS) $(BENCHES) $(B)/live/dwfl_check

lint: deps-lint
	$(Q)$(MAKE) --no-print-directory all
	$(Q)B=$(B) tests/lint/run.sh

# Defects that the tests must notice, each made in a copy; ONLY=pattern for some of them.
mutate: deps-test
	$(Q)$(MAKE) --no-print-directory tests
	$(Q)B=$(B) tests/mutate.sh unit golden live noisy attack kernels

fuzzers: $(FUZZERS)
fuzz: deps-lint
	$(Q)$(MAKE) --no-print-directory $(FUZZERS)
	$(Q)B=$(B) tests/fuzz/run.sh

format:
	$(Q)git ls-files '*.c' '*.h' '*.cc' | grep -v ^vmlinux/ | xargs clang-format -i

# ---- using it --------------------------------------------------------------------------------

.PHONY: deps-test deps-build deps-lint deps-bench deps-package
deps-build:
	$(Q)./tests/deps.sh build
deps-test:
	$(Q)./tests/deps.sh build test
deps-lint:
	$(Q)./tests/deps.sh build lint
deps-bench:
	$(Q)./tests/deps.sh build bench
deps-package:
	$(Q)./tests/deps.sh build package
deps:
	$(Q)./tests/deps.sh build test lint bench

# An idle machine has nothing to show: while it is sampled a part of eddy is built anew, elsewhere.
# By another name than MAKE, for which 'make -n' would run it.
profiled_make = $(MAKE)
profile: deps-build
	$(Q)$(MAKE) --no-print-directory all
	@echo 'Sampling the whole machine while a part of eddy is compiled once more:'
	$(Q)d=$$(mktemp -d) && trap 'rm -rf "$$d"' EXIT && \
	  $$([ "$$(id -u)" = 0 ] || echo sudo) $(B)/eddy record -F 499 -- \
	    $(profiled_make) -s --no-print-directory -j2 B="$$d" "$$d/lib/analysis.a" "$$d/lib/output.a"

BASH_COMPLETIONS ?= $(PREFIX)/share/bash-completion/completions
ZSH_COMPLETIONS  ?= $(PREFIX)/share/zsh/site-functions

# The unit is neither enabled nor started, and limits that are there stay.
install: all $(B)/eddy.8 $(B)/eddy.service $(B)/completion.bash $(B)/completion.zsh
	install -D -m 0755 $(B)/eddy $(DESTDIR)$(PREFIX)/bin/eddy
	install -D -m 0644 $(B)/eddy.8 $(DESTDIR)$(PREFIX)/share/man/man8/eddy.8
	install -D -m 0644 $(B)/eddy.service $(DESTDIR)$(PREFIX)/lib/systemd/system/eddy.service
	install -D -m 0644 $(B)/completion.bash $(DESTDIR)$(BASH_COMPLETIONS)/eddy
	install -D -m 0644 $(B)/completion.zsh $(DESTDIR)$(ZSH_COMPLETIONS)/_eddy
	[ -e $(DESTDIR)$(SYSCONFDIR)/eddy.conf ] || \
	  install -D -m 0644 dist/eddy.conf $(DESTDIR)$(SYSCONFDIR)/eddy.conf

# Limits that somebody has changed stay, and so do snapshots.
uninstall:
	rm -f $(DESTDIR)$(PREFIX)/bin/eddy $(DESTDIR)$(PREFIX)/share/man/man8/eddy.8 \
	  $(DESTDIR)$(PREFIX)/lib/systemd/system/eddy.service $(DESTDIR)$(BASH_COMPLETIONS)/eddy \
	  $(DESTDIR)$(ZSH_COMPLETIONS)/_eddy
	$(Q)if cmp -s dist/eddy.conf $(DESTDIR)$(SYSCONFDIR)/eddy.conf; then \
	  rm -f $(DESTDIR)$(SYSCONFDIR)/eddy.conf; fi

$(B)/completion.%: $(B)/eddy
	$(Q)$(if $(IS_CROSS),$(EMULATOR)) $< completion $* >$@

# A package of Debian's in build/deb, of what is committed.
deb:
	$(Q)./tests/deps.sh build package
	$(Q)dist/deb.sh $(VERSION) $(COMMIT)

# One file for any distribution: what it is linked with stands in it.  Debian's archives of libbpf
# and libelf do not say what they need, and of Zydis it has none: then eddy does without.
static: deps-build
	$(Q)$(MAKE) --no-print-directory B=build/static LDFLAGS='$(LDFLAGS) -static' \
	  LDLIBS='$(STATIC_LIBS)' NO_ZYDIS='$(if $(call has_archive,Zydis),,1)' build/static/eddy
STATIC_LIBS = -D_GNU_SOURCE dist/elfutils_search.c -lelf -lz -lpthread
has_archive = $(filter /%,$(shell $(CC) -print-file-name=lib$(1).a))

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
