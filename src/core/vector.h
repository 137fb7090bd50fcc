/*
 * vector.h
 *		One source, several machines: how kernels are compiled.
 *
 * A kernel is a plain loop that the compiler vectorises.  KERNEL has it
 * compiled for three levels of x86-64, of which the loader picks one when the
 * library is opened; elsewhere there is one version.  A kernel must be
 * static, and its name its own in the library (clang 14 exports it all the same).
 */
#ifndef HKG_CORE_VECTOR_H
#define HKG_CORE_VECTOR_H

#include <stddef.h>
#include <stdlib.h>				/* defines __GLIBC__, whose loader supports ifunc */

#ifdef __has_attribute
#if __has_attribute(target_clones) && defined(__x86_64__) && \
	defined(__gnu_linux__) && defined(__GLIBC__) && !defined(ONE_KERNEL)
#define KERNEL \
	static __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#endif
#endif
#ifndef KERNEL
#define KERNEL	static
#endif

/* Floats from one row of a scratch matrix to the next: whole cache lines. */
static inline int
vector_stride(int width)
{
	return (width + 15) / 16 * 16;
}

/*
 * Asks for numbers that are needed soon, at a place that the machine cannot foresee.  Without
 * the attribute GCC 12 leaves calls out: it finds that they do nothing.
 */
static inline __attribute__((always_inline)) void
vector_prefetch(const float *numbers, size_t count)
{
	for (size_t j = 0; j < count; j += 16)
		__builtin_prefetch(numbers + j);
}

#endif							/* HKG_CORE_VECTOR_H */
