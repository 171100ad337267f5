// How late a ticker fires beside tasks that compute; see concurrency/timer-lateness/contract.md.

#include <time.h>

#include <cstdint>
#include <cstdio>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

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

void sleep_until(std::uint64_t due_ns) {
    const timespec due{static_cast<time_t>(due_ns / 1'000'000'000),
                       static_cast<long>(due_ns % 1'000'000'000)};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
}

struct Ticker {
    std::uint64_t due_ns;
    std::uint64_t period_ns;
    runfair::Recorder lateness;

    // Ticks until all burners have ended.
    void run(const std::stop_token& ended) {
        for (bool last = false; !last;) {
            sleep_until(due_ns);
            const std::uint64_t now_ns = runfair::clock_ns(CLOCK_MONOTONIC);
            last = ended.stop_requested();
            for (; due_ns <= now_ns; due_ns += period_ns)
                lateness.record(static_cast<std::int64_t>(now_ns - due_ns));
        }
    }
};

// A timer that fires once.
void fire(std::uint64_t due_ns, const runfair::Recorder& lateness, Counts& counts) {
    std::uint64_t now_ns = 0;
    while (now_ns < due_ns) {
        sleep_until(due_ns);
        now_ns = runfair::clock_ns(CLOCK_MONOTONIC);
    }
    lateness.record(static_cast<std::int64_t>(now_ns - due_ns));
    counts.timers++;  // tick
}

// The exclusive or of the next `rounds` numbers.
std::uint64_t draw(runfair::SplitMix64& random, std::uint64_t rounds, Counts& counts) {
    std::uint64_t x = 0;
    for (; rounds > 0; --rounds) {
        counts.rounds++;  // tick
        x ^= random.next();
    }
    return x;
}

// What a task leaves.
struct Burnt {
    std::uint64_t x = 0;
    Counts counts;
};

struct TimerLateness {
    static constexpr const char* name = "timer-lateness";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 110'000;  // the timers' and the burners'

    std::uint64_t seed;
    std::uint64_t burners;
    std::uint64_t rounds;
    std::uint64_t yield_rounds;  // of a burner that never yields: all
    std::uint64_t timers;        // that fire once; 0 if there is a ticker
    std::uint64_t period_ns;
    runfair::Recorder lateness;

    static TimerLateness load(const runfair::Options& options) {
        const std::string& workload = options.text("workload");
        return {options.number("seed"),
                options.number("burners"),
                options.number("rounds"),
                workload == "yielding" ? options.number("yield_rounds") : ~std::uint64_t{0},
                workload == "one-shot" ? options.number("timers") : 0,
                options.number("period_us") * 1'000,
                options.recorder("lateness")};
    }

    std::vector<Burnt> prepare() const { return std::vector<Burnt>(burners); }

    const std::vector<Burnt>& run(std::vector<Burnt>& burnt) const {
        std::vector<Counts> fired(timers);
        Ticker ticker{due_ns(), period_ns, lateness};
        {
            std::jthread ticking;  // asked to stop, and joined, when the burners have ended
            if (timers == 0)
                ticking = std::jthread([&](const std::stop_token& ended) { ticker.run(ended); });
            std::vector<std::jthread> running;
            for (std::uint64_t i = 0; i < burners; ++i)
                running.emplace_back([&, i] { burnt[i].x = burn({seed + i}, burnt[i].counts); });
            for (Counts& counts : fired)
                running.emplace_back([&, due = due_ns()] { fire(due, lateness, counts); });
        }
        for (const Burnt& one : burnt)
            totals.add(one.counts);
        for (const Counts& one : fired)
            totals.add(one);
        return burnt;
    }

    // When a timer is due that is set now.
    std::uint64_t due_ns() const { return runfair::clock_ns(CLOCK_MONOTONIC) + period_ns; }

    // The exclusive or of a burner's numbers.
    std::uint64_t burn(runfair::SplitMix64 random, Counts& counts) const {
        counts.burners++;  // tick
        std::uint64_t x = 0;
        std::uint64_t left = rounds;
        for (; left >= yield_rounds; left -= yield_rounds) {
            x ^= draw(random, yield_rounds, counts);
            counts.yields++;  // tick
            std::this_thread::yield();
        }
        return x ^ draw(random, left, counts);
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
