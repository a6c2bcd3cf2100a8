// SPDX-License-Identifier: GPL-2.0-or-later
/* 256 exported functions, and many_calls(), which calls each of them once through the PLT. */

/* clang-format off */
#define FOUR(do, n)    do(n##0) do(n##1) do(n##2) do(n##3)
#define SIXTEEN(do, n) FOUR(do, n##0) FOUR(do, n##1) FOUR(do, n##2) FOUR(do, n##3)
#define SIXTY_FOUR(do, n) SIXTEEN(do, n##0) SIXTEEN(do, n##1) SIXTEEN(do, n##2) SIXTEEN(do, n##3)
#define ALL(do) SIXTY_FOUR(do, 1) SIXTY_FOUR(do, 2) SIXTY_FOUR(do, 3) SIXTY_FOUR(do, 4)

#define DEFINE(n) __attribute__((noinline)) int many_##n(int x) { return x + 1; }
#define DECLARE(n) int many_##n(int x);
#define CALL(n) x = many_##n(x);
/* clang-format on */

ALL(DECLARE)
ALL(DEFINE)

int many_calls(int x);
int many_calls(int x)
{
	ALL(CALL)
	return x;
}
