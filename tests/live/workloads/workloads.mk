# SPDX-License-Identifier: GPL-2.0-or-later
# Workloads of known truth for the live tests and benchmarks:
#
#   tests/live/workloads/NAME.c .cc .rs   -> $(B)/workloads/NAME        with frame pointers
#                        NAME.c .cc       -> $(B)/workloads/nofp/NAME   without, as distributions do
#                        libNAME.c        -> libNAME.so beside each, for those with WLIBS_NAME
#                        libclock_step.c  -> libclock_step.so, which tests preload
#
# WFLAGS_NAME adds flags, WEVIL_NAME runs a command on the finished program.  They are always built
# by gcc and without sanitizers: the truth they print is about the code as it is laid out.

WCC  ?= $(CROSS)gcc
WCXX ?= $(CROSS)g++
RUSTC ?= $(if $(IS_CROSS),,$(shell command -v rustc 2>/dev/null))
WDIR := tests/live/workloads
WOUT := $(B)/workloads

W_C    := $(filter-out lib%,$(patsubst $(WDIR)/%.c,%,$(wildcard $(WDIR)/*.c)))
W_CXX  := $(if $(shell command -v $(WCXX) 2>/dev/null),$(patsubst $(WDIR)/%.cc,%,$(wildcard $(WDIR)/*.cc)))
W_RUST := $(if $(RUSTC),$(patsubst $(WDIR)/%.rs,%,$(wildcard $(WDIR)/*.rs)))

WORKLOADS := $(foreach w,$(W_C) $(W_CXX),$(WOUT)/$(w) $(WOUT)/nofp/$(w)) $(W_RUST:%=$(WOUT)/%) \
             $(WOUT)/libclock_step.so

# A frame for every function that is named in a truth: no inlining, cloning, folding of equal
# functions, or calls turned into jumps.
WFLAGS := -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -I$(WDIR) -Iinclude -pthread \
          -fno-inline-small-functions -fno-ipa-icf -fno-ipa-cp -fno-ipa-sra -fno-optimize-sibling-calls
WFP    := -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer

WFLAGS_static_prog := -static
WFLAGS_confine     := -static
WFLAGS_many_programs := -static
WFLAGS_exec_first  := -static -no-pie # at fixed addresses
WFLAGS_exec_second := -static -no-pie
WFLAGS_shared_lib  := -Wl,-rpath,'$$ORIGIN'
WLIBS_shared_lib   := libshared_work.so
# Bytes that no compiler would write: set in the finished symbol table.
WEVIL_evil_name    := --redefine-sym 'evil_semicolon=evil;semi colon' \
  --redefine-sym "evil_newline=evil$$(printf '\nnew')line 7" \
  --redefine-sym "evil_escape=evil$$(printf '\033[31m\001')escape"

WITH_WCC := $(B)/flags/workloads
$(call made_with,workloads,$(WCC) $(call where,$(WCC)) $(WCXX) $(WFLAGS) $(WFP) $(RUSTC))

$(WOUT)/libclock_step.so: $(WDIR)/libclock_step.c $(WITH_WCC) $(WORKLOAD_MK)
	@mkdir -p $(@D)
	$(call say,WORK,$@)$(WCC) -std=gnu11 $(WFLAGS) -fPIC -shared -MMD -MP -o $@ $<

define workload_rules
$(foreach l,$(WLIBS_$(2)),$(1)/$(l)): $(1)/%.so: $(WDIR)/%.c $(WITH_WCC) $(WORKLOAD_MK)
	@mkdir -p $$(@D)
	$$(call say,WORK,$$@)$(WCC) -std=gnu11 $(WFLAGS) $(3) -fPIC -shared -MMD -MP -o $$@ $$<
$(1)/$(2): $(foreach l,$(WLIBS_$(2)),$(1)/$(l))
endef
$(foreach w,$(W_C),$(if $(WLIBS_$(w)),$(eval $(call workload_rules,$(WOUT),$(w),$(WFP)))))
$(foreach w,$(W_C),$(if $(WLIBS_$(w)),$(eval $(call workload_rules,$(WOUT)/nofp,$(w),-fomit-frame-pointer))))

workload_c = $(WCC) -std=gnu11 $(WFLAGS) $(1) -MMD -MP -o $@ $< \
  $(foreach l,$(WLIBS_$*),$(@D)/$(l)) $(WFLAGS_$*) -lm
workload_evil = $(if $(WEVIL_$*),$(Q)$(CROSS)objcopy $(WEVIL_$*) $@)

$(WOUT)/nofp/%: $(WDIR)/%.c $(WITH_WCC) $(WORKLOAD_MK)
	@mkdir -p $(@D)
	$(call say,WORK,$@)$(call workload_c,-fomit-frame-pointer)
	$(workload_evil)
$(WOUT)/nofp/%: $(WDIR)/%.cc $(WITH_WCC) $(WORKLOAD_MK)
	@mkdir -p $(@D)
	$(call say,WORK,$@)$(WCXX) $(WFLAGS) -fomit-frame-pointer -MMD -MP -o $@ $< $(WFLAGS_$*)
$(WOUT)/%: $(WDIR)/%.c $(WITH_WCC) $(WORKLOAD_MK)
	@mkdir -p $(@D)
	$(call say,WORK,$@)$(call workload_c,$(WFP))
	$(workload_evil)
$(WOUT)/%: $(WDIR)/%.cc $(WITH_WCC) $(WORKLOAD_MK)
	@mkdir -p $(@D)
	$(call say,WORK,$@)$(WCXX) $(WFLAGS) $(WFP) -MMD -MP -o $@ $< $(WFLAGS_$*)
$(WOUT)/%: $(WDIR)/%.rs $(WITH_WCC) $(WORKLOAD_MK)
	@mkdir -p $(@D)
	$(call say,RUSTC,$@)env -u MAKEFLAGS -u MFLAGS $(RUSTC) -O -g -C force-frame-pointers=yes -o $@ $<

include $(WDIR)/chains/chains.mk
