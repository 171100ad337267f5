// A connection to the database, watched by libh2o's event loop.

#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "../domain/connection.hpp"
#include "libh2o.hpp"
#include "reply.hpp"

namespace web {

using Results = std::vector<Result>;

class Session {
public:
    using Send = std::function<void(Connection&)>;
    using Answer = std::function<void(const std::shared_ptr<Pending>&, const Results&)>;

    // Begins to connect.
    Session(h2o_context_t& context, std::string url);
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;
    ~Session();

    // Whether the statements are prepared.
    bool is_ready() const { return ready_; }
    // Why the last attempt to connect failed; empty if none has failed.
    const std::string& failure() const { return failure_; }
    // The number of queries without a result.
    std::size_t load() const { return connection_ ? connection_->pending() : 0; }

    // Calls `send` so many times, to send a query each time, and calls `answer` when all queries
    // have their results. If a query or `answer` fails, the request fails. Does not wait, and does
    // not throw.
    void ask(std::shared_ptr<Pending> request, std::size_t queries, const Send& send,
             Answer answer);

private:
    struct Question {
        std::shared_ptr<Pending> request;
        std::size_t queries;
        Answer answer;
        Results results;
    };
    struct Retry : h2o_timeout_entry_t {
        Session* session;
    };

    void open();
    void connect();
    void take();
    void answer_first();
    void flush();
    // Has the loop watch the socket of the connection.
    void watch();
    void unwatch();
    // Fails all requests that wait for the connection, and has the loop open it again soon.
    void lose(const DatabaseError& error);

    h2o_context_t& context_;
    std::string url_;
    std::optional<Connection> connection_;
    h2o_socket_t* socket_ = nullptr;
    bool ready_ = false;
    std::deque<Question> questions_;
    std::string failure_;
    Retry retry_{};
};

}  // namespace web
