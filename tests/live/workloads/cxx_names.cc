// SPDX-License-Identifier: GPL-2.0-or-later
/* cxx_names [SECONDS]: names that only a demangler can read: namespaces, templates, operators. */
#include "work.h"

namespace outer
{
namespace inner
{
template <typename T, int N> struct Matrix {
	T cells[N];
	NAMED void multiply(uint64_t ns);
	NAMED T operator()(uint64_t ns);
};

template <typename T, int N> NAMED void Matrix<T, N>::multiply(uint64_t ns)
{
	BURN_NS(ns);
}

template <typename T, int N> NAMED T Matrix<T, N>::operator()(uint64_t ns)
{
	OWN_FRAME();
	multiply(ns);
	OWN_FRAME();
	return cells[0];
}
} // namespace inner
} // namespace outer

int main(int argc, char **argv)
{
	uint64_t want = work_ns(argc, argv, 1), from = thread_cpu_ns();
	outer::inner::Matrix<double, 3> matrix = {};

	while (thread_cpu_ns() - from < want)
		matrix(5000000);
	truth("outer::inner::Matrix<double,3>::multiply", thread_cpu_ns() - from);
	return 0;
}
