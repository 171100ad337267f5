// The open-addressing tables of Boost, which keep the entries in the table itself.

#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>

#include "../cpp/colouring.hpp"

namespace {

struct BoostTables {
    static constexpr const char* tier = "boost";

    template <class Key, class Value>
    using Map = boost::unordered_flat_map<Key, Value>;

    template <class Key>
    using Set = boost::unordered_flat_set<Key>;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<colouring::Colouring<BoostTables>>(argc, argv);
}
