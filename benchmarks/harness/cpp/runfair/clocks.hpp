// The clocks of the process.

#pragma once

#include <sys/resource.h>
#include <time.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace runfair {

inline std::uint64_t nanoseconds(std::int64_t seconds, std::int64_t nanoseconds) {
    return static_cast<std::uint64_t>(seconds * 1'000'000'000 + nanoseconds);
}

inline void require(int status, const char* call) {
    if (status != 0)
        throw std::system_error(errno, std::generic_category(), call);
}

inline std::uint64_t clock_ns(clockid_t clock) {
    timespec time{};
    require(clock_gettime(clock, &time), "clock_gettime");
    return nanoseconds(time.tv_sec, time.tv_nsec);
}

inline std::uint64_t monotonic_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}

// User and system time of all threads and of reaped children.
inline std::uint64_t cpu_ns() {
    rusage children{};
    require(getrusage(RUSAGE_CHILDREN, &children), "getrusage");
    const auto ns = [](timeval time) { return nanoseconds(time.tv_sec, time.tv_usec * 1'000); };
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ns(children.ru_utime) + ns(children.ru_stime);
}

inline std::uint64_t cpu_clock_resolution_ns() {
    timespec time{};
    require(clock_getres(CLOCK_PROCESS_CPUTIME_ID, &time), "clock_getres");
    return nanoseconds(time.tv_sec, time.tv_nsec);
}

}  // namespace runfair
