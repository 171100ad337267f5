// What one connection counts, or all of them.

#pragma once

#include <cstdint>

namespace file_server {

struct Counts {
    std::uint64_t requests = 0;    // answered with a body
    std::uint64_t body_bytes = 0;  // read from files

    Counts& operator+=(const Counts& other) {
        requests += other.requests;
        body_bytes += other.body_bytes;
        return *this;
    }
};

}  // namespace file_server
