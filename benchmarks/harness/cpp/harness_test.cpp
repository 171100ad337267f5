// An execution of a small benchmark, from its arguments to its lines. Exit status 1 if a check
// fails.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "runfair.hpp"

namespace {

int failures = 0;

void check(bool holds, const std::string& what) {
    if (!holds) {
        std::fprintf(stderr, "harness_test: failed: %s\n", what.c_str());
        ++failures;
    }
}

// Adds up to `limit`, and has everything that a benchmark may have.
class Sum {
public:
    static constexpr std::string_view name = "sum";
    static constexpr std::string_view tier = "standard";
    static constexpr std::array<std::string_view, 2> workloads{"classic", "odd"};
    static constexpr std::array<runfair::Parameter, 1> parameters{{{"limit", "4"}}};
    static constexpr std::array<std::string_view, 2> counters{"additions", "nothings"};
    static constexpr std::size_t inputs = 0;
    static constexpr std::uint64_t max_threads = 8;

    static Sum load(const runfair::Options& options) {
        Sum sum;
        sum.limit_ = options.integer("limit", 1, 9);
        return sum;
    }
    std::uint64_t prepare() const { return 0; }

    template <class Counter>
    std::uint64_t run(std::uint64_t& sum, Counter& counter) const {
        if (limit_ == 9)
            throw runfair::UserError("nine is too many");
        for (std::uint64_t term = 1; term <= limit_; ++term) {
            counter.tick(0);
            sum += term;
        }
        return sum;
    }
    std::uint64_t digest(const std::uint64_t& sum) const { return sum; }

    runfair::Measurements measurements(const std::uint64_t& sum) const {
        return {{{"q\"", static_cast<double>(sum), "1/s"}},
                {{"s", "ns", std::vector<double>{1, 2.5}}, {"s", "ns", runfair::Hdr{"SGVs"}}}};
    }

private:
    std::uint64_t limit_ = 0;
};

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

struct Outcome {
    std::vector<std::string> lines;
    std::string message;
};

std::vector<std::string> lines_of(std::FILE* file) {
    std::rewind(file);
    std::vector<std::string> lines(1);
    for (int byte = std::fgetc(file); byte != EOF; byte = std::fgetc(file)) {
        if (byte == '\n') {
            lines.emplace_back();
        } else {
            lines.back() += static_cast<char>(byte);
        }
    }
    lines.pop_back();
    return lines;
}

Outcome execute(std::vector<std::string> arguments) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments)
        pointers.push_back(argument.data());
    const File output(std::tmpfile(), std::fclose);
    Outcome outcome;
    try {
        runfair::execute<Sum>(pointers, fileno(output.get()));
    } catch (const runfair::UserError& error) {
        outcome.message = error.what();
    }
    outcome.lines = lines_of(output.get());
    return outcome;
}

std::size_t iterations(const std::vector<std::string>& arguments) {
    std::size_t count = 0;
    for (const std::string& line : execute(arguments).lines) {
        if (line.starts_with(R"({"event":"iteration",)"))
            ++count;
    }
    return count;
}

bool has(const std::string& line, std::string_view part) {
    return line.find(part) != line.npos;
}

void one_iteration_with_its_metrics_and_samples_is_the_default() {
    const auto lines = execute({}).lines;
    check(lines.size() == 5, "start, iteration, two samples, end");
    if (lines.size() != 5)
        return;
    check(lines[0].starts_with(R"({"event":"start","contract":1,"benchmark":"sum")"), lines[0]);
    check(has(lines[0], R"("workload":"classic","size":"unnamed","seed":1,)"), lines[0]);
    check(has(lines[1], R"("digest":"000000000000000a")"), lines[1]);
    check(lines[1].ends_with(R"("metrics":{"q\"":{"value":10,"unit":"1/s"}}})"), lines[1]);
    check(lines[2] == R"({"event":"sample","name":"s","unit":"ns","values":[1,2.5]})", lines[2]);
    check(lines[3] == R"({"event":"sample","name":"s","unit":"ns","hdr":"SGVs"})", lines[3]);
    check(lines[4] == R"({"event":"end","iterations":1})", lines[4]);
}

void what_was_told_is_repeated() {
    const auto start =
        execute({"--seed", "18446744073709551615", "--size", "a\"\\\n€", "--threads", "9"})
            .lines.at(0);
    check(has(start, R"("size":"a\"\\\u000a€","seed":18446744073709551615,)"), start);
    check(has(start, R"("threads":8,)"), "no more threads than the benchmark can use");
}

void counting_does_one_iteration_and_tells_every_counter() {
    const std::vector<std::string> arguments{"--count", "--iterations", "5", "--param", "limit=7"};
    check(iterations(arguments) == 1, "one counted iteration");
    const auto lines = execute(arguments).lines;
    check(lines.at(lines.size() - 2) ==
              R"({"event":"operations","counters":{"additions":7,"nothings":0}})",
          "operations");
}

void iterations_and_seconds_stop_whichever_comes_first() {
    check(iterations({"--iterations", "3"}) == 3, "--iterations 3");
    check(iterations({"--iterations", "3", "--max-seconds", "0"}) == 1, "--max-seconds 0");
    check(iterations({"--iterations", "2", "--max-seconds", "900"}) == 2, "--max-seconds 900");
    check(iterations({"--max-seconds", "0.05"}) > 1, "--max-seconds alone");
}

void mistakes_are_told_in_one_line_that_quotes_them() {
    const std::vector<std::pair<std::vector<std::string>, std::string>> mistakes{
        {{"--frob"}, R"(unknown option "--frob")"},
        {{"--seed=5"}, R"(unknown option "--seed=5")"},
        {{"x\ny"}, R"(unknown option "x\u000ay")"},
        {{"--seed"}, "--seed needs a value"},
        {{"--size", "--count"}, "--size needs a value"},
        {{"--size", "\xff"}, "--size takes UTF-8"},
        {{"--seed", "18446744073709551616"}, "--seed takes an integer from 0"},
        {{"--seed", "-1"}, "--seed takes"},
        {{"--seed", "+1"}, "--seed takes"},
        {{"--seed", ""}, "--seed takes"},
        {{"--threads", "0"}, "--threads takes an integer from 1"},
        {{"--iterations", "1.5"}, "--iterations takes"},
        {{"--max-seconds", "1e3"}, "--max-seconds takes"},
        {{"--max-seconds", "inf"}, "--max-seconds takes"},
        {{"--max-seconds", "9223372037"}, "--max-seconds takes"},
        {{"--max-seconds", "-1"}, "--max-seconds takes"},
        {{"--max-seconds", "1."}, "--max-seconds takes"},
        {{"--workload", "even"}, R"(unknown workload "even"; it is one of classic, odd)"},
        {{"--param", "limit"}, "--param takes NAME=VALUE"},
        {{"--param", "size=4"}, R"(unknown parameter "size"; it is one of limit)"},
        {{"--param", "limit=0"}, "--param limit takes an integer from 1 to 9"},
        {{"--param", "limit=10"}, "--param limit takes"},
        {{"--param", "limit=4x"}, "--param limit takes"},
        {{"--input", "a", "--input", "b"}, "takes 0 --input PATH, not 2"},
    };
    for (const auto& [arguments, expected] : mistakes) {
        const Outcome outcome = execute(arguments);
        check(outcome.message.starts_with(expected), expected + " is not " + outcome.message);
        check(!has(outcome.message, "\n"), "one line: " + outcome.message);
        check(outcome.lines.empty(), "a refused command line leaves standard output empty");
    }
    check(execute({"--param", "limit=9"}).message == "nine is too many", "mistake found by run");
}

void only_utf8_is_taken() {
    for (const std::string_view good : {"", "a", "\xc3\xa9", "\xe6\xbc\xa2", "\xf0\x9f\x98\x80"}) {
        check(runfair::is_utf8(good), "good: " + std::string(good));
    }
    for (const std::string_view bad : {"\x80", "\xc0\xaf", "\xc3", "\xe0\x80\x80", "\xed\xa0\x80",
                                       "\xf0\x80\x80\x80", "\xf4\x90\x80\x80", "\xf5", "a\xff"}) {
        check(!runfair::is_utf8(bad), "bad: " + runfair::quoted(bad));
    }
}

void a_number_that_json_lacks_is_refused() {
    bool refused = false;
    try {
        runfair::number(std::numeric_limits<double>::quiet_NaN());
    } catch (const std::domain_error&) {
        refused = true;
    }
    check(refused, "NaN");
}

void a_service_says_that_it_is_ready_at_once() {
    const File output(std::tmpfile(), std::fclose);
    runfair::Lines(fileno(output.get())).ready("::1", 8080);
    const auto lines = lines_of(output.get());
    check(lines.size() == 1 && lines[0] == R"({"event":"ready","host":"::1","port":8080})",
          "ready");
}

}  // namespace

int main() {
    one_iteration_with_its_metrics_and_samples_is_the_default();
    what_was_told_is_repeated();
    counting_does_one_iteration_and_tells_every_counter();
    iterations_and_seconds_stop_whichever_comes_first();
    mistakes_are_told_in_one_line_that_quotes_them();
    only_utf8_is_taken();
    a_number_that_json_lacks_is_refused();
    a_service_says_that_it_is_ready_at_once();
    if (failures == 0)
        std::puts("harness ok");
    return failures == 0 ? 0 : 1;
}
