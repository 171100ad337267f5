// The memory of threads that wait; see concurrency/memory-per-task/contract.md.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <latch>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

namespace {

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
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = 1'000'000;

    std::uint64_t seed;
    std::uint64_t tasks;
    runfair::Recorder bytes;

    static MemoryPerTask load(const runfair::Options& options) {
        return {options.number("seed"), options.number("tasks"), options.recorder("bytes")};
    }

    std::uint64_t prepare() const { return 0; }

    std::uint64_t run(std::uint64_t& x) const {
        Sum sum;
        std::latch beginning(static_cast<std::ptrdiff_t>(tasks));
        std::latch gate(1);
        const std::int64_t before = resident_bytes();
        std::vector<std::jthread> running;
        for (std::uint64_t i = 0; i < tasks; ++i) {
            running.emplace_back([&, i] {
                const std::uint64_t its_x = runfair::SplitMix64{seed + i}.next();
                beginning.count_down();
                gate.wait();
                sum.add(its_x);
            });
        }
        beginning.wait();
        const std::int64_t after = resident_bytes();
        gate.count_down();
        running.clear();  // joins them
        bytes.record((after - before) / static_cast<std::int64_t>(tasks));
        return x = sum.x;
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
