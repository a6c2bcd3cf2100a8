# SPDX-License-Identifier: GPL-2.0-or-later
# The workloads of tests/live/test_unwind.sh: programs with one known chain of calls each.
#
#   CHAINS: NAME=SOURCE  ->  $(B)/workloads/chains/c_NAME, with CHAIN_FLAGS_NAME; by gcc without
#           frame pointers unless said otherwise.  What a compiler cannot build is left out, and the
#           test says so.

CHAIN_DIR := tests/live/workloads/chains
CHAIN_OUT := $(WOUT)/chains
CHAIN_MK  := $(CHAIN_DIR)/chains.mk

# A C library without unwind tables.
MUSL_CC ?= musl-gcc

ifeq ($(BPF_ARCH),x86)
CHAINS := deep=deep.c deep_fp=deep.c deep_cet=deep.c deep_static=deep.c deep_stfp=deep.c deep_stpie=deep.c \
          thread=thread.c signal=signal.c sigalt=signal.c vdso=vdso.c plt=plt.c resolve=resolve.c plugin=plugin.c swap=swap.c \
          drap=drap.c sort=sort.c syscall=syscall.c vfork=vfork.c jit=jit.c jit_nofp=jit.c jit_fake=jit.c jit_push=jit.c nocfi=nocfi.c \
          coroutine=coroutine.c pageout=pageout.c storm=storm.c memfd=memfd.c asm=asm_calls.c asm_cfi=asm_calls.c \
          $(if $(shell command -v $(MUSL_CC) 2>/dev/null),musl=libc_calls.c musl_cfi=libc_calls.c musl_dyn=libc_calls.c) \
          $(if $(shell echo "int x;" | $(WCC) -m32 -xc -c -o /dev/null - 2>/dev/null && echo y),compat=compat.c) \
          $(if $(shell command -v $(CLANG) 2>/dev/null),deep_clang=deep.c) \
          $(if $(shell command -v $(WCXX) 2>/dev/null),throw=throw.cc)
CHAIN_LIBS := libmany libplugin libplugin2 libbig
else
# For the rows of make ARCH=arm64 check-kernels.
CHAINS := deep_signed=deep.c signal=signal.c vdso=vdso.c plt=plt.c
endif

CHAIN_FLAGS_deep_fp     := -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
CHAIN_FLAGS_deep_cet    := -fcf-protection=full
CHAIN_FLAGS_deep_signed := -mbranch-protection=standard
CHAIN_FLAGS_deep_static := -static -no-pie
CHAIN_FLAGS_deep_stfp   := -static -no-pie -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
CHAIN_FLAGS_deep_stpie  := -static-pie
CHAIN_FLAGS_sigalt      := -DON_OWN_STACK
CHAIN_FLAGS_plt         := -no-pie -fno-builtin -fplt -Wl,-z,lazy $(if $(filter x86,$(BPF_ARCH)),-fcf-protection=none)
CHAIN_FLAGS_jit_nofp    := -DNO_FRAME_POINTER
CHAIN_FLAGS_jit_fake    := -DFAKE_RECORD
CHAIN_FLAGS_jit_push    := -DPUSHED_RETURN
CHAIN_FLAGS_compat      := -m32 -static -nostdlib -no-pie -fno-stack-protector -fcf-protection=none
CHAIN_FLAGS_asm_cfi     := -DWITH_CFI
CHAIN_FLAGS_musl        := -static -fno-asynchronous-unwind-tables
CHAIN_FLAGS_musl_cfi    := -static -fasynchronous-unwind-tables
CHAIN_FLAGS_musl_dyn    := -fno-asynchronous-unwind-tables
CHAIN_CC_musl           := $(MUSL_CC)
CHAIN_CC_musl_cfi       := $(MUSL_CC)
CHAIN_CC_musl_dyn       := $(MUSL_CC)
CHAIN_CC_deep_clang     := $(CLANG)
CHAIN_CC_throw          := $(WCXX)

CHAIN_FLAGS := -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -I$(CHAIN_DIR) -I$(WDIR) -pthread \
               -fomit-frame-pointer -fno-optimize-sibling-calls
CHAIN_GCC   := -fno-inline-small-functions -fno-ipa-icf -fno-ipa-cp -fno-ipa-sra

define chain_rule
$(CHAIN_OUT)/c_$(1): $(CHAIN_DIR)/$(2) $(WITH_WCC) $(CHAIN_MK)
	@mkdir -p $$(@D)
	$$(call say,CHAIN,$$@)$$(or $(CHAIN_CC_$(1)),$(WCC)) $(CHAIN_FLAGS) $(if $(findstring $(CLANG),$(CHAIN_CC_$(1))),,$(CHAIN_GCC)) \
	  -MMD -MP -o $$@ $$< $(CHAIN_FLAGS_$(1))
endef
$(foreach c,$(CHAINS),$(eval $(call chain_rule,$(word 1,$(subst =, ,$(c))),$(word 2,$(subst =, ,$(c))))))

CHAIN_LIB_CC = $(WCC) $(CHAIN_FLAGS) $(CHAIN_GCC) -fPIC -shared -MMD -MP -o $@ $<
$(CHAIN_OUT)/libmany.so: $(CHAIN_DIR)/libmany.c $(WITH_WCC) $(CHAIN_MK)
	@mkdir -p $(@D)
	$(call say,CHAIN,$@)$(CHAIN_LIB_CC) -Wl,-z,lazy -fplt
$(CHAIN_OUT)/libplugin.so: $(CHAIN_DIR)/libplugin.c $(WITH_WCC) $(CHAIN_MK)
	@mkdir -p $(@D)
	$(call say,CHAIN,$@)$(CHAIN_LIB_CC)
$(CHAIN_OUT)/libplugin2.so: $(CHAIN_DIR)/libplugin.c $(WITH_WCC) $(CHAIN_MK)
	@mkdir -p $(@D)
	$(call say,CHAIN,$@)$(CHAIN_LIB_CC) -DENTRY=other_work -O1
$(CHAIN_OUT)/libbig.so: $(CHAIN_DIR)/libbig.c $(CHAIN_DIR)/big.lds $(WITH_WCC) $(CHAIN_MK)
	@mkdir -p $(@D)
	$(call say,CHAIN,$@)$(CHAIN_LIB_CC) -nostdlib -Wl,-T,$(CHAIN_DIR)/big.lds -Wl,-z,max-page-size=4096 -Wl,--build-id=none

# Go's compiler wants a place for its cache, and none of make's flags.
GO ?= $(if $(filter x86,$(BPF_ARCH)),$(shell command -v go 2>/dev/null))
$(CHAIN_OUT)/c_go: $(CHAIN_DIR)/go.go $(WITH_WCC) $(CHAIN_MK)
	@mkdir -p $(@D)
	$(call say,CHAIN,$@)env -u MAKEFLAGS -u GOFLAGS GOCACHE="$$PWD/$(B)/gocache" GO111MODULE=off CGO_ENABLED=0 \
	  $(GO) build -p 2 -o $@ $<

CHAIN_FILES := $(if $(GO),$(CHAIN_OUT)/c_go) $(foreach c,$(CHAINS),$(CHAIN_OUT)/c_$(word 1,$(subst =, ,$(c)))) $(CHAIN_LIBS:%=$(CHAIN_OUT)/%.so)
WORKLOADS += $(CHAIN_FILES)
.PHONY: chains
chains: $(CHAIN_FILES)
