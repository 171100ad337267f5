// The contract's shared primitives.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace runfair {

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    // A value below n, which is at least 1 and below 2^32.
    std::uint64_t bounded(std::uint64_t n) { return (next() >> 32) % n; }

    template <class T>
    void shuffle(std::vector<T>& items) {
        using std::swap;
        for (std::size_t i = items.size(); i-- > 1;)
            swap(items[i], items[bounded(i + 1)]);
    }

private:
    std::uint64_t state_;
};

// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv).
class Fnv1a {
public:
    void add(std::string_view bytes) {
        for (const char byte : bytes) {
            value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
        }
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

}  // namespace runfair
