// The benchmark log with Boost: Boost.Regex and boost::unordered_flat_map.

#include <boost/regex.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <limits>
#include <string>
#include <string_view>

#include "../cpp/log.hpp"

namespace {

struct Boost {
    static constexpr const char* tier = "boost";
    static constexpr bool shared_dictionary = false;
    static constexpr std::size_t longest_line = std::numeric_limits<std::size_t>::max();

    template <class Key, class Value>
    using Map = boost::unordered_flat_map<Key, Value>;
    template <class Key>
    using Set = boost::unordered_flat_set<Key>;

    class Expression {
    public:
        explicit Expression(const std::string& text) : regex_(text) {}

        bool is_found_in(std::string_view line) const {
            return boost::regex_search(line.begin(), line.end(), regex_);
        }

    private:
        boost::regex regex_;
    };
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<clp::Log<Boost>>(argc, argv);
}
