// Checks the harness's primitives against the shared test vectors.

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "runfair.hpp"

namespace {

// As much JSON as the vectors need: objects, arrays, and strings or numbers as `text`.
struct Json {
    std::map<std::string, Json> members;
    std::vector<Json> items;
    std::string text;

    const Json& operator[](const std::string& name) const {
        const auto found = members.find(name);
        if (found == members.end())
            throw std::runtime_error("the vectors lack " + name);
        return found->second;
    }

    // The items of an array that would check nothing were it empty.
    const std::vector<Json>& filled() const {
        if (items.empty())
            throw std::runtime_error("the vectors lack items in an array");
        return items;
    }
};

class Parser {
public:
    explicit Parser(std::string_view text) : rest_(text) {}

    Json whole() {
        Json json = value();
        if (peek() != '\0')
            fail("the end");
        return json;
    }

private:
    [[noreturn]] void fail(const std::string& expected) const {
        throw std::runtime_error("malformed JSON: expected " + expected + " before " +
                                 runfair::quoted(rest_.substr(0, 20)));
    }

    // The next character that is not white space, not yet taken; NUL at the end.
    char peek() {
        rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r\n"), rest_.size()));
        return rest_.empty() ? '\0' : rest_.front();
    }

    bool accept(char expected) {
        if (peek() != expected)
            return false;
        rest_.remove_prefix(1);
        return true;
    }

    void expect(char expected) {
        if (!accept(expected))
            fail(std::string(1, expected));
    }

    char take() {
        if (rest_.empty())
            fail("a closing quote");
        const char character = rest_.front();
        rest_.remove_prefix(1);
        return character;
    }

    Json value() {
        Json json;
        if (accept('{')) {
            if (accept('}'))
                return json;
            do {
                const std::string name = string();
                expect(':');
                json.members[name] = value();
            } while (accept(','));
            expect('}');
        } else if (accept('[')) {
            if (accept(']'))
                return json;
            do {
                json.items.push_back(value());
            } while (accept(','));
            expect(']');
        } else if (peek() == '"') {
            json.text = string();
        } else {
            while (std::isdigit(static_cast<unsigned char>(peek())))
                json.text += take();
            if (json.text.empty())
                fail("a value");
        }
        return json;
    }

    std::string string() {
        std::string text;
        expect('"');
        for (char character = take(); character != '"'; character = take()) {
            if (character == '\\') {
                character = take();
                if (character == 'n') {
                    character = '\n';
                } else if (character != '"' && character != '\\' && character != '/') {
                    fail("a known escape");
                }
            }
            text += character;
        }
        return text;
    }

    std::string_view rest_;
};

std::uint64_t decimal(const Json& json) {
    std::uint64_t value = 0;
    const char* end = json.text.data() + json.text.size();
    const auto parsed = std::from_chars(json.text.data(), end, value);
    if (json.text.empty() || parsed.ec != std::errc() || parsed.ptr != end) {
        throw std::runtime_error(runfair::quoted(json.text) + " is not a decimal number");
    }
    return value;
}

std::string hexadecimal(std::uint64_t value) {
    char text[17];
    std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
    return text;
}

void expect(const std::string& what, const std::string& got, const std::string& expected) {
    if (got != expected) {
        throw std::runtime_error(what + ": got " + got + ", expected " + expected);
    }
}

// Checks every vector; the exception names the one that failed, or what is wrong with the file.
void check(const Json& vectors) {
    for (const Json& vector : vectors["splitmix64"].filled()) {
        const std::string what = "splitmix64 seed " + vector["seed"].text;
        runfair::SplitMix64 random(decimal(vector["seed"]));
        for (const Json& next : vector["next"].filled()) {
            expect(what, hexadecimal(random.next()), next.text);
        }
    }
    for (const Json& vector : vectors["bounded"].filled()) {
        const std::string what = "bounded seed " + vector["seed"].text;
        runfair::SplitMix64 random(decimal(vector["seed"]));
        const auto& bounds = vector["bounds"].filled();
        const auto& values = vector["values"].filled();
        expect(what + " count", std::to_string(values.size()), std::to_string(bounds.size()));
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            expect(what + " bound " + bounds[i].text,
                   std::to_string(random.bounded(decimal(bounds[i]))), values[i].text);
        }
    }
    for (const Json& vector : vectors["shuffle"].filled()) {
        const std::string what =
            "shuffle seed " + vector["seed"].text + " length " + vector["length"].text;
        std::vector<std::uint64_t> order(decimal(vector["length"]));
        std::iota(order.begin(), order.end(), 0);
        runfair::SplitMix64(decimal(vector["seed"])).shuffle(order);
        expect(what, std::to_string(order.size()), std::to_string(vector["order"].items.size()));
        for (std::size_t i = 0; i < order.size(); ++i) {
            expect(what + " item " + std::to_string(i), std::to_string(order[i]),
                   vector["order"].items[i].text);
        }
    }
    for (const Json& vector : vectors["fnv1a"].filled()) {
        runfair::Fnv1a hash;
        hash.add(vector["text"].text);
        expect("fnv1a " + runfair::quoted(vector["text"].text), hexadecimal(hash.value()),
               vector["digest"].text);
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("vectors: give the path of vectors.json as the one argument\n", stderr);
        return 2;
    }
    try {
        check(Parser(runfair::read(argv[1])).whole());
    } catch (const runfair::UserError& error) {
        std::fprintf(stderr, "vectors: %s\n", error.what());
        return 2;
    } catch (const std::runtime_error& error) {
        std::fprintf(stderr, "vectors: %s\n", error.what());
        return 1;
    }
    std::puts("vectors ok");
    return 0;
}
