// SPDX-License-Identifier: GPL-2.0-or-later
/* A 32-bit program without a C library: _start counts down for its share of time and ends. */
static void count_down(unsigned int n)
{
	while (n--)
		__asm__ volatile("" : : : "memory");
}

__attribute__((noreturn)) void _start(void);
void _start(void)
{
	for (int i = 0; i < 400; i++)
		count_down(1000000);
	for (;;)
		__asm__ volatile("int $0x80" : : "a"(1), "b"(0));
}
