// What a benchmark measures beside its times.

#pragma once

#include <string>
#include <variant>
#include <vector>

namespace runfair {

// A figure of the benchmark's own, beside its times.
struct Metric {
    std::string name;
    double value;
    std::string unit;
};

// An HdrHistogram, V2 compressed, base 64.
struct Hdr {
    std::string base64;
};

struct Sample {
    std::string name;
    std::string unit;
    std::variant<std::vector<double>, Hdr> series;
};

struct Measurements {
    std::vector<Metric> metrics;
    std::vector<Sample> samples;
};

}  // namespace runfair
