// The tables of Abseil, which keep the entries in the table itself.

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "../cpp/colouring.hpp"

namespace {

struct AbseilTables {
    static constexpr const char* tier = "abseil";

    template <class Key, class Value>
    using Map = absl::flat_hash_map<Key, Value>;

    template <class Key>
    using Set = absl::flat_hash_set<Key>;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<colouring::Colouring<AbseilTables>>(argc, argv);
}
