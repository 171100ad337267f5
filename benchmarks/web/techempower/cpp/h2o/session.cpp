#include "session.hpp"

#include <unistd.h>

#include <cstdio>
#include <utility>

#include "runfair/options.hpp"

namespace web {
namespace {

Session& session_of(h2o_socket_t* socket) {
    return *static_cast<Session*>(socket->data);
}

}  // namespace

Session::Session(h2o_context_t& context, std::string url)
    : context_(context), url_(std::move(url)) {
    retry_.session = this;
    retry_.cb = [](h2o_timeout_entry_t* entry) { static_cast<Retry*>(entry)->session->open(); };
    open();
}

Session::~Session() {
    unwatch();
    if (h2o_timeout_is_linked(&retry_))
        h2o_timeout_unlink(&retry_);
}

void Session::ask(std::shared_ptr<Pending> request, std::size_t queries, const Send& send,
                  Answer answer) {
    if (!ready_)
        return request->fail();
    questions_.push_back({std::move(request), queries, std::move(answer), {}});
    try {
        for (std::size_t i = 0; i < queries; ++i)
            send(*connection_);
        flush();
    } catch (const DatabaseError& error) {
        lose(error);
    }
}

void Session::open() {
    try {
        connection_.emplace(url_);
        watch();
        h2o_socket_notify_write(
            socket_, [](h2o_socket_t* socket, const char*) { session_of(socket).connect(); });
    } catch (const DatabaseError& error) {
        lose(error);
    }
}

void Session::connect() {
    const auto again = [](h2o_socket_t* socket, const char*) { session_of(socket).connect(); };
    const auto taking = [](h2o_socket_t* socket, const char*) { session_of(socket).take(); };
    try {
        // libpq may go on with another socket.
        unwatch();
        const Readiness needed = connection_->connect();
        watch();
        switch (needed) {
            case Readiness::readable:
                h2o_socket_read_start(socket_, again);
                break;
            case Readiness::writable:
                h2o_socket_notify_write(socket_, again);
                break;
            case Readiness::none:
                h2o_socket_read_start(socket_, taking);
                connection_->prepare();
                flush();
        }
    } catch (const DatabaseError& error) {
        lose(error);
    }
}

void Session::take() {
    try {
        connection_->receive();
        // An answer may send another query, which may lose the connection.
        while (connection_) {
            Result result = connection_->result();
            if (result == nullptr)
                break;
            if (!ready_) {
                ready_ = connection_->pending() == 0;  // a statement is prepared
                continue;
            }
            Question& first = questions_.front();
            first.results.push_back(std::move(result));
            if (first.results.size() == first.queries)
                answer_first();
        }
        if (connection_)
            flush();
    } catch (const DatabaseError& error) {
        lose(error);
    }
}

void Session::answer_first() {
    const Question question = std::move(questions_.front());
    questions_.pop_front();
    try {
        question.answer(question.request, question.results);
    } catch (const DatabaseError& error) {
        std::fprintf(stderr, "a request failed: %s\n", runfair::quoted(error.what()).c_str());
        question.request->fail();
    }
}

void Session::flush() {
    if (!connection_->flush() && !h2o_socket_is_writing(socket_))
        h2o_socket_notify_write(socket_, [](h2o_socket_t* socket, const char*) {
            Session& session = session_of(socket);
            try {
                session.flush();
            } catch (const DatabaseError& error) {
                session.lose(error);
            }
        });
}

void Session::watch() {
    // A descriptor of its own, because both libpq and libh2o close their descriptors. libpq reads.
    socket_ = h2o_evloop_socket_create(context_.loop, dup(connection_->socket()),
                                       H2O_SOCKET_FLAG_DONT_READ);
    socket_->data = this;
}

void Session::unwatch() {
    if (h2o_socket_t* const socket = std::exchange(socket_, nullptr))
        h2o_socket_close(socket);
}

void Session::lose(const DatabaseError& error) {
    failure_ = error.what();
    const bool was_ready = std::exchange(ready_, false);
    if (was_ready)
        std::fprintf(stderr, "a database connection is lost: %s\n",
                     runfair::quoted(failure_).c_str());
    unwatch();
    connection_.reset();
    // At once, but not in a loop without a pause if the database refuses.
    h2o_timeout_t& delay = was_ready ? context_.zero_timeout : context_.hundred_ms_timeout;
    h2o_timeout_link(context_.loop, &delay, &retry_);
    for (const Question& question : std::exchange(questions_, {}))
        question.request->fail();
}

}  // namespace web
