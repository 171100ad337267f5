// How late asio's timer fires beside coroutines that compute; see
// concurrency/timer-lateness/contract.md.

#include <time.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <latch>
#include <string>
#include <utility>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

namespace asio = boost::asio;
using Clock = std::chrono::steady_clock;  // CLOCK_MONOTONIC

struct Counts {
    std::uint64_t rounds = 0;
    std::uint64_t burners = 0;
    std::uint64_t yields = 0;
    std::uint64_t timers = 0;

    void add(const Counts& other) {
        rounds += other.rounds;
        burners += other.burners;
        yields += other.yields;
        timers += other.timers;
    }
};

// Of all tasks and iterations.
Counts totals;

// What a burner leaves.
struct Burnt {
    std::uint64_t x = 0;
    Counts counts;
};

// The exclusive or of the next `rounds` numbers.
std::uint64_t draw(runfair::SplitMix64& random, std::uint64_t rounds, Counts& counts) {
    std::uint64_t x = 0;
    for (; rounds > 0; --rounds) {
        counts.rounds++;  // tick
        x ^= random.next();
    }
    return x;
}

struct TimerLateness {
    static constexpr const char* name = "timer-lateness";
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 110'000;

    std::uint64_t seed;
    std::uint64_t burners;
    std::uint64_t rounds;
    std::uint64_t yield_rounds;  // of a burner that never yields: all
    std::uint64_t timers;        // that fire once; 0 if there is a ticker
    std::chrono::microseconds period;
    runfair::Recorder lateness;
    asio::thread_pool& pool;

    static TimerLateness load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        const std::string& workload = options.text("workload");
        return {options.number("seed"),
                options.number("burners"),
                options.number("rounds"),
                workload == "yielding" ? options.number("yield_rounds") : ~std::uint64_t{0},
                workload == "one-shot" ? options.number("timers") : 0,
                std::chrono::microseconds(options.number("period_us")),
                options.recorder("lateness"),
                pool};
    }

    std::vector<Burnt> prepare() const { return std::vector<Burnt>(burners); }

    const std::vector<Burnt>& run(std::vector<Burnt>& burnt) const {
        const std::uint64_t tickers = timers == 0 ? 1 : 0;
        std::latch running(static_cast<std::ptrdiff_t>(tickers + burners + timers));
        std::atomic<std::uint64_t> burning = burners;
        std::vector<Counts> fired(timers);
        if (tickers > 0)
            start(tick(Clock::now() + period, burning), running);
        for (std::uint64_t i = 0; i < burners; ++i)
            start(task(i, burnt[i], burning), running);
        for (Counts& counts : fired)
            start(fire(Clock::now() + period, counts), running);
        running.wait();
        for (const Burnt& one : burnt)
            totals.add(one.counts);
        for (const Counts& one : fired)
            totals.add(one);
        return burnt;
    }

    void start(asio::awaitable<void> task, std::latch& running) const {
        asio::co_spawn(pool, std::move(task), [&running](const std::exception_ptr& failure) {
            if (failure)
                std::rethrow_exception(failure);
            running.count_down();
        });
    }

    // Ticks until all burners have ended.
    asio::awaitable<void> tick(Clock::time_point due,
                               const std::atomic<std::uint64_t>& burning) const {
        asio::steady_timer timer(pool);
        for (bool last = false; !last;) {
            timer.expires_at(due);
            co_await timer.async_wait(asio::use_awaitable);
            const Clock::time_point now = Clock::now();
            last = burning == 0;
            for (; due <= now; due += period)
                lateness.record(std::chrono::nanoseconds(now - due).count());
        }
    }

    // A timer that fires once.
    asio::awaitable<void> fire(Clock::time_point due, Counts& counts) const {
        asio::steady_timer timer(pool);
        Clock::time_point now;
        while (now < due) {
            timer.expires_at(due);
            co_await timer.async_wait(asio::use_awaitable);
            now = Clock::now();
        }
        lateness.record(std::chrono::nanoseconds(now - due).count());
        counts.timers++;  // tick
    }

    asio::awaitable<void> task(std::uint64_t i, Burnt& burnt,
                               std::atomic<std::uint64_t>& burning) const {
        burnt.counts.burners++;  // tick
        runfair::SplitMix64 random{seed + i};
        std::uint64_t left = rounds;
        for (; left >= yield_rounds; left -= yield_rounds) {
            burnt.x ^= draw(random, yield_rounds, burnt.counts);
            burnt.counts.yields++;  // tick
            co_await asio::post(pool, asio::use_awaitable);
        }
        burnt.x ^= draw(random, left, burnt.counts);
        --burning;
    }

    std::uint64_t digest(const std::vector<Burnt>& burnt) const {
        runfair::Fnv1a hash;
        for (const Burnt& one : burnt) {
            char line[18];
            std::snprintf(line, sizeof line, "%016lx\n", one.x);
            hash.add(line);
        }
        return hash.value;
    }

    static runfair::Counters counters() {
        return {{"rounds", totals.rounds},
                {"burners", totals.burners},
                {"yields", totals.yields},
                {"timers", totals.timers}};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<TimerLateness>(argc, argv);
}
