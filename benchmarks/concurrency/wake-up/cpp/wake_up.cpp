// Threads that wake each other; see concurrency/wake-up/contract.md.

#include <time.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

struct Counts {
    std::uint64_t wakes = 0;
};

// Of all iterations.
Counts totals;

struct Ring {
    std::deque<std::binary_semaphore> bells;  // one a task
    std::uint32_t x;
    std::uint64_t since_ns = 0;  // as x, it belongs to the task that was woken last

    Ring(std::uint64_t tasks, std::uint32_t seed) : x(seed) {
        for (; tasks > 0; --tasks)
            bells.emplace_back(0);
    }

    void wake(std::uint64_t task) {
        since_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        bells[task].release();
    }
};

struct WakeUp {
    static constexpr const char* name = "wake-up";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 10'000;

    std::uint32_t seed;
    std::uint64_t tasks;
    std::uint64_t rounds;
    runfair::Recorder latency;

    static WakeUp load(const runfair::Options& options) {
        return {static_cast<std::uint32_t>(options.number("seed")), options.number("tasks"),
                options.number("rounds"), options.recorder("latency")};
    }

    std::uint32_t prepare() const { return 0; }

    std::uint32_t run(std::uint32_t& x) const {
        Ring ring(tasks, seed);
        std::latch beginning(static_cast<std::ptrdiff_t>(tasks));
        std::vector<std::jthread> running;
        for (std::uint64_t i = 0; i < tasks; ++i) {
            running.emplace_back([&, i] {
                beginning.count_down();
                task(i, ring);
            });
        }
        beginning.wait();
        ring.wake(0);
        running.clear();  // joins them
        return x = ring.x;
    }

    void task(std::uint64_t i, Ring& ring) const {
        for (std::uint64_t round = 0; round < rounds; ++round) {
            ring.bells[i].acquire();
            const std::uint64_t now_ns = runfair::clock_ns(CLOCK_MONOTONIC);
            latency.record(static_cast<std::int64_t>(now_ns - ring.since_ns));
            totals.wakes++;  // tick
            ring.x = ring.x * 1'664'525 + static_cast<std::uint32_t>(i);
            if (i + 1 < tasks || round + 1 < rounds)
                ring.wake((i + 1) % tasks);
        }
    }

    std::uint64_t digest(std::uint32_t x) const {
        runfair::Fnv1a hash;
        char line[10];
        std::snprintf(line, sizeof line, "%08x\n", x);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() { return {{"wakes", totals.wakes}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<WakeUp>(argc, argv);
}
