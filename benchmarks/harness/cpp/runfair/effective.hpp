// What is in force, read from inside.

#pragma once

#include <gnu/libc-version.h>
#include <sched.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <thread>

#include "runfair/json.hpp"

namespace runfair {

// As many as affinity leaves: hardware_concurrency() does not heed it.
inline std::uint64_t processors() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return std::max(1u, std::thread::hardware_concurrency());
    return static_cast<std::uint64_t>(CPU_COUNT(&set));
}

inline std::string compiler() {
#if defined(__clang__)
    return "clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__) +
           '.' + std::to_string(__clang_patchlevel__);
#else
    return "gcc " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__) + '.' +
           std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

// What is in force, as the compiler and the C library say of themselves. No compiler tells which
// of its levels, link-time or profile-guided optimisation it was given: RUNFAIR_BUILD_FLAGS may.
inline Object effective() {
    Object object;
    object.text("execution", "ahead-of-time").text("compiler", __VERSION__);
#if defined(__OPTIMIZE_SIZE__)
    object.text("optimisation", "size");
#elif defined(__OPTIMIZE__)
    object.text("optimisation", "speed");
#else
    object.text("optimisation", "none");
#endif
    // The library's own checks: no program here uses assert(), so NDEBUG would say nothing.
#if defined(_GLIBCXX_ASSERTIONS)
    object.flag("assertions", true);
#else
    object.flag("assertions", false);
#endif
#if defined(__AVX512BW__)
    object.text("instruction_set", "x86-64-v4");
#elif defined(__AVX2__)
    object.text("instruction_set", "x86-64-v3");
#elif defined(__SSE4_2__)
    object.text("instruction_set", "x86-64-v2");
#elif defined(__x86_64__)
    object.text("instruction_set", "x86-64");
#elif defined(__aarch64__)
    object.text("instruction_set", "aarch64");
#endif
#if defined(_LIBCPP_VERSION)
    object.text("standard_library", "libc++ " + std::to_string(_LIBCPP_VERSION));
#elif defined(_GLIBCXX_RELEASE)
    object.text("standard_library", "libstdc++ " + std::to_string(_GLIBCXX_RELEASE));
#endif
    object.text("c_library", std::string("glibc ") + gnu_get_libc_version());
#if defined(RUNFAIR_BUILD_FLAGS)
    object.text("build_flags", RUNFAIR_BUILD_FLAGS);
#endif
    return object;
}

}  // namespace runfair
