// What is kept in memory: the input of the service (benchmarks/services/payments/contract.md).

#pragma once

#include <boost/describe.hpp>
#include <boost/json.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "processor.hpp"
#include "runfair/options.hpp"

namespace payments {

// What every framework's program has in common for the harness.
struct Description {
    static constexpr const char* name = "payments";
    static constexpr std::uint64_t max_threads = std::numeric_limits<std::uint64_t>::max();
};

struct Payments {
    std::vector<std::string> records;
    std::vector<Processor> processors;

    static Payments read(const runfair::Options& options);
};
BOOST_DESCRIBE_STRUCT(Payments, (), (records, processors))

inline Payments Payments::read(const runfair::Options& options) {
    const std::string& path = options.text("input");
    boost::json::error_code error;
    const auto value = boost::json::parse(runfair::read(path), error);
    if (!error) {
        if (auto payments = boost::json::try_value_to<Payments>(value);
            payments && !payments->records.empty())
            return std::move(*payments);
    }
    throw runfair::UserError("input " + runfair::quoted(path) +
                             " is not the payments.json of the generator");
}

}  // namespace payments
