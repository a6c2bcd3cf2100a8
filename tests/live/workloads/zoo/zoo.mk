# SPDX-License-Identifier: GPL-2.0-or-later
# The zoo of tests/live/test_unwind.sh: programs with one known chain of calls each.
#
#   ZOO: NAME=SOURCE  ->  $(B)/workloads/zoo/z_NAME, with ZFLAGS_NAME; by gcc without frame pointers
#                         unless said otherwise.  What a compiler cannot build is left out, and the
#                         test says so.

ZDIR := tests/live/workloads/zoo
ZOUT := $(WOUT)/zoo
ZMK  := $(ZDIR)/zoo.mk

ifeq ($(BPF_ARCH),x86)
ZOO := deep=deep.c deep_fp=deep.c deep_cet=deep.c deep_static=deep.c deep_stfp=deep.c deep_stpie=deep.c \
       thread=thread.c signal=signal.c sigalt=signal.c vdso=vdso.c plt=plt.c resolve=resolve.c plugin=plugin.c swap=swap.c \
       drap=drap.c sort=sort.c syscall=syscall.c vfork=vfork.c jit=jit.c jit_nofp=jit.c nocfi=nocfi.c \
       coroutine=coroutine.c pageout=pageout.c storm=storm.c memfd=memfd.c \
       $(if $(shell echo "int x;" | $(WCC) -m32 -xc -c -o /dev/null - 2>/dev/null && echo y),compat=compat.c) \
       $(if $(shell command -v $(CLANG) 2>/dev/null),deep_clang=deep.c) \
       $(if $(shell command -v $(WCXX) 2>/dev/null),throw=throw.cc)
ZLIBS := libzoo_many libzoo_plugin libzoo_plugin2 libzoo_big
else
# For the rows of make ARCH=arm64 check-kernels.
ZOO := deep_signed=deep.c signal=signal.c vdso=vdso.c plt=plt.c
endif

ZFLAGS_deep_fp     := -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
ZFLAGS_deep_cet    := -fcf-protection=full
ZFLAGS_deep_signed := -mbranch-protection=standard
ZFLAGS_deep_static := -static -no-pie
ZFLAGS_deep_stfp   := -static -no-pie -fno-omit-frame-pointer -mno-omit-leaf-frame-pointer
ZFLAGS_deep_stpie  := -static-pie
ZFLAGS_sigalt      := -DON_OWN_STACK
ZFLAGS_plt         := -no-pie -fno-builtin -fplt -Wl,-z,lazy $(if $(filter x86,$(BPF_ARCH)),-fcf-protection=none)
ZFLAGS_jit_nofp    := -DNO_FRAME_POINTER
ZFLAGS_compat      := -m32 -static -nostdlib -no-pie -fno-stack-protector -fcf-protection=none
ZCC_deep_clang     := $(CLANG)
ZCC_throw          := $(WCXX)

ZOO_FLAGS := -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -I$(ZDIR) -I$(WDIR) -pthread \
             -fomit-frame-pointer -fno-optimize-sibling-calls
ZOO_GCC   := -fno-inline-small-functions -fno-ipa-icf -fno-ipa-cp -fno-ipa-sra

define zoo_rule
$(ZOUT)/z_$(1): $(ZDIR)/$(2) $(ZMK)
	@mkdir -p $$(@D)
	$$(call say,ZOO,$$@)$$(or $(ZCC_$(1)),$(WCC)) $(ZOO_FLAGS) $(if $(findstring $(CLANG),$(ZCC_$(1))),,$(ZOO_GCC)) \
	  -MMD -MP -o $$@ $$< $(ZFLAGS_$(1))
endef
$(foreach z,$(ZOO),$(eval $(call zoo_rule,$(word 1,$(subst =, ,$(z))),$(word 2,$(subst =, ,$(z))))))

ZLIB_CC = $(WCC) $(ZOO_FLAGS) $(ZOO_GCC) -fPIC -shared -MMD -MP -o $@ $<
$(ZOUT)/libzoo_many.so: $(ZDIR)/libzoo_many.c $(ZMK)
	@mkdir -p $(@D)
	$(call say,ZOO,$@)$(ZLIB_CC) -Wl,-z,lazy -fplt
$(ZOUT)/libzoo_plugin.so: $(ZDIR)/libzoo_plugin.c $(ZMK)
	@mkdir -p $(@D)
	$(call say,ZOO,$@)$(ZLIB_CC)
$(ZOUT)/libzoo_plugin2.so: $(ZDIR)/libzoo_plugin.c $(ZMK)
	@mkdir -p $(@D)
	$(call say,ZOO,$@)$(ZLIB_CC) -DENTRY=other_work -O1
$(ZOUT)/libzoo_big.so: $(ZDIR)/libzoo_big.c $(ZDIR)/big.lds $(ZMK)
	@mkdir -p $(@D)
	$(call say,ZOO,$@)$(ZLIB_CC) -nostdlib -Wl,-T,$(ZDIR)/big.lds -Wl,-z,max-page-size=4096 -Wl,--build-id=none

# Go's compiler wants a place for its cache, and none of make's flags.
GO ?= $(if $(filter x86,$(BPF_ARCH)),$(shell command -v go 2>/dev/null))
$(ZOUT)/z_go: $(ZDIR)/go.go $(ZMK)
	@mkdir -p $(@D)
	$(call say,ZOO,$@)env -u MAKEFLAGS -u GOFLAGS GOCACHE=$(abspath $(B))/gocache GO111MODULE=off CGO_ENABLED=0 \
	  $(GO) build -p 2 -o $@ $<

ZOO_FILES := $(if $(GO),$(ZOUT)/z_go) $(foreach z,$(ZOO),$(ZOUT)/z_$(word 1,$(subst =, ,$(z)))) $(ZLIBS:%=$(ZOUT)/%.so)
WORKLOADS += $(ZOO_FILES)
.PHONY: zoo
zoo: $(ZOO_FILES)
