#include "http_service.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

namespace sparrow {
namespace {

constexpr std::size_t kReadBytes = 65536;
constexpr int kAcceptsAtOnce = 64;

}  // namespace

HttpService::HttpService(Loop& loop, HttpApplication& application, HttpLimits limits)
    : loop(loop), application(application), limits(limits) {
    read_buffer.resize(kReadBytes);
}

HttpService::~HttpService() {
    SSL_CTX_free(tls);
}

void HttpService::listen(int socket) {
    fd = socket;
    loop.add(*this, EPOLLIN);
    loop.hold();
}

void HttpService::ready(std::uint32_t) {
    for (int i = 0; i < kAcceptsAtOnce && accept_next(); i++) {
    }
}

// False if nobody waits.
bool HttpService::accept_next() {
    const int socket = acceptor_->accept(fd);
    if (socket < 0)
        return false;
    set_no_delay(socket);
    accept(socket);
    return true;
}

void HttpService::accept(int socket) {
    if (free_.empty()) {
        free_.push_back(static_cast<std::uint32_t>(connections_.size()));
        connections_.emplace_back();
    }
    const std::uint32_t index = free_.back();
    free_.pop_back();
    connections_[index] = new HttpConnection(*this, socket, index);
    open_++;
}

HttpConnection* HttpService::find(std::uint32_t index, std::uint32_t serial) const {
    HttpConnection* found = index < connections_.size() ? connections_[index] : nullptr;
    return found && found->handling() && found->serial == serial ? found : nullptr;
}

void HttpService::remove(HttpConnection& connection) {
    connections_[connection.index] = nullptr;
    free_.push_back(connection.index);
    open_--;
    // The end calls JavaScript, in which this may be: it waits until the loop is back.
    if (stopping && open_ == 0)
        sweep();
}

void HttpService::stop() {
    if (stopping)
        return;
    stopping = true;
    // To close the listener would reset those who are connected already.
    while (accept_next()) {
    }
    // A program that another thread starts has the listener until then: no event may name this.
    loop.change(*this, 0);
    close(fd);
    fd = -1;
    sweep();
}

void HttpService::sweep() {
    sweeps_ = true;
    loop.hasten();
}

void HttpService::end_if_empty() {
    if (!stopping || open_ > 0 || !acceptor_)
        return;
    acceptor_.reset();
    loop.release();
    application.stopped();
    loop.retire(this);
}

void HttpService::each_second() {
    const double now = monotonic_ms();
    for (std::size_t i = 0; i < connections_.size(); i++) {
        if (connections_[i])
            connections_[i]->check_deadline(now);
    }
}

void HttpService::queue(HttpConnection& connection) {
    resumable_.push_back(connection.index);
    // The answer of a promise comes behind `resume_all` of this turn.
    loop.hasten();
}

void HttpService::resume_all() {
    if (sweeps_) {
        sweeps_ = false;
        for (std::size_t i = 0; i < connections_.size(); i++) {
            if (connections_[i])
                connections_[i]->stop();
        }
        end_if_empty();
    }
    while (!resumable_.empty()) {
        HttpConnection* connection = connections_[resumable_.back()];
        resumable_.pop_back();
        if (connection)
            connection->resume();
    }
}

const std::string& HttpService::date() {
    const time_t now = time(nullptr);
    if (now != date_second_) {
        date_second_ = now;
        tm parts{};
        gmtime_r(&now, &parts);
        char formatted[64];
        const auto size =
            strftime(formatted, sizeof formatted, "Date: %a, %d %b %Y %H:%M:%S GMT\r\n", &parts);
        date_.assign(formatted, size);
    }
    return date_;
}

}  // namespace sparrow
