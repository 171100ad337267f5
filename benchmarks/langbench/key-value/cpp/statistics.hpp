// What connections count, each for itself.

#pragma once

#include <cstdint>
#include <mutex>
#include <utility>

namespace key_value {

struct Statistics {
    std::uint64_t commands = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t evictions = 0;
    std::uint64_t sets = 0;
    std::uint64_t chain_steps = 0;

    Statistics& operator+=(const Statistics& other) {
        commands += other.commands;
        hits += other.hits;
        misses += other.misses;
        evictions += other.evictions;
        sets += other.sets;
        chain_steps += other.chain_steps;
        return *this;
    }
};

// What the connections have handed over.
class Totals {
public:
    // Takes what a connection has counted, which begins again; gives the sum with the others.
    Statistics take(Statistics& statistics) {
        const std::lock_guard lock(mutex_);
        return sum_ += std::exchange(statistics, {});
    }

private:
    std::mutex mutex_;
    Statistics sum_;
};

}  // namespace key_value
