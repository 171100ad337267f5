#include <fcntl.h>
#include <sys/epoll.h>

#include <string>
#include <thread>

#include "inspector_link.hpp"
#include "isolate.hpp"
#include "runtime.hpp"

namespace sparrow {

using v8::Local;

namespace {

constexpr const char* kServer = "sparrow:internal/inspector-server";
InspectorLink* shared = nullptr;  // of the process; set before its thread starts

// Gives the server what the program sends to the client.
class Outgoing : public Watch {
public:
    explicit Outgoing(Local<v8::Function> send) : send_(runtime().isolate, send) {
        fd = fcntl(shared->to_client.descriptor(), F_DUPFD_CLOEXEC, 0);
        runtime().loop.add(*this, EPOLLIN);
    }

    void ready(std::uint32_t) override {
        shared->to_client.rest();
        for (const Message& message : shared->to_client.take()) {
            const v8::HandleScope handles(runtime().isolate);
            const std::string json(message.content.begin(), message.content.end());
            call(send_.Get(runtime().isolate), {text(json)});
            run_microtasks();
        }
    }

private:
    v8::Global<v8::Function> send_;
};

// openInspector(send): `send(text)` gets each message to the client.
void open_inspector(Arguments arguments) {
    new Outgoing(arguments[0].As<v8::Function>());
}

// tellProgram(event, text)
void tell_program(Arguments arguments) {
    Message message;
    message.content.push_back(static_cast<std::uint8_t>(integer(arguments, 0)));
    const std::string words = arguments[1]->IsString() ? utf8(arguments[1]) : "";
    message.content.insert(message.content.end(), words.begin(), words.end());
    shared->to_program.put(std::move(message));
    shared->interrupt();
}

}  // namespace

void start_inspector_server(InspectorLink& link, const std::string& host, int port) {
    shared = &link;
    Settings settings;
    settings.home = runtime().home;
    settings.arguments = {runtime().arguments[0], kServer, host, std::to_string(port)};
    for (const std::string& word : runtime().arguments)
        settings.arguments.push_back(word);
    std::thread([settings] {
        static_cast<Settings&>(runtime()) = settings;
        in_isolate([] { run_module(kServer); });
    }).detach();
}

void define_inspector(Local<v8::Object> native) {
    define(native, {{"openInspector", open_inspector}, {"tellProgram", tell_program}});
}

}  // namespace sparrow
