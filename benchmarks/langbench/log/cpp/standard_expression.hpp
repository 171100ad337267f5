// A regular expression of the standard library.

#pragma once

#include <cstddef>
#include <regex>
#include <string>
#include <string_view>

namespace clp {

class StandardExpression {
public:
    // libstdc++ recurses for each byte that a repetition takes, on a stack of 8 MiB.
    static constexpr std::size_t longest_line = 8192;

    explicit StandardExpression(const std::string& text) : regex_(text) {}

    bool is_found_in(std::string_view line) const {
        return std::regex_search(line.begin(), line.end(), regex_);
    }

private:
    std::regex regex_;
};

}  // namespace clp
