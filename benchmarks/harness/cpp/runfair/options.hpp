// What the command line asks for.

#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "runfair/json.hpp"
#include "runfair/mistake.hpp"

namespace runfair {

// A decimal integer without a sign, within [low, high]; `what` names it in the message.
inline std::uint64_t integer(std::string_view what, std::string_view text, std::uint64_t low,
                             std::uint64_t high) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
        throw UserError(std::string(what) + " takes an integer from " + std::to_string(low) +
                        " to " + std::to_string(high) + ", not " + quoted(text));
    }
    return value;
}

// A decimal number of seconds, whose nanoseconds stay below 2^63.
inline double seconds(std::string_view what, std::string_view text) {
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    };
    const auto point = std::min(text.find('.'), text.size());
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!digits(text.substr(0, point)) ||
        (point < text.size() && !digits(text.substr(point + 1))) || parsed.ec != std::errc() ||
        value >= 0x1p63 / 1e9) {
        throw UserError(std::string(what) + " takes a decimal number such as 2.5, not " +
                        quoted(text));
    }
    return value;
}

// The command line.
struct Options {
    std::string workload = "classic";
    std::string size = "unnamed";
    std::uint64_t seed = 1;
    std::uint64_t threads = 1;
    std::vector<std::string> inputs;
    std::map<std::string, std::string, std::less<>> parameters;
    std::optional<std::uint64_t> iterations;
    std::optional<double> max_seconds;
    bool count = false;

    // The parameter `name`, a decimal integer within [low, high].
    std::uint64_t integer(std::string_view name, std::uint64_t low, std::uint64_t high) const {
        return runfair::integer("--param " + std::string(name), parameters.find(name)->second, low,
                                high);
    }

    // Iterations to do at most; none is until time or standard input ends.
    std::optional<std::uint64_t> limit() const {
        if (count || (!iterations && !max_seconds))
            return 1;
        return iterations == 0 ? std::nullopt : iterations;
    }

    bool watches_standard_input() const { return !count && iterations == 0; }
};

}  // namespace runfair
