// Sockets for JavaScript: connections and listeners, each a number and a function of its events.

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "binding.hpp"
#include "listening.hpp"
#include "peer.hpp"
#include "sockets.hpp"
#include "tls.hpp"

namespace sparrow {

using v8::Local;

namespace {

// The first argument of a stream's function; library/tcp.js has the same numbers.
enum Event : int { kConnected, kData, kEnded, kFailed, kDrained };

class Stream;

struct Streams {
    std::shared_ptr<v8::BackingStore> read_buffer;
    std::unordered_map<int, Stream*> all;
    int last_id = 0;
};

Streams& streams() {
    return part<Streams>();
}

}  // namespace

// The stream that a function's first argument names; null if it is closed.
template <>
struct Converted<Stream*> {
    static Stream* from(Local<v8::Value> id) {
        const auto found = streams().all.find(Converted<int>::from(id));
        return found == streams().all.end() ? nullptr : found->second;
    }
};

namespace {

class Stream : public Peer {
public:
    // `place`: where it connects to; empty for a socket that is connected.
    Stream(int socket, std::string place, Callback events)
        : id(++streams().last_id),
          events_(std::move(events)),
          place_(std::move(place)),
          step_(place_.empty() ? Step::open : Step::connecting) {
        fd = socket;
        set_no_delay(fd);
        runtime().loop.add(*this, interest());
        runtime().loop.hold();
        streams().all.emplace(id, this);
    }

    void ready(std::uint32_t events) override {
        const v8::HandleScope handles(runtime().isolate);
        if (step_ == Step::connecting) {
            finish_connecting();
        } else if (step_ == Step::securing) {
            finish_securing();
        } else {
            if (events & EPOLLOUT)
                flush();
            if (fd >= 0 &&
                ((events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || (take_waits() && !ended_)))
                receive();
        }
        run_microtasks();
    }

    // What the socket does not take is kept; how much that is.
    std::size_t write(std::string_view content) {
        if (unsent_.empty() && step_ == Step::open) {
            const ssize_t count = give(content);
            if (count > 0)
                content.remove_prefix(static_cast<std::size_t>(count));
        }
        if (!content.empty()) {
            const bool first = unsent_.empty();
            unsent_ += content;
            if (first)
                runtime().loop.change(*this, interest());
        }
        return unsent_.size();
    }

    void hold(bool held) {
        if (held == held_)
            return;
        held_ = held;
        held ? runtime().loop.hold() : runtime().loop.release();
    }

    void pause(bool paused) {
        paused_ = paused;
        runtime().loop.change(*this, interest());
    }

    // Sends what waits, and then the end. The stream closes when its peer has ended too.
    void finish() {
        finishing_ = true;
        if (unsent_.empty() && step_ == Step::open)
            end_side();
    }

    using Peer::server_end_point;

    // A session of TLS whose handshake is done.
    void adopt_tls(SSL* tls) { secure(tls); }

    // Goes on with TLS: the event is kConnected when its handshake is done.
    void begin_securing(SSL* tls) {
        secure(tls);
        step_ = Step::securing;
        finish_securing();
    }

    // What waits to be sent belongs before the handshake.
    bool can_be_secured() const {
        return step_ == Step::open && !has_tls() && unsent_.empty() && !finishing_;
    }

    // A peer of TLS is told that nothing is missing, or can tell that something is.
    void shut() {
        if (has_tls() && unsent_.empty())
            end();
        hold(false);
        streams().all.erase(id);
        runtime().loop.retire(this);
    }

    const int id;

private:
    enum class Step { connecting, securing, open };

    std::uint32_t interest() const {
        const bool securing = step_ == Step::securing;
        const bool reads = (!paused_ && !ended_) || securing;
        const bool writes =
            step_ == Step::connecting || wants_write() || (!unsent_.empty() && !securing);
        return (reads ? EPOLLIN : 0U) | (writes ? EPOLLOUT : 0U);
    }

    void fail(int error) {
        const Local<v8::Value> why = failure().empty()
                                         ? system_error(what_fails(), error)
                                         : v8::Exception::Error(text("TLS: " + failure()));
        shut();
        events_(kFailed, why);
    }

    std::string what_fails() const {
        return step_ == Step::connecting ? place_ + " cannot be reached" : "connection";
    }

    int socket_error() const {
        int error = 0;
        socklen_t size = sizeof error;
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size);
        return error;
    }

    void finish_connecting() {
        const int error = socket_error();
        error != 0 ? fail(error) : begin();
    }

    void finish_securing() {
        if (shake_hands() > 0)
            return begin();
        if (errno != EAGAIN)
            return fail(errno);
        runtime().loop.change(*this, interest());
    }

    void begin() {
        step_ = Step::open;
        events_(kConnected);
        if (fd >= 0 && step_ == Step::open)
            flush();
    }

    void end_side() {
        end();
        runtime().loop.change(*this, interest());
    }

    void flush() {
        if (!unsent_.empty()) {
            const ssize_t count = give(unsent_);
            if (count < 0 && errno != EAGAIN)
                return fail(errno);
            if (count > 0)
                unsent_.erase(0, static_cast<std::size_t>(count));
        }
        runtime().loop.change(*this, interest());
        if (unsent_.empty()) {
            std::string().swap(unsent_);
            if (finishing_)
                end_side();
            events_(kDrained);
        }
    }

    void receive() {
        // Behind the peer's end come only errors, which OpenSSL would not report.
        if (ended_) {
            const int error = socket_error();
            return error != 0 ? fail(error) : shut();
        }
        auto& buffer = *streams().read_buffer;
        const ssize_t count = take(static_cast<char*>(buffer.Data()), buffer.ByteLength());
        if (count > 0)
            return void(events_(kData, static_cast<int>(count)));
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return fail(errno);
        if (count < 0)
            return runtime().loop.change(*this, interest());
        ended_ = true;
        pause(true);
        events_(kEnded);
        if (fd >= 0 && finishing_ && unsent_.empty())
            shut();
    }

    Callback events_;
    std::string place_, unsent_;
    Step step_;
    bool paused_ = false, held_ = true, finishing_ = false, ended_ = false;
};

class Listener : public Watch {
public:
    Listener(int socket, Callback accepted) : accepted_(std::move(accepted)) {
        fd = socket;
        runtime().loop.add(*this, EPOLLIN);
        runtime().loop.hold();
    }

    void ready(std::uint32_t) override {
        const int socket = acceptor_.accept(fd);
        if (socket >= 0)
            accepted_.run(socket);
    }

    void shut() {
        runtime().loop.release();
        runtime().loop.retire(this);
    }

private:
    Callback accepted_;
    Acceptor acceptor_;
};

// setReadBuffer(view): where data of all streams arrives.
void set_read_buffer(Local<v8::Uint8Array> view) {
    streams().read_buffer = view->Buffer()->GetBackingStore();
}

// addressesOf(host): an array, which is not empty.
Local<v8::Value> addresses_of_host(const std::string& host) {
    std::string failure;
    const auto all = addresses_of(host, failure);
    return all.empty() ? throw_error(host + " cannot be reached: " + failure) : value_of(all);
}

// openStream(address, port, events)
Local<v8::Value> open_stream(const std::string& host, int port, Callback events) {
    const Opened opened = connect_to(host, port);
    const std::string place = host.starts_with('/') ? host : host + " port " + std::to_string(port);
    if (opened.fd < 0)
        return throw_system_error(place + " cannot be reached", opened.error);
    return value_of((new Stream(opened.fd, place, std::move(events)))->id);
}

// adoptStream(descriptor, events, tls): a socket that is connected; `tls` is
// undefined, or the session that `upgraded` has given.
int adopt_stream(int socket, Callback events, Local<v8::Value> tls) {
    fcntl(socket, F_SETFL, O_NONBLOCK);  // the channel of a process waits otherwise
    auto* made = new Stream(socket, "", std::move(events));
    if (tls->IsExternal())
        made->adopt_tls(static_cast<SSL*>(tls.As<v8::External>()->Value()));
    return made->id;
}

// secureStream(id, context, check, host, protocol, place): `check` as in
// peer.hpp, and negative for a server.
Local<v8::Value> secure_stream(Stream* stream, Local<v8::Value> context, int check,
                               const std::string& host, const std::string& protocol,
                               const std::string& place) {
    if (!stream || !stream->can_be_secured())
        return throw_error(
            "TLS: this connection is not open, has TLS already, or has bytes that wait to be sent");
    SSL_CTX* own = tls_context_of(context);
    stream->begin_securing(check < 0 ? tls_server(own)
                                     : tls_client(own, host, Check{check}, protocol, place));
    return {};
}

Local<v8::Value> server_end_point(Stream* stream) {
    return bytes(stream ? stream->server_end_point() : std::string());
}

// writeStream(id, view, from, to): bytes that wait for the socket; -1 for a stream that is closed.
double write_stream(Stream* stream, Bytes content, double first, double last) {
    if (!stream)
        return -1;
    const auto to = std::min(content.size, static_cast<std::size_t>(last));
    const auto from = std::min(to, static_cast<std::size_t>(first));
    const auto* begin = reinterpret_cast<const char*>(content.data) + from;
    return static_cast<double>(stream->write({begin, to - from}));
}

// openListener(host, port, share, accepted): [a function that closes it, its port].
Local<v8::Value> open_listener(const std::string& host, int port, bool share, Callback accepted) {
    const int socket = listening(host, port, share);
    if (socket < 0)
        return {};
    auto* listener = new Listener(socket, std::move(accepted));
    auto shut = v8::Function::New(
        context(),
        [](Arguments given) {
            static_cast<Listener*>(given.Data().As<v8::External>()->Value())->shut();
        },
        v8::External::New(runtime().isolate, listener));
    return array_of(shut.ToLocalChecked(), port_of(socket));
}

}  // namespace

void define_streams(Local<v8::Object> native) {
    define(native, {{"setReadBuffer", bound<set_read_buffer>},
                    {"addressesOf", bound<addresses_of_host>},
                    {"openStream", bound<open_stream>},
                    {"adoptStream", bound<adopt_stream>},
                    {"secureStream", bound<secure_stream>},
                    {"serverEndPoint", bound<server_end_point>},
                    {"writeStream", bound<write_stream>},
                    {"finishStream", bound<&Stream::finish>},
                    {"closeStream", bound<&Stream::shut>},
                    {"holdStream", bound<&Stream::hold>},
                    {"pauseStream", bound<&Stream::pause>},
                    {"openListener", bound<open_listener>}});
}

}  // namespace sparrow
