// What connections count.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "runfair/execution.hpp"

namespace plain {

// The counts of one connection, or the sum of several. Other connections read them.
struct Counts {
    std::atomic<std::uint64_t> processed = 0;
    std::atomic<std::uint64_t> hits = 0;
    std::atomic<std::uint64_t> misses = 0;
    std::atomic<std::uint64_t> evictions = 0;
    std::atomic<std::uint64_t> sets = 0;
    std::atomic<std::uint64_t> gets = 0;
    std::atomic<std::uint64_t> chain_steps = 0;

    void add(const Counts& other) {
        processed += other.processed;
        hits += other.hits;
        misses += other.misses;
        evictions += other.evictions;
        sets += other.sets;
        gets += other.gets;
        chain_steps += other.chain_steps;
    }

    runfair::Counters counters(std::size_t entries) const {
        return {{"sets", sets},
                {"gets", gets},
                {"hits", hits},
                {"misses", misses},
                {"chain_steps", chain_steps},
                {"entries", entries},
                {"evictions", evictions}};
    }
};

}  // namespace plain
