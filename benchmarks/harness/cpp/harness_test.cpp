// Tests of what the harness makes of options and texts. Exit status 1 if one fails.

#include <array>
#include <cstdio>
#include <string>

#include "runfair/options.hpp"

namespace {

int failures = 0;

void check(const std::string& got, const std::string& expected) {
    if (got != expected) {
        std::fprintf(stderr, "harness_test: got %s, expected %s\n", got.c_str(), expected.c_str());
        ++failures;
    }
}

std::string mistake(const auto& work) {
    try {
        work();
    } catch (const runfair::UserError& error) {
        return error.what();
    }
    return "none";
}

void options_are_cut_at_the_first_equals_sign() {
    std::array<std::string, 4> words{"program", "input=/a=b", "seed=18446744073709551615", "none="};
    std::array<char*, 4> arguments{words[0].data(), words[1].data(), words[2].data(),
                                   words[3].data()};
    const runfair::Options options("sum", arguments.size(), arguments.data());
    check(options.text("input"), "/a=b");
    check(std::to_string(options.number("seed")), "18446744073709551615");
    check(options.text("none"), "");
    check(mistake([&] { options.text("letters"); }),
          "option letters=VALUE is missing; ./runfair exec sum --print shows a whole command");
}

void a_text_is_quoted_in_one_line() {
    check(runfair::quoted("a\"\\\n\x1f€"), R"("a\"\\\u000a\u001f€")");
}

void a_file_that_cannot_be_read_is_a_mistake() {
    check(mistake([] { runfair::read("/missing"); }),
          R"(input "/missing" cannot be read: No such file or directory)");
    check(mistake([] { runfair::read("/"); }), R"(input "/" cannot be read: Is a directory)");
}

}  // namespace

int main() {
    options_are_cut_at_the_first_equals_sign();
    a_text_is_quoted_in_one_line();
    a_file_that_cannot_be_read_is_a_mistake();
    return failures == 0 ? 0 : 1;
}
