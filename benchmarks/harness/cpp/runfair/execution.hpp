// An execution, from its options to its last line. A program includes its libraries before.

#pragma once

#include <gnu/libc-version.h>
#include <poll.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <utility>
#include <vector>

#include "runfair/options.hpp"
#include "runfair/recorder.hpp"

#define RUNFAIR_TEXT(tokens) #tokens
#define RUNFAIR_VALUE(macro) RUNFAIR_TEXT(macro)
#define RUNFAIR_DEFINES(macro) (std::string_view(RUNFAIR_VALUE(macro)) != #macro)

namespace runfair {
using Counters = std::vector<std::pair<const char*, std::uint64_t>>;
using Ready = std::function<void(std::uint16_t port)>;

inline std::uint64_t clock_ns(clockid_t clock, int (*read)(clockid_t, timespec*) = clock_gettime) {
    timespec time{};
    read(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec * 1'000'000'000 + time.tv_nsec);
}

// An object of JSON. No compiler says which optimisations it was given: RUNFAIR_BUILD_FLAGS may.
static inline std::string effective() {
    std::string object = R"({"execution":"ahead-of-time","c_library":"glibc )";
    object.append(gnu_get_libc_version()).append(R"(","standard_library":")");
    object += RUNFAIR_DEFINES(_LIBCPP_VERSION) ? "libc++ " RUNFAIR_VALUE(_LIBCPP_VERSION)
                                               : "libstdc++ " RUNFAIR_VALUE(_GLIBCXX_RELEASE);
    object += R"(","instruction_set":")";
    object += RUNFAIR_DEFINES(__AVX512BW__) ? "x86-64-v4"
              : RUNFAIR_DEFINES(__AVX2__)   ? "x86-64-v3"
              : RUNFAIR_DEFINES(__SSE4_2__) ? "x86-64-v2"
              : RUNFAIR_DEFINES(__x86_64__) ? "x86-64"
                                            : "aarch64";
    object += R"(","optimisation":")";
    object += RUNFAIR_DEFINES(__OPTIMIZE_SIZE__) ? "size"
              : RUNFAIR_DEFINES(__OPTIMIZE__)    ? "speed"
                                                 : "none";
    const bool asserts = RUNFAIR_DEFINES(assert(0)) && !RUNFAIR_DEFINES(NDEBUG);  // by libraries
    object += asserts || RUNFAIR_DEFINES(_GLIBCXX_ASSERTIONS) ? R"(","assertions":true)"
                                                              : R"(","assertions":false)";
    const bool known = RUNFAIR_DEFINES(RUNFAIR_BUILD_FLAGS);
    return object + (known ? R"(,"build_flags":)" RUNFAIR_VALUE(RUNFAIR_BUILD_FLAGS) "}" : "}");
}

inline void print_operations(const Counters& counters) {
    std::printf(R"({"event":"operations","counters":{)");
    for (const char* comma = ""; const auto& [name, count] : counters)
        std::printf(R"(%s"%s":%lu)", std::exchange(comma, ","), name, count);
    std::puts("}}");
}

// The compiler must believe that the value is read and changed here.
template <class T>
void keep(T& value) {
    asm volatile("" : : "r"(&value) : "memory");
}

template <class Program>
void iterate(const Program& program, std::uint64_t index, bool counting) {
    auto work = program.prepare();
    Counters counted = counting ? program.counters() : Counters();
    keep(work);
    begin_samples(index);
    const std::uint64_t started_ns = clock_ns(CLOCK_MONOTONIC);
    // The processor time of all threads; no program in C++ has children.
    const std::uint64_t started_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    auto&& answer = program.run(work);
    keep(answer);
    const std::uint64_t ended_cpu_ns = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
    const std::uint64_t ended_ns = clock_ns(CLOCK_MONOTONIC);
    for (std::size_t i = 0; i < counted.size(); ++i)
        counted[i].second = program.counters()[i].second - counted[i].second;
    std::printf(R"({"event":"iteration","index":%lu,"started_monotonic_ns":%lu,"wall_ns":%lu,)"
                R"("cpu_ns":%lu,"digest":"%016lx"%s}%c)",
                index, started_ns, ended_ns - started_ns, ended_cpu_ns - started_cpu_ns,
                program.digest(answer), samples().c_str(), '\n');
    if (counting)
        print_operations(counted);
}

// Never waits.
inline bool standard_input_ended() {
    pollfd input{STDIN_FILENO, POLLIN, 0};
    char taken[4096];
    return poll(&input, 1, 0) > 0 && ::read(STDIN_FILENO, taken, sizeof taken) <= 0;
}

// The main of a program, which has what the contract calls load, prepare, run and digest; or of a
// service, whose `serve(options, ready)` serves until SIGTERM and gives what it counted.
template <class Program>
static int main(int argc, char** argv) try {
    const std::uint64_t monotonic_ns = clock_ns(CLOCK_MONOTONIC);
    const std::uint64_t realtime_ns = clock_ns(CLOCK_REALTIME);
    const Options options(Program::name, argc, argv);
    static char lines[1 << 24];  // wait here until fflush writes them by one call
    std::setvbuf(stdout, lines, _IOFBF, sizeof lines);
    cpu_set_t processors{};  // what affinity leaves; hardware_concurrency() ignores it
    sched_getaffinity(0, sizeof processors, &processors);
    std::printf(R"({"event":"start","contract":2,"benchmark":"%s","language":"c++","tier":"%s",)"
                R"("runtime":"%s","processors":%d,"monotonic_ns":%lu,"realtime_ns":%lu,)"
                R"("cpu_clock_resolution_ns":%lu,"effective":%s,"threads":)",
                Program::name, Program::tier,
                RUNFAIR_DEFINES(__clang__) ? __VERSION__ : "gcc " __VERSION__,
                CPU_COUNT(&processors), monotonic_ns, realtime_ns,
                clock_ns(CLOCK_PROCESS_CPUTIME_ID, clock_getres), effective().c_str());
    const std::uint64_t asked = std::min(options.number("threads"), Program::max_threads);
    std::uint64_t done = 0;
    if constexpr (requires { Program::load(options); }) {
        const auto iterations = options.number("iterations");
        const Program program = Program::load(options);
        struct stat tasks{};
        stat("/proc/self/task", &tasks);  // it has 3 links, and one for each thread of a pool
        std::printf("%lu}\n", tasks.st_nlink == 3 ? asked : tasks.st_nlink - 3);
        const double seconds = options.has("seconds") ? std::stod(options.text("seconds")) : 1e9;
        std::uint64_t now_ns = monotonic_ns, written_ns = 0;
        for (bool ended = false; !ended;) {
            if (now_ns - written_ns >= 100'000'000) {  // at most ten times a second
                std::fflush(stdout);
                written_ns = now_ns;
            }
            iterate(program, done++, options.has("count"));
            now_ns = clock_ns(CLOCK_MONOTONIC);
            ended = (iterations > 0 ? done == iterations : standard_input_ended()) ||
                    static_cast<double>(now_ns - monotonic_ns) >= seconds * 1e9;
        }
    } else {
        const Counters counted = Program::serve(options, [&](std::uint16_t port) {
            std::printf(R"(%lu}%c{"event":"ready","host":"%s","port":%u}%c)", asked, '\n',
                        options.text("host").c_str(), port, '\n');
            std::fflush(stdout);
        });
        if (options.has("count") && !counted.empty())
            print_operations(counted);
    }
    std::printf("{\"event\":\"end\",\"iterations\":%lu}\n", done);
    return 0;
} catch (const UserError& error) {
    std::fprintf(stderr, "%s: %s\n", Program::name, error.what());
    std::_Exit(2);  // without the lines that wait
}

inline UserError cannot_listen(const Options& options, const std::string& reason) {
    return UserError("host " + runfair::quoted(options.text("host")) + " port " +
                     options.text("port") + " cannot be listened on: " + reason);
}
}  // namespace runfair
