// The benchmark log with Abseil's tables; its regular expressions are the standard library's.

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "../cpp/log.hpp"
#include "../cpp/standard_expression.hpp"

namespace {

struct Abseil {
    static constexpr const char* tier = "abseil";
    static constexpr bool shared_dictionary = false;
    static constexpr std::size_t longest_line = clp::StandardExpression::longest_line;

    template <class Key, class Value>
    using Map = absl::flat_hash_map<Key, Value>;
    template <class Key>
    using Set = absl::flat_hash_set<Key>;
    using Expression = clp::StandardExpression;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<clp::Log<Abseil>>(argc, argv);
}
