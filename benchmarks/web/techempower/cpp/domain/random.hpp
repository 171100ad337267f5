// Random ids and random numbers.

#pragma once

#include <cstdint>
#include <random>

namespace web {

// From 1 to 10,000, as many as the table `world` has rows.
inline std::int32_t drawn() {
    thread_local std::minstd_rand generator{std::random_device{}()};
    return std::uniform_int_distribution<std::int32_t>(1, 10'000)(generator);
}

}  // namespace web
