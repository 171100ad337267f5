// Counters of the task's own work, which a benchmark's code takes as a template parameter.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace runfair {

// The counter of timed iterations: compiles to nothing.
struct Uncounted {
    static void tick(std::size_t) {}
};

// The counter of --count.
class Counted {
public:
    explicit Counted(std::size_t counters) : counts_(counters) {}
    void tick(std::size_t counter) { counts_[counter] += 1; }
    const std::vector<std::uint64_t>& counts() const { return counts_; }

private:
    std::vector<std::uint64_t> counts_;
};

}  // namespace runfair
