// The benchmark log with the standard library alone.

#include "log.hpp"

#include <cstddef>
#include <unordered_map>
#include <unordered_set>

#include "standard_expression.hpp"

namespace {

struct Standard {
    static constexpr const char* tier = "standard";
    static constexpr bool shared_dictionary = false;
    static constexpr std::size_t longest_line = clp::StandardExpression::longest_line;

    template <class Key, class Value>
    using Map = std::unordered_map<Key, Value>;
    template <class Key>
    using Set = std::unordered_set<Key>;
    using Expression = clp::StandardExpression;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<clp::Log<Standard>>(argc, argv);
}
