// What the harness asks of a benchmark.

#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "runfair/counters.hpp"
#include "runfair/options.hpp"

namespace runfair {

// A parameter of the benchmark, with its default.
struct Parameter {
    std::string_view name;
    std::string_view value;
};

// What the command line and the line `start` need to know of a program.
template <class B>
concept Described = requires {
    { B::name } -> std::convertible_to<std::string_view>;
    { B::tier } -> std::convertible_to<std::string_view>;
    { std::span<const std::string_view>(B::workloads) };
    { std::span<const Parameter>(B::parameters) };
    { B::inputs } -> std::convertible_to<std::size_t>;
    { B::max_threads } -> std::convertible_to<std::uint64_t>;
};

// A benchmark as the harness sees it; an object of the class is the state that `load` makes.
// `run` is the task, and the only timed part: it changes `work` and gives the answer, which may
// refer to `work`. A class with metrics or samples has `measurements(answer)` too.
template <class B>
concept Benchmark =
    Described<B> && requires(const B benchmark, const Options& options, Uncounted& uncounted,
                             Counted& counted, decltype(benchmark.prepare())& work) {
        { std::span<const std::string_view>(B::counters) };
        { B::load(options) } -> std::same_as<B>;
        { benchmark.run(work, counted) };
        { benchmark.digest(benchmark.run(work, uncounted)) } -> std::same_as<std::uint64_t>;
    };

}  // namespace runfair
