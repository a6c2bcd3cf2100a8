# SPDX-License-Identifier: GPL-2.0-or-later
# Benchmarks: each tests/bench/bench_NAME.c is linked with all floors into $(B)/bench/bench_NAME,
# each tests/bench/bench_NAME.sh is run by tests/bench/run.sh; other .c files are their tools.
# minimal.bpf.c is a minimal profiler in BPF, for comparison with eddy's sampler; null.bpf.c does
# nothing.

BENCH_SRCS := $(wildcard tests/bench/bench_*.c)
BENCHES    := $(patsubst tests/bench/%.c,$(B)/bench/%,$(BENCH_SRCS)) $(B)/bench/minimal $(B)/bench/usage \
              $(B)/bench/gen_folded $(B)/bench/time_input $(B)/bench/time_writer $(B)/bench/time_snapshot \
              $(B)/bench/time_names $(B)/bench/time_lines $(B)/bench/churn $(B)/bench/gen_windows \
              $(B)/bench/twin_names

$(B)/bench/bench_%: tests/bench/bench_%.c $(call archives,cli) $(BENCH_MK) $(WITH_CC)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< \
	  $(call archives,cli) $(call floor_libs,cli) -lm

$(B)/bench/usage $(B)/bench/gen_folded $(B)/bench/churn: $(B)/bench/%: tests/bench/%.c $(BENCH_MK) $(WITH_CC)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $<

$(B)/bench/time_input $(B)/bench/time_writer $(B)/bench/gen_windows $(B)/bench/twin_names: \
                       $(B)/bench/%: tests/bench/%.c $(call archives,output input) \
                       $(BENCH_MK) $(WITH_CC)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< \
	  $(call archives,output input) $(call floor_libs,output input) -lm

$(B)/bench/time_snapshot $(B)/bench/time_names $(B)/bench/time_lines: $(B)/bench/%: \
                       tests/bench/%.c $(call archives,cli) $(BENCH_MK) $(WITH_CC)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(CPPFLAGS) -Itests $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< \
	  $(call archives,cli) $(call floor_libs,cli) -lm

$(B)/bench/%.bpf.o: tests/bench/%.bpf.c $(BENCH_MK) $(WITH_BPF) | need-tools
	@mkdir -p $(@D)
	$(call say,BPF,$@)$(CLANG) $(BPF_CFLAGS) -MMD -MP -c $< -o $@

$(B)/bench/minimal: tests/bench/minimal.c $(B)/bench/minimal.bpf.o $(B)/bench/null.bpf.o \
                    $(BENCH_MK) $(WITH_CC)
	@mkdir -p $(@D)
	$(call say,BENCH,$@)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP $(LDFLAGS) -o $@ $< -lbpf -lelf -lz
