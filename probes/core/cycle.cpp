#include "cycle.hpp"

#include <x86intrin.h>

#include <algorithm>
#include <cstdint>

namespace probes {

namespace {

constexpr int kRounds = 5;
constexpr int kRepetitions = 512;
constexpr int kMultiplications = 16;  // of a repetition
// The latency of a multiplication of 32-bit registers, on Intel Core since 2008 and on AMD Zen
// (Fog, "Instruction tables").
constexpr int kCyclesEach = 3;

// Each multiplication needs the result of the one before it, so they cannot overlap.
void multiply() {
  uint32_t value = 3;
  for (int at = 0; at < kRepetitions; ++at)
    asm volatile(".rept 16\n imul %0, %0\n .endr\n" : "+r"(value) : : "cc");
}

}  // namespace

double ticks_per_cycle() {
  // An interrupt only lengthens a round, so the shortest round is the undisturbed one.
  uint64_t shortest = UINT64_MAX;
  for (int round = 0; round < kRounds; ++round) {
    const uint64_t before = __rdtsc();
    multiply();
    shortest = std::min<uint64_t>(shortest, __rdtsc() - before);
  }
  return static_cast<double>(shortest) / (kRepetitions * kMultiplications * kCyclesEach);
}

}  // namespace probes
