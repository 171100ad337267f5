// The HTTP server for JavaScript: calls its function for each request, and takes the answers.

#include <array>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "binding.hpp"
#include "http_service.hpp"
#include "listening.hpp"
#include "sockets.hpp"
#include "tls.hpp"

namespace sparrow {

using v8::Local;

namespace {

constexpr std::size_t kTargets = 256;
constexpr std::size_t kCachedTarget = 64;

// Each byte of a head is a character of Latin-1, as in Node and on the web.
Local<v8::String> latin1(std::string_view bytes) {
    return v8::String::NewFromOneByte(runtime().isolate,
                                      reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                      v8::NewStringType::kNormal, static_cast<int>(bytes.size()))
        .ToLocalChecked();
}

std::string latin1(Local<v8::Value> value) {
    const auto string = value.As<v8::String>();
    std::string bytes(static_cast<std::size_t>(string->Length()), '\0');
    string->WriteOneByteV2(runtime().isolate, 0, static_cast<std::uint32_t>(bytes.size()),
                           reinterpret_cast<std::uint8_t*>(bytes.data()));
    return bytes;
}

// Strings of the targets seen last, so that a route costs no allocation.
class Targets {
public:
    Local<v8::String> string(std::string_view target) {
        v8::Isolate* isolate = runtime().isolate;
        if (target.size() > kCachedTarget)
            return latin1(target);
        Entry& entry = entries_[std::hash<std::string_view>()(target) % kTargets];
        if (entry.target != target) {
            entry.target = target;
            entry.string.Reset(isolate, latin1(target));
        }
        return entry.string.Get(isolate);
    }

private:
    struct Entry {
        std::string target;
        v8::Global<v8::String> string;
    };

    std::array<Entry, kTargets> entries_;
};

// What the servers of a thread share, because V8 keeps each template until its end.
struct Shared {
    Shared() {
        const auto shape = v8::ObjectTemplate::New(runtime().isolate);
        shape->SetInternalFieldCount(1);
        reference.Reset(runtime().isolate, shape);
    }

    v8::Global<v8::ObjectTemplate> reference;  // to a server
};

// What the server and its JavaScript tell each other in an array: of the request that is
// dispatched, its number, its method and whether it has a body; and the head of its answer.
enum Turn : std::uint8_t { kSerial, kMethod, kHasBody, kHead };

// Whether text in Latin-1 is the same bytes in UTF-8.
bool is_ascii(const std::uint8_t* data, std::size_t size) {
    std::uint64_t all = 0;
    std::uint64_t word = 0;
    for (; size >= sizeof word; size -= sizeof word, data += sizeof word) {
        std::memcpy(&word, data, sizeof word);
        all |= word;
    }
    while (size > 0)
        all |= data[--size];
    return (all & 0x8080808080808080) == 0;
}

class HttpServer : public HttpApplication {
public:
    HttpServer(HttpLimits limits, Local<v8::Object> functions, Local<v8::Int32Array> turn)
        : service_(new HttpService(runtime().loop, *this, limits)),
          turn_store_(turn->Buffer()->GetBackingStore()),
          turn_(static_cast<std::int32_t*>(turn_store_->Data())) {
        const auto function = [&](const char* name) {
            const auto value = functions->Get(context(), constant(name)).ToLocalChecked();
            return Callback(value.As<v8::Function>());
        };
        dispatch_ = function("dispatch");
        drained_ = function("drained");
        closed_ = function("closed");
        upgraded_ = function("upgraded");
        stopped_ = function("stopped");
        Loop& loop = runtime().loop;
        after_ = loop.after.emplace(loop.after.end(), [this] {
            const v8::HandleScope handles(runtime().isolate);
            service_->resume_all();
            run_microtasks();
        });
        each_second_ = loop.each_second.emplace(loop.each_second.end(), [this] {
            const v8::HandleScope handles(runtime().isolate);
            service_->each_second();
        });
    }

    ~HttpServer() override {
        runtime().loop.after.erase(after_);
        runtime().loop.each_second.erase(each_second_);
        const v8::HandleScope handles(runtime().isolate);
        refer(own_.Get(runtime().isolate), nullptr);
    }

    // What the functions of JavaScript know the server by.
    Local<v8::Object> reference() {
        v8::Isolate* isolate = runtime().isolate;
        const auto shape = shared_.reference.Get(isolate);
        const auto made = shape->NewInstance(context()).ToLocalChecked();
        refer(made, this);
        own_.Reset(isolate, made);
        return made;
    }

    // Null if it has stopped.
    static HttpServer* referred(Local<v8::Value> reference) {
        return static_cast<HttpServer*>(
            reference.As<v8::Object>()->GetAlignedPointerFromInternalField(
                0, v8::kEmbedderDataTypeTagDefault));
    }

    void handle(HttpConnection& connection) override {
        const v8::HandleScope handles(runtime().isolate);
        dispatched_ = &connection;
        dispatch_(connection.index, target());
    }

    // Answers what is dispatched. The target of the next request, if that is to be dispatched too.
    Local<v8::Value> answer(Local<v8::Value> body) {
        respond(*dispatched_, turn_[kHead], body);
        return dispatched_->next() ? target() : Local<v8::Value>();
    }

    Local<v8::Value> method() const {
        const std::size_t size = dispatched_->head().method_length;
        return text({dispatched_->target().data() - 1 - size, size});
    }

    Local<v8::Value> body() { return bytes(dispatched_->take_body()); }

    void drained(HttpConnection& connection) override { drained_.run(connection.index); }
    void closed(HttpConnection& connection) override { closed_.run(connection.index); }

    void upgraded(std::uint32_t index, int socket, SSL* tls, std::string_view arrived) override {
        v8::Isolate* isolate = runtime().isolate;
        const v8::HandleScope handles(isolate);
        const Local<v8::Value> session = tls ? Local<v8::Value>(v8::External::New(isolate, tls))
                                             : Local<v8::Value>(v8::Undefined(isolate));
        upgraded_(index, socket, session, bytes(arrived));
    }

    void stopped() override {
        const v8::HandleScope handles(runtime().isolate);
        stopped_();
    }

    void respond(HttpConnection& connection, int head, Local<v8::Value> body) {
        const auto send = [&](const std::uint8_t* data, std::size_t size) {
            connection.answer(heads_[head], {reinterpret_cast<const char*>(data), size});
        };
        if (!body->IsString()) {
            const Bytes content = bytes_of(body);
            return send(content.data, content.size);
        }
        v8::Isolate* isolate = runtime().isolate;
        {
            const v8::String::ValueView view(isolate, body.As<v8::String>());
            if (view.is_one_byte() && is_ascii(view.data8(), view.length()))
                return send(view.data8(), view.length());
        }
        const v8::String::Utf8Value encoded(isolate, body);
        send(reinterpret_cast<const std::uint8_t*>(*encoded), encoded.length());
    }

    int add_head(int status, const std::string& lines) {
        heads_.push_back({lines, status});
        return static_cast<int>(heads_.size()) - 1;
    }

    // A head that is used once.
    void respond_once(HttpConnection& connection, int status, const std::string& lines,
                      Local<v8::Value> body) {
        heads_[0] = {lines, status};
        respond(connection, 0, body);
    }

    AnswerHead& once() { return heads_[0]; }
    HttpService& service() { return *service_; }

private:
    // Of what is dispatched. The rest of what JavaScript has to know of it is in `turn_`.
    Local<v8::Value> target() {
        turn_[kSerial] = static_cast<std::int32_t>(dispatched_->serial);
        turn_[kMethod] = static_cast<std::int32_t>(dispatched_->head().method);
        turn_[kHasBody] = dispatched_->has_body();
        return targets_.string(dispatched_->target());
    }

    static void refer(Local<v8::Object> reference, HttpServer* server) {
        reference->SetAlignedPointerInInternalField(0, server, v8::kEmbedderDataTypeTagDefault);
    }

    HttpService* service_;
    Tasks::iterator after_, each_second_;
    v8::Global<v8::Object> own_;  // its reference
    std::shared_ptr<v8::BackingStore> turn_store_;
    std::int32_t* turn_;                    // by Turn
    HttpConnection* dispatched_ = nullptr;  // while its requests are
    Callback dispatch_, drained_, closed_, upgraded_, stopped_;
    Shared& shared_ = part<Shared>();
    std::vector<AnswerHead> heads_{AnswerHead{}};
    Targets targets_;
};

// The server of a function; null if it has stopped.
HttpServer* server_of(Arguments arguments) {
    return HttpServer::referred(arguments.Data());
}

// The request that the first two arguments name; null if its connection is gone or it is answered.
HttpConnection* request_of(Arguments arguments) {
    HttpServer* server = server_of(arguments);
    return server ? server->service().find(static_cast<std::uint32_t>(integer(arguments, 0)),
                                           static_cast<std::uint32_t>(integer(arguments, 1)))
                  : nullptr;
}

// header(index, serial, name in lower case): its values, joined; undefined if there is none.
void header(Arguments arguments) {
    const HttpConnection* request = request_of(arguments);
    if (!request)
        return;
    const std::string wanted = utf8(arguments[2]);
    std::string joined;
    bool found = false;
    for (std::size_t i = 0; i < request->head().header_count; i++) {
        if (!same_name(request->header(i, true), wanted))
            continue;
        if (found)
            joined += ", ";
        joined += request->header(i, false);
        found = true;
    }
    if (found)
        arguments.GetReturnValue().Set(latin1(joined));
}

// headers(index, serial): [name, value, name, value, …]
void headers(Arguments arguments) {
    const HttpConnection* request = request_of(arguments);
    std::vector<Local<v8::Value>> all;
    for (std::uint32_t i = 0; request && i < request->head().header_count; i++) {
        all.push_back(latin1(request->header(i, true)));
        all.push_back(latin1(request->header(i, false)));
    }
    arguments.GetReturnValue().Set(value_of(all));
}

// beginStream(index, serial, status, lines); the stream's functions return the
// bytes that wait for the client, or -1 if it is gone. The answer to HEAD has
// no body, so it ends at once, as if its client were gone.
void begin_stream(Arguments arguments) {
    HttpConnection* request = request_of(arguments);
    if (!request)
        return arguments.GetReturnValue().Set(-1);
    AnswerHead& head = server_of(arguments)->once();
    head = {latin1(arguments[3]), integer(arguments, 2)};
    const std::size_t waiting = request->begin_stream(head);
    if (request->head().method == Method::head && request->handling())
        request->end_stream();
    const bool streams = request_of(arguments) != nullptr;
    arguments.GetReturnValue().Set(streams ? static_cast<double>(waiting) : -1);
}

// writeStream(index, serial, view)
void write_stream(Arguments arguments) {
    HttpConnection* request = request_of(arguments);
    if (!request)
        return arguments.GetReturnValue().Set(-1);
    const Bytes content = bytes_of(arguments[2]);
    const auto* begin = reinterpret_cast<const char*>(content.data);
    arguments.GetReturnValue().Set(
        static_cast<double>(request->write_stream({begin, content.size})));
}

HttpLimits limits_of(Local<v8::Object> options) {
    HttpLimits limits;
    const auto read = [&](const char* name, auto& value) {
        const auto given = options->Get(context(), constant(name)).ToLocalChecked();
        if (given->IsNumber())
            value = static_cast<std::remove_reference_t<decltype(value)>>(
                given.As<v8::Number>()->Value());
    };
    read("headMs", limits.head_ms);
    read("bodyMs", limits.body_ms);
    read("idleMs", limits.idle_ms);
    read("writeMs", limits.write_ms);
    read("bodyBytes", limits.body_bytes);
    return limits;
}

// openHttp(host, port, share, limits, tls, {dispatch, drained, closed, upgraded, stopped}, turn)
Local<v8::Value> open_http(const std::string& host, int port, bool share, Local<v8::Object> limits,
                           Local<v8::Value> context_of_tls, Local<v8::Object> functions,
                           Local<v8::Int32Array> turn) {
    const int listener = listening(host, port, share);
    if (listener < 0)
        return {};
    auto* server = new HttpServer(limits_of(limits), functions, turn);
    if (SSL_CTX* tls = tls_context_of(context_of_tls)) {
        SSL_CTX_up_ref(tls);
        speak_http(tls);
        server->service().tls = tls;
    }
    const auto made = v8::Object::New(runtime().isolate);
    const auto data = server->reference();
    const auto add = [&](const char* name, v8::FunctionCallback function) {
        set(made, name, v8::Function::New(context(), function, data).ToLocalChecked());
    };
    add("header", header);
    add("headers", headers);
    // addHead(status, lines): its index; -1 if the server has stopped.
    add("addHead", [](Arguments given) {
        HttpServer* to = server_of(given);
        given.GetReturnValue().Set(to ? to->add_head(integer(given, 0), latin1(given[1])) : -1);
    });
    // answer(body), method(), body(): for the request that is dispatched.
    add("answer",
        [](Arguments given) { given.GetReturnValue().Set(server_of(given)->answer(given[0])); });
    add("method", [](Arguments given) { given.GetReturnValue().Set(server_of(given)->method()); });
    add("body", [](Arguments given) { given.GetReturnValue().Set(server_of(given)->body()); });
    // respond(index, serial, head, body)
    add("respond", [](Arguments given) {
        if (HttpConnection* request = request_of(given))
            server_of(given)->respond(*request, integer(given, 2), given[3]);
    });
    // respondOnce(index, serial, status, lines, body)
    add("respondOnce", [](Arguments given) {
        if (HttpConnection* request = request_of(given))
            server_of(given)->respond_once(*request, integer(given, 2), latin1(given[3]), given[4]);
    });
    add("beginStream", begin_stream);
    add("writeStream", write_stream);
    // endStream(index, serial, whole): a stream that is not whole ends its connection.
    add("endStream", [](Arguments given) {
        if (HttpConnection* request = request_of(given))
            given[2]->IsTrue() ? request->end_stream() : request->shut();
    });
    // upgrade(index, serial, lines): whether `upgraded(index, socket, tls, bytes)` or
    // `closed(index)` is called for it.
    add("upgrade", [](Arguments given) {
        HttpConnection* request = request_of(given);
        given.GetReturnValue().Set(request && request->upgrade(latin1(given[2])));
    });
    add("stop", [](Arguments given) {
        if (HttpServer* of = server_of(given))
            of->service().stop();
    });
    add("connections", [](Arguments given) {
        HttpServer* of = server_of(given);
        given.GetReturnValue().Set(value_of(of ? of->service().open_connections() : 0));
    });
    set(made, "port", value_of(port_of(listener)));
    server->service().listen(listener);
    return made;
}

}  // namespace

void define_http(Local<v8::Object> native) {
    define(native, {{"openHttp", bound<open_http>}});
}

}  // namespace sparrow
