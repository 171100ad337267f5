// A tree of coroutines on asio that is cancelled; see concurrency/cancellation/contract.md.

#include <time.h>

#include <algorithm>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <latch>
#include <mutex>
#include <utility>

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

struct Counts {
    std::uint64_t tasks = 0;
};

// Of all iterations.
Counts totals;

// What all tasks of a tree share.
struct Tree {
    std::latch beginning;
    std::uint64_t cancelled_ns = 0;
    std::mutex mutex;  // of the sum
    std::uint64_t sum = 0;

    explicit Tree(std::uint64_t tasks) : beginning(static_cast<std::ptrdiff_t>(tasks)) {}
};

// A task that can be cancelled. The signal is used only in the strand of the task, because signals
// must not be used by several threads at the same time.
struct Cancellable {
    asio::strand<asio::thread_pool::executor_type> strand;
    asio::cancellation_signal signal;

    explicit Cancellable(asio::thread_pool& pool) : strand(asio::make_strand(pool)) {}

    template <class Running>
    void start(asio::awaitable<void> task, Running& running) {
        asio::co_spawn(strand, std::move(task),
                       asio::bind_cancellation_slot(signal.slot(), ended(running)));
    }

    void cancel() {
        asio::post(strand, [this] { signal.emit(asio::cancellation_type::terminal); });
    }
};

struct Cancellation {
    static constexpr const char* name = "cancellation";
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 1'000'000;

    std::uint64_t seed;
    std::uint64_t degree;
    std::uint64_t depth;
    std::uint64_t tasks;
    runfair::Recorder latency;
    asio::thread_pool& pool;

    static Cancellation load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        const std::uint64_t degree = options.number("degree");
        const std::uint64_t depth = options.number("depth");
        std::uint64_t tasks = 1;
        for (std::uint64_t level = 0; level < depth; ++level)
            tasks = tasks * degree + 1;
        return {options.number("seed"), degree, depth, tasks, options.recorder("latency"), pool};
    }

    std::uint64_t prepare() const { return 0; }

    std::uint64_t run(std::uint64_t& sum) const {
        Tree tree(tasks);
        Cancellable root(pool);
        std::latch running(1);
        root.start(task(0, depth, tree), running);
        tree.beginning.wait();
        tree.cancelled_ns = runfair::clock_ns(CLOCK_MONOTONIC);
        root.cancel();
        running.wait();
        return sum = tree.sum;
    }

    asio::awaitable<void> task(std::uint64_t i, std::uint64_t levels, Tree& tree) const {
        // Without it, co_spawn() would run the task at once, in the parent's thread.
        co_await asio::post(use_awaitable);
        const std::uint64_t number = levels > 0 ? degree : 0;
        std::deque<Cancellable> children;
        Latch running(pool, number);
        for (std::uint64_t n = 1; n <= number; ++n)
            children.emplace_back(pool).start(task(i * degree + n, levels - 1, tree), running);
        tree.beginning.count_down();
        co_await cancelled();
        latency.record(
            static_cast<std::int64_t>(runfair::clock_ns(CLOCK_MONOTONIC) - tree.cancelled_ns));
        add(i, tree);
        for (Cancellable& child : children)
            child.cancel();
        if (number > 0)
            co_await running.wait();
    }

    // Waits until the task is cancelled. Afterwards the task can wait again.
    asio::awaitable<void> cancelled() const {
        asio::steady_timer never(pool, asio::steady_timer::time_point::max());
        co_await never.async_wait(asio::as_tuple(use_awaitable));
        co_await asio::this_coro::reset_cancellation_state();
    }

    void add(std::uint64_t i, Tree& tree) const {
        const std::lock_guard lock(tree.mutex);
        tree.sum += runfair::SplitMix64{seed + i}.next();
        totals.tasks++;  // tick
    }

    std::uint64_t digest(std::uint64_t sum) const {
        runfair::Fnv1a hash;
        char line[18];
        std::snprintf(line, sizeof line, "%016lx\n", sum);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() { return {{"tasks", totals.tasks}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Cancellation>(argc, argv);
}
