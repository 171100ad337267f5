// The counters of contract.md.

#pragma once

#include <cstdint>

namespace awfy {

struct Counts {
    std::uint64_t steps = 0;
    std::uint64_t elements = 0;
};

inline Counts counts;

}  // namespace awfy
