// A server of keys and values; see langbench/key-value/contract.md.

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "server.hpp"
#include "store.hpp"

namespace {

constexpr std::uint64_t classic_rows = 1024;

struct KeyValue {
    static constexpr const char* name = "key-value";
    static constexpr const char* tier = "standard";
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();

    static runfair::Counters serve(const runfair::Options& options, const runfair::Ready& ready) {
        const std::string& workload = options.text("workload");
        const std::uint64_t keys = options.number("keys");
        std::uint64_t rows = options.number("rows");
        std::uint64_t capacity_bytes = options.number("capacity_bytes");
        if (rows == 0)
            rows = workload == "spread" ? std::bit_ceil(keys) : classic_rows;
        if (capacity_bytes == 0 && workload == "capped")
            capacity_bytes =
                std::max<std::uint64_t>(1, keys * options.number("value_bytes") * 3 / 4);
        key_value::Store store(rows, capacity_bytes);
        const key_value::Counts counts = key_value::Server(options, store).run(ready);
        return counts.operations(store.entries());
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<KeyValue>(argc, argv);
}
