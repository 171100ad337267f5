// Answers the questions of vectors.txt, read from standard input.

#include <cstdio>
#include <iostream>
#include <numeric>
#include <sstream>

#include "runfair/primitives.hpp"
#include "runfair/recorder.hpp"

int main() {
    for (std::string line; std::getline(std::cin, line); std::puts("")) {
        const std::string question = line.substr(0, line.rfind(" ="));
        std::printf("%s =", question.c_str());
        std::istringstream words(question);
        std::string kind;
        runfair::SplitMix64 random{};
        std::uint64_t number = 0;
        words >> kind >> random.state;
        for (; kind == "cell" && words; words >> random.state)
            std::printf(" %lu", runfair::cell(random.state));
        if (kind == "fnv1a") {
            runfair::Fnv1a hash;
            hash.add(question.substr(std::min(question.size(), kind.size() + 1)));
            std::printf(" %016lx", hash.value);
        } else if (kind == "shuffle" && words >> number) {
            std::vector<std::uint64_t> numbers(number);
            std::iota(numbers.begin(), numbers.end(), 0);
            random.shuffle(numbers);
            for (const std::uint64_t shuffled : numbers)
                std::printf(" %lu", shuffled);
        }
        while (kind == "bounded" && words >> number)
            std::printf(" %lu", random.bounded(number));
        for (words >> number; kind == "splitmix64" && number > 0; --number)
            std::printf(" %016lx", random.next());
    }
}
