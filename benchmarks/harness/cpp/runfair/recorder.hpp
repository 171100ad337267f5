// Recorders of distributions: histograms in files, which outlive the process.

#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "runfair/options.hpp"

namespace runfair {
// The cell of a value in an HdrHistogram with three significant digits.
inline std::uint64_t cell(std::int64_t value) {
    const std::uint64_t v = std::clamp<std::int64_t>(value, 0, (1LL << 47) - 1);
    const std::uint64_t shift = std::bit_width(v >> 11);
    return shift * 1024 + (v >> shift);
}

// The file NAME.counts, as it is mapped into memory.
struct Histogram {
    std::atomic<std::uint64_t> index;  // of the iteration under way
    std::array<std::atomic<std::uint64_t>, 38'912> counts;
};

struct Recorder {
    std::string_view name;
    Histogram* histogram;

    // Counts a sample; several threads may do so at the same time.
    void record(std::int64_t value) const {
        histogram->counts[cell(value)].fetch_add(1, std::memory_order_relaxed);
    }
};

inline std::vector<Recorder> recorders;

// A recorder of one of the benchmark's distributions, made before the first iteration.
inline Recorder Options::recorder(std::string_view name) const {
    const std::string path = text("samples") + "/" + std::string(name) + ".counts";
    const int file = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    void* memory = MAP_FAILED;
    if (file >= 0 && ftruncate(file, sizeof(Histogram)) == 0)
        memory = mmap(nullptr, sizeof(Histogram), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED)
        throw std::system_error(errno, std::generic_category(), path);
    close(file);
    return recorders.emplace_back(Recorder{name, new (memory) Histogram{}});
}

// Empties the recorders for an iteration.
inline void begin_samples(std::uint64_t index) {
    for (const auto& [name, histogram] : recorders) {
        for (auto& count : histogram->counts)
            count.store(0, std::memory_order_relaxed);
        histogram->index.store(index, std::memory_order_release);
    }
}

// The iteration's samples, as its line gives them; nothing if there is no recorder.
inline std::string samples() {
    std::string json;
    for (const auto& [name, histogram] : recorders) {
        json.append(json.empty() ? R"(,"samples":{)" : ",").append(quoted(name)).append(":[");
        const char* comma = "";
        for (std::size_t cell = 0; cell < histogram->counts.size(); ++cell) {
            if (const std::uint64_t count = histogram->counts[cell]; count > 0) {
                json.append(std::exchange(comma, ",")).append(std::to_string(cell));
                json.append(",").append(std::to_string(count));
            }
        }
        json.append("]");
    }
    return recorders.empty() ? json : json + "}";
}
}  // namespace runfair
