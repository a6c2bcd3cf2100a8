# SPDX-License-Identifier: GPL-2.0-or-later
# Programs of hostile users: tests/attack/NAME.c -> $(B)/attack/NAME.  Built as workloads are, by gcc
# and without sanitizers; AFLAGS_NAME adds flags, AEVIL_NAME has objcopy change the finished program.

ADIR := tests/attack
AOUT := $(B)/attack
ATTACKERS := $(patsubst $(ADIR)/%.c,$(AOUT)/%,$(wildcard $(ADIR)/*.c))

AEVIL_forger := --redefine-sym 'forged_entry=asm_sysvec_forged_[k]' \
  --redefine-sym 'forged_mark=[hardirq]' --redefine-sym 'forged_lost=[lost:map-full]' \
  --redefine-sym "forged_direction=$$(printf '\342\200\256')laid"
AFLAGS_endless_stacks := -O1 -DNAME=$(shell printf 'x%.0s' $$(seq 1000))_
LIBC_ID := $(shell LC_ALL=C readelf -n "$$($(WCC) -print-file-name=libc.so.6)" 2>/dev/null | \
  sed -n 's/.*Build ID: *//p')
AFLAGS_twin := $(if $(LIBC_ID),-Wl$(comma)--build-id=0x$(LIBC_ID))
AFLAGS_odd_frames := -O2 -fomit-frame-pointer -fno-stack-protector
AFLAGS_odd_frames_too := $(AFLAGS_odd_frames)
AFLAGS_elsewhere := -static

$(AOUT)/%: $(ADIR)/%.c $(WITH_WCC) $(ADIR)/attack.mk
	@mkdir -p $(@D)
	$(call say,ATTACK,$@)$(WCC) -std=gnu11 $(WFLAGS) $(WFP) -MMD -MP -o $@ $< $(AFLAGS_$*)
	$(if $(AEVIL_$*),$(Q)$(CROSS)objcopy $(AEVIL_$*) $@)
