// What a program says, a line an event.

#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <variant>
#include <vector>

#include "runfair/clocks.hpp"
#include "runfair/json.hpp"
#include "runfair/measurements.hpp"

namespace runfair {

// The contract allows ten writes a second.
inline constexpr std::uint64_t write_interval_ns = 100'000'000;

// Lines of output to a file descriptor, kept until there is time to write them.
class Lines {
public:
    explicit Lines(int output) : output_(output) {}

    void add(const Object& line) { kept_ += line.end() + '\n'; }

    // To be called between iterations.
    void write_if_due() {
        if (monotonic_ns() - written_monotonic_ns_ >= write_interval_ns)
            write();
    }

    void write() {
        // By the system call: a stdio buffer in between would split one write into several.
        for (std::string_view rest = kept_; !rest.empty();) {
            const ssize_t length = ::write(output_, rest.data(), rest.size());
            if (length >= 0) {
                rest.remove_prefix(static_cast<std::size_t>(length));
            } else if (errno != EINTR) {
                throw std::system_error(errno, std::generic_category(), "standard output");
            }
        }
        kept_.clear();
        written_monotonic_ns_ = monotonic_ns();
    }

    void sample(const Sample& sample) {
        Object line = Object::event("sample").text("name", sample.name).text("unit", sample.unit);
        if (const auto* hdr = std::get_if<Hdr>(&sample.series)) {
            line.text("hdr", hdr->base64);
        } else {
            std::string values;
            for (const double value : std::get<std::vector<double>>(sample.series)) {
                values.append(values.empty() ? "" : ",").append(number(value));
            }
            line.json("values", '[' + values + ']');
        }
        add(line);
    }

    // A service is ready to be asked; written at once.
    void ready(std::string_view host, std::uint16_t port) {
        add(Object::event("ready").text("host", host).integer("port", port));
        write();
    }

private:
    int output_;
    std::string kept_;
    std::uint64_t written_monotonic_ns_ = 0;
};

}  // namespace runfair
