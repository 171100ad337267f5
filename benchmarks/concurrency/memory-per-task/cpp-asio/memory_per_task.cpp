// The memory of coroutines on asio that wait; see concurrency/memory-per-task/contract.md.

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <mutex>
#include <string>

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
    std::uint64_t tasks = 0;
};

// Of all iterations.
Counts totals;

// What the tasks add to, one after the other.
struct Sum {
    std::mutex mutex;
    std::uint64_t x = 0;

    void add(std::uint64_t its_x) {
        const std::lock_guard lock(mutex);
        x += its_x;
        totals.tasks++;  // tick
    }
};

// The memory of the process that is in RAM.
std::int64_t resident_bytes() {
    const std::string content = runfair::read("/proc/self/smaps_rollup");
    return std::stoll(content.substr(content.find("\nRss:") + 5)) * 1'024;
}

struct MemoryPerTask {
    static constexpr const char* name = "memory-per-task";
    static constexpr const char* tier = "asio";
    static constexpr std::uint64_t max_threads = 1'000'000;

    std::uint64_t seed;
    std::uint64_t tasks;
    runfair::Recorder bytes;
    asio::thread_pool& pool;

    static MemoryPerTask load(const runfair::Options& options) {
        const auto threads = std::min(options.number("threads"), max_threads);
        static asio::thread_pool pool(threads);
        return {options.number("seed"), options.number("tasks"), options.recorder("bytes"), pool};
    }

    std::uint64_t prepare() const { return 0; }

    std::uint64_t run(std::uint64_t& x) const {
        Sum sum;
        std::latch beginning(static_cast<std::ptrdiff_t>(tasks));
        std::latch running(static_cast<std::ptrdiff_t>(tasks));
        Gate gate(pool);
        const std::int64_t before = resident_bytes();
        for (std::uint64_t i = 0; i < tasks; ++i)
            asio::co_spawn(pool, task(i, beginning, gate, sum), ended(running));
        beginning.wait();
        const std::int64_t after = resident_bytes();
        gate.open();
        running.wait();
        bytes.record((after - before) / static_cast<std::int64_t>(tasks));
        return x = sum.x;
    }

    asio::awaitable<void> task(std::uint64_t i, std::latch& beginning, Gate& gate, Sum& sum) const {
        const std::uint64_t its_x = runfair::SplitMix64{seed + i}.next();
        beginning.count_down();
        co_await gate.pass();
        sum.add(its_x);
    }

    std::uint64_t digest(std::uint64_t x) const {
        runfair::Fnv1a hash;
        char line[18];
        std::snprintf(line, sizeof line, "%016lx\n", x);
        hash.add(line);
        return hash.value;
    }

    static runfair::Counters counters() { return {{"tasks", totals.tasks}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<MemoryPerTask>(argc, argv);
}
