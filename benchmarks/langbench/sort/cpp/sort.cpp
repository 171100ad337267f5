// Sorts strings in place by swaps alone; see langbench/sort/contract.md.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runfair.hpp"

namespace {

enum Counters : std::size_t { comparisons, swaps };

// `duplicates` draws from this many words.
constexpr std::uint64_t different_words = 64;

using Words = std::vector<std::string>;

// The contract's positions in x are iterators into the one vector.
template <class Counter>
class Sorter {
public:
    using Position = Words::iterator;

    explicit Sorter(Counter& counter) : counter_(counter) {}

    void sort(Position lo, Position hi) {
        if (hi - lo > 1) {
            const Position middle = lo + (hi - lo) / 2;
            Position work = lo + (hi - middle);
            sort_into(lo, middle, work);
            while (work - lo > 2) {
                const Position end = work;
                work = lo + (end - lo + 1) / 2;
                sort_into(work, end, lo);
                merge(lo, lo + (end - work), end, hi, work);
            }
            for (Position next = work; next > lo; --next) {
                for (Position at = next; at < hi && less(at, at - 1); ++at)
                    swap(at, at - 1);
            }
        }
    }

private:
    void sort_into(Position lo, Position hi, Position work) {
        if (hi - lo > 1) {
            const Position middle = lo + (hi - lo) / 2;
            sort(lo, middle);
            sort(middle, hi);
            merge(lo, middle, middle, hi, work);
        } else if (lo < hi) {
            swap(lo, work);
        }
    }

    void merge(Position a, Position a_end, Position b, Position b_end, Position work) {
        while (a < a_end && b < b_end) {
            if (less(a, b)) {
                swap(work++, a++);
            } else {
                swap(work++, b++);
            }
        }
        while (a < a_end)
            swap(work++, a++);
        while (b < b_end)
            swap(work++, b++);
    }

    bool less(Position p, Position q) {
        counter_.tick(comparisons);
        return *p < *q;
    }

    void swap(Position i, Position j) {
        counter_.tick(swaps);
        std::swap(*i, *j);
    }

    Counter& counter_;
};

// Word `number`: its digits in base `letters`, most significant first, `a` for zero.
std::string word(std::uint64_t number, std::uint64_t letters, std::size_t length) {
    std::string text(length, 'a');
    for (std::size_t place = length; place-- > 0; number /= letters) {
        text[place] = static_cast<char>('a' + number % letters);
    }
    return text;
}

class Sort {
public:
    static constexpr std::string_view name = "sort";
    static constexpr std::string_view tier = "standard";
    static constexpr std::array<std::string_view, 3> workloads{"classic", "shuffled", "duplicates"};
    static constexpr std::array<runfair::Parameter, 2> parameters{
        {{"letters", "4"}, {"length", "6"}}};
    static constexpr std::array<std::string_view, 2> counters{"comparisons", "swaps"};
    static constexpr std::size_t inputs = 0;
    static constexpr std::uint64_t max_threads = 1;

    static Sort load(const runfair::Options& options) {
        const std::uint64_t letters = options.integer("letters", 2, 26);
        const std::uint64_t length = options.integer("length", 1, 8);
        std::uint64_t count = 1;
        for (std::uint64_t i = 0; i < length; ++i)
            count *= letters;
        if (count > 0xffffffff) {
            throw runfair::UserError(std::to_string(letters) + " letters and length " +
                                     std::to_string(length) + " make " + std::to_string(count) +
                                     " words; take fewer than 4294967296");
        }
        runfair::SplitMix64 random(options.seed);
        Sort sort;
        sort.words_.reserve(count);
        for (std::uint64_t p = 0; p < count; ++p) {
            std::uint64_t number = p;
            if (options.workload == "classic")
                number = count - 1 - p;
            if (options.workload == "duplicates") {
                number = random.bounded(std::min(different_words, count));
            }
            sort.words_.push_back(word(number, letters, length));
        }
        if (options.workload == "shuffled")
            random.shuffle(sort.words_);
        return sort;
    }

    Words prepare() const { return words_; }

    template <class Counter>
    const Words& run(Words& words, Counter& counter) const {
        Sorter<Counter>(counter).sort(words.begin(), words.end());
        return words;
    }

    std::uint64_t digest(const Words& words) const {
        runfair::Fnv1a hash;
        for (const std::string& word : words) {
            hash.add(word);
            hash.add("\n");
        }
        return hash.value();
    }

private:
    Words words_;
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Sort>(argc, argv);
}
