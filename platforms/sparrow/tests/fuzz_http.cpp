// Feeds mutations of a corpus to the parser of requests, and compares what it reads in one piece
// with what it reads in many: nobody between may see other requests than the server.
//
//     fuzz_http MUTATIONS SEED FILE…
//
// It is compiled with the sanitizers. Each piece lies in memory of exactly its size.

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "http_chunks.hpp"
#include "http_head.hpp"

namespace {

using sparrow::Chunks;
using sparrow::Head;
using sparrow::Parsed;

constexpr std::size_t kBodyLimit = 4096;
// Reading byte by byte takes the square of this.
constexpr std::size_t kLongest = 2000;

[[noreturn]] void fail(const char* why, std::string_view input) {
    std::fprintf(stderr, "%s, for these bytes:\n", why);
    for (const unsigned char byte : input)
        std::fprintf(stderr, byte >= ' ' && byte < 0x7f && byte != '\\' ? "%c" : "\\x%02x", byte);
    std::fprintf(stderr, "\n");
    std::exit(1);
}

// A copy whose end the sanitizer watches.
class Exact {
public:
    explicit Exact(std::string_view from) : bytes_(new char[from.size()]), size_(from.size()) {
        from.copy(bytes_.get(), from.size());
    }
    std::string_view view() const { return {bytes_.get(), size_}; }

private:
    std::unique_ptr<char[]> bytes_;
    std::size_t size_;
};

void check_head(const Head& head, std::string_view bytes) {
    if (head.length > bytes.size() || !bytes.substr(0, head.length).ends_with("\r\n\r\n"))
        fail("a head ends elsewhere", bytes);
    if (head.chunked && head.has_length)
        fail("a request has both lengths", bytes);
    if (head.target + head.target_length > head.length)
        fail("a target is outside of its head", bytes);
    for (std::size_t i = 0; i < head.header_count; i++) {
        const sparrow::Header& one = head.headers[i];
        if (one.name + one.name_length > head.length || one.value + one.value_length > head.length)
            fail("a header is outside of its head", bytes);
        for (const unsigned char byte : bytes.substr(one.name, one.name_length)) {
            if (!sparrow::is_token(byte))
                fail("a name is no token", bytes);
        }
        const std::string_view value = bytes.substr(one.value, one.value_length);
        if (value.find_first_of(std::string_view("\r\n\0", 3)) != value.npos)
            fail("a value has a control in it", bytes);
    }
}

// Reads requests as the server does: a head, then its body, again and again.
class Reader {
public:
    explicit Reader(std::string_view input) : input_(input) {}

    void receive(std::string_view piece) {
        pending_ += piece;
        while (!refused_ && step()) {
        }
    }

    // All that was read, and whether the rest was refused.
    std::string told() const { return told_ + (refused_ ? "refused" : "more"); }

private:
    bool step() {
        const Exact copy(pending_);
        std::size_t used = 0;
        const Parsed parsed =
            in_body_ ? read_body(copy.view(), used) : read_head(copy.view(), used);
        if (used > pending_.size())
            fail("more was read than there is", input_);
        pending_.erase(0, used);
        refused_ = parsed == Parsed::refused;
        return parsed == Parsed::whole;
    }

    Parsed read_head(std::string_view bytes, std::size_t& used) {
        const Parsed parsed = head_.parse(bytes);
        if (parsed == Parsed::partial && bytes.size() > sparrow::kHeadLimit)
            fail("a head has no end", input_);
        if (parsed != Parsed::whole)
            return parsed;
        check_head(head_, bytes);
        used = head_.length;
        told_ += std::string(bytes.substr(0, used)) + "<";
        in_body_ = true;
        chunks_ = Chunks();
        body_.clear();
        return parsed;
    }

    Parsed read_body(std::string_view bytes, std::size_t& used) {
        Parsed parsed = Parsed::partial;
        if (head_.chunked) {
            parsed = chunks_.decode(bytes, kBodyLimit, body_, used);
        } else if (head_.body_length > kBodyLimit) {
            parsed = Parsed::refused;
        } else if (bytes.size() >= head_.body_length) {
            used = static_cast<std::size_t>(head_.body_length);
            body_ = bytes.substr(0, used);
            parsed = Parsed::whole;
        }
        if (body_.size() > kBodyLimit)
            fail("a body is longer than its limit", input_);
        if (parsed == Parsed::whole) {
            told_ += body_ + ">";
            in_body_ = false;
        }
        return parsed;
    }

    std::string_view input_;
    std::string pending_, body_, told_;
    Head head_{};
    Chunks chunks_;
    bool in_body_ = false, refused_ = false;
};

using Random = std::mt19937_64;

std::string read_in_pieces(std::string_view input, Random& random, std::size_t longest) {
    Reader reader(input);
    for (std::size_t at = 0; at < input.size();) {
        const std::size_t size = std::min<std::size_t>(1 + random() % longest, input.size() - at);
        reader.receive(input.substr(at, size));
        at += size;
    }
    return reader.told();
}

// The number of requests that were read whole.
std::size_t check(std::string_view input, Random& random) {
    Reader whole(input);
    whole.receive(input);
    const std::string told = whole.told();
    if (read_in_pieces(input, random, 1) != told || read_in_pieces(input, random, 7) != told ||
        read_in_pieces(input, random, 100) != told)
        fail("other requests are read in pieces", input);
    std::size_t count = 0;
    for (const char byte : told)
        count += byte == '>';
    return count;
}

std::string mutated(const std::vector<std::string>& seeds, Random& random) {
    static const std::vector<std::string> words = {"\r\n",
                                                   "\n",
                                                   "\r",
                                                   " ",
                                                   "\t",
                                                   ":",
                                                   "0",
                                                   "\r\n\r\n",
                                                   "chunked",
                                                   "Content-Length: 3\r\n",
                                                   "Transfer-Encoding: chunked\r\n",
                                                   "Host: a\r\n",
                                                   "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
                                                   "ffffffff",
                                                   ";",
                                                   "+",
                                                   "-",
                                                   "HTTP/1.0",
                                                   std::string(1, '\0'),
                                                   "\x80",
                                                   std::string(300, 'a')};
    const auto any = [&](const auto& of) { return of[random() % of.size()]; };
    std::string made = any(seeds);
    for (std::uint64_t edits = 1 + random() % 4; edits > 0; edits--) {
        const std::size_t at = random() % (made.size() + 1);
        switch (random() % 5) {
            case 0:
                made.insert(at, any(words));
                break;
            case 1:
                made.erase(at, 1 + random() % 8);
                break;
            case 2:
                if (at < made.size())
                    made[at] = static_cast<char>(random());
                break;
            case 3:
                made.insert(at, made.substr(random() % (made.size() + 1), random() % 40));
                break;
            default:
                made = made.substr(0, at) + any(seeds);
                break;
        }
    }
    made.resize(std::min(made.size(), kLongest));
    return made;
}

}  // namespace

int main(int count, char** arguments) {
    if (count < 4) {
        std::fprintf(stderr, "fuzz_http MUTATIONS SEED FILE...\n");
        return 2;
    }
    Random random(std::strtoull(arguments[2], nullptr, 10));
    std::vector<std::string> seeds;
    for (int i = 3; i < count; i++) {
        std::ifstream file(arguments[i], std::ios::binary);
        seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    }
    std::size_t requests = 0;
    for (std::string& seed : seeds) {
        seed.resize(std::min(seed.size(), kLongest));
        requests += check(seed, random);
    }
    for (std::uint64_t left = std::strtoull(arguments[1], nullptr, 10); left > 0; left--)
        requests += check(mutated(seeds, random), random);
    std::printf("%zu requests\n", requests);
}
