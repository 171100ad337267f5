#include "replies.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>

#include "requests.hpp"

namespace key_value {

namespace {

constexpr std::size_t many_bytes = 65536;
// What the memory of a great answer is not kept beyond.
constexpr std::size_t most_reserved_bytes = std::size_t{1} << 20;

}  // namespace

void Replies::simple(std::string_view text) {
    kept_.append("+").append(text).append("\r\n");
}

void Replies::error(std::string text) {
    std::replace_if(text.begin(), text.end(), [](char c) { return c == '\r' || c == '\n'; }, ' ');
    kept_.append("-").append(text).append("\r\n");
}

void Replies::integer(std::uint64_t value) {
    number_line(':', value);
}

void Replies::bulk(std::string_view value) {
    number_line('$', value.size());
    kept_.append(value).append("\r\n");
}

void Replies::null_bulk() {
    kept_ += "$-1\r\n";
}

void Replies::array(std::size_t length) {
    number_line('*', length);
}

void Replies::send_if_many() {
    if (kept_.size() >= many_bytes)
        send();
}

void Replies::send() {
    for (std::string_view rest = kept_; !rest.empty();) {
        const ssize_t length = ::send(connection_, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (length >= 0) {
            rest.remove_prefix(static_cast<std::size_t>(length));
        } else if (errno != EINTR) {
            throw ConnectionEnded();
        }
    }
    kept_.clear();
    if (kept_.capacity() > most_reserved_bytes)
        kept_.shrink_to_fit();
}

void Replies::number_line(char kind, std::uint64_t number) {
    std::array<char, 20> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    kept_.append(1, kind).append(digits.data(), end).append("\r\n");
}

}  // namespace key_value
