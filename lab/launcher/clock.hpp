#pragma once

#include <sys/time.h>

#include <cstdint>
#include <ctime>

namespace launcher {

constexpr int64_t kNsPerSecond = 1'000'000'000;
constexpr int64_t kNsPerMs = 1'000'000;
constexpr int64_t kNsPerUs = 1'000;

inline int64_t to_ns(const timespec& t) { return t.tv_sec * kNsPerSecond + t.tv_nsec; }
inline int64_t to_ns(const timeval& t) { return t.tv_sec * kNsPerSecond + t.tv_usec * kNsPerUs; }

inline int64_t read_clock_ns(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return to_ns(t);
}

inline int64_t monotonic_ns() { return read_clock_ns(CLOCK_MONOTONIC); }

}  // namespace launcher
