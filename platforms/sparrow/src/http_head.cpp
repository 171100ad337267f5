#include "http_head.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>

namespace sparrow {
namespace {

enum : std::uint8_t { kToken = 1, kTarget = 2, kValue = 4, kHost = 8 };

constexpr std::array<std::uint8_t, 256> classes() {
    std::array<std::uint8_t, 256> table{};
    for (int byte = 0; byte < 256; byte++) {
        const bool visible = byte > 0x20 && byte < 0x7f;
        const bool letter = (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
        const bool digit = byte >= '0' && byte <= '9';
        const std::string_view marks = "!#$%&'*+-.^_`|~";
        const bool mark = visible && marks.find(static_cast<char>(byte)) != marks.npos;
        if (letter || digit || mark)
            table[byte] |= kToken;
        if (visible)
            table[byte] |= kTarget;
        if (visible || byte == ' ' || byte == '\t' || byte >= 0x80)
            table[byte] |= kValue;
        const std::string_view host_marks = "-._~!$&'()*+,;=%";
        if (letter || digit ||
            (visible && host_marks.find(static_cast<char>(byte)) != host_marks.npos))
            table[byte] |= kHost;
    }
    return table;
}

constexpr auto kClasses = classes();

constexpr std::size_t kWord = sizeof(std::uint64_t);

// Whether each of eight bytes is at least `least` (1 to 127) and less than 0x7f.
bool all_from(unsigned char least, const char* bytes) {
    constexpr std::uint64_t ones = ~std::uint64_t{0} / 0xff;
    constexpr std::uint64_t tops = ones * 0x80;
    std::uint64_t word;
    std::memcpy(&word, bytes, kWord);
    // No byte below 0x80 carries into the next: `least` makes it borrow, and 1 makes 0x7f 0x80.
    return ((word | (word + ones) | ~((word | tops) - ones * least)) & tops) == 0;
}

bool is(char byte, std::uint8_t kind) {
    return (kClasses[static_cast<unsigned char>(byte)] & kind) != 0;
}

char lowered(char byte) {
    return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte | 0x20) : byte;
}

Method method_of(std::string_view name) {
    for (std::size_t i = 0; i < kMethods.size(); i++) {
        if (name == kMethods[i])
            return static_cast<Method>(i);
    }
    return Method::other;
}

bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

bool is_hex(char byte) {
    return is_digit(byte) || (lowered(byte) >= 'a' && lowered(byte) <= 'f');
}

bool is_ipv6(std::string_view text) {
    char address[INET6_ADDRSTRLEN] = {};
    in6_addr parsed;
    text.copy(address, sizeof address - 1);
    return text.size() < sizeof address && inet_pton(AF_INET6, address, &parsed) == 1;
}

// A name or an address, and perhaps a port (RFC 9110, section 7.2). It may be empty.
bool is_host(std::string_view value) {
    std::size_t at = 0;
    if (value.starts_with('[')) {
        const std::size_t end = value.find(']');
        if (end == value.npos || !is_ipv6(value.substr(1, end - 1)))
            return false;
        value.remove_prefix(end + 1);
        if (!value.empty() && value[0] != ':')
            return false;
    }
    for (; at < value.size() && is(value[at], kHost); at++) {
        if (value[at] == '%' &&
            (at + 2 >= value.size() || !is_hex(value[at + 1]) || !is_hex(value[at + 2])))
            return false;
    }
    if (at < value.size() && value[at++] != ':')
        return false;
    while (at < value.size() && is_digit(value[at]))
        at++;
    return at == value.size();
}

// Reads one head; each step returns `whole` when it has moved past its part.
class Reader {
public:
    Reader(Head& head, std::string_view bytes) : head_(head), bytes_(bytes) {}

    Parsed read() {
        // A client may send one empty line after a body (RFC 9112, section 2.2).
        while (at_ < 4 && at_ < bytes_.size() && bytes_[at_] == '\r') {
            if (const Parsed end = line_end(); end != Parsed::whole)
                return end;
        }
        Parsed parsed = line();
        while (parsed == Parsed::whole && !ended_)
            parsed = header();
        if (parsed == Parsed::whole)
            return finish();
        if (parsed == Parsed::partial && bytes_.size() >= kHeadLimit) {
            return refuse(head_.target_length == 0 ? 414 : 431);
        }
        return parsed;
    }

private:
    Parsed refuse(int status) {
        head_.status = status;
        return Parsed::refused;
    }

    void skip(std::uint8_t kind) {
        const char* at = bytes_.data() + at_;
        const char* const end = bytes_.data() + bytes_.size();
        while (at != end && is(*at, kind))
            at++;
        at_ = static_cast<std::size_t>(at - bytes_.data());
    }

    // Like `skip`, for the kinds that most bytes from `least` on belong to: eight bytes at once.
    void skip_most(std::uint8_t kind, unsigned char least) {
        while (at_ + kWord <= bytes_.size() && all_from(least, bytes_.data() + at_))
            at_ += kWord;
        skip(kind);
    }

    Parsed line_end() {
        if (at_ == bytes_.size())
            return Parsed::partial;
        if (bytes_[at_] != '\r')
            return refuse(400);
        if (at_ + 1 == bytes_.size())
            return Parsed::partial;
        if (bytes_[at_ + 1] != '\n')
            return refuse(400);
        at_ += 2;
        return Parsed::whole;
    }

    Parsed line() {
        const std::size_t method = at_;
        skip(kToken);
        if (at_ == bytes_.size())
            return Parsed::partial;
        if (at_ == method || bytes_[at_] != ' ')
            return refuse(400);
        const std::string_view name = bytes_.substr(method, at_ - method);
        if (name == "CONNECT")
            return refuse(501);
        head_.method = method_of(name);
        head_.method_length = static_cast<std::uint16_t>(at_ - method);
        const std::size_t target = ++at_;
        skip_most(kTarget, 0x21);
        if (at_ - target > kTargetLimit)
            return refuse(414);
        if (at_ == bytes_.size())
            return Parsed::partial;
        if (at_ == target || bytes_[at_] != ' ')
            return refuse(400);
        if (bytes_[target] != '/' && !is_other_form(target))
            return refuse(400);
        head_.target = static_cast<std::uint16_t>(target);
        head_.target_length = static_cast<std::uint16_t>(at_ - target);
        const std::string_view version = bytes_.substr(++at_, 10);
        if (!std::string_view("HTTP/").starts_with(version.substr(0, 5)))
            return refuse(400);
        if (version.size() < 10)
            return Parsed::partial;
        const bool digits = version[6] == '.' && is_digit(version[5]) && is_digit(version[7]);
        if (!digits || version[8] != '\r' || version[9] != '\n')
            return refuse(400);
        if (version[5] != '1')
            return refuse(505);
        head_.old = version[7] == '0';
        at_ += 10;
        return Parsed::whole;
    }

    // Whether the target is `*` or a URL, which a server must accept (RFC 9112, section 3.2.2).
    bool is_other_form(std::size_t begin) {
        const std::string_view target = bytes_.substr(begin, at_ - begin);
        const std::size_t scheme = std::min(target.find("://"), target.size());
        if (!same_name(target.substr(0, scheme), "http") &&
            !same_name(target.substr(0, scheme), "https"))
            return target == "*";
        const std::string_view rest = target.substr(std::min(scheme + 3, target.size()));
        host_ = rest.substr(0, rest.find_first_of("/?"));
        return !host_.empty() && host_[0] != ':' && is_host(host_);
    }

    Parsed header() {
        if (at_ == bytes_.size())
            return Parsed::partial;
        if (bytes_[at_] == '\r') {
            const Parsed end = line_end();
            ended_ = end == Parsed::whole;
            return end;
        }
        const std::size_t name = at_;
        skip(kToken);
        if (at_ == bytes_.size())
            return Parsed::partial;
        // A line that begins with white space would fold the one before it.
        if (at_ == name || bytes_[at_] != ':')
            return refuse(400);
        const std::size_t name_length = at_++ - name;
        while (at_ < bytes_.size() && (bytes_[at_] == ' ' || bytes_[at_] == '\t'))
            at_++;
        const std::size_t value = at_;
        skip_most(kValue, 0x20);
        std::size_t end = at_;
        if (const Parsed parsed = line_end(); parsed != Parsed::whole)
            return parsed;
        while (end > value && (bytes_[end - 1] == ' ' || bytes_[end - 1] == '\t'))
            end--;
        if (at_ > kHeadLimit || head_.header_count == kHeaderLimit)
            return refuse(431);
        head_.headers[head_.header_count++] = {
            static_cast<std::uint16_t>(name), static_cast<std::uint16_t>(name_length),
            static_cast<std::uint16_t>(value), static_cast<std::uint16_t>(end - value)};
        return meaning(bytes_.substr(name, name_length), bytes_.substr(value, end - value));
    }

    // What decides where a message ends, and whether another follows.
    Parsed meaning(std::string_view name, std::string_view value) {
        switch (name.size()) {
            case 4:
                if (same_name(name, "host"))
                    return host(value);
                break;
            case 6:
                if (same_name(name, "expect")) {
                    head_.expects_continue = same_name(value, "100-continue");
                }
                break;
            case 10:
                if (same_name(name, "connection"))
                    connection(value);
                break;
            case 14:
                if (same_name(name, "content-length"))
                    return content_length(value);
                break;
            case 17:
                if (same_name(name, "transfer-encoding")) {
                    if (head_.chunked)
                        return refuse(400);
                    if (!same_name(value, "chunked"))
                        return refuse(501);
                    head_.chunked = true;
                }
                break;
            default:
                break;
        }
        return Parsed::whole;
    }

    // The host of the target goes before that of the header.
    Parsed host(std::string_view value) {
        if (++hosts_ > 1 || !is_host(value))
            return refuse(400);
        if (host_.empty())
            return Parsed::whole;
        Header& own = head_.headers[head_.header_count - 1U];
        own.value = static_cast<std::uint16_t>(host_.data() - bytes_.data());
        own.value_length = static_cast<std::uint16_t>(host_.size());
        return Parsed::whole;
    }

    Parsed content_length(std::string_view value) {
        constexpr std::size_t most_digits = 15;
        if (head_.has_length || value.empty() || value.size() > most_digits)
            return refuse(400);
        for (const char digit : value) {
            if (!is_digit(digit))
                return refuse(400);
            head_.body_length = head_.body_length * 10 + static_cast<std::uint64_t>(digit - '0');
        }
        head_.has_length = true;
        return Parsed::whole;
    }

    void connection(std::string_view options) {
        for (;;) {
            const std::size_t comma = options.find(',');
            std::string_view option = options.substr(0, comma);
            option.remove_prefix(std::min(option.find_first_not_of(" \t"), option.size()));
            if (same_name(option.substr(0, option.find_last_not_of(" \t") + 1), "close"))
                close_ = true;
            if (comma == options.npos)
                return;
            options.remove_prefix(comma + 1);
        }
    }

    Parsed finish() {
        if (at_ > kHeadLimit)
            return refuse(431);
        if (head_.chunked && (head_.has_length || head_.old))
            return refuse(400);
        if (hosts_ == 0 && !head_.old)
            return refuse(400);
        head_.keep_alive = !close_ && !head_.old;
        head_.length = static_cast<std::uint32_t>(at_);
        return Parsed::whole;
    }

    Head& head_;
    std::string_view bytes_, host_;  // `host_`: that of the target
    std::size_t at_ = 0;
    int hosts_ = 0;
    bool close_ = false, ended_ = false;
};

}  // namespace

bool same_name(std::string_view name, std::string_view lower) {
    if (name.size() != lower.size())
        return false;
    for (std::size_t i = 0; i < name.size(); i++) {
        if (lowered(name[i]) != lower[i])
            return false;
    }
    return true;
}

bool is_token(unsigned char byte) {
    return (kClasses[byte] & kToken) != 0;
}

Parsed Head::parse(std::string_view bytes) {
    method = Method::other;
    old = keep_alive = chunked = has_length = expects_continue = false;
    method_length = target = target_length = header_count = 0;
    length = 0;
    body_length = 0;
    status = 0;
    return Reader(*this, bytes).read();
}

}  // namespace sparrow
