// The contract's pseudocode as free functions over indices; see langbench/sort/contract.md.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace {

typedef std::vector<std::string_view> Words;

std::uint64_t comparisons = 0;
std::uint64_t swaps = 0;

void sort_into(Words& x, std::size_t lo, std::size_t hi, std::size_t work);

bool less(const Words& x, std::size_t p, std::size_t q) {
    comparisons++;  // tick
    return x[p] < x[q];
}

void swap(Words& x, std::size_t i, std::size_t j) {
    swaps++;  // tick
    std::swap(x[i], x[j]);
}

void merge(Words& x, std::size_t a, std::size_t a_end, std::size_t b, std::size_t b_end,
           std::size_t work) {
    while (a < a_end && b < b_end) {
        if (less(x, a, b)) {
            swap(x, work, a);
            a++;
        } else {
            swap(x, work, b);
            b++;
        }
        work++;
    }
    while (a < a_end) {
        swap(x, work, a);
        a++;
        work++;
    }
    while (b < b_end) {
        swap(x, work, b);
        b++;
        work++;
    }
}

void sort(Words& x, std::size_t lo, std::size_t hi) {
    if (hi - lo <= 1)
        return;
    const std::size_t middle = lo + (hi - lo) / 2;
    std::size_t work = lo + hi - middle;
    sort_into(x, lo, middle, work);
    while (work - lo > 2) {
        const std::size_t end = work;
        work = lo + (end - lo + 1) / 2;
        sort_into(x, work, end, lo);
        merge(x, lo, lo + end - work, end, hi, work);
    }
    for (std::size_t next = work; next > lo; next--) {
        std::size_t at = next;
        while (at < hi && less(x, at, at - 1)) {
            swap(x, at, at - 1);
            at++;
        }
    }
}

void sort_into(Words& x, std::size_t lo, std::size_t hi, std::size_t work) {
    if (hi - lo > 1) {
        const std::size_t middle = lo + (hi - lo) / 2;
        sort(x, lo, middle);
        sort(x, middle, hi);
        merge(x, lo, middle, middle, hi, work);
    } else if (lo < hi) {
        swap(x, lo, work);
    }
}

// Word `number`: its digits in base `letters`, most significant first.
std::string word(std::uint64_t number, std::uint64_t letters, std::uint64_t length) {
    std::string text(length, 'a');
    for (std::size_t place = length; place > 0; place--) {
        text[place - 1] = static_cast<char>('a' + number % letters);
        number /= letters;
    }
    return text;
}

struct Sort {
    static constexpr const char* name = "sort";
    static constexpr const char* tier = "plain";
    static constexpr std::uint64_t max_threads = 1;

    std::vector<std::string> words;
    Words references;

    static Sort load(const runfair::Options& options) {
        const std::string& workload = options.text("workload");
        const std::uint64_t letters = options.number("letters");
        const std::uint64_t length = options.number("length");
        std::uint64_t count = 1;
        for (std::uint64_t i = 0; i < length; i++)
            count *= letters;
        runfair::SplitMix64 random{options.number("seed")};
        Sort sort;
        for (std::uint64_t p = 0; p < count; p++) {
            std::uint64_t number = p;
            if (workload == "classic") {
                number = count - 1 - p;
            } else if (workload == "duplicates") {
                number = random.bounded(count < 64 ? count : 64);
            }
            sort.words.push_back(word(number, letters, length));
        }
        for (const std::string& text : sort.words)
            sort.references.push_back(text);
        if (workload == "shuffled")
            random.shuffle(sort.references);
        return sort;
    }

    Words prepare() const { return references; }

    const Words& run(Words& x) const {
        sort(x, 0, x.size());
        return x;
    }

    std::uint64_t digest(const Words& x) const {
        runfair::Fnv1a hash;
        for (const std::string_view text : x) {
            hash.add(text);
            hash.add("\n");
        }
        return hash.value;
    }

    static runfair::Counters counters() { return {{"comparisons", comparisons}, {"swaps", swaps}}; }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Sort>(argc, argv);
}
