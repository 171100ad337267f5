#include "calibration.hpp"

#include <x86intrin.h>

#include <algorithm>
#include <array>

#include "measurement.hpp"
#include "memory.hpp"

namespace probes {

namespace {

constexpr size_t kBytes = 4096;
constexpr int kOperation = kOperations - 1;
constexpr int kRounds = 16;
constexpr uint64_t kExecutions = 1 << 17;
// The same period as in measurements, because branch prediction depends on it.
constexpr uint64_t kPeriod = 128;

// dec rdi; jz +2; jmp [rsi]; ret
void write_loop(Assembler& assembler) {
  assembler.bytes({0x48, 0xff, 0xcf, 0x74, 0x02, 0xff, 0x26, 0xc3});
}

uint64_t ticks_of(uint64_t entry) {
  uint64_t left = kExecutions;
  const uint64_t* table = &entry;
  const uint64_t before = __rdtsc();
  asm volatile("sub $256, %%rsp\n call *%[entry]\n add $256, %%rsp\n"
               : "+D"(left), "+S"(table)
               : [entry] "r"(entry)
               : "memory", "cc");
  return __rdtsc() - before;
}

}  // namespace

bool calibrate(Mode mode, Calibration& found) {
  uint8_t* code = map_near(reinterpret_cast<uintptr_t>(&calibrate), kBytes);
  if (code == nullptr) return false;
  Assembler assembler(code, code + kBytes);
  const auto body = reinterpret_cast<uintptr_t>(assembler.here());
  write_loop(assembler);
  if (mode == Mode::kLatency) preemption_mark();
  time_operations(mode == Mode::kLatency);
  const uint64_t thunk = write_thunk(assembler, mode, kOperation, body).begin;
  if (assembler.full() || !seal(code, kBytes)) return false;
  std::array<double, kRounds> rounds;
  for (double& round : rounds) {
    reset_moments(kPeriod);
    begin_timing(thread_state);
    const uint64_t bare = ticks_of(body);
    const uint64_t with_thunk = ticks_of(thunk);
    const Moments& moments = moments_of(kOperation);
    if (mode == Mode::kLatency)
      round = moments.count == 0
                  ? 0.0
                  : static_cast<double>(moments.sum) / static_cast<double>(moments.count);
    else
      round = (static_cast<double>(with_thunk) - static_cast<double>(bare)) / kExecutions;
  }
  // Only the middle half is used: other processes may have run during the extreme rounds.
  std::sort(rounds.begin(), rounds.end());
  constexpr int kFirst = kRounds / 4, kKept = kRounds / 2;
  double sum = 0;
  for (int at = kFirst; at < kFirst + kKept; ++at) sum += rounds[static_cast<size_t>(at)];
  found.mean = sum / kKept;
  double squares = 0;
  for (int at = kFirst; at < kFirst + kKept; ++at)
    squares += (rounds[static_cast<size_t>(at)] - found.mean) *
               (rounds[static_cast<size_t>(at)] - found.mean);
  found.variance = squares / (kKept - 1) / kKept;
  thread_state.measured = 0;
  return true;
}

}  // namespace probes
