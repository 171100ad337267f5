// Values through a chain of coroutines on asio; see concurrency/pipeline/contract.md.

#include <time.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <exception>
#include <latch>
#include <utility>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

namespace asio = boost::asio;
using asio::use_awaitable;
using Channel =
    asio::experimental::concurrent_channel<void(boost::system::error_code, std::uint32_t)>;

struct Counts {
    std::uint64_t hops = 0;
};

// Of all tasks and iterations.
Counts totals;

// The times at which the source begins to send, and at which the sink has all values.
struct Clock {
    std::uint64_t started_ns = 0;
    std::uint64_t ended_ns = 0;
};

struct Pipeline {
    static constexpr const char* name = "pipeline";
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 10'002;

    std::uint32_t seed;
    std::uint32_t stages;
    std::uint64_t values;
    std::size_t capacity;
    runfair::Recorder hops;
    asio::thread_pool& pool;

    static Pipeline load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        return {static_cast<std::uint32_t>(options.number("seed")),
                static_cast<std::uint32_t>(options.number("stages")),
                options.number("values"),
                options.text("workload") == "rendezvous" ? 0 : options.number("capacity"),
                options.recorder("hops"),
                pool};
    }

    std::uint32_t prepare() const { return 0; }

    // The source, the stages and the sink, each a coroutine.
    std::uint32_t run(std::uint32_t& sum) const {
        std::deque<Channel> channels;  // which stay where they are
        for (std::uint32_t s = 0; s <= stages; ++s)
            channels.emplace_back(pool, capacity);
        std::vector<Counts> counted(stages + 1);
        Channel begun(pool, stages + 1);
        Clock clock;
        std::latch running(stages + 2);
        start(source(begun, clock, channels[0]), running);
        for (std::uint32_t s = 1; s <= stages; ++s)
            start(stage(s, begun, channels[s - 1], channels[s], counted[s]), running);
        start(sink(begun, clock, channels[stages], sum, counted[0]), running);
        running.wait();
        const std::uint64_t elapsed_ns = clock.ended_ns - clock.started_ns;
        hops.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / (values * (stages + 1))));
        for (const Counts& one : counted)
            totals.hops += one.hops;
        return sum;
    }

    void start(asio::awaitable<void> task, std::latch& running) const {
        asio::co_spawn(pool, std::move(task), [&running](const std::exception_ptr& failure) {
            if (failure)
                std::rethrow_exception(failure);
            running.count_down();
        });
    }

    asio::awaitable<void> source(Channel& begun, Clock& clock, Channel& to) const {
        for (std::uint32_t s = 0; s <= stages; ++s)
            co_await begun.async_receive(use_awaitable);
        clock.started_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        for (std::uint64_t k = 0; k < values; ++k)
            co_await to.async_send({}, seed + static_cast<std::uint32_t>(k), use_awaitable);
    }

    asio::awaitable<void> stage(std::uint32_t number, Channel& begun, Channel& from, Channel& to,
                                Counts& counts) const {
        co_await begun.async_send({}, number, use_awaitable);
        for (std::uint64_t k = 0; k < values; ++k) {
            const std::uint32_t x = co_await from.async_receive(use_awaitable);
            counts.hops++;  // tick
            co_await to.async_send({}, x * 1'664'525 + number, use_awaitable);
        }
    }

    asio::awaitable<void> sink(Channel& begun, Clock& clock, Channel& from, std::uint32_t& sum,
                               Counts& counts) const {
        co_await begun.async_send({}, 0U, use_awaitable);
        sum = 0;
        for (std::uint64_t k = 0; k < values; ++k) {
            sum = sum * 31 + co_await from.async_receive(use_awaitable);
            counts.hops++;  // tick
        }
        clock.ended_ns = runfair::clock_ns(CLOCK_MONOTONIC);
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
