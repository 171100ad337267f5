// The arguments that make the options.

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runfair/benchmark.hpp"
#include "runfair/json.hpp"
#include "runfair/mistake.hpp"
#include "runfair/options.hpp"

namespace runfair {

inline std::string joined(std::span<const std::string_view> names) {
    std::string all;
    for (const auto name : names) {
        if (!all.empty())
            all += ", ";
        all += name;
    }
    return all;
}

inline std::string one_of(std::span<const std::string_view> known, std::string_view what,
                          std::string_view name) {
    if (std::find(known.begin(), known.end(), name) != known.end())
        return std::string(name);
    if (known.empty()) {
        throw UserError("has no " + std::string(what) + "s; leave " + quoted(name) + " out");
    }
    throw UserError("unknown " + std::string(what) + " " + quoted(name) + "; it is one of " +
                    joined(known));
}

// Reads the arguments, without the program's own name.
template <Described B>
Options parse(std::span<char* const> arguments) {
    static constexpr std::array<std::string_view, 9> known{
        "--workload", "--size",       "--seed",        "--threads", "--input",
        "--param",    "--iterations", "--max-seconds", "--count"};
    constexpr std::uint64_t most_threads = std::numeric_limits<std::int32_t>::max();
    constexpr std::uint64_t most_iterations = std::numeric_limits<std::int64_t>::max();
    constexpr std::uint64_t greatest_seed = std::numeric_limits<std::uint64_t>::max();
    Options options;
    std::vector<std::string_view> names;
    for (const Parameter& parameter : std::span<const Parameter>(B::parameters)) {
        names.push_back(parameter.name);
        options.parameters.emplace(parameter.name, parameter.value);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view option = arguments[i];
        if (std::find(known.begin(), known.end(), option) == known.end()) {
            throw UserError("unknown option " + quoted(option) + "; the options are " +
                            joined(known));
        }
        if (option == "--count") {
            options.count = true;
            continue;
        }
        if (i + 1 == arguments.size() || std::string_view(arguments[i + 1]).starts_with("--")) {
            throw UserError(std::string(option) + " needs a value after it");
        }
        const std::string_view value = arguments[++i];
        if (option == "--workload") {
            options.workload = one_of(B::workloads, "workload", value);
        } else if (option == "--size") {
            if (!is_utf8(value))
                throw UserError("--size takes UTF-8 text");
            options.size = value;
        } else if (option == "--seed") {
            options.seed = integer(option, value, 0, greatest_seed);
        } else if (option == "--threads") {
            options.threads = integer(option, value, 1, most_threads);
        } else if (option == "--input") {
            options.inputs.emplace_back(value);
        } else if (option == "--iterations") {
            options.iterations = integer(option, value, 0, most_iterations);
        } else if (option == "--max-seconds") {
            options.max_seconds = seconds(option, value);
        } else {
            const auto equals = value.find('=');
            if (equals == value.npos) {
                throw UserError("--param takes NAME=VALUE, not " + quoted(value));
            }
            const auto name = one_of(names, "parameter", value.substr(0, equals));
            options.parameters[name] = value.substr(equals + 1);
        }
    }
    one_of(B::workloads, "workload", options.workload);
    if (options.inputs.size() != B::inputs) {
        throw UserError("takes " + std::to_string(B::inputs) + " --input PATH, not " +
                        std::to_string(options.inputs.size()));
    }
    return options;
}

}  // namespace runfair
