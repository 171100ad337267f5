// One execution, from its arguments to its end.

#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>

#include "runfair/benchmark.hpp"
#include "runfair/clocks.hpp"
#include "runfair/command_line.hpp"
#include "runfair/counters.hpp"
#include "runfair/effective.hpp"
#include "runfair/input.hpp"
#include "runfair/json.hpp"
#include "runfair/lines.hpp"
#include "runfair/measurements.hpp"
#include "runfair/mistake.hpp"
#include "runfair/options.hpp"

namespace runfair {

inline constexpr std::uint64_t contract = 1;

template <Described B>
Object start(const Options& options, std::uint64_t monotonic_ns, std::uint64_t realtime_ns) {
    return Object::event("start")
        .integer("contract", contract)
        .text("benchmark", B::name)
        .text("language", "c++")
        .text("tier", B::tier)
        .text("workload", options.workload)
        .text("size", options.size)
        .integer("seed", options.seed)
        .text("runtime", compiler())
        .integer("threads", std::min<std::uint64_t>(options.threads, B::max_threads))
        .integer("processors", processors())
        .integer("monotonic_ns", monotonic_ns)
        .integer("realtime_ns", realtime_ns)
        .integer("cpu_clock_resolution_ns", cpu_clock_resolution_ns())
        .json("effective", effective().end());
}

// Makes the compiler believe that the value is read and changed here, so that no work on it is
// left out or moved across.
template <class T>
void keep(T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

// One iteration; its lines are added after the clocks have stopped.
template <Benchmark B, class Counter>
void iterate(const B& benchmark, std::uint64_t index, Counter& counter, Lines& lines) {
    auto work = benchmark.prepare();
    keep(work);
    const std::uint64_t started_monotonic_ns = monotonic_ns();
    const std::uint64_t started_cpu_ns = cpu_ns();
    auto&& answer = benchmark.run(work, counter);
    keep(answer);
    const std::uint64_t ended_cpu_ns = cpu_ns();
    const std::uint64_t ended_monotonic_ns = monotonic_ns();

    std::array<char, 17> digest;
    std::snprintf(digest.data(), digest.size(), "%016llx",
                  static_cast<unsigned long long>(benchmark.digest(answer)));
    Object line = Object::event("iteration")
                      .integer("index", index)
                      .integer("started_monotonic_ns", started_monotonic_ns)
                      .integer("wall_ns", ended_monotonic_ns - started_monotonic_ns)
                      .integer("cpu_ns", ended_cpu_ns - started_cpu_ns)
                      .text("digest", digest.data());
    Measurements measurements;
    if constexpr (requires { measurements = benchmark.measurements(answer); }) {
        measurements = benchmark.measurements(answer);
    }
    if (!measurements.metrics.empty()) {
        Object metrics;
        for (const Metric& metric : measurements.metrics) {
            const std::string value = number(metric.value);
            metrics.json(metric.name,
                         Object().json("value", value).text("unit", metric.unit).end());
        }
        line.json("metrics", metrics.end());
    }
    lines.add(line);
    for (const Sample& sample : measurements.samples)
        lines.sample(sample);
}

// Carries out one execution and writes its lines to the file descriptor `output`.
template <Benchmark B>
void execute(std::span<char* const> arguments, int output) {
    const std::uint64_t started_monotonic_ns = monotonic_ns();
    const std::uint64_t started_realtime_ns = clock_ns(CLOCK_REALTIME);
    const Options options = parse<B>(arguments);
    Lines lines(output);
    lines.add(start<B>(options, started_monotonic_ns, started_realtime_ns));
    const B benchmark = B::load(options);
    lines.write();

    const std::span<const std::string_view> counters(B::counters);
    Uncounted uncounted;
    Counted counted(counters.size());
    std::uint64_t index = 0;
    while (true) {
        if (options.count) {
            iterate(benchmark, index, counted, lines);
        } else {
            iterate(benchmark, index, uncounted, lines);
        }
        index += 1;

        const double elapsed_s = static_cast<double>(monotonic_ns() - started_monotonic_ns) / 1e9;
        if (options.limit() && index >= *options.limit())
            break;
        if (options.max_seconds && elapsed_s >= *options.max_seconds)
            break;
        if (options.watches_standard_input() && standard_input_ended())
            break;
        lines.write_if_due();
    }
    if (options.count) {
        Object all;
        for (std::size_t i = 0; i < counters.size(); ++i) {
            all.integer(counters[i], counted.counts()[i]);
        }
        lines.add(Object::event("operations").json("counters", all.end()));
    }
    lines.add(Object::event("end").integer("iterations", index));
    lines.write();
}

// The whole of a program's main.
template <Benchmark B>
int main(int argc, char** argv) {
    try {
        execute<B>(std::span<char* const>(argv, static_cast<std::size_t>(argc)).subspan(1),
                   STDOUT_FILENO);
    } catch (const UserError& error) {
        std::fprintf(stderr, "%s: %s\n", std::string(B::name).c_str(), error.what());
        return 2;
    }
    return 0;
}

}  // namespace runfair
