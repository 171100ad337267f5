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

std::optional<InspectorOption> inspector_option(std::string_view word) {
    const std::string_view name = word.substr(0, word.find('='));
    if (name != "--inspect" && name != "--inspect-brk")
        return std::nullopt;
    InspectorOption option;
    option.breaks = name == "--inspect-brk";
    const std::string_view address = name == word ? "9229" : word.substr(name.size() + 1);
    const std::size_t colon = address.rfind(':');
    const bool has_host = address.find_first_not_of("0123456789") != address.npos;
    if (has_host)
        option.host = address.substr(0, colon);
    if (colon != address.npos || !has_host)
        option.port = port_of(address.substr(colon + 1));
    if (option.host.starts_with('[') && option.host.ends_with(']'))
        option.host = option.host.substr(1, option.host.size() - 2);
    if (option.host.empty())
        option.port = -1;
    if (option.port > 0)
        option.port += place_in_program();
    return option;
}

}  // namespace sparrow
