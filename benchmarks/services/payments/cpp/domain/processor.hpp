// One that a payment can be routed to.

#pragma once

#include <algorithm>
#include <array>
#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace payments {

using Features = std::array<std::int32_t, 32>;

struct Processor {
    std::string id;
    std::vector<std::string> countries;
    std::int64_t fixed_fee;
    std::int64_t fee_basis_points;
    std::int64_t success_permille;
    std::int64_t latency_ms;
    std::int64_t load_permille;
    Features weights;

    bool serves(const std::string& country) const {
        return std::ranges::find(countries, country) != countries.end();
    }

    std::int64_t fee(std::int64_t amount) const {
        return fixed_fee + amount * fee_basis_points / 10'000;
    }

    std::int64_t score(std::int64_t fee, const Features& features) const {
        std::int64_t score = success_permille * 1000 - fee;
        score -= latency_ms * 10 + load_permille * load_permille / 100;
        for (std::size_t i = 0; i < features.size(); ++i)
            score += weights[i] * features[i];
        return score;
    }
};
BOOST_DESCRIBE_STRUCT(Processor, (),
                      (id, countries, fixed_fee, fee_basis_points, success_permille, latency_ms,
                       load_permille, weights))

}  // namespace payments
