#include <charconv>
#include <cstdlib>

#include "inspector.hpp"

namespace sparrow {
namespace {

constexpr int kMostPort = 65535;

int port_of(std::string_view digits) {
    int port = -1;
    const char* end = digits.data() + digits.size();
    const auto [last, error] = std::from_chars(digits.data(), end, port);
    return error == std::errc() && last == end && port <= kMostPort ? port : -1;
}

// 0 for the program itself, 1 for its first worker.
int place_in_program() {
    const char* mark = std::getenv("SPARROW_WORKER");
    return mark ? std::atoi(mark) + 1 : 0;
}

}  // namespace

InspectorAddress inspector_address(std::string_view words) {
    InspectorAddress address;
    const std::size_t colon = words.rfind(':');
    const bool only_port = words.find_first_not_of("0123456789") == words.npos;
    if (colon != words.npos || only_port)
        address.port = words.empty() ? address.port : port_of(words.substr(colon + 1));
    if (!only_port)
        address.host = words.substr(0, colon);
    if (address.host.starts_with('[') && address.host.ends_with(']'))
        address.host = address.host.substr(1, address.host.size() - 2);
    if (address.host.empty())
        address.port = -1;
    if (address.port > 0)
        address.port += place_in_program();
    return address;
}

}  // namespace sparrow
