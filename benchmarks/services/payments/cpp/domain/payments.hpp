// What is kept in memory: the input of the service (benchmarks/services/payments/contract.md).

#pragma once

#include <array>
#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "processor.hpp"
#include "runfair/benchmark.hpp"
#include "runfair/input.hpp"
#include "runfair/json.hpp"
#include "runfair/mistake.hpp"
#include "runfair/options.hpp"

namespace payments {

// What every framework's program has in common for the harness.
struct Description {
    static constexpr std::string_view name = "payments";
    static constexpr std::array<std::string_view, 3> workloads{"pay", "route", "order"};
    static constexpr std::array<runfair::Parameter, 2> parameters{
        {{"database", ""}, {"connections", "16"}}};
    static constexpr std::size_t inputs = 1;
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();
};

struct Payments {
    std::vector<std::string> records;
    std::vector<Processor> processors;

    static Payments read(const runfair::Options& options);
};
BOOST_DESCRIBE_STRUCT(Payments, (), (records, processors))

inline Payments Payments::read(const runfair::Options& options) {
    const std::string& path = options.inputs[0];
    boost::json::error_code error;
    const auto value = boost::json::parse(runfair::read(path), error);
    if (!error) {
        if (auto payments = boost::json::try_value_to<Payments>(value);
            payments && !payments->records.empty())
            return std::move(*payments);
    }
    throw runfair::UserError("--input " + runfair::quoted(path) +
                             " is not the payments.json of the generator");
}

// The size of the connection pool.
inline std::size_t connections(const runfair::Options& options) {
    constexpr std::uint64_t most = 1000;
    return options.integer("connections", 1, most);
}

}  // namespace payments
