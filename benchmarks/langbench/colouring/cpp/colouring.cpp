// The tables of the standard library, which chain the entries of a bucket.

#include "colouring.hpp"

#include <unordered_map>
#include <unordered_set>

namespace {

struct StandardTables {
    static constexpr const char* tier = "standard";

    template <class Key, class Value>
    using Map = std::unordered_map<Key, Value>;

    template <class Key>
    using Set = std::unordered_set<Key>;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<colouring::Colouring<StandardTables>>(argc, argv);
}
