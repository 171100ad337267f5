// A tree of coroutines on asio; see concurrency/fan-out/contract.md.

#include <time.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <vector>

#include "../../cpp-asio/coroutines.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

namespace asio = boost::asio;
using coroutines::ended;
using coroutines::Latch;

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
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 1'000'000;

    std::uint64_t seed;
    std::uint64_t degree;
    std::uint64_t depth;
    std::uint64_t tasks;
    runfair::Recorder recorder;
    asio::thread_pool& pool;

    static FanOut load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        const std::uint64_t degree = options.number("degree");
        const std::uint64_t depth = options.number("depth");
        std::uint64_t tasks = 1;
        for (std::uint64_t level = 0; level < depth; ++level)
            tasks = tasks * degree + 1;
        return {options.number("seed"), degree, depth, tasks, options.recorder("tasks"), pool};
    }

    std::uint64_t prepare() const { return 0; }

    std::uint64_t run(std::uint64_t& sum) const {
        Subtree tree;
        std::latch running(1);
        asio::co_spawn(pool, timed(tree), ended(running));
        running.wait();
        totals.tasks += tree.counts.tasks;
        return sum = tree.sum;
    }

    // Starts task 0 and waits for it.
    asio::awaitable<void> timed(Subtree& tree) const {
        const std::uint64_t started_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        Latch running(pool, 1);
        asio::co_spawn(pool, grow(0, depth, tree), ended(running));
        co_await running.wait();
        const std::uint64_t elapsed_ns = runfair::clock_ns(CLOCK_MONOTONIC) - started_ns;
        recorder.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / tasks));
    }

    // Task i.
    asio::awaitable<void> grow(std::uint64_t i, std::uint64_t levels, Subtree& tree) const {
        // Without it, co_spawn() would run the task at once, in the parent's thread.
        co_await asio::post(asio::use_awaitable);
        tree.sum = runfair::SplitMix64{seed + i}.next();
        tree.counts.tasks++;  // tick
        if (levels > 0)
            co_await branch(i, levels, tree);
    }

    // The children of task i. This part of a task is apart, so that a leaf needs less memory.
    asio::awaitable<void> branch(std::uint64_t i, std::uint64_t levels, Subtree& tree) const {
        std::vector<Subtree> children(degree);
        Latch running(pool, children.size());
        for (std::uint64_t number = i * degree; Subtree& child : children)
            asio::co_spawn(pool, grow(++number, levels - 1, child), ended(running));
        co_await running.wait();
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
