#include "requests.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>

namespace key_value {

namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20;
constexpr std::size_t most_line_bytes = 65536;
constexpr std::int64_t most_words = 1 << 20;
constexpr std::int64_t most_request_bytes = 512'000'000;
constexpr std::size_t most_digits = 10;

}  // namespace

std::optional<std::int64_t> number(std::string_view text) {
    const std::size_t sign = text.starts_with('-') ? 1 : 0;
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto parsed = std::from_chars(text.data(), end, value);
    if (parsed.ec != std::errc() || parsed.ptr != end || text.size() > sign + most_digits)
        return std::nullopt;
    return value;
}

void Requests::next(Words& words) {
    words.clear();
    if (at_ == end_)
        fill();
    if (buffer_[at_] != '*')
        return inline_words(words);
    const auto count = number(line("too big mbulk count string").substr(1));
    if (!count || *count > most_words)
        throw ProtocolError("invalid multibulk length");
    std::int64_t left = most_request_bytes;
    for (std::int64_t i = 0; i < *count; ++i) {
        const std::string_view head = line("too big bulk count string");
        if (!head.starts_with('$')) {
            const char first = head.empty() ? ' ' : head[0];
            throw ProtocolError(std::string("expected '$', got '") + first + '\'');
        }
        const auto length = number(head.substr(1));
        if (!length || *length < 0 || *length > left)
            throw ProtocolError("invalid bulk length");
        left -= *length;
        words.push_back(word(static_cast<std::size_t>(*length)));
    }
}

void Requests::inline_words(Words& words) {
    constexpr std::string_view blanks = " \t";
    std::string_view rest = line("too big inline request");
    for (auto start = rest.find_first_not_of(blanks); start != rest.npos;
         start = rest.find_first_not_of(blanks)) {
        rest.remove_prefix(start);
        const auto length = std::min(rest.find_first_of(blanks), rest.size());
        words.emplace_back(rest.substr(0, length));
        rest.remove_prefix(length);
    }
}

std::string_view Requests::line(const char* too_big) {
    const auto without_return = [](std::string_view text) {
        if (text.ends_with('\r'))
            text.remove_suffix(1);
        return text;
    };
    const auto buffered = [this] { return std::string_view(&buffer_[at_], end_ - at_); };
    auto length = buffered().find('\n');
    if (length != std::string_view::npos) {
        const std::string_view text = taken(length);
        at_ += 1;
        return without_return(text);
    }
    long_line_.clear();
    while (length == std::string_view::npos) {
        long_line_ += taken(end_ - at_);
        if (long_line_.size() > most_line_bytes)
            throw ProtocolError(too_big);
        fill();
        length = buffered().find('\n');
    }
    long_line_ += taken(length);
    if (long_line_.size() > most_line_bytes)
        throw ProtocolError(too_big);
    at_ += 1;
    return without_return(long_line_);
}

std::string Requests::word(std::size_t length) {
    std::string word(taken(length));
    // What is longer than the buffer is received into its place.
    while (length - word.size() >= buffer_bytes) {
        const std::size_t before = word.size();
        const std::size_t piece = std::min(length - before, piece_bytes);
        word.resize(before + piece);
        word.resize(before + receive(&word[before], piece));
    }
    while (word.size() < length) {
        fill();
        word += taken(length - word.size());
    }
    const char first = byte();
    const char second = byte();
    if (first != '\r' || second != '\n')
        throw ProtocolError("expected CRLF after bulk");
    return word;
}

std::string_view Requests::taken(std::size_t most) {
    const std::string_view bytes(&buffer_[at_], std::min(most, end_ - at_));
    at_ += bytes.size();
    return bytes;
}

char Requests::byte() {
    if (at_ == end_)
        fill();
    return buffer_[at_++];
}

void Requests::fill() {
    end_ = receive(buffer_.data(), buffer_.size());
    at_ = 0;
}

std::size_t Requests::receive(char* to, std::size_t most) {
    replies_.send();
    ssize_t length;
    do {
        length = ::recv(connection_, to, most, 0);
    } while (length < 0 && errno == EINTR);
    if (length <= 0)
        throw ConnectionEnded();
    return static_cast<std::size_t>(length);
}

}  // namespace key_value
