# SPDX-License-Identifier: GPL-2.0-or-later
# make check-kernels: the program that was built, on other kernels in an emulator and on this one.
# With ARCH=arm64 the rows of that, cross-built.  ONLY=6.12 for one.  On a busy machine a row takes minutes; it is given up by its silence.
# ONLY=service: the unit under systemd, on 6.1.

# The sampler is built by each clang of tests/deps.sh's group `clangs` that is there, and loaded in
# each row.

KERNELS_VERIFY  := $(B)/kernels/verify
KERNELS_CLANGS  := $(shell sed -n 's/^clangs *| *cmd:\(clang-[0-9]*\) .*/\1/p' tests/deps.sh)
KERNELS_OBJS     = $(foreach c,$(KERNELS_CLANGS),$(if $(shell command -v $(c)),$(B)/kernels/$(c).bpf.o))

$(KERNELS_VERIFY): tests/kernels/verify.c tests/kernels/kernels.mk $(WITH_CC) | $(HAVE_SYSROOT)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(LIBS_capture)

$(KERNELS_CLANGS:%=$(B)/kernels/%.bpf.o): $(B)/kernels/%.bpf.o: bpf/sampler.bpf.c $(WITH_BPF) Makefile
	@mkdir -p $(@D)
	$(call say,BPF,$@)$* $(BPF_CFLAGS) -MMD -MP -c $< -o $@

# Made by a make of its own, which sees the compilers that were installed just now.
.PHONY: check-kernels check-kernels-built
check-kernels:
	$(Q)./tests/deps.sh test kernels || true
	$(Q)./tests/deps.sh clangs || true
	$(Q)$(MAKE) --no-print-directory check-kernels-built
check-kernels-built: $(B)/eddy $(B)/eddy.service $(WORKLOADS) $(KERNELS_VERIFY) $(B)/live/kernel_check \
                     $(KERNELS_OBJS)
	$(Q)B=$(B) $(if $(IS_CROSS),RUNNER='$(EMULATOR)') TEST_TIMEOUT=$${TEST_TIMEOUT:-1800} \
	  tests/run.sh kernels$(IS_CROSS:%=-%)
