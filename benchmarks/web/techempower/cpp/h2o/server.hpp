// A thread's event loop: its listening socket, its connections and its part of the database.

#pragma once

#include <csignal>
#include <cstddef>
#include <optional>
#include <string>

#include "application.hpp"
#include "database.hpp"
#include "libh2o.hpp"

namespace web {

// Lives until the process ends: libh2o can dispose of a context only after all timeouts.
class Server {
public:
    // Takes the listening socket over. `termination` contains SIGTERM, which must be blocked.
    // Throws runfair::UserError.
    Server(Application& application, int listener, const sigset_t& termination,
           const std::optional<std::string>& database_url, std::size_t connections);
    Server(const Server&) = delete;
    Server& operator=(const Server&) = delete;

    // Serves until SIGTERM arrives and the requests have their replies.
    void run();

private:
    void accept();
    void stop();
    bool has_connections();

    Context context_{};
    h2o_accept_ctx_t accepting_{};
    h2o_socket_t* listener_;
    h2o_socket_t* signals_;
    std::optional<Database> database_;
    bool stopping_ = false;
};

}  // namespace web
