// A service: the lines `start`, `ready` and `end`, and where it listens.

#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "runfair/benchmark.hpp"
#include "runfair/clocks.hpp"
#include "runfair/command_line.hpp"
#include "runfair/execution.hpp"
#include "runfair/json.hpp"
#include "runfair/lines.hpp"
#include "runfair/mistake.hpp"
#include "runfair/options.hpp"

namespace runfair {

// Where to listen; port 0 lets the kernel choose.
struct Address {
    std::string host = "127.0.0.1";
    std::uint16_t port = 0;

    // That nobody can listen there, and why.
    UserError cannot_be_listened_on(std::string_view reason) const {
        return UserError("--host " + runfair::quoted(host) + " --port " + std::to_string(port) +
                         " cannot be listened on: " + quoted(reason));
    }
};

// Says, once, that a service listens and that all it needs is there.
class Ready {
public:
    Ready(Lines& lines, std::string_view host) : lines_(lines), host_(host) {}
    void say(std::uint16_t port) { lines_.ready(host_, port); }

private:
    Lines& lines_;
    std::string_view host_;
};

// Takes what only services are told into `address`, and leaves the other arguments.
inline std::vector<char*> others(std::span<char* const> arguments, Address& address) {
    static constexpr std::array<std::string_view, 8> known{
        "--host", "--port", "--workload", "--size", "--seed", "--threads", "--input", "--param"};
    constexpr std::uint64_t greatest_port = 65535;
    std::vector<char*> rest;
    for (std::size_t i = 0; i < arguments.size(); i += 2) {
        const std::string_view option = arguments[i];
        if (std::find(known.begin(), known.end(), option) == known.end()) {
            throw UserError("unknown option " + quoted(option) + "; the options are " +
                            joined(known));
        }
        if (i + 1 == arguments.size() || std::string_view(arguments[i + 1]).starts_with("--")) {
            throw UserError(std::string(option) + " needs a value after it");
        }
        if (option == "--host") {
            address.host = arguments[i + 1];
        } else if (option == "--port") {
            address.port =
                static_cast<std::uint16_t>(integer(option, arguments[i + 1], 0, greatest_port));
        } else {
            rest.insert(rest.end(), {arguments[i], arguments[i + 1]});
        }
    }
    return rest;
}

// The whole of a service's main. `run(options, address, ready)` returns once SIGTERM has come and
// the requests under way are answered. Until told otherwise the workload is the first of S's.
template <Described S, class Run>
int serve(int argc, char** argv, Run run) {
    try {
        const std::uint64_t started_monotonic_ns = monotonic_ns();
        const std::uint64_t started_realtime_ns = clock_ns(CLOCK_REALTIME);
        const std::span<char* const> all(argv, static_cast<std::size_t>(argc));
        Address address;
        std::string option = "--workload";
        const std::span<const std::string_view> workloads(S::workloads);
        std::string workload(workloads[0]);
        std::vector<char*> arguments = others(all.subspan(1), address);
        arguments.insert(arguments.begin(), {option.data(), workload.data()});
        const Options options = parse<S>(arguments);
        Lines lines(STDOUT_FILENO);
        lines.add(start<S>(options, started_monotonic_ns, started_realtime_ns));
        run(options, address, Ready(lines, address.host));
        lines.add(Object::event("end").integer("iterations", 0));
        lines.write();
    } catch (const UserError& error) {
        std::fprintf(stderr, "%s: %s\n", std::string(S::name).c_str(), error.what());
        return 2;
    }
    return 0;
}

}  // namespace runfair
