// Threads that want the same lock; see concurrency/contended-lock/contract.md.

#include <time.h>

#include <barrier>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

struct Counts {
    std::uint64_t locks = 0;
};

// Of all iterations.
Counts totals;

// What the lock protects, with the lock.
struct Shared {
    std::mutex mutex;
    runfair::SplitMix64 random;
    std::uint64_t sum = 0;
};

struct ContendedLock {
    static constexpr const char* name = "contended-lock";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 10'000;

    std::uint64_t seed;
    std::uint64_t tasks;
    std::uint64_t rounds;
    bool held;
    runfair::Recorder wait;
    runfair::Recorder locks;

    static ContendedLock load(const runfair::Options& options) {
        return {options.number("seed"),   options.number("tasks"),
                options.number("rounds"), options.text("workload") == "held",
                options.recorder("wait"), options.recorder("locks")};
    }

    std::uint64_t prepare() const { return 0; }

    std::uint64_t run(std::uint64_t& sum) const {
        Shared shared{{}, {seed}, 0};
        std::uint64_t started_ns = 0;
        // The last task that begins starts the clock.
        std::barrier beginning(static_cast<std::ptrdiff_t>(tasks),
                               [&]() noexcept { started_ns = runfair::clock_ns(CLOCK_MONOTONIC); });
        std::vector<std::jthread> running;
        for (std::uint64_t i = 0; i < tasks; ++i) {
            running.emplace_back([&, i] {
                beginning.arrive_and_wait();
                task({seed + 1 + i}, shared);
            });
        }
        running.clear();  // joins them
        const std::uint64_t elapsed_ns = runfair::clock_ns(CLOCK_MONOTONIC) - started_ns;
        locks.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / (tasks * rounds)));
        return sum = shared.sum;
    }

    void task(runfair::SplitMix64 own, Shared& shared) const {
        for (std::uint64_t round = 0; round < rounds; ++round) {
            const std::uint64_t asked_ns = runfair::clock_ns(CLOCK_MONOTONIC);
            std::unique_lock lock(shared.mutex);
            const std::uint64_t now_ns = runfair::clock_ns(CLOCK_MONOTONIC);
            shared.sum += shared.random.next() + own.next();
            totals.locks++;  // tick
            if (held)
                std::this_thread::yield();
            lock.unlock();
            wait.record(static_cast<std::int64_t>(now_ns - asked_ns));
        }
    }

    std::uint64_t digest(std::uint64_t sum) const {
        runfair::Fnv1a hash;
        char line[18];
        std::snprintf(line, sizeof line, "%016lx\n", sum);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() { return {{"locks", totals.locks}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<ContendedLock>(argc, argv);
}
