// The process's CPU clock, which the JDK itself tells only in ticks of 10 ms. The one native
// function of the Java harness; CpuClock.java does without it, and says so, where it is not given.

#include <sys/resource.h>
#include <time.h>

#include <cstdint>

// JNI's names and types, without its header: jlong is a 64-bit integer, and neither the
// environment nor the class is used.
extern "C" std::int64_t Java_runfair_CpuClock_processCpuNs(void* /*environment*/, void* /*class*/) {
    timespec own{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    rusage reaped{};
    getrusage(RUSAGE_CHILDREN, &reaped);
    const auto microseconds = [](const timeval& time) {
        return std::int64_t{time.tv_sec} * 1'000'000 + time.tv_usec;
    };
    return std::int64_t{own.tv_sec} * 1'000'000'000 + own.tv_nsec +
           1'000 * (microseconds(reaped.ru_utime) + microseconds(reaped.ru_stime));
}
