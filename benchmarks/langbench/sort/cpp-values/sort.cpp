// The array holds the words themselves.

#include "../cpp/sort.hpp"

#include <string>
#include <vector>

namespace {

struct Sort : sorting::Program<std::string> {
    static constexpr const char* tier = "values";

    static Sort load(const runfair::Options& options) {
        runfair::SplitMix64 random{options.number("seed")};
        Sort sort;
        sort.words = sorting::words(options, random);
        if (options.text("workload") == "shuffled")
            random.shuffle(sort.words);
        return sort;
    }

    std::vector<std::string> prepare() const { return words; }

    std::vector<std::string> words;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Sort>(argc, argv);
}
