// A coroutine on asio for each piece of work, or workers; see
// concurrency/spawn-or-worker/contract.md.

#include <time.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <vector>

#include "../../cpp-asio/coroutines.hpp"
#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using coroutines::ended;
using coroutines::Latch;
using Channel =
    asio::experimental::concurrent_channel<void(boost::system::error_code, std::uint64_t)>;

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
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 16'000;

    std::uint64_t seed;
    std::uint64_t tasks;
    std::uint64_t rounds;
    std::uint64_t at_once;  // tasks that are started, or pieces that a channel holds
    std::uint64_t workers;
    bool spawning;
    runfair::Recorder recorder;
    asio::thread_pool& pool;

    static SpawnOrWorker load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        return {options.number("seed"),
                options.number("tasks"),
                options.number("rounds"),
                options.number("at_once"),
                threads,
                options.text("workload") == "spawn",
                options.recorder("tasks"),
                pool};
    }

    std::vector<Piece> prepare() const { return std::vector<Piece>(tasks); }

    const std::vector<Piece>& run(std::vector<Piece>& pieces) const {
        std::latch running(1);
        asio::co_spawn(pool, timed(pieces), ended(running));
        running.wait();
        for (const Piece& one : pieces) {
            totals.rounds += one.counts.rounds;
            totals.tasks += one.counts.tasks;
        }
        return pieces;
    }

    // The first task.
    asio::awaitable<void> timed(std::vector<Piece>& pieces) const {
        const std::uint64_t started_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        // With a conditional expression, which gcc 12 miscompiles, the program crashes.
        if (spawning)
            co_await spawn(pieces);
        else
            co_await work(pieces);
        const std::uint64_t elapsed_ns = runfair::clock_ns(CLOCK_MONOTONIC) - started_ns;
        recorder.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / tasks));
    }

    void perform(std::vector<Piece>& pieces, std::uint64_t i) const {
        pieces[i].x = compute({seed + i}, rounds, pieces[i].counts);
    }

    asio::awaitable<void> spawn(std::vector<Piece>& pieces) const {
        for (std::uint64_t first = 0; first < tasks; first += at_once) {
            const std::uint64_t last = std::min(first + at_once, tasks);
            Latch running(pool, last - first);
            for (std::uint64_t i = first; i < last; ++i)
                asio::co_spawn(pool, piece(pieces, i), ended(running));
            co_await running.wait();
        }
    }

    asio::awaitable<void> piece(std::vector<Piece>& pieces, std::uint64_t i) const {
        co_await asio::post(use_awaitable);  // without it, co_spawn() itself would do the piece
        perform(pieces, i);
    }

    asio::awaitable<void> work(std::vector<Piece>& pieces) const {
        Channel channel(pool, at_once);
        Latch running(pool, workers);
        for (std::uint64_t number = 0; number < workers; ++number)
            asio::co_spawn(pool, worker(channel, pieces), ended(running));
        for (std::uint64_t i = 0; i < tasks; ++i)
            co_await channel.async_send({}, i, use_awaitable);
        for (std::uint64_t number = 0; number < workers; ++number)
            co_await channel.async_send({}, end, use_awaitable);
        co_await running.wait();
    }

    asio::awaitable<void> worker(Channel& channel, std::vector<Piece>& pieces) const {
        for (;;) {
            const std::uint64_t i = co_await channel.async_receive(use_awaitable);
            if (i == end)
                co_return;
            perform(pieces, i);
        }
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
