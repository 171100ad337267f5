// What the harness needs to know of the file server.

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

#include "runfair/benchmark.hpp"

namespace file_server {

struct Description {
    static constexpr std::string_view name = "file-server";
    static constexpr std::array<std::string_view, 2> workloads{"logs", "small-files"};
    static constexpr std::array<runfair::Parameter, 0> parameters{};
    static constexpr std::size_t inputs = 1;
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::int32_t>::max();
};

}  // namespace file_server
