# SPDX-License-Identifier: GPL-2.0-or-later
# make check-kernels: the program that was built, on other kernels in an emulator and on this one.
# With ARCH=arm64 the rows of that, cross-built.  ONLY=6.12 for one.  On a busy machine a row takes minutes; it is given up by its silence.
# ONLY=service: the unit under systemd, on 6.1.

KERNELS_VERIFY := $(B)/kernels/verify

$(KERNELS_VERIFY): tests/kernels/verify.c tests/kernels/kernels.mk | $(SKELS) $(HAVE_SYSROOT)
	@mkdir -p $(@D)
	$(call say,CC,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< $(LIBS_capture)

.PHONY: check-kernels
check-kernels: $(B)/eddy $(B)/eddy.service $(WORKLOADS) $(KERNELS_VERIFY) $(B)/live/kernel_check
	$(Q)./tests/deps.sh test kernels || true
	$(Q)B=$(B) $(if $(IS_CROSS),RUNNER='$(EMULATOR)') TEST_TIMEOUT=$${TEST_TIMEOUT:-1800} \
	  tests/run.sh kernels$(IS_CROSS:%=-%)
