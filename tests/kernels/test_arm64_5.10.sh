#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Debian's kernel 5.10 for arm64, in an emulator.
. tests/kernels/row.sh
row 5.10-arm64
