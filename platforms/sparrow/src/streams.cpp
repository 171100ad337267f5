// Sockets for JavaScript: connections and listeners, each a number and a
// function of its events.

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

#include "peer.hpp"
#include "runtime.hpp"
#include "sockets.hpp"
#include "tls.hpp"

namespace sparrow {

using v8::Local;

namespace {

// The first argument of a stream's function; library/tcp.js has the same
// numbers.
enum Event : int { kConnected, kData, kEnded, kFailed, kDrained };

class Stream;

struct Streams {
    std::shared_ptr<v8::BackingStore> read_buffer;
    std::unordered_map<int, Stream*> all;
    int last_id = 0;
};

std::shared_ptr<v8::BackingStore>& read_buffer() {
    return part<Streams>().read_buffer;
}

std::unordered_map<int, Stream*>& streams() {
    return part<Streams>().all;
}

class Stream : public Peer {
public:
    Stream(int socket, bool connecting, Local<v8::Function> events)
        : id(++part<Streams>().last_id),
          events_(runtime().isolate, events),
          step_(connecting ? Step::connecting : Step::open) {
        fd = socket;
        set_no_delay(fd);
        runtime().loop.add(*this, interest());
        runtime().loop.hold();
        streams().emplace(id, this);
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
        if (finishing_)
            return unsent_.size();
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

    // Sends what waits, and then the end. The stream closes when its peer has
    // ended too.
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

    // A peer of TLS is told that nothing is missing, or can tell that something
    // is.
    void shut() {
        if (has_tls() && unsent_.empty())
            end();
        hold(false);
        streams().erase(id);
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

    void tell(Event event, Local<v8::Value> value) {
        call(events_.Get(runtime().isolate), {v8::Integer::New(runtime().isolate, event), value});
    }

    void tell(Event event, int value = 0) {
        tell(event, v8::Integer::New(runtime().isolate, value));
    }

    void fail(int error) {
        const Local<v8::Function> events = events_.Get(runtime().isolate);
        const Local<v8::Value> why = failure().empty()
                                         ? system_error("connection", error)
                                         : v8::Exception::Error(text("TLS: " + failure()));
        shut();
        call(events, {v8::Integer::New(runtime().isolate, kFailed), why});
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
        tell(kConnected);
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
            tell(kDrained);
        }
    }

    void receive() {
        // Behind the peer's end come only errors, which OpenSSL would not report.
        if (ended_) {
            const int error = socket_error();
            return error != 0 ? fail(error) : shut();
        }
        auto& buffer = *read_buffer();
        const ssize_t count = take(static_cast<char*>(buffer.Data()), buffer.ByteLength());
        if (count > 0)
            return tell(kData, static_cast<int>(count));
        if (count < 0 && errno != EAGAIN && errno != EINTR)
            return fail(errno);
        if (count < 0)
            return runtime().loop.change(*this, interest());
        ended_ = true;
        pause(true);
        tell(kEnded);
        if (fd >= 0 && finishing_ && unsent_.empty())
            shut();
    }

    v8::Global<v8::Function> events_;
    std::string unsent_;
    Step step_;
    bool paused_ = false, held_ = true, finishing_ = false, ended_ = false;
};

class Listener : public Watch {
public:
    Listener(int socket, Local<v8::Function> accepted) : accepted_(runtime().isolate, accepted) {
        fd = socket;
        runtime().loop.add(*this, EPOLLIN);
        runtime().loop.hold();
    }

    void ready(std::uint32_t) override {
        const v8::HandleScope handles(runtime().isolate);
        const int socket = acceptor_.accept(fd);
        if (socket < 0)
            return;
        call(accepted_.Get(runtime().isolate), {v8::Integer::New(runtime().isolate, socket)});
        run_microtasks();
    }

    void shut() {
        runtime().loop.release();
        runtime().loop.retire(this);
    }

private:
    v8::Global<v8::Function> accepted_;
    Acceptor acceptor_;
};

Stream* stream_of(Arguments arguments) {
    const auto found = streams().find(integer(arguments, 0));
    return found == streams().end() ? nullptr : found->second;
}

void throw_unopened(const Opened& opened, const std::string& what) {
    if (opened.error != 0)
        return throw_system_error(what, opened.error);
    throw_error(what + ": " + opened.message);
}

// setReadBuffer(view): where data of all streams arrives.
void set_read_buffer(Arguments arguments) {
    read_buffer() = arguments[0].As<v8::Uint8Array>()->Buffer()->GetBackingStore();
}

// addressesOf(host): an array, which is not empty.
void addresses_of_host(Arguments arguments) {
    std::string failure = "it has no address";
    const std::string host = utf8(arguments[0]);
    std::vector<Local<v8::Value>> all;
    for (const std::string& one : addresses_of(host, failure))
        all.push_back(text(one));
    if (all.empty())
        return throw_error(host + " cannot be reached: " + failure);
    arguments.GetReturnValue().Set(v8::Array::New(runtime().isolate, all.data(), all.size()));
}

// openStream(address, port, events)
void open_stream(Arguments arguments) {
    const std::string host = utf8(arguments[0]);
    const Opened opened = connect_to(host, integer(arguments, 1));
    if (opened.fd < 0)
        return throw_unopened(opened, host + " cannot be reached");
    const auto* made = new Stream(opened.fd, true, arguments[2].As<v8::Function>());
    arguments.GetReturnValue().Set(made->id);
}

// adoptStream(descriptor, events, tls): a socket that is connected; `tls` is
// undefined, or the session that `upgraded` has given.
void adopt_stream(Arguments arguments) {
    const int socket = integer(arguments, 0);
    fcntl(socket, F_SETFL, O_NONBLOCK);  // the channel of a process waits otherwise
    auto* made = new Stream(socket, false, arguments[1].As<v8::Function>());
    if (arguments[2]->IsExternal())
        made->adopt_tls(static_cast<SSL*>(arguments[2].As<v8::External>()->Value()));
    arguments.GetReturnValue().Set(made->id);
}

// secureStream(id, context, check, host, protocol, place): `check` as in
// peer.hpp, and negative for a server.
void secure_stream(Arguments arguments) {
    Stream* stream = stream_of(arguments);
    if (!stream || !stream->can_be_secured())
        return throw_error(
            "TLS: this connection is not open, has TLS already, or has bytes that wait to be sent");
    SSL_CTX* context = tls_context_of(arguments[1]);
    const int check = integer(arguments, 2);
    stream->begin_securing(check < 0 ? tls_server(context)
                                     : tls_client(context, utf8(arguments[3]), Check{check},
                                                  utf8(arguments[4]), utf8(arguments[5])));
}

void server_end_point(Arguments arguments) {
    const Stream* stream = stream_of(arguments);
    arguments.GetReturnValue().Set(bytes(stream ? stream->server_end_point() : std::string()));
}

// writeStream(id, view, from, to): bytes that wait for the socket; -1 for a
// stream that is closed.
void write_stream(Arguments arguments) {
    Stream* stream = stream_of(arguments);
    if (!stream)
        return arguments.GetReturnValue().Set(-1);
    const Bytes content = bytes_of(arguments[1]);
    const auto to = std::min(content.size, static_cast<std::size_t>(integer(arguments, 3)));
    const auto from = std::min(to, static_cast<std::size_t>(integer(arguments, 2)));
    const auto* begin = reinterpret_cast<const char*>(content.data) + from;
    arguments.GetReturnValue().Set(static_cast<double>(stream->write({begin, to - from})));
}

void finish_stream(Arguments arguments) {
    if (Stream* stream = stream_of(arguments))
        stream->finish();
}

void close_stream(Arguments arguments) {
    if (Stream* stream = stream_of(arguments))
        stream->shut();
}

void hold_stream(Arguments arguments) {
    if (Stream* stream = stream_of(arguments))
        stream->hold(arguments[1]->IsTrue());
}

void pause_stream(Arguments arguments) {
    if (Stream* stream = stream_of(arguments))
        stream->pause(arguments[1]->IsTrue());
}

// openListener(host, port, share, accepted): [a function that closes it, its
// port].
void open_listener(Arguments arguments) {
    const std::string host = utf8(arguments[0]);
    const Opened opened = listen_on(host, integer(arguments, 1), arguments[2]->IsTrue());
    if (opened.fd < 0) {
        return throw_unopened(opened, host + " port " + std::to_string(integer(arguments, 1)));
    }
    v8::Isolate* isolate = runtime().isolate;
    auto* listener = new Listener(opened.fd, arguments[3].As<v8::Function>());
    auto shut = v8::Function::New(
        context(),
        [](Arguments given) {
            static_cast<Listener*>(given.Data().As<v8::External>()->Value())->shut();
        },
        v8::External::New(isolate, listener));
    Local<v8::Value> both[] = {shut.ToLocalChecked(),
                               v8::Integer::New(isolate, port_of(opened.fd))};
    arguments.GetReturnValue().Set(v8::Array::New(isolate, both, 2));
}

}  // namespace

void define_streams(Local<v8::Object> native) {
    define(native, {{"setReadBuffer", set_read_buffer},
                    {"addressesOf", addresses_of_host},
                    {"openStream", open_stream},
                    {"adoptStream", adopt_stream},
                    {"secureStream", secure_stream},
                    {"serverEndPoint", server_end_point},
                    {"writeStream", write_stream},
                    {"finishStream", finish_stream},
                    {"closeStream", close_stream},
                    {"holdStream", hold_stream},
                    {"pauseStream", pause_stream},
                    {"openListener", open_listener}});
}

}  // namespace sparrow
