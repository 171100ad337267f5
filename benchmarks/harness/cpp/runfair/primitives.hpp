// The contract's shared primitives.

#pragma once

#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace runfair {
// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
struct SplitMix64 {
    std::uint64_t state;
    std::uint64_t next() {
        std::uint64_t z = state += 0x9e3779b97f4a7c15;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }
    std::uint64_t bounded(std::uint64_t n) { return (next() >> 32) % n; }
    template <class T>
    void shuffle(std::vector<T>& items) {
        for (auto i = items.size(); i-- > 1;)
            std::swap(items[i], items[bounded(i + 1)]);
    }
};

// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv).
struct Fnv1a {
    std::uint64_t value = 0xcbf29ce484222325;
    void add(std::string_view bytes) {
        for (const char byte : bytes)
            value = (value ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
    }
};
}  // namespace runfair
