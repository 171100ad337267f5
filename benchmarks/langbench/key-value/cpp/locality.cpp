#include "locality.hpp"

#include <algorithm>

namespace key_value {

Locality::Locality(std::vector<std::uint64_t> distances) : pairs(distances.size()) {
    if (distances.empty())
        return;
    std::sort(distances.begin(), distances.end());
    median_bytes = distances[(pairs - 1) / 2];
    std::vector<Distance> each;
    for (const std::uint64_t bytes : distances) {
        if (each.empty() || each.back().bytes != bytes)
            each.push_back({bytes, 0});
        each.back().pairs += 1;
    }
    different = each.size();
    std::stable_sort(each.begin(), each.end(),
                     [](const Distance& a, const Distance& b) { return a.pairs > b.pairs; });
    frequent = each[0];
    if (each.size() > 1)
        next_frequent = each[1];
}

}  // namespace key_value
