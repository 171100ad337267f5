// The in-language half of the program contract, version 1 (benchmarks/contract.md).
//
// A program is a class that satisfies runfair::Benchmark, and a main that calls
// runfair::main<Class>; options, clocks, output, the shared primitives and the loop over
// iterations are here. Linux, C++20.

#pragma once

#include <gnu/libc-version.h>
#include <poll.h>
#include <sched.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

namespace runfair {

inline constexpr std::uint64_t contract = 1;

// The contract allows ten writes a second.
inline constexpr std::uint64_t write_interval_ns = 100'000'000;

// What the user did wrong and how to put it right, in one line; exit status 2.
class UserError : public std::runtime_error {
    using std::runtime_error::runtime_error;
};

// A text as a string of JSON, which is also how messages quote what the user gave.
inline std::string quoted(std::string_view text) {
    constexpr std::string_view hexadecimal = "0123456789abcdef";
    std::string json = "\"";
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20) {
            json += "\\u00";
            json += hexadecimal[byte / 16];
            json += hexadecimal[byte % 16];
        } else {
            if (character == '"' || character == '\\')
                json += '\\';
            json += character;
        }
    }
    return json + '"';
}

// Whether the text is well-formed UTF-8 (RFC 3629, section 4); nothing else can stand in JSON.
inline bool is_utf8(std::string_view text) {
    while (!text.empty()) {
        const auto lead = static_cast<unsigned char>(text[0]);
        const std::size_t length = lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        if ((lead >= 0x80 && lead < 0xc2) || lead > 0xf4 || text.size() < length)
            return false;
        for (std::size_t i = 1; i < length; ++i) {
            if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80)
                return false;
        }
        const auto second = static_cast<unsigned char>(length > 1 ? text[1] : 0);
        const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
        const bool outside = (lead == 0xed && second > 0x9f) || (lead == 0xf4 && second > 0x8f);
        if (overlong || outside)
            return false;
        text.remove_prefix(length);
    }
    return true;
}

inline std::string joined(std::span<const std::string_view> names) {
    std::string all;
    for (const auto name : names) {
        if (!all.empty())
            all += ", ";
        all += name;
    }
    return all;
}

// A parameter of the benchmark, with its default.
struct Parameter {
    std::string_view name;
    std::string_view value;
};

// The counter of timed iterations: compiles to nothing.
struct Uncounted {
    static void tick(std::size_t) {}
};

// The counter of --count.
class Counted {
public:
    explicit Counted(std::size_t counters) : counts_(counters) {}
    void tick(std::size_t counter) { counts_[counter] += 1; }
    const std::vector<std::uint64_t>& counts() const { return counts_; }

private:
    std::vector<std::uint64_t> counts_;
};

// A figure of the benchmark's own, beside its times.
struct Metric {
    std::string name;
    double value;
    std::string unit;
};

// An HdrHistogram, V2 compressed, base 64.
struct Hdr {
    std::string base64;
};

struct Sample {
    std::string name;
    std::string unit;
    std::variant<std::vector<double>, Hdr> series;
};

struct Measurements {
    std::vector<Metric> metrics;
    std::vector<Sample> samples;
};

// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
class SplitMix64 {
public:
    explicit SplitMix64(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() {
        state_ += 0x9e3779b97f4a7c15;
        std::uint64_t z = state_;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
        z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
        return z ^ (z >> 31);
    }

    // A value below n, which is at least 1 and below 2^32.
    std::uint64_t bounded(std::uint64_t n) { return (next() >> 32) % n; }

    template <class T>
    void shuffle(std::vector<T>& items) {
        using std::swap;
        for (std::size_t i = items.size(); i-- > 1;)
            swap(items[i], items[bounded(i + 1)]);
    }

private:
    std::uint64_t state_;
};

// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv).
class Fnv1a {
public:
    void add(std::string_view bytes) {
        for (const char byte : bytes) {
            value_ = (value_ ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
        }
    }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325;
};

// A decimal integer without a sign, within [low, high]; `what` names it in the message.
inline std::uint64_t integer(std::string_view what, std::string_view text, std::uint64_t low,
                             std::uint64_t high) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
        throw UserError(std::string(what) + " takes an integer from " + std::to_string(low) +
                        " to " + std::to_string(high) + ", not " + quoted(text));
    }
    return value;
}

inline double seconds(std::string_view what, std::string_view text) {
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == part.npos;
    };
    const auto point = std::min(text.find('.'), text.size());
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (!digits(text.substr(0, point)) ||
        (point < text.size() && !digits(text.substr(point + 1))) || parsed.ec != std::errc()) {
        throw UserError(std::string(what) + " takes a decimal number such as 2.5, not " +
                        quoted(text));
    }
    return value;
}

// The command line.
struct Options {
    std::string workload = "classic";
    std::string size = "unnamed";
    std::uint64_t seed = 1;
    std::uint64_t threads = 1;
    std::vector<std::string> inputs;
    std::map<std::string, std::string, std::less<>> parameters;
    std::optional<std::uint64_t> iterations;
    std::optional<double> max_seconds;
    bool count = false;

    // The parameter `name`, a decimal integer within [low, high].
    std::uint64_t integer(std::string_view name, std::uint64_t low, std::uint64_t high) const {
        return runfair::integer("--param " + std::string(name), parameters.find(name)->second, low,
                                high);
    }

    // Iterations to do at most; none is until time or standard input ends.
    std::optional<std::uint64_t> limit() const {
        if (count || (!iterations && !max_seconds))
            return 1;
        return iterations == 0 ? std::nullopt : iterations;
    }

    bool watches_standard_input() const { return !count && iterations == 0; }
};

// A benchmark as the harness sees it; an object of the class is the state that `load` makes.
// `run` is the task, and the only timed part: it changes `work` and gives the answer, which may
// refer to `work`. A class with metrics or samples has `measurements(answer)` too.
template <class B>
concept Benchmark = requires(const B benchmark, const Options& options, Uncounted& uncounted,
                             Counted& counted, decltype(benchmark.prepare())& work) {
    { B::name } -> std::convertible_to<std::string_view>;
    { B::tier } -> std::convertible_to<std::string_view>;
    { std::span<const std::string_view>(B::workloads) };
    { std::span<const Parameter>(B::parameters) };
    { std::span<const std::string_view>(B::counters) };
    { B::max_inputs } -> std::convertible_to<std::size_t>;
    { B::max_threads } -> std::convertible_to<std::uint64_t>;
    { B::load(options) } -> std::same_as<B>;
    { benchmark.run(work, counted) };
    { benchmark.digest(benchmark.run(work, uncounted)) } -> std::same_as<std::uint64_t>;
};

inline std::string one_of(std::span<const std::string_view> known, std::string_view what,
                          std::string_view name) {
    if (std::find(known.begin(), known.end(), name) != known.end())
        return std::string(name);
    if (known.empty()) {
        throw UserError("has no " + std::string(what) + "s; leave " + quoted(name) + " out");
    }
    throw UserError("unknown " + std::string(what) + " " + quoted(name) + "; it is one of " +
                    joined(known));
}

// Reads the arguments, without the program's own name.
template <Benchmark B>
Options parse(std::span<char* const> arguments) {
    static constexpr std::array<std::string_view, 9> known{
        "--workload", "--size",       "--seed",        "--threads", "--input",
        "--param",    "--iterations", "--max-seconds", "--count"};
    constexpr std::uint64_t most_threads = std::numeric_limits<std::int32_t>::max();
    constexpr std::uint64_t most_iterations = std::numeric_limits<std::int64_t>::max();
    constexpr std::uint64_t greatest_seed = std::numeric_limits<std::uint64_t>::max();
    Options options;
    std::vector<std::string_view> names;
    for (const Parameter& parameter : std::span<const Parameter>(B::parameters)) {
        names.push_back(parameter.name);
        options.parameters.emplace(parameter.name, parameter.value);
    }
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string_view option = arguments[i];
        if (std::find(known.begin(), known.end(), option) == known.end()) {
            throw UserError("unknown option " + quoted(option) + "; the options are " +
                            joined(known));
        }
        if (option == "--count") {
            options.count = true;
            continue;
        }
        if (i + 1 == arguments.size() || std::string_view(arguments[i + 1]).starts_with("--")) {
            throw UserError(std::string(option) + " needs a value after it");
        }
        const std::string_view value = arguments[++i];
        if (option == "--workload") {
            options.workload = one_of(B::workloads, "workload", value);
        } else if (option == "--size") {
            if (!is_utf8(value))
                throw UserError("--size takes UTF-8 text");
            options.size = value;
        } else if (option == "--seed") {
            options.seed = integer(option, value, 0, greatest_seed);
        } else if (option == "--threads") {
            options.threads = integer(option, value, 1, most_threads);
        } else if (option == "--input") {
            options.inputs.emplace_back(value);
        } else if (option == "--iterations") {
            options.iterations = integer(option, value, 0, most_iterations);
        } else if (option == "--max-seconds") {
            options.max_seconds = seconds(option, value);
        } else {
            const auto equals = value.find('=');
            if (equals == value.npos) {
                throw UserError("--param takes NAME=VALUE, not " + quoted(value));
            }
            const auto name = one_of(names, "parameter", value.substr(0, equals));
            options.parameters[name] = value.substr(equals + 1);
        }
    }
    one_of(B::workloads, "workload", options.workload);
    if (options.inputs.size() > B::max_inputs) {
        throw UserError("takes at most " + std::to_string(B::max_inputs) + " --input, not " +
                        std::to_string(options.inputs.size()));
    }
    return options;
}

// The bytes of an input file.
inline std::string read(const std::string& path) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                               std::fclose);
    std::string bytes;
    std::array<char, 65536> chunk;
    std::size_t length = file ? chunk.size() : 0;
    while (length == chunk.size()) {
        length = std::fread(chunk.data(), 1, chunk.size(), file.get());
        bytes.append(chunk.data(), length);
    }
    if (!file || std::ferror(file.get())) {
        throw UserError(quoted(path) + " cannot be read: " + std::strerror(errno));
    }
    return bytes;
}

inline std::uint64_t nanoseconds(std::int64_t seconds, std::int64_t nanoseconds) {
    return static_cast<std::uint64_t>(seconds * 1'000'000'000 + nanoseconds);
}

inline void require(int status, const char* call) {
    if (status != 0)
        throw std::system_error(errno, std::generic_category(), call);
}

inline std::uint64_t clock_ns(clockid_t clock) {
    timespec time{};
    require(clock_gettime(clock, &time), "clock_gettime");
    return nanoseconds(time.tv_sec, time.tv_nsec);
}

inline std::uint64_t monotonic_ns() {
    return clock_ns(CLOCK_MONOTONIC);
}

// User and system time of all threads and of reaped children.
inline std::uint64_t cpu_ns() {
    rusage children{};
    require(getrusage(RUSAGE_CHILDREN, &children), "getrusage");
    const auto ns = [](timeval time) { return nanoseconds(time.tv_sec, time.tv_usec * 1'000); };
    return clock_ns(CLOCK_PROCESS_CPUTIME_ID) + ns(children.ru_utime) + ns(children.ru_stime);
}

inline std::uint64_t cpu_clock_resolution_ns() {
    timespec time{};
    require(clock_getres(CLOCK_PROCESS_CPUTIME_ID, &time), "clock_getres");
    return nanoseconds(time.tv_sec, time.tv_nsec);
}

// Whether standard input has ended; takes what has come, and never waits.
inline bool standard_input_ended() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    if (poll(&input, 1, 0) <= 0)
        return false;
    std::array<char, 4096> taken;
    const ssize_t length = ::read(STDIN_FILENO, taken.data(), taken.size());
    return length == 0 || (length < 0 && errno != EINTR && errno != EAGAIN);
}

// A number of JSON, which has neither infinities nor NaN.
inline std::string number(double value) {
    if (!std::isfinite(value))
        throw std::domain_error("a metric or sample is not finite");
    std::array<char, 32> text;
    return {text.data(), std::to_chars(text.data(), text.data() + text.size(), value).ptr};
}

// One flat JSON object under construction.
class Object {
public:
    static Object event(std::string_view name) { return Object().text("event", name); }

    Object& json(std::string_view name, std::string_view value) {
        if (!members_.empty())
            members_ += ',';
        members_.append(quoted(name)).append(":").append(value);
        return *this;
    }
    Object& integer(std::string_view name, std::uint64_t value) {
        return json(name, std::to_string(value));
    }
    Object& flag(std::string_view name, bool value) { return json(name, value ? "true" : "false"); }
    Object& text(std::string_view name, std::string_view value) {
        return json(name, quoted(value));
    }
    std::string end() const { return '{' + members_ + '}'; }

private:
    std::string members_;
};

// Lines of output to a file descriptor, kept until there is time to write them.
class Lines {
public:
    explicit Lines(int output) : output_(output) {}

    void add(const Object& line) { kept_ += line.end() + '\n'; }

    // To be called between iterations.
    void write_if_due() {
        if (monotonic_ns() - written_monotonic_ns_ >= write_interval_ns)
            write();
    }

    void write() {
        // By the system call: a stdio buffer in between would split one write into several.
        for (std::string_view rest = kept_; !rest.empty();) {
            const ssize_t length = ::write(output_, rest.data(), rest.size());
            if (length >= 0) {
                rest.remove_prefix(static_cast<std::size_t>(length));
            } else if (errno != EINTR) {
                throw std::system_error(errno, std::generic_category(), "standard output");
            }
        }
        kept_.clear();
        written_monotonic_ns_ = monotonic_ns();
    }

    void sample(const Sample& sample) {
        Object line = Object::event("sample").text("name", sample.name).text("unit", sample.unit);
        if (const auto* hdr = std::get_if<Hdr>(&sample.series)) {
            line.text("hdr", hdr->base64);
        } else {
            std::string values;
            for (const double value : std::get<std::vector<double>>(sample.series)) {
                values.append(values.empty() ? "" : ",").append(number(value));
            }
            line.json("values", '[' + values + ']');
        }
        add(line);
    }

    // A service is ready to be asked; written at once.
    void ready(std::string_view host, std::uint16_t port) {
        add(Object::event("ready").text("host", host).integer("port", port));
        write();
    }

private:
    int output_;
    std::string kept_;
    std::uint64_t written_monotonic_ns_ = 0;
};

// As many as affinity leaves: hardware_concurrency() does not heed it.
inline std::uint64_t processors() {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        return std::max(1u, std::thread::hardware_concurrency());
    return static_cast<std::uint64_t>(CPU_COUNT(&set));
}

inline std::string compiler() {
#if defined(__clang__)
    return "clang " + std::to_string(__clang_major__) + '.' + std::to_string(__clang_minor__) +
           '.' + std::to_string(__clang_patchlevel__);
#else
    return "gcc " + std::to_string(__GNUC__) + '.' + std::to_string(__GNUC_MINOR__) + '.' +
           std::to_string(__GNUC_PATCHLEVEL__);
#endif
}

// What is in force, as the compiler and the C library say of themselves. No compiler tells which
// of its levels, link-time or profile-guided optimisation it was given: RUNFAIR_BUILD_FLAGS may.
inline Object effective() {
    Object object;
    object.text("execution", "ahead-of-time").text("compiler", __VERSION__);
#if defined(__OPTIMIZE_SIZE__)
    object.text("optimisation", "size");
#elif defined(__OPTIMIZE__)
    object.text("optimisation", "speed");
#else
    object.text("optimisation", "none");
#endif
    // The library's own checks: no program here uses assert(), so NDEBUG would say nothing.
#if defined(_GLIBCXX_ASSERTIONS)
    object.flag("assertions", true);
#else
    object.flag("assertions", false);
#endif
#if defined(__AVX512BW__)
    object.text("instruction_set", "x86-64-v4");
#elif defined(__AVX2__)
    object.text("instruction_set", "x86-64-v3");
#elif defined(__SSE4_2__)
    object.text("instruction_set", "x86-64-v2");
#elif defined(__x86_64__)
    object.text("instruction_set", "x86-64");
#elif defined(__aarch64__)
    object.text("instruction_set", "aarch64");
#endif
#if defined(_LIBCPP_VERSION)
    object.text("standard_library", "libc++ " + std::to_string(_LIBCPP_VERSION));
#elif defined(_GLIBCXX_RELEASE)
    object.text("standard_library", "libstdc++ " + std::to_string(_GLIBCXX_RELEASE));
#endif
    object.text("c_library", std::string("glibc ") + gnu_get_libc_version());
#if defined(RUNFAIR_BUILD_FLAGS)
    object.text("build_flags", RUNFAIR_BUILD_FLAGS);
#endif
    return object;
}

template <Benchmark B>
Object start(const Options& options, std::uint64_t monotonic_ns, std::uint64_t realtime_ns) {
    return Object::event("start")
        .integer("contract", contract)
        .text("benchmark", B::name)
        .text("language", "c++")
        .text("tier", B::tier)
        .text("workload", options.workload)
        .text("size", options.size)
        .integer("seed", options.seed)
        .text("runtime", compiler())
        .integer("threads", std::min<std::uint64_t>(options.threads, B::max_threads))
        .integer("processors", processors())
        .integer("monotonic_ns", monotonic_ns)
        .integer("realtime_ns", realtime_ns)
        .integer("cpu_clock_resolution_ns", cpu_clock_resolution_ns())
        .json("effective", effective().end());
}

// Makes the compiler believe that the value is read and changed here, so that no work on it is
// left out or moved across.
template <class T>
void keep(T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

// One iteration; its lines are added after the clocks have stopped.
template <Benchmark B, class Counter>
void iterate(const B& benchmark, std::uint64_t index, Counter& counter, Lines& lines) {
    auto work = benchmark.prepare();
    keep(work);
    const std::uint64_t started_monotonic_ns = monotonic_ns();
    const std::uint64_t started_cpu_ns = cpu_ns();
    auto&& answer = benchmark.run(work, counter);
    keep(answer);
    const std::uint64_t ended_cpu_ns = cpu_ns();
    const std::uint64_t ended_monotonic_ns = monotonic_ns();

    std::array<char, 17> digest;
    std::snprintf(digest.data(), digest.size(), "%016llx",
                  static_cast<unsigned long long>(benchmark.digest(answer)));
    Object line = Object::event("iteration")
                      .integer("index", index)
                      .integer("started_monotonic_ns", started_monotonic_ns)
                      .integer("wall_ns", ended_monotonic_ns - started_monotonic_ns)
                      .integer("cpu_ns", ended_cpu_ns - started_cpu_ns)
                      .text("digest", digest.data());
    Measurements measurements;
    if constexpr (requires { measurements = benchmark.measurements(answer); }) {
        measurements = benchmark.measurements(answer);
    }
    if (!measurements.metrics.empty()) {
        Object metrics;
        for (const Metric& metric : measurements.metrics) {
            const std::string value = number(metric.value);
            metrics.json(metric.name,
                         Object().json("value", value).text("unit", metric.unit).end());
        }
        line.json("metrics", metrics.end());
    }
    lines.add(line);
    for (const Sample& sample : measurements.samples)
        lines.sample(sample);
}

// Carries out one execution and writes its lines to the file descriptor `output`.
template <Benchmark B>
void execute(std::span<char* const> arguments, int output) {
    const std::uint64_t started_monotonic_ns = monotonic_ns();
    const std::uint64_t started_realtime_ns = clock_ns(CLOCK_REALTIME);
    const Options options = parse<B>(arguments);
    Lines lines(output);
    lines.add(start<B>(options, started_monotonic_ns, started_realtime_ns));
    const B benchmark = B::load(options);
    lines.write();

    const std::span<const std::string_view> counters(B::counters);
    Uncounted uncounted;
    Counted counted(counters.size());
    std::uint64_t index = 0;
    while (true) {
        if (options.count) {
            iterate(benchmark, index, counted, lines);
        } else {
            iterate(benchmark, index, uncounted, lines);
        }
        index += 1;

        const double elapsed_s = static_cast<double>(monotonic_ns() - started_monotonic_ns) / 1e9;
        if (options.limit() && index >= *options.limit())
            break;
        if (options.max_seconds && elapsed_s >= *options.max_seconds)
            break;
        if (options.watches_standard_input() && standard_input_ended())
            break;
        lines.write_if_due();
    }
    if (options.count) {
        Object all;
        for (std::size_t i = 0; i < counters.size(); ++i) {
            all.integer(counters[i], counted.counts()[i]);
        }
        lines.add(Object::event("operations").json("counters", all.end()));
    }
    lines.add(Object::event("end").integer("iterations", index));
    lines.write();
}

// The whole of a program's main.
template <Benchmark B>
int main(int argc, char** argv) {
    try {
        execute<B>(std::span<char* const>(argv, static_cast<std::size_t>(argc)).subspan(1),
                   STDOUT_FILENO);
    } catch (const UserError& error) {
        std::fprintf(stderr, "%s: %s\n", std::string(B::name).c_str(), error.what());
        return 2;
    }
    return 0;
}

}  // namespace runfair
