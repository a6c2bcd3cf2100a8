// SPDX-License-Identifier: GPL-2.0-or-later
/* odd_frames once more, with frames of yet other sizes: rules that odd_frames has not brought. */
#define ODD_MORE 4096

#include "odd_frames.c"
