#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# This machine's own kernel.
. tests/kernels/row.sh
row host
