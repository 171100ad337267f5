// What connections count, each for itself.

#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <set>

#include "runfair/execution.hpp"

namespace key_value {

// Of several connections. `sets` and `chain_steps` are ticks, of no use to a server.
struct Counts {
    std::uint64_t commands = 0;
    std::uint64_t hits = 0;
    std::uint64_t misses = 0;
    std::uint64_t evictions = 0;
    std::uint64_t sets = 0;
    std::uint64_t chain_steps = 0;

    // The counters of the contract.
    runfair::Counters operations(std::size_t entries) const;
};

class Statistics;

// The statistics of all connections.
class Totals {
public:
    Counts sum() const;

private:
    friend class Statistics;

    mutable std::mutex mutex_;
    std::set<const Statistics*> open_;
    Counts ended_;
};

// Has one writer, so it needs no increment that others cannot come between.
class Count {
public:
    void operator++(int) { count_.store(value() + 1, std::memory_order_relaxed); }
    std::uint64_t value() const { return count_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> count_ = 0;
};

// The counts of one connection, written by its thread alone.
class Statistics {
public:
    explicit Statistics(Totals& totals);
    Statistics(const Statistics&) = delete;
    Statistics& operator=(const Statistics&) = delete;
    ~Statistics();

    void add_to(Counts& sum) const;

    Count commands;
    Count hits;
    Count misses;
    Count evictions;
    Count sets;
    Count chain_steps;

private:
    Totals& totals_;
};

}  // namespace key_value
