#pragma once
// What a harness is to a real program: a header that the build must find.
#include <cstdint>

inline std::uint64_t squares(std::uint64_t count) {
  std::uint64_t sum = 0;
  for (std::uint64_t i = 1; i <= count; ++i)
    sum += i * i;
  return sum;
}
