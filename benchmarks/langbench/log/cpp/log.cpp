// The benchmark log with the standard library alone.

#include "log.hpp"

#include <cstddef>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace {

struct Standard {
    static constexpr std::string_view tier = "standard";
    // libstdc++ recurses for each byte that a repetition takes, on a stack of 8 MiB.
    static constexpr std::size_t longest_line = 8192;

    template <class Key, class Value>
    using Map = std::unordered_map<Key, Value>;
    template <class Key>
    using Set = std::unordered_set<Key>;

    class Expression {
    public:
        explicit Expression(const std::string& text) : regex_(text) {}

        bool is_found_in(std::string_view line) const {
            return std::regex_search(line.begin(), line.end(), regex_);
        }

    private:
        std::regex regex_;
    };
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<clp::Log<Standard>>(argc, argv);
}
