// A server of keys and values; see langbench/key-value/contract.md.

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

#include "runfair/service.hpp"
#include "server.hpp"
#include "store.hpp"

namespace {

constexpr std::uint64_t classic_rows = 1024;

struct KeyValue {
    static constexpr std::string_view name = "key-value";
    static constexpr std::string_view tier = "standard";
    static constexpr std::array<std::string_view, 3> workloads{"spread", "classic", "capped"};
    static constexpr std::array<runfair::Parameter, 6> parameters{{{"keys", "500"},
                                                                   {"value_bytes", "64"},
                                                                   {"rows", "0"},
                                                                   {"capacity_bytes", "0"},
                                                                   {"count", "0"},
                                                                   {"addresses", "0"}}};
    static constexpr std::size_t inputs = 0;
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();
};

void run(const runfair::Options& options, const runfair::Address& address, runfair::Ready ready) {
    const std::uint64_t keys = options.integer("keys", 1, 1 << 20);
    const std::uint64_t value_bytes = options.integer("value_bytes", 1, 1'000'000);
    std::uint64_t rows = options.integer("rows", 0, 1 << 20);
    std::uint64_t capacity_bytes = options.integer("capacity_bytes", 0, 0x7fff'ffff);
    const bool count = options.integer("count", 0, 1) == 1;
    const bool addresses = options.integer("addresses", 0, 1) == 1;
    if (rows == 0)
        rows = options.workload == "spread" ? std::bit_ceil(keys) : classic_rows;
    if (capacity_bytes == 0 && options.workload == "capped")
        capacity_bytes = std::max<std::uint64_t>(1, keys * value_bytes * 3 / 4);
    key_value::Store store(rows, capacity_bytes, count, addresses);
    key_value::Server(address, store).run(ready);
}

}  // namespace

int main(int argc, char** argv) {
    return runfair::serve<KeyValue>(argc, argv, run);
}
