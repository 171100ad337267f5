#include "http_chunks.hpp"

#include <algorithm>

namespace sparrow {
namespace {

constexpr int kSizeDigits = 8;

bool is_value(char byte) {
    const auto value = static_cast<unsigned char>(byte);
    return value == '\t' || (value >= 0x20 && value != 0x7f);
}

}  // namespace

Parsed Chunks::decode(std::string_view bytes, std::size_t limit, std::string& body,
                      std::size_t& used) {
    used = 0;
    while (used < bytes.size()) {
        if (at_ == At::data) {
            const auto taken = std::min<std::uint64_t>(left_, bytes.size() - used);
            if (body.size() + taken > limit) {
                too_long_ = true;
                return Parsed::refused;
            }
            body.append(bytes.substr(used, taken));
            used += taken;
            left_ -= taken;
            if (left_ == 0)
                at_ = At::data_return;
            continue;
        }
        if (!step(bytes[used++]))
            return Parsed::refused;
        if (at_ == At::done) {
            *this = Chunks();
            return Parsed::whole;
        }
    }
    return Parsed::partial;
}

// One byte outside a chunk's data.
bool Chunks::step(char byte) {
    switch (at_) {
        case At::size:
            return size_digit(byte);
        case At::extension:
            if (byte == '\r') {
                at_ = At::size_feed;
                return true;
            }
            return is_value(byte) && overhead();
        case At::size_feed:
            at_ = left_ == 0 ? At::trailer : At::data;
            digits_ = 0;
            return byte == '\n';
        case At::data_return:
            at_ = At::data_feed;
            return byte == '\r';
        case At::data_feed:
            at_ = At::size;
            return byte == '\n';
        case At::trailer:
            at_ = byte == '\r' ? At::last_feed : At::trailer_name;
            return byte == '\r' || (is_token(static_cast<unsigned char>(byte)) && overhead());
        case At::trailer_name:
            if (byte == ':')
                at_ = At::trailer_value;
            return (byte == ':' || is_token(static_cast<unsigned char>(byte))) && overhead();
        case At::trailer_value:
            if (byte == '\r')
                at_ = At::trailer_feed;
            return (byte == '\r' || is_value(byte)) && overhead();
        case At::trailer_feed:
            at_ = At::trailer;
            return byte == '\n';
        case At::last_feed:
            at_ = At::done;
            return byte == '\n';
        default:
            return false;
    }
}

bool Chunks::size_digit(char byte) {
    int digit = -1;
    if (byte >= '0' && byte <= '9')
        digit = byte - '0';
    if ((byte | 0x20) >= 'a' && (byte | 0x20) <= 'f')
        digit = (byte | 0x20) - 'a' + 10;
    if (digit >= 0) {
        left_ = left_ * 16 + static_cast<std::uint64_t>(digit);
        return ++digits_ <= kSizeDigits;
    }
    if (digits_ == 0)
        return false;
    at_ = byte == '\r' ? At::size_feed : At::extension;
    return byte == '\r' || byte == ';';
}

bool Chunks::overhead() {
    return ++overhead_ <= kHeadLimit;
}

}  // namespace sparrow
