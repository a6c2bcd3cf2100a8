# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzers: each tests/fuzz/fuzz_NAME.c with the floors it uses, all compiled by clang with
# libFuzzer, ASan and UBSan under $(B)/fuzz.  Seeds stand in tests/fuzz/corpus/NAME/.
# The floors that touch the kernel and argv, capture and cli, are left out: there is no parser in them.

FUZZ_FLOORS := output collect analysis input unwind symbol profile util
FUZZ_SRCS   := $(wildcard tests/fuzz/fuzz_*.c)
FUZZERS     := $(patsubst tests/fuzz/%.c,$(B)/fuzz/%,$(FUZZ_SRCS))
FUZZ_CFLAGS := -std=gnu11 -O1 -g -Wall -Wextra -Wno-unused-parameter -fno-omit-frame-pointer \
               -fsanitize=address$(comma)undefined -fno-sanitize-recover=all
FUZZ_LIBS   := -Wl,--as-needed $(sort $(foreach f,$(FUZZ_FLOORS),$(LIBS_$(f))))

fuzz_objs = $(patsubst user/%.c,$(B)/fuzz/obj/%.o,$(call src,$(1)))

$(B)/fuzz/obj/%.o: user/%.c Makefile $(FUZZ_MK)
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)$(CLANG) $(CPPFLAGS) $(FUZZ_CFLAGS) -fsanitize=fuzzer-no-link \
	  -MMD -MP -c $< -o $@

define fuzz_floor_rule
$(B)/fuzz/lib/$(1).a: $(call fuzz_objs,$(1)) Makefile
	@mkdir -p $$(@D)
	$$(call say,AR,$$@)rm -f $$@ && $(AR) rcs $$@ $$(filter %.o,$$^)
endef
$(foreach f,$(FUZZ_FLOORS),$(eval $(call fuzz_floor_rule,$(f))))

$(B)/fuzz/fuzz_%: tests/fuzz/fuzz_%.c $(FUZZ_FLOORS:%=$(B)/fuzz/lib/%.a) $(FUZZ_MK)
	@mkdir -p $(@D)
	$(call say,FUZZ,$@)$(CLANG) $(CPPFLAGS) -Itests $(FUZZ_CFLAGS) -fsanitize=fuzzer -MMD -MP \
	  -o $@ $< $(FUZZ_FLOORS:%=$(B)/fuzz/lib/%.a) $(FUZZ_LIBS)
