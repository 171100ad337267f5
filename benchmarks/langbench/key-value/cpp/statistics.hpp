// What connections count, each for itself.

#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>

namespace key_value {

enum Counter : std::size_t { commands, hits, misses, evictions, sets, chain_steps, counters };

using Counts = std::array<std::uint64_t, counters>;

class Statistics;

// The statistics of all connections.
class Totals {
public:
    Counts sum() const;

private:
    friend class Statistics;

    mutable std::mutex mutex_;
    std::set<const Statistics*> open_;
    Counts ended_ = {};
};

// The counts of one connection, written by its thread alone.
class Statistics {
public:
    explicit Statistics(Totals& totals);
    Statistics(const Statistics&) = delete;
    Statistics& operator=(const Statistics&) = delete;
    ~Statistics();

    void tick(Counter counter) {
        // With one writer there is no need for an increment that others cannot come between.
        auto& count = counts_[counter];
        count.store(count.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
    }

    void add_to(Counts& sum) const;

private:
    Totals& totals_;
    std::array<std::atomic<std::uint64_t>, counters> counts_ = {};
};

}  // namespace key_value
