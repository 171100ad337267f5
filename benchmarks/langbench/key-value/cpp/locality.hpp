// How far apart the nodes of a row lie.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace key_value {

// A distance, and how many pairs of neighbours have it.
struct Distance {
    std::uint64_t bytes = 0;
    std::size_t pairs = 0;
};

struct Locality {
    explicit Locality(std::vector<std::uint64_t> distances);

    std::size_t pairs;
    std::uint64_t median_bytes = 0;
    std::size_t different = 0;
    Distance frequent;
    Distance next_frequent;
};

}  // namespace key_value
