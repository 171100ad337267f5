// Coroutines on asio that wake each other; see concurrency/wake-up/contract.md.

#include <time.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <latch>

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
    std::uint64_t wakes = 0;
};

// Of all iterations.
Counts totals;

struct Ring {
    std::deque<coroutines::Tokens> bells;  // one a task
    std::uint32_t x;
    std::uint64_t since_ns = 0;  // as x, it belongs to the task that was woken last

    Ring(asio::thread_pool& pool, std::uint64_t tasks, std::uint32_t seed) : x(seed) {
        for (; tasks > 0; --tasks)
            bells.emplace_back(pool, 1);
    }

    void wake(std::uint64_t task) {
        since_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        bells[task].try_send(boost::system::error_code());
    }
};

struct WakeUp {
    static constexpr const char* name = "wake-up";
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 10'000;

    std::uint32_t seed;
    std::uint64_t tasks;
    std::uint64_t rounds;
    runfair::Recorder latency;
    asio::thread_pool& pool;

    static WakeUp load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        return {static_cast<std::uint32_t>(options.number("seed")), options.number("tasks"),
                options.number("rounds"), options.recorder("latency"), pool};
    }

    std::uint32_t prepare() const { return 0; }

    std::uint32_t run(std::uint32_t& x) const {
        Ring ring(pool, tasks, seed);
        Latch beginning(pool, tasks);
        std::latch running(static_cast<std::ptrdiff_t>(tasks) + 1);
        asio::co_spawn(pool, first(beginning, ring), ended(running));
        for (std::uint64_t i = 0; i < tasks; ++i)
            asio::co_spawn(pool, task(i, beginning, ring), ended(running));
        running.wait();
        return x = ring.x;
    }

    // Wakes task 0.
    asio::awaitable<void> first(Latch& beginning, Ring& ring) const {
        co_await beginning.wait();
        ring.wake(0);
    }

    asio::awaitable<void> task(std::uint64_t i, Latch& beginning, Ring& ring) const {
        beginning.count_down();
        for (std::uint64_t round = 0; round < rounds; ++round) {
            co_await ring.bells[i].async_receive(asio::use_awaitable);
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
