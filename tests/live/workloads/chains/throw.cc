// SPDX-License-Identifier: GPL-2.0-or-later
/* main -> catcher -> dig_down (8 times) -> thrower -> the unwinder of C++, over and over. */
#include "chain.h"

static volatile int sink;

/* Something to be destroyed in every frame, so that each has a landing pad. */
struct Counted {
	~Counted()
	{
		sink = sink + 1;
	}
};

extern "C" {
NAMED void thrower(int n)
{
	if (n >= 0)
		throw n;
}

NAMED void dig_down(int n)
{
	Counted counted;

	if (n)
		dig_down(n - 1);
	else
		thrower(n);
}

NAMED void catcher(uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;

	do {
		for (int i = 0; i < 100; i++) {
			try {
				dig_down(7);
			} catch (int n) {
				sink = sink + n;
			}
		}
	} while (thread_cpu_ns() < end);
}
}

int main(int argc, char **argv)
{
	catcher(chain_begin(argc, argv));
	chain_end();
}
