# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzers: each tests/fuzz/fuzz_NAME.c with the floors it uses, all compiled by clang with
# libFuzzer, ASan and UBSan under $(B)/fuzz.  Seeds stand in tests/fuzz/corpus/NAME/.

FUZZ_FLOORS := $(filter $(pure_floors),$(rev_floors))
FUZZ_SRCS   := $(wildcard tests/fuzz/fuzz_*.c)
FUZZERS     := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ_SRCS))
FUZZ_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter -fno-omit-frame-pointer \
               -fsanitize=address$(comma)undefined -fno-sanitize-recover=all
FUZZ_LIBS   := -Wl,--as-needed $(sort $(foreach f,$(FUZZ_FLOORS),$(LIBS_$(f))))

WITH_FUZZ := $(B)/flags/fuzz
$(call made_with,fuzz,$(CLANG) $(call where,$(CLANG)) $(CPPFLAGS) $(FUZZ_CFLAGS))

fuzz_objs = $(patsubst user/%.c,$(B)/fuzz/obj/%.o,$(call src,$(1)))

$(B)/fuzz/obj/%.o: user/%.c $(WITH_FUZZ) Makefile $(FUZZ_MK)
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)$(CLANG) $(CPPFLAGS) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link \
	  -MMD -MP -c $< -o $@

define fuzz_floor_rule
$(call made_with_rule,fuzz-$(1),$(AR) $(call fuzz_objs,$(1)))
$(B)/fuzz/lib/$(1).a: $(call fuzz_objs,$(1)) $(B)/flags/fuzz-$(1) Makefile
	@mkdir -p $$(@D)
	$$(call say,AR,$$@)rm -f $$@ && $(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach f,$(FUZZ_FLOORS),$(eval $(call fuzz_floor_rule,$(f))))

$(B)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_FLOORS:%=$(B)/fuzz/lib/%.a) $(WITH_FUZZ) $(FUZZ_MK)
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)$(CLANG) $(CPPFLAGS) -Itests $(FUZZ_CFLAGS) -fsanitize=fuzzer -MMD -MP \
	  -o $@ $< $(FUZZ_FLOORS:%=$(B)/fuzz/lib/%.a) $(FUZZ_LIBS)
