// Values through a chain of threads; see concurrency/pipeline/contract.md.

#include <time.h>

#include <cstdint>
#include <cstdio>
#include <deque>
#include <latch>
#include <limits>
#include <thread>
#include <vector>

#include "channel.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

struct Counts {
    std::uint64_t hops = 0;
};

// Of all tasks and iterations.
Counts totals;

std::size_t capacity_of(const runfair::Options& options) {
    const std::string workload = options.text("workload");
    if (workload == "rendezvous")
        return 0;
    return workload == "bounded" ? options.number("capacity")
                                 : std::numeric_limits<std::size_t>::max();
}

struct Pipeline {
    static constexpr const char* name = "pipeline";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 10'002;

    std::uint32_t seed;
    std::uint32_t stages;
    std::uint64_t values;
    std::size_t capacity;
    runfair::Recorder hops;

    static Pipeline load(const runfair::Options& options) {
        return {static_cast<std::uint32_t>(options.number("seed")),
                static_cast<std::uint32_t>(options.number("stages")), options.number("values"),
                capacity_of(options), options.recorder("hops")};
    }

    std::uint32_t prepare() const { return 0; }

    // The source and the stages, each a thread, and the sink.
    std::uint32_t run(std::uint32_t& sum) const {
        std::deque<Channel> channels;  // which stay where they are
        for (std::uint32_t s = 0; s <= stages; ++s)
            channels.emplace_back(capacity);
        std::vector<Counts> counted(stages + 1);
        std::latch beginning(stages + 1);  // of the stages and the sink
        std::uint64_t started_ns = 0;
        std::uint64_t ended_ns = 0;
        {
            std::vector<std::jthread> running;
            running.emplace_back([&] {
                beginning.wait();
                started_ns = runfair::clock_ns(CLOCK_MONOTONIC);
                for (std::uint64_t k = 0; k < values; ++k)
                    channels[0].send(seed + static_cast<std::uint32_t>(k));
            });
            for (std::uint32_t s = 1; s <= stages; ++s)
                running.emplace_back([&, s] {
                    beginning.count_down();
                    stage(s, channels[s - 1], channels[s], counted[s]);
                });
            beginning.count_down();
            sum = sink(channels[stages], counted[0]);
            ended_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        }
        const std::uint64_t elapsed_ns = ended_ns - started_ns;
        hops.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / (values * (stages + 1))));
        for (const Counts& one : counted)
            totals.hops += one.hops;
        return sum;
    }

    void stage(std::uint32_t number, Channel& from, Channel& to, Counts& counts) const {
        for (std::uint64_t k = 0; k < values; ++k) {
            const std::uint32_t x = from.receive();
            counts.hops++;  // tick
            to.send(x * 1'664'525 + number);
        }
    }

    std::uint32_t sink(Channel& from, Counts& counts) const {
        std::uint32_t sum = 0;
        for (std::uint64_t k = 0; k < values; ++k) {
            sum = sum * 31 + from.receive();
            counts.hops++;  // tick
        }
        return sum;
    }

    std::uint64_t digest(std::uint32_t sum) const {
        runfair::Fnv1a hash;
        char line[10];
        std::snprintf(line, sizeof line, "%08x\n", sum);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() { return {{"hops", totals.hops}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Pipeline>(argc, argv);
}
