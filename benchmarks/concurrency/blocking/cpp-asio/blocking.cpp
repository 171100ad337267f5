// Coroutines on asio that block their thread; see concurrency/blocking/contract.md.

#include <time.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <mutex>
#include <thread>

#include "../../cpp-asio/coroutines.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

namespace asio = boost::asio;
using coroutines::ended;

struct Counts {
    std::uint64_t calls = 0;
};

// Of all iterations.
Counts totals;

// What the tasks add to, one after the other.
struct Sum {
    std::mutex mutex;
    std::uint64_t x = 0;

    void add(std::uint64_t its_x) {
        const std::lock_guard lock(mutex);
        x += its_x;
        totals.calls++;  // tick
    }
};

struct Blocking {
    static constexpr const char* name = "blocking";
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 10'000;

    std::uint64_t seed;
    std::uint64_t tasks;
    std::uint64_t pause_ms;
    runfair::Recorder lateness;
    asio::thread_pool& pool;

    static Blocking load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        return {options.number("seed"), options.number("tasks"), options.number("pause_ms"),
                options.recorder("lateness"), pool};
    }

    std::uint64_t prepare() const { return 0; }

    std::uint64_t run(std::uint64_t& x) const {
        Sum sum;
        const std::uint64_t end_ns = runfair::clock_ns(CLOCK_MONOTONIC) + pause_ms * 1'000'000;
        std::latch running(static_cast<std::ptrdiff_t>(tasks));
        for (std::uint64_t i = 0; i < tasks; ++i)
            asio::co_spawn(pool, task(i, end_ns, sum), ended(running));
        running.wait();
        return x = sum.x;
    }

    asio::awaitable<void> task(std::uint64_t i, std::uint64_t end_ns, Sum& sum) const {
        std::this_thread::sleep_for(std::chrono::milliseconds(pause_ms));
        const std::uint64_t now_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        lateness.record(static_cast<std::int64_t>(now_ns - end_ns));
        sum.add(runfair::SplitMix64{seed + i}.next());
        co_return;
    }

    std::uint64_t digest(std::uint64_t x) const {
        runfair::Fnv1a hash;
        char line[18];
        std::snprintf(line, sizeof line, "%016lx\n", x);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() { return {{"calls", totals.calls}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Blocking>(argc, argv);
}
