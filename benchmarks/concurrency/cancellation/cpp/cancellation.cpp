// A tree of threads that is stopped; see concurrency/cancellation/contract.md.

#include <time.h>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <mutex>
#include <stop_token>
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

// What all tasks of a tree share.
struct Tree {
    std::latch beginning;
    std::uint64_t cancelled_ns = 0;
    std::mutex mutex;  // of the sum
    std::uint64_t sum = 0;

    explicit Tree(std::uint64_t tasks) : beginning(static_cast<std::ptrdiff_t>(tasks)) {}
};

void wait_for(const std::stop_token& stop) {
    std::mutex mutex;
    std::unique_lock lock(mutex);
    std::condition_variable_any().wait(lock, stop, [] { return false; });
}

struct Cancellation {
    static constexpr const char* name = "cancellation";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 1'000'000;

    std::uint64_t seed;
    std::uint64_t degree;
    std::uint64_t depth;
    std::uint64_t tasks;
    runfair::Recorder latency;

    static Cancellation load(const runfair::Options& options) {
        const std::uint64_t degree = options.number("degree");
        const std::uint64_t depth = options.number("depth");
        std::uint64_t tasks = 1;
        for (std::uint64_t level = 0; level < depth; ++level)
            tasks = tasks * degree + 1;
        return {options.number("seed"), degree, depth, tasks, options.recorder("latency")};
    }

    std::uint64_t prepare() const { return 0; }

    std::uint64_t run(std::uint64_t& sum) const {
        Tree tree(tasks);
        std::jthread root([&](const std::stop_token& stop) { task(0, depth, tree, stop); });
        tree.beginning.wait();
        tree.cancelled_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        root.request_stop();
        root.join();
        return sum = tree.sum;
    }

    void task(std::uint64_t i, std::uint64_t levels, Tree& tree,
              const std::stop_token& stop) const {
        std::vector<std::jthread> children;  // joined when it goes
        for (std::uint64_t n = 1; levels > 0 && n <= degree; ++n) {
            children.emplace_back(
                [this, child = i * degree + n, levels, &tree](const std::stop_token& its_stop) {
                    task(child, levels - 1, tree, its_stop);
                });
        }
        tree.beginning.count_down();
        wait_for(stop);
        latency.record(
            static_cast<std::int64_t>(runfair::clock_ns(CLOCK_MONOTONIC) - tree.cancelled_ns));
        {
            const std::lock_guard lock(tree.mutex);
            tree.sum += runfair::SplitMix64{seed + i}.next();
            totals.tasks++;  // tick
        }
        for (std::jthread& child : children)
            child.request_stop();
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
    return runfair::main<Cancellation>(argc, argv);
}
