// A tree of threads; see concurrency/fan-out/contract.md.

#include <time.h>

#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

struct Counts {
    std::uint64_t tasks = 0;
};

// Of all iterations.
Counts totals;

// What a task leaves: its sum, and what was counted below it.
struct Subtree {
    std::uint64_t sum = 0;
    Counts counts;
};

struct FanOut {
    static constexpr const char* name = "fan-out";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 1'000'000;

    std::uint64_t seed;
    std::uint64_t degree;
    std::uint64_t depth;
    std::uint64_t tasks;
    runfair::Recorder recorder;

    static FanOut load(const runfair::Options& options) {
        const std::uint64_t degree = options.number("degree");
        const std::uint64_t depth = options.number("depth");
        std::uint64_t tasks = 1;
        for (std::uint64_t level = 0; level < depth; ++level)
            tasks = tasks * degree + 1;
        return {options.number("seed"), degree, depth, tasks, options.recorder("tasks")};
    }

    std::uint64_t prepare() const { return 0; }

    std::uint64_t run(std::uint64_t& sum) const {
        const std::uint64_t started_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        Subtree tree;
        std::jthread([&] { grow(0, depth, tree); }).join();
        const std::uint64_t elapsed_ns = runfair::clock_ns(CLOCK_MONOTONIC) - started_ns;
        recorder.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / tasks));
        totals.tasks += tree.counts.tasks;
        return sum = tree.sum;
    }

    // Task i.
    void grow(std::uint64_t i, std::uint64_t levels, Subtree& tree) const {
        tree.sum = runfair::SplitMix64{seed + i}.next();
        tree.counts.tasks++;  // tick
        if (levels == 0)
            return;
        std::vector<Subtree> children(degree);
        {
            std::vector<std::jthread> running;  // joined when it goes
            for (std::uint64_t n = 0; n < degree; ++n)
                running.emplace_back([&, n] { grow(i * degree + 1 + n, levels - 1, children[n]); });
        }
        for (const Subtree& child : children) {
            tree.sum += child.sum;
            tree.counts.tasks += child.counts.tasks;
        }
    }

    std::uint64_t digest(std::uint64_t sum) const {
        runfair::Fnv1a hash;
        char line[18];
        std::snprintf(line, sizeof line, "%016lx\n", sum);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() { return {{"tasks", totals.tasks}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<FanOut>(argc, argv);
}
