// Independent tasks, taken by a pool of threads; see concurrency/parallel-efficiency/contract.md.

#include <algorithm>
#include <atomic>
#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace {

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

// The threads, which live as long as the process, and what they take tasks from.
struct Pool {
    std::uint64_t seed;
    std::uint64_t rounds;
    std::barrier<> beginning;  // of an iteration: the threads and who started them
    std::barrier<> end;
    std::atomic<std::uint64_t> next = 0;
    std::vector<Computed>* computed = nullptr;

    Pool(std::uint64_t its_seed, std::uint64_t its_rounds, std::ptrdiff_t threads)
        : seed(its_seed), rounds(its_rounds), beginning(threads + 1), end(threads + 1) {
        for (; threads > 0; --threads)
            std::thread([this] { work(); }).detach();
    }

    [[noreturn]] void work() {
        for (;;) {
            beginning.arrive_and_wait();
            for (std::uint64_t i; (i = next.fetch_add(1)) < computed->size();) {
                Computed& task = (*computed)[i];
                task.x = compute({seed + i}, rounds, task.counts);
            }
            end.arrive_and_wait();
        }
    }
};

struct ParallelEfficiency {
    static constexpr const char* name = "parallel-efficiency";
    static constexpr const char* tier = "pool";
    static constexpr std::uint64_t max_threads = 16'000;

    std::uint64_t tasks;
    Pool& pool;

    static ParallelEfficiency load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static Pool* pool = new Pool(options.number("seed"), options.number("rounds"),
                                     static_cast<std::ptrdiff_t>(threads));
        return {options.number("tasks"), *pool};
    }

    std::vector<Computed> prepare() const { return std::vector<Computed>(tasks); }

    const std::vector<Computed>& run(std::vector<Computed>& computed) const {
        pool.next = 0;
        pool.computed = &computed;
        pool.beginning.arrive_and_wait();
        pool.end.arrive_and_wait();
        for (const Computed& one : computed) {
            totals.rounds += one.counts.rounds;
            totals.tasks += one.counts.tasks;
        }
        return computed;
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
