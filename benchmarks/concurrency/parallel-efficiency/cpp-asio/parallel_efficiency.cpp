// Independent tasks, a coroutine on asio each; see concurrency/parallel-efficiency/contract.md.

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <vector>

#include "../../cpp-asio/coroutines.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace {

namespace asio = boost::asio;
using coroutines::ended;

struct Counts {
    std::uint64_t rounds = 0;
    std::uint64_t tasks = 0;
};

// Of all tasks and iterations.
Counts totals;

// The exclusive or of the first `rounds` numbers.
std::uint64_t compute(runfair::SplitMix64 random, std::uint64_t rounds, Counts& counts) {
    counts.tasks++;  // tick
    std::uint64_t x = 0;
    for (; rounds > 0; --rounds) {
        counts.rounds++;  // tick
        x ^= random.next();
    }
    return x;
}

// What a task leaves.
struct Computed {
    std::uint64_t x = 0;
    Counts counts;
};

struct ParallelEfficiency {
    static constexpr const char* name = "parallel-efficiency";
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 16'000;

    std::uint64_t seed;
    std::uint64_t tasks;
    std::uint64_t rounds;
    asio::thread_pool& pool;

    static ParallelEfficiency load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        return {options.number("seed"), options.number("tasks"), options.number("rounds"), pool};
    }

    std::vector<Computed> prepare() const { return std::vector<Computed>(tasks); }

    const std::vector<Computed>& run(std::vector<Computed>& computed) const {
        std::latch running(static_cast<std::ptrdiff_t>(tasks));
        for (std::uint64_t i = 0; i < tasks; ++i)
            asio::co_spawn(pool, task(i, computed[i]), ended(running));
        running.wait();
        for (const Computed& one : computed) {
            totals.rounds += one.counts.rounds;
            totals.tasks += one.counts.tasks;
        }
        return computed;
    }

    asio::awaitable<void> task(std::uint64_t i, Computed& computed) const {
        computed.x = compute({seed + i}, rounds, computed.counts);
        co_return;
    }

    std::uint64_t digest(const std::vector<Computed>& computed) const {
        runfair::Fnv1a hash;
        for (const Computed& one : computed) {
            char line[18];
            std::snprintf(line, sizeof line, "%016lx\n", one.x);
            hash.add(line);
        }
        return hash.value;
    }

    static runfair::Counters counters() {
        return {{"rounds", totals.rounds}, {"tasks", totals.tasks}};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<ParallelEfficiency>(argc, argv);
}
