// Sorts words in place by swaps alone; see langbench/sort/contract.md.
//
// The tiers differ by what the array holds: references to the words, or the words themselves.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace sorting {

struct Counts {
    std::uint64_t comparisons = 0;
    std::uint64_t swaps = 0;
};

inline Counts counts;

// The contract's positions in x are iterators into the one vector.
template <class Word>
struct Sorter {
    using Position = typename std::vector<Word>::iterator;

    static void sort(Position lo, Position hi) {
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

    static void sort_into(Position lo, Position hi, Position work) {
        if (hi - lo > 1) {
            const Position middle = lo + (hi - lo) / 2;
            sort(lo, middle);
            sort(middle, hi);
            merge(lo, middle, middle, hi, work);
        } else if (lo < hi) {
            swap(lo, work);
        }
    }

    static void merge(Position a, Position a_end, Position b, Position b_end, Position work) {
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

    static bool less(Position p, Position q) {
        counts.comparisons++;  // tick
        return *p < *q;
    }

    static void swap(Position i, Position j) {
        counts.swaps++;  // tick
        std::swap(*i, *j);
    }
};

// Word `number`: its digits in base `letters`, most significant first, `a` for zero.
inline std::string word(std::uint64_t number, std::uint64_t letters, std::size_t length) {
    std::string text(length, 'a');
    for (std::size_t place = length; place-- > 0; number /= letters) {
        text[place] = static_cast<char>('a' + number % letters);
    }
    return text;
}

// The words of the workload, which `shuffled` has yet to shuffle.
inline std::vector<std::string> words(const runfair::Options& options,
                                      runfair::SplitMix64& random) {
    constexpr std::uint64_t different_words = 64;  // that `duplicates` draws from
    const auto letters = options.number("letters");
    const auto length = options.number("length");
    std::uint64_t count = 1;
    for (std::uint64_t i = 0; i < length; ++i)
        count *= letters;
    std::vector<std::string> words;
    words.reserve(count);
    for (std::uint64_t p = 0; p < count; ++p) {
        std::uint64_t number = p;
        if (options.text("workload") == "classic")
            number = count - 1 - p;
        if (options.text("workload") == "duplicates")
            number = random.bounded(std::min(different_words, count));
        words.push_back(word(number, letters, length));
    }
    return words;
}

// What the tiers have in common; `Word` is what the array holds.
template <class Word>
class Program {
public:
    static constexpr const char* name = "sort";
    static constexpr std::uint64_t max_threads = 1;

    static runfair::Counters counters() {
        return {{"comparisons", counts.comparisons}, {"swaps", counts.swaps}};
    }

    const std::vector<Word>& run(std::vector<Word>& array) const {
        Sorter<Word>::sort(array.begin(), array.end());
        return array;
    }

    std::uint64_t digest(const std::vector<Word>& array) const {
        runfair::Fnv1a hash;
        for (const Word& word : array) {
            hash.add(word);
            hash.add("\n");
        }
        return hash.value;
    }
};

}  // namespace sorting
