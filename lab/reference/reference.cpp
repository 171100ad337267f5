// A loop of integer arithmetic, always the same: its CPU time tells how fast the processor runs
// now, its wall time how often it is taken away. It touches no memory and calls nothing, so
// neither the allocator nor the file system nor the C library's version can change it.
//
//     runfair-reference [ITERATIONS]
//
// prints a line for each iteration: wall nanoseconds, CPU nanoseconds, and the result.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <vector>

namespace {

// About 50 ms on a server processor of 2024. The number is part of the probe: changing it makes
// calibrations incomparable.
constexpr std::uint64_t kSteps = 30'000'000;
constexpr long kDefaultIterations = 5;
constexpr long kMostIterations = 100'000;

std::int64_t Nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// xorshift64 (Marsaglia, 2003): each step needs the one before, so that the compiler can neither
// fold the loop nor run steps side by side, and the time is latency times clock frequency.
std::uint64_t Work(std::uint64_t state) {
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

struct Iteration {
  std::int64_t wall_ns;
  std::int64_t cpu_ns;
  std::uint64_t result;
};

}  // namespace

int main(int argc, char** argv) {
  char* end = nullptr;
  const long iterations = argc > 1 ? std::strtol(argv[1], &end, 10) : kDefaultIterations;
  if (argc > 2 || (end != nullptr && (*end != '\0' || end == argv[1])) || iterations < 1 ||
      iterations > kMostIterations) {
    std::fprintf(stderr, "usage: runfair-reference [ITERATIONS]\n");
    return 2;
  }
  std::vector<Iteration> measured;
  measured.reserve(static_cast<std::size_t>(iterations));
  std::uint64_t state = 88172645463325252u;
  for (long i = 0; i < iterations; ++i) {
    const std::int64_t wall_ns = Nanoseconds(CLOCK_MONOTONIC);
    const std::int64_t cpu_ns = Nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    state = Work(state);
    measured.push_back({Nanoseconds(CLOCK_MONOTONIC) - wall_ns,
                        Nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns, state});
  }
  for (const Iteration& each : measured) {
    std::printf("%" PRId64 " %" PRId64 " %" PRIu64 "\n", each.wall_ns, each.cpu_ns, each.result);
  }
  return 0;
}
