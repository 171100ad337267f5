// Values from whichever of many channels of asio is ready; see concurrency/select/contract.md.

#include <time.h>

#include <algorithm>
#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_executor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/cancellation_condition.hpp>
#include <boost/asio/experimental/concurrent_channel.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/system/error_code.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <latch>
#include <utility>
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
using coroutines::Gate;
using coroutines::Latch;
using Channel =
    asio::experimental::concurrent_channel<void(boost::system::error_code, std::uint32_t)>;

struct Counts {
    std::uint64_t selects = 0;
};

// Of all iterations.
Counts totals;

// A channel from which so many values are still to come.
struct Source {
    Channel* channel;
    std::uint64_t left;
};

// A receive operation that a group of operations will start.
auto receive(Channel& from, const asio::any_io_executor& executor) {
    return from.async_receive(asio::bind_executor(executor, asio::deferred));
}

using Receive =
    decltype(receive(std::declval<Channel&>(), std::declval<const asio::any_io_executor&>()));

struct Select {
    static constexpr const char* name = "select";
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 1'001;

    std::uint32_t seed;
    std::uint32_t channels;
    std::uint64_t values;
    runfair::Recorder selects;
    asio::thread_pool& pool;

    static Select load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        return {static_cast<std::uint32_t>(options.number("seed")),
                static_cast<std::uint32_t>(options.number("channels")), options.number("values"),
                options.recorder("selects"), pool};
    }

    std::uint32_t prepare() const { return 0; }

    // The selector has a strand, in which its group of receive operations also runs: a group must
    // not run in several threads at the same time.
    std::uint32_t run(std::uint32_t& sum) const {
        std::latch running(1);
        asio::co_spawn(asio::make_strand(pool), select(sum), ended(running));
        running.wait();
        return sum;
    }

    asio::awaitable<void> select(std::uint32_t& sum) const {
        std::deque<Channel> created;  // which stay where they are
        Latch beginning(pool, channels);
        Latch running(pool, channels);
        Gate gate(pool);
        for (std::uint32_t c = 0; c < channels; ++c) {
            Channel& to = created.emplace_back(pool, 1);
            asio::co_spawn(pool, send(c, to, beginning, gate), ended(running));
        }
        co_await beginning.wait();
        const std::uint64_t started_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        gate.open();
        sum = co_await received(created);
        co_await running.wait();
        const std::uint64_t elapsed_ns = runfair::clock_ns(CLOCK_MONOTONIC) - started_ns;
        selects.record(static_cast<std::int64_t>(elapsed_ns * 1'000 / (channels * values)));
    }

    asio::awaitable<void> send(std::uint32_t c, Channel& to, Latch& beginning, Gate& gate) const {
        beginning.count_down();
        co_await gate.pass();
        std::uint32_t x = seed + c;
        for (std::uint64_t k = 0; k < values; ++k) {
            x = x * 1'664'525 + c;
            co_await to.async_send({}, x, use_awaitable);
        }
    }

    asio::awaitable<std::uint32_t> received(std::deque<Channel>& created) const {
        const asio::any_io_executor strand = co_await asio::this_coro::executor;
        std::vector<Source> open;
        for (Channel& channel : created)
            open.push_back({&channel, values});
        std::uint32_t sum = 0;
        while (!open.empty()) {
            std::vector<Receive> receives;
            for (const Source& source : open)
                receives.push_back(receive(*source.channel, strand));
            // Waits for one value, and then cancels the receive operations that have none.
            const auto [order, errors, xs] =
                co_await asio::experimental::make_parallel_group(std::move(receives))
                    .async_wait(asio::experimental::wait_for_one(), use_awaitable);
            for (std::size_t i = 0; i < open.size(); ++i) {
                if (errors[i])
                    continue;  // cancelled, so its value is still to come
                sum += xs[i];
                totals.selects++;  // tick
                --open[i].left;
            }
            std::erase_if(open, [](const Source& source) { return source.left == 0; });
        }
        co_return sum;
    }

    std::uint64_t digest(std::uint32_t sum) const {
        runfair::Fnv1a hash;
        char line[10];
        std::snprintf(line, sizeof line, "%08x\n", sum);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() { return {{"selects", totals.selects}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Select>(argc, argv);
}
