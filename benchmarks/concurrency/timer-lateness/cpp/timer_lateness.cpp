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
};

// Of all burners and iterations.
Counts totals;

struct Ticker {
    std::uint64_t due_ns;
    std::uint64_t period_ns;
    runfair::Recorder lateness;

    // Ticks until all burners have ended.
    void run(const std::stop_token& ended) {
        for (bool last = false; !last;) {
            sleep();
            const std::uint64_t now_ns = runfair::clock_ns(CLOCK_MONOTONIC);
            last = ended.stop_requested();
            for (; due_ns <= now_ns; due_ns += period_ns)
                lateness.record(static_cast<std::int64_t>(now_ns - due_ns));
        }
    }

    void sleep() const {
        const timespec due{static_cast<time_t>(due_ns / 1'000'000'000),
                           static_cast<long>(due_ns % 1'000'000'000)};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, nullptr);
    }
};

// The exclusive or of the first `rounds` numbers.
std::uint64_t burn(runfair::SplitMix64 random, std::uint64_t rounds, Counts& counts) {
    counts.burners++;  // tick
    std::uint64_t x = 0;
    for (; rounds > 0; --rounds) {
        counts.rounds++;  // tick
        x ^= random.next();
    }
    return x;
}

// What a burner leaves.
struct Burnt {
    std::uint64_t x = 0;
    Counts counts;
};

struct TimerLateness {
    static constexpr const char* name = "timer-lateness";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 100'001;  // the ticker's and the burners'

    std::uint64_t seed;
    std::uint64_t burners;
    std::uint64_t rounds;
    std::uint64_t period_ns;
    runfair::Recorder lateness;

    static TimerLateness load(const runfair::Options& options) {
        return {options.number("seed"), options.number("burners"), options.number("rounds"),
                options.number("period_us") * 1'000, options.recorder("lateness")};
    }

    std::vector<Burnt> prepare() const { return std::vector<Burnt>(burners); }

    const std::vector<Burnt>& run(std::vector<Burnt>& burnt) const {
        Ticker ticker{runfair::clock_ns(CLOCK_MONOTONIC) + period_ns, period_ns, lateness};
        {
            // Asked to stop, and joined, when the burners have ended.
            const std::jthread ticking([&](const std::stop_token& ended) { ticker.run(ended); });
            std::vector<std::jthread> burning;
            for (std::uint64_t i = 0; i < burners; ++i) {
                burning.emplace_back(
                    [&, i] { burnt[i].x = burn({seed + i}, rounds, burnt[i].counts); });
            }
        }
        for (const Burnt& one : burnt) {
            totals.rounds += one.counts.rounds;
            totals.burners += one.counts.burners;
        }
        return burnt;
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
        return {{"rounds", totals.rounds}, {"burners", totals.burners}};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<TimerLateness>(argc, argv);
}
