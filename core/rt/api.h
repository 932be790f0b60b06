/* What every public header includes first: the mark of a public function, and the refusal of compiler modes
 * in which enclosures would not enclose. */
#ifndef HYSHIELD_CORE_RT_API_H
#define HYSHIELD_CORE_RT_API_H

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__ > 0)
#error "hyshield encloses real numbers: it cannot be compiled with -ffast-math or -ffinite-math-only"
#endif

/* A function of the public interface. Everything else is hidden (-fvisibility=hidden). */
#if defined(__GNUC__)
#define HYS_API __attribute__((visibility("default")))
#else
#define HYS_API
#endif

#endif
