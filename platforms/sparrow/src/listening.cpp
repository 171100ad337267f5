#include "listening.hpp"

#include <cerrno>
#include <cstdlib>

#include "failure.hpp"
#include "runtime.hpp"
#include "sockets.hpp"

namespace sparrow {
namespace {

// What to do if an address is in use.
const char* advice(bool is_path, bool share) {
    if (is_path)
        return "; end the program that listens there, or choose another path";
    if (!share && (runtime().thread || std::getenv("SPARROW_WORKER")))
        return "; end the program that listens there, or set the option share for workers";
    return "; end the program that listens there, or choose another port";
}

}  // namespace

int listening(const std::string& host, int port, bool share) {
    const Opened opened = listen_on(host, port, share);
    if (opened.fd >= 0)
        return opened.fd;
    const bool is_path = host.starts_with('/');
    const std::string what =
        host + (is_path ? "" : " port " + std::to_string(port)) + " cannot be listened on";
    if (opened.error == 0)
        throw_mistake(v8::Exception::Error(text(what + ": " + opened.message)));
    else
        throw_mistake(system_error(what, opened.error,
                                   opened.error == EADDRINUSE ? advice(is_path, share) : ""));
    return -1;
}

}  // namespace sparrow
