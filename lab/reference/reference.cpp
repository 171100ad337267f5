// Work that never changes: its CPU time tells how fast the processor runs now, its wall time how
// often it is taken away. It calls nothing, so neither the allocator nor the file system nor the C
// library's version can change it.
//
//     runfair-reference [ITERATIONS]
//
// computes and touches no memory; prints a line for each iteration: wall nanoseconds, CPU
// nanoseconds, and the result.
//
//     runfair-reference computing|memory NANOSECONDS
//
// repeats short pieces of work until the time is over: arithmetic that keeps the whole core busy,
// or a walk through memory. Prints one line: the monotonic start, steps, wall nanoseconds, CPU
// nanoseconds, result.

#include <cinttypes>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <vector>

namespace {

// About 50 ms on a server processor of 2024. The number is part of the probe: changing it makes
// calibrations incomparable.
constexpr std::uint64_t kSteps = 30'000'000;
constexpr std::uint64_t kSeed = 88172645463325252u;
constexpr std::int64_t kDefaultIterations = 5;
constexpr std::int64_t kMostIterations = 100'000;

std::int64_t Nanoseconds(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

// xorshift64 (Marsaglia, 2003): each step needs the one before, so that the compiler can neither
// fold the loop nor run steps side by side, and the time is latency times clock frequency.
std::uint64_t Work(std::uint64_t state, std::uint64_t steps) {
  for (std::uint64_t step = 0; step < steps; ++step) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
  }
  return state;
}

// Four chains of xorshift, which a core computes side by side. A chain alone leaves most of the
// core idle, so its time hardly changes when others use the core too. The time of four chains does,
// as that of programs does. The shifts differ, so that the compiler cannot put two chains into one
// vector.
std::uint64_t Fill(std::uint64_t state, std::uint64_t steps) {
  std::uint64_t a = state;
  std::uint64_t b = state + 1;
  std::uint64_t c = state + 2;
  std::uint64_t d = state + 3;
  for (std::uint64_t step = 0; step < steps; ++step) {
    a ^= a << 13, b ^= b << 12, c ^= c << 17, d ^= d << 23;
    a ^= a >> 7, b ^= b >> 25, c ^= c >> 7, d ^= d >> 17;
    a ^= a << 17, b ^= b << 27, c ^= c << 13, d ^= d << 26;
  }
  return a ^ b ^ c ^ d;
}

struct Iteration {
  std::int64_t wall_ns;
  std::int64_t cpu_ns;
  std::uint64_t result;
};

// More than a second-level cache holds, less than a third-level one: the walk feels a neighbour who
// fills the latter. Writing it takes 2 to 3 ms.
constexpr std::size_t kWalkedBytes = 8u << 20;
constexpr std::size_t kLineBytes = 64;
constexpr std::size_t kLines = kWalkedBytes / kLineBytes;

// A piece is about 0.05 ms: the clock is read seldom, and the time kept well.
constexpr std::uint64_t kComputingSteps = 15'000;
constexpr std::uint64_t kMemorySteps = 2'000;

constexpr std::int64_t kLongestNs = 10'000'000'000;

// The next line depends on what this one holds (always 0), so that the loads wait for each other.
// A linear congruence of full period (Hull and Dobell, 1962) visits all lines, page after page in
// no order that a prefetcher would guess.
std::uint64_t Walk(const std::vector<std::uint64_t>& memory, std::uint64_t line) {
  for (std::uint64_t step = 0; step < kMemorySteps; ++step) {
    const std::uint64_t held = memory[line * (kLineBytes / sizeof(std::uint64_t))];
    line = (line * 1'664'525 + 1'013'904'223 + held) % kLines;
  }
  return line;
}

template <typename Piece>
int Repeat(std::int64_t for_ns, std::uint64_t steps_each, std::uint64_t state, Piece piece) {
  std::uint64_t steps = 0;
  const std::int64_t started_ns = Nanoseconds(CLOCK_MONOTONIC);
  const std::int64_t cpu_started_ns = Nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  std::int64_t now_ns = started_ns;
  do {
    state = piece(state);
    steps += steps_each;
    now_ns = Nanoseconds(CLOCK_MONOTONIC);
  } while (now_ns - started_ns < for_ns);
  std::printf("%" PRId64 " %" PRIu64 " %" PRId64 " %" PRId64 " %" PRIu64 "\n", started_ns, steps,
              now_ns - started_ns, Nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_started_ns, state);
  return 0;
}

int Usage() {
  std::fprintf(stderr,
               "usage: runfair-reference [ITERATIONS]\n"
               "       runfair-reference computing|memory NANOSECONDS\n");
  return 2;
}

// The number that a text is, or -1 where it is none between 1 and `most`.
std::int64_t Number(const char* text, std::int64_t most) {
  char* end = nullptr;
  const std::int64_t number = std::strtoll(text, &end, 10);
  return *end != '\0' || end == text || number < 1 || number > most ? -1 : number;
}

int Level(const std::string_view kind, std::int64_t for_ns) {
  if (for_ns < 0) return Usage();
  if (kind == "computing") {
    return Repeat(for_ns, kComputingSteps, kSeed,
                  [](std::uint64_t state) { return Fill(state, kComputingSteps); });
  }
  if (kind == "memory") {
    // Written with what the compiler cannot know to be 0.
    const std::vector<std::uint64_t> memory(kWalkedBytes / sizeof(std::uint64_t),
                                            for_ns > kLongestNs ? 1 : 0);
    return Repeat(for_ns, kMemorySteps, 0,
                  [&memory](std::uint64_t line) { return Walk(memory, line); });
  }
  return Usage();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 3) return Usage();
  if (argc == 3) return Level(argv[1], Number(argv[2], kLongestNs));
  const std::int64_t iterations = argc > 1 ? Number(argv[1], kMostIterations) : kDefaultIterations;
  if (iterations < 0) return Usage();
  std::vector<Iteration> measured;
  measured.reserve(static_cast<std::size_t>(iterations));
  std::uint64_t state = kSeed;
  for (std::int64_t i = 0; i < iterations; ++i) {
    const std::int64_t wall_ns = Nanoseconds(CLOCK_MONOTONIC);
    const std::int64_t cpu_ns = Nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
    state = Work(state, kSteps);
    measured.push_back({Nanoseconds(CLOCK_MONOTONIC) - wall_ns,
                        Nanoseconds(CLOCK_PROCESS_CPUTIME_ID) - cpu_ns, state});
  }
  for (const Iteration& each : measured) {
    std::printf("%" PRId64 " %" PRId64 " %" PRIu64 "\n", each.wall_ns, each.cpu_ns, each.result);
  }
  return 0;
}
