// SPDX-License-Identifier: GPL-2.0-or-later
/* many_mappings NR: executes code of its own making, in each of so many mappings by turns. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)

/* A loop of some microseconds. */
#ifdef __x86_64__
static const unsigned char code[] = { 0xb9, 0x00, 0x20, 0x00, 0x00, /* mov $0x2000, %ecx */
				      0xff, 0xc9,		    /* dec %ecx */
				      0x75, 0xfc,		    /* jne to the dec */
				      0xc3 };			    /* ret */
#else
static const uint32_t code[] = { 0x52840000,   /* mov w0, #0x2000 */
				 0x71000400,   /* subs w0, w0, #1 */
				 0x54ffffe1,   /* b.ne to the subs */
				 0xd65f03c0 }; /* ret */
#endif

int main(int argc, char **argv)
{
	const size_t nr = argc == 2 ? strtoull(argv[1], NULL, 10) : 1;
	char *at = mmap(NULL, 2 * nr * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (at == MAP_FAILED)
		return 1;
	/* With a page between each two, so that none of them are one mapping. */
	for (size_t i = 0; i < nr; i++) {
		char *page = at + 2 * i * PAGE;

		if (mprotect(page, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC) < 0)
			return 1;
		memcpy(page, code, sizeof(code));
		__builtin___clear_cache(page, page + sizeof(code));
	}
	for (size_t i = 0;; i = (i + 7919) % nr)
		((void (*)(void))(uintptr_t)(at + 2 * i * PAGE))();
}
