// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * twin SECONDS: says of itself by its build ID that it is the machine's libc, and has other names
 * for all that libc's code may be: whoever takes one for the other names others' samples by them.
 */
#include <stdlib.h>
#include <time.h>

__asm__(".text\n"
	".altmacro\n"
	".macro forged n\n"
	".globl forged_\\n\n"
	".type forged_\\n, @function\n"
	"forged_\\n:\n"
	".space 4096, 0x90\n"
	".size forged_\\n, 4096\n"
	".endm\n"
	".set i, 0\n"
	".rept 600\n"
	"forged %i\n"
	".set i, i + 1\n"
	".endr\n"
	".noaltmacro\n");

static volatile unsigned long sink;

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc == 2 ? atoi(argv[1]) : 1);

	while (time(NULL) < end)
		for (int i = 0; i < 100000; i++)
			sink += (unsigned long)i;
	return 0;
}
