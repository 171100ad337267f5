// The array holds references to the words, as that of most languages does.

#include "sort.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace {

struct Sort : sorting::Program<std::string_view> {
    static constexpr const char* tier = "standard";

    static Sort load(const runfair::Options& options) {
        runfair::SplitMix64 random{options.number("seed")};
        Sort sort;
        sort.words = sorting::words(options, random);
        sort.array.assign(sort.words.begin(), sort.words.end());
        if (options.text("workload") == "shuffled")
            random.shuffle(sort.array);
        return sort;
    }

    std::vector<std::string_view> prepare() const { return array; }

    std::vector<std::string> words;
    std::vector<std::string_view> array;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Sort>(argc, argv);
}
