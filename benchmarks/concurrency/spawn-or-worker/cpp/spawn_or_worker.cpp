// A thread for each piece of work, or workers; see concurrency/spawn-or-worker/contract.md.

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include "channel.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

constexpr std::uint64_t end = ~std::uint64_t{0};  // of what is sent to a worker

struct Counts {
    std::uint64_t rounds = 0;
    std::uint64_t tasks = 0;
};

// Of all pieces and iterations.
Counts totals;

// The seed and the first `rounds` numbers of the generator, by exclusive or.
std::uint64_t compute(runfair::SplitMix64 random, std::uint64_t rounds, Counts& counts) {
    counts.tasks++;  // tick
    std::uint64_t x = random.state;
    for (; rounds > 0; --rounds) {
        counts.rounds++;  // tick
        x ^= random.next();
    }
    return x;
}

// What was done of a piece of work.
struct Piece {
    std::uint64_t x = 0;
    Counts counts;
};

struct SpawnOrWorker {
    static constexpr const char* name = "spawn-or-worker";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 16'000;

    std::uint64_t seed;
    std::uint64_t tasks;
    std::uint64_t rounds;
    std::uint64_t at_once;  // threads that are started, or pieces that a channel holds
    std::uint64_t workers;
    bool spawning;
    runfair::Recorder recorder;

    static SpawnOrWorker load(const runfair::Options& options) {
        return {options.number("seed"),
                options.number("tasks"),
                options.number("rounds"),
                options.number("at_once"),
                std::min(options.number("threads"), max_threads),
                options.text("workload") == "spawn",
                options.recorder("tasks")};
    }

    std::vector<Piece> prepare() const { return std::vector<Piece>(tasks); }

    const std::vector<Piece>& run(std::vector<Piece>& pieces) const {
        const std::uint64_t started_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        if (spawning)
            spawn(pieces);
        else
            work(pieces);
        const std::uint64_t elapsed_ns = runfair::clock_ns(CLOCK_MONOTONIC) - started_ns;
        recorder.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / tasks));
        for (const Piece& one : pieces) {
            totals.rounds += one.counts.rounds;
            totals.tasks += one.counts.tasks;
        }
        return pieces;
    }

    void perform(std::vector<Piece>& pieces, std::uint64_t i) const {
        pieces[i].x = compute({seed + i}, rounds, pieces[i].counts);
    }

    void spawn(std::vector<Piece>& pieces) const {
        for (std::uint64_t first = 0; first < tasks; first += at_once) {
            std::vector<std::jthread> running;  // joined when it goes
            for (std::uint64_t i = first; i < std::min(first + at_once, tasks); ++i)
                running.emplace_back([&, i] { perform(pieces, i); });
        }
    }

    void work(std::vector<Piece>& pieces) const {
        Channel channel(at_once);
        std::vector<std::jthread> running;  // joined when it goes
        for (std::uint64_t worker = 0; worker < workers; ++worker) {
            running.emplace_back([&] {
                for (std::uint64_t i = channel.receive(); i != end; i = channel.receive())
                    perform(pieces, i);
            });
        }
        for (std::uint64_t i = 0; i < tasks; ++i)
            channel.send(i);
        for (std::uint64_t worker = 0; worker < workers; ++worker)
            channel.send(end);
    }

    std::uint64_t digest(const std::vector<Piece>& pieces) const {
        runfair::Fnv1a hash;
        for (const Piece& one : pieces) {
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
    return runfair::main<SpawnOrWorker>(argc, argv);
}
