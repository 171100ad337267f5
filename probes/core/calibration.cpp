#include "calibration.hpp"

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

// dec rdi; jz +2; jmp [rsi]; ret
void write_loop(Assembler& assembler) {
  assembler.bytes({0x48, 0xff, 0xcf, 0x74, 0x02, 0xff, 0x26, 0xc3});
}

void run(uint64_t entry) {
  uint64_t left = kExecutions;
  const uint64_t* table = &entry;
  asm volatile("sub $256, %%rsp\n call *%[entry]\n add $256, %%rsp\n"
               : "+D"(left), "+S"(table)
               : [entry] "r"(entry)
               : "memory", "cc");
}

// The mean of the middle half: other processes may have run during the extreme rounds.
Calibration middle_of(std::array<double, kRounds>& rounds) {
  std::sort(rounds.begin(), rounds.end());
  constexpr size_t kFirst = kRounds / 4, kKept = kRounds / 2;
  Calibration found{0, 0};
  for (size_t at = kFirst; at < kFirst + kKept; ++at) found.mean += rounds[at] / kKept;
  for (size_t at = kFirst; at < kFirst + kKept; ++at)
    found.variance += (rounds[at] - found.mean) * (rounds[at] - found.mean) / (kKept - 1) / kKept;
  return found;
}

}  // namespace

bool measure_fences(Calibration& found) {
  uint8_t* code = map_near(reinterpret_cast<uintptr_t>(&measure_fences), kBytes);
  if (code == nullptr) return false;
  Assembler assembler(code, code + kBytes);
  const auto body = reinterpret_cast<uintptr_t>(assembler.here());
  write_loop(assembler);
  const uint64_t thunk = write_thunk(assembler, Mode::kLatency, kOperation, body).begin;
  const bool ready = !assembler.full() && seal(code, kBytes);
  Moments& moments = moments_of(kOperation);
  const Moments moments_before = moments;
  ThreadState& state = thread_state;
  const uint64_t count = state.counts[kOperation], ahead = state.ahead[kOperation];
  std::array<double, kRounds> rounds{};
  for (size_t at = 0; at < rounds.size() && ready; ++at) {
    moments = {};
    begin_timing(state);
    run(thunk);
    if (moments.count > 0)
      rounds[at] = static_cast<double>(moments.sum) / static_cast<double>(moments.count);
  }
  state.measured = 0;
  state.counts[kOperation] = count;
  state.ahead[kOperation] = ahead;
  moments = moments_before;
  free_pages(code, kBytes);
  found = middle_of(rounds);
  return ready;
}

}  // namespace probes
