// The benchmark log with the study's dictionaries, which all threads share.

#include "../../cpp/log.hpp"

#include <cstddef>
#include <unordered_map>
#include <unordered_set>

#include "../../cpp/standard_expression.hpp"

namespace {

struct Shared {
    static constexpr const char* tier = "shared-dictionary";
    static constexpr bool shared_dictionary = true;
    static constexpr std::size_t longest_line = clp::StandardExpression::longest_line;

    template <class Key, class Value>
    using Map = std::unordered_map<Key, Value>;
    template <class Key>
    using Set = std::unordered_set<Key>;
    using Expression = clp::StandardExpression;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<clp::Log<Shared>>(argc, argv);
}
