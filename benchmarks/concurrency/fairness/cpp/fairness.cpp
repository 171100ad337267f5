// Threads that take turns from one supply; see concurrency/fairness/contract.md.

#include <time.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <thread>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

struct Counts {
    std::uint64_t tasks = 0;
    std::uint64_t turns = 0;
};

// Of all iterations.
Counts totals;

// What a task has done.
struct alignas(64) Share {
    std::uint64_t sum = 0;
    std::uint64_t turns = 0;
    Counts counts;
};

// Jain's index of the turns, in thousandths.
std::int64_t jain(const std::vector<Share>& shares) {
    double sum = 0, squares = 0;
    for (const Share& share : shares) {
        const auto turns = static_cast<double>(share.turns);
        sum += turns;
        squares += turns * turns;
    }
    return static_cast<std::int64_t>(1'000 * sum * sum /
                                     (static_cast<double>(shares.size()) * squares));
}

struct Fairness {
    static constexpr const char* name = "fairness";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 10'000;

    std::uint64_t seed;
    std::uint64_t tasks;
    std::uint64_t turns;
    std::uint64_t turn_ns;
    runfair::Recorder index;

    static Fairness load(const runfair::Options& options) {
        return {options.number("seed"), options.number("tasks"), options.number("turns"),
                options.number("turn_us") * 1'000, options.recorder("index")};
    }

    std::vector<Share> prepare() const { return std::vector<Share>(tasks); }

    const std::vector<Share>& run(std::vector<Share>& shares) const {
        std::latch beginning(static_cast<std::ptrdiff_t>(tasks));
        std::latch gate(1);
        std::atomic<std::uint64_t> supply = 0;
        std::vector<std::jthread> running;
        for (std::uint64_t i = 0; i < tasks; ++i) {
            running.emplace_back([&, i] {
                beginning.count_down();
                gate.wait();
                spin(i, supply, shares[i]);
            });
        }
        beginning.wait();
        gate.count_down();
        running.clear();  // joins them
        index.record(jain(shares));
        for (const Share& share : shares) {
            totals.tasks += share.counts.tasks;
            totals.turns += share.counts.turns;
        }
        return shares;
    }

    void spin(std::uint64_t i, std::atomic<std::uint64_t>& supply, Share& share) const {
        share.sum = runfair::SplitMix64{seed + i}.next();
        share.counts.tasks++;  // tick
        for (std::uint64_t k; (k = supply.fetch_add(1)) < turns;) {
            const std::uint64_t end_ns = runfair::clock_ns(CLOCK_MONOTONIC) + turn_ns;
            const std::uint64_t y = runfair::SplitMix64{seed + tasks + k}.next();
            share.counts.turns++;  // tick
            while (runfair::clock_ns(CLOCK_MONOTONIC) < end_ns) {
            }
            share.sum += y;
            ++share.turns;
        }
    }

    std::uint64_t digest(const std::vector<Share>& shares) const {
        std::uint64_t sum = 0;
        for (const Share& share : shares)
            sum += share.sum;
        runfair::Fnv1a hash;
        char line[18];
        std::snprintf(line, sizeof line, "%016lx\n", sum);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() {
        return {{"tasks", totals.tasks}, {"turns", totals.turns}};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Fairness>(argc, argv);
}
