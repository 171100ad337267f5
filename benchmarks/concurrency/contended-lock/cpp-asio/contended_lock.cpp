// Coroutines on asio that want the same lock; see concurrency/contended-lock/contract.md.

#include <time.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <latch>

#include "../../cpp-asio/coroutines.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

namespace asio = boost::asio;
using coroutines::ended;
using coroutines::Gate;

struct Counts {
    std::uint64_t locks = 0;
};

// Of all iterations.
Counts totals;

// A lock that coroutines wait for: a channel with one token, which the holder of the lock takes.
class Lock {
public:
    explicit Lock(asio::thread_pool& pool) : token_(pool, 1) { release(); }

    asio::awaitable<void> acquire() { return token_.async_receive(asio::use_awaitable); }
    void release() { token_.try_send(boost::system::error_code()); }

private:
    coroutines::Tokens token_;
};

// What the lock protects, with the lock.
struct Shared {
    Lock lock;
    runfair::SplitMix64 random;
    std::uint64_t sum = 0;
};

struct ContendedLock {
    static constexpr const char* name = "contended-lock";
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 10'000;

    std::uint64_t seed;
    std::uint64_t tasks;
    std::uint64_t rounds;
    bool held;
    runfair::Recorder wait;
    runfair::Recorder locks;
    asio::thread_pool& pool;

    static ContendedLock load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        return {options.number("seed"),
                options.number("tasks"),
                options.number("rounds"),
                options.text("workload") == "held",
                options.recorder("wait"),
                options.recorder("locks"),
                pool};
    }

    std::uint64_t prepare() const { return 0; }

    std::uint64_t run(std::uint64_t& sum) const {
        Shared shared{Lock(pool), {seed}, 0};
        std::latch beginning(static_cast<std::ptrdiff_t>(tasks));
        std::latch running(static_cast<std::ptrdiff_t>(tasks));
        Gate gate(pool);
        for (std::uint64_t i = 0; i < tasks; ++i)
            asio::co_spawn(pool, task({seed + 1 + i}, beginning, gate, shared), ended(running));
        beginning.wait();
        const std::uint64_t started_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        gate.open();
        running.wait();
        const std::uint64_t elapsed_ns = runfair::clock_ns(CLOCK_MONOTONIC) - started_ns;
        locks.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / (tasks * rounds)));
        return sum = shared.sum;
    }

    asio::awaitable<void> task(runfair::SplitMix64 own, std::latch& beginning, Gate& gate,
                               Shared& shared) const {
        beginning.count_down();
        co_await gate.pass();
        for (std::uint64_t round = 0; round < rounds; ++round) {
            const std::uint64_t asked_ns = runfair::clock_ns(CLOCK_MONOTONIC);
            co_await shared.lock.acquire();
            const std::uint64_t now_ns = runfair::clock_ns(CLOCK_MONOTONIC);
            shared.sum += shared.random.next() + own.next();
            totals.locks++;  // tick
            if (held)
                co_await asio::post(asio::use_awaitable);
            shared.lock.release();
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
