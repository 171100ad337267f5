// An HTTP server without JavaScript: its listener, connections, limits and clock.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "http_connection.hpp"
#include "loop.hpp"
#include "sockets.hpp"

namespace sparrow {

struct HttpLimits {
    int head_ms = 10000;   // from a request's first byte to the end of its head; a handshake of TLS
    int body_ms = 30000;   // between two parts of a body
    int idle_ms = 75000;   // between two requests
    int write_ms = 30000;  // until a client takes more of its answer
    std::size_t body_bytes = 1U << 20;
};

// What answers requests.
class HttpApplication {
public:
    virtual ~HttpApplication() = default;
    // Answers at once, or later. An answered request may be followed by `connection.next()`.
    virtual void handle(HttpConnection& connection) = 0;
    // A streaming connection has room again, or is gone.
    virtual void drained(HttpConnection& connection) = 0;
    virtual void closed(HttpConnection& connection) = 0;
    // The connection is no longer one of HTTP; `arrived` came behind its request.
    // It takes `tls`, which is null without TLS.
    virtual void upgraded(std::uint32_t index, int socket, SSL* tls, std::string_view arrived) = 0;
    // The last connection has ended. The service and the application are deleted after this turn.
    virtual void stopped() = 0;
};

class HttpService : public Watch {
public:
    // Owns the application.
    HttpService(Loop& loop, HttpApplication& application, HttpLimits limits);
    ~HttpService() override;

    void listen(int socket);
    void accept(int socket);  // a connection that exists
    void ready(std::uint32_t events) override;
    // The connection while it handles the request of this number; otherwise null.
    HttpConnection* find(std::uint32_t index, std::uint32_t serial) const;
    std::uint32_t next_serial() { return serial_ = (serial_ + 1) & 0x3fffffff; }
    void stop();
    // Stops all connections when the loop is back: this may be called while one is served.
    void sweep();
    void each_second();
    // Connections whose next request can be handled.
    void resume_all();
    void queue(HttpConnection& connection);
    void remove(HttpConnection& connection);

    // "Date: …\r\n", of the current second.
    const std::string& date();
    std::size_t open_connections() const { return open_; }

    Loop& loop;
    HttpApplication& application;
    const HttpLimits limits;
    std::string read_buffer, out, aside;
    bool stopping = false;
    SSL_CTX* tls = nullptr;  // of all connections; owned

private:
    bool accept_next();
    void end_if_empty();

    const std::unique_ptr<HttpApplication> owned_{&application};
    std::vector<HttpConnection*> connections_;  // by their index; null: none has it
    std::vector<std::uint32_t> free_, resumable_;
    std::uint32_t serial_ = 0;
    std::string date_;
    long date_second_ = 0;
    std::size_t open_ = 0;
    std::optional<Acceptor> acceptor_{std::in_place};  // until the end
    bool sweeps_ = false;
};

}  // namespace sparrow
