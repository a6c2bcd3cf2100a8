#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian's kernel 6.1 for arm64, in an emulator.
. tests/kernels/row.sh
row 6.1-arm64
