# SPDX-License-Identifier: GPL-2.0-or-later
#
# The floors of user/: what each may use, what it touches, what it needs from outside.  This is the
# one place.  From it come the archives and the link line of every unit test (so the linker keeps
# it), the check of #includes (tests/lint/includes.sh), the fuzzers, and the table in
# docs/DESIGN.md ('make print-floors-table').
#
# A floor stands behind those that it uses.

FLOORS := util profile elf unwind symbol input analysis archive collect capture output load view \
          annotate live run snapshot top cli

USES_util     :=
USES_profile  := util
USES_elf      := util
USES_unwind   := elf util
USES_symbol   := unwind elf profile util
USES_input    := profile util
USES_analysis := profile util
USES_archive  := util
USES_collect  := profile symbol util
USES_capture  := unwind elf util
USES_output   := archive analysis profile util
USES_load     := output input archive analysis profile util
USES_view     := load output archive analysis profile util
USES_annotate := output capture analysis symbol profile util
USES_live     := output analysis profile util
USES_run      := capture collect archive analysis unwind symbol profile util
USES_snapshot := output archive analysis profile util
USES_top      := annotate load live run output archive analysis profile util
USES_cli      := top snapshot live run annotate view load output capture archive analysis input profile util

TOUCHES_util     := memory, plain files, its own processes
TOUCHES_profile  := nothing
TOUCHES_elf      := a descriptor it is given
TOUCHES_unwind   := a descriptor it is given
TOUCHES_symbol   := files under a given root
TOUCHES_input    := a `FILE *`, or a file by its path
TOUCHES_analysis := nothing
TOUCHES_archive  := the `.json` of a file, names in a directory of snapshots
TOUCHES_collect  := the names of cgroups
TOUCHES_capture  := the kernel
TOUCHES_output   := a `FILE *`
TOUCHES_load     := files of stacks and what lies beside them
TOUCHES_view     := the files that results go to
TOUCHES_annotate := code, by the parsing child
TOUCHES_live     := the terminal, in one file
TOUCHES_run      := signals, a child, clocks
TOUCHES_snapshot := the directory of snapshots
TOUCHES_top      := screen, thread, choices
TOUCHES_cli      := argv, standard output, standard error

LIBS_util     := -lseccomp
LIBS_unwind   := $(if $(filter arm64,$(ARCH))$(NO_ZYDIS),,-lZydis)
LIBS_symbol   := -lcapstone -ldw -lelf -llzma -liberty -lz
LIBS_input    := -ldeflate -lz -llzma -lzstd -lbz2
LIBS_analysis := -lm
LIBS_capture  := -lbpf -lelf -lz -lpthread
LIBS_output   := -ldeflate -lz -lm
LIBS_live     := -lncursesw -ltinfo
LIBS_load     := -lpthread
LIBS_snapshot := -lpthread
LIBS_top      := -lpthread
# What the unit tests of a floor compare it with: libraries, and floors that read what it wrote.
TEST_LIBS_unwind = -ldw -lelf $(if $(IS_CROSS),-lz -llzma -lbz2)
TEST_USES_snapshot := input
TEST_USES_output := input
TEST_USES_elf := unwind symbol

# All that a floor may use, directly or not, itself included.
closure = $(sort $(1) $(foreach f,$(USES_$(1)),$(call closure,$(f))))
# In link order: a floor before those that it uses.
reverse    = $(if $(1),$(call reverse,$(wordlist 2,$(words $(1)),$(1))) $(firstword $(1)))
rev_floors := $(strip $(call reverse,$(FLOORS)))
in_order   = $(filter $(sort $(foreach f,$(1),$(call closure,$(f)))),$(rev_floors))
archives   = $(patsubst %,$(B)/lib/%.a,$(call in_order,$(1)))
floor_libs = $(foreach f,$(call in_order,$(1)),$(LIBS_$(f)))
# Those that parse and compute: they touch neither the kernel nor argv, so fuzzers link them.
pure_floors := $(foreach f,$(FLOORS),$(if $(filter capture cli,$(call closure,$(f))),,$(f)))

# For people: of a floor that uses most of the others, those that it does not use.
others    = $(filter-out $(1),$(FLOORS))
uses_text = $(or $(if $(wordlist 11,12,$(USES_$(1))),all but $(filter-out $(USES_$(1)),$(others))),\
            $(USES_$(1)),-)

.PHONY: print-floors print-floors-table
print-floors:
	@$(foreach f,$(FLOORS),echo '$(f): $(USES_$(f))';)
print-floors-table:
	@echo '| floor | may use | touches |'; echo '|---|---|---|'; \
	$(foreach f,$(FLOORS),echo '| `$(f)` | $(call uses_text,$(f)) | $(TOUCHES_$(f)) |';)
