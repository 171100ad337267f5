#include <fcntl.h>
#include <sys/epoll.h>

#include <string>
#include <thread>

#include "binding.hpp"
#include "inspector_link.hpp"
#include "isolate.hpp"

namespace sparrow {

using v8::Local;

namespace {

constexpr const char* kServer = "sparrow:internal/inspector-server";
InspectorLink* shared = nullptr;  // of the process; set before its thread starts

// Gives the server what the program sends to the client.
class Outgoing : public Watch {
public:
    explicit Outgoing(Callback send) : send_(std::move(send)) {
        fd = fcntl(shared->to_client.descriptor(), F_DUPFD_CLOEXEC, 0);
        runtime().loop.add(*this, EPOLLIN);
    }

    void ready(std::uint32_t) override {
        shared->to_client.rest();
        for (const Message& message : shared->to_client.take())
            send_.run(std::string(message.content.begin(), message.content.end()));
    }

private:
    Callback send_;
};

// openInspector(send): `send(text)` gets each message to the client.
void open_inspector(Callback send) {
    new Outgoing(std::move(send));
}

// tellProgram(event, text)
void tell_program(int event, Local<v8::Value> text) {
    Message message;
    message.content.push_back(static_cast<std::uint8_t>(event));
    const std::string words = text->IsString() ? utf8(text) : "";
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
    define(native,
           {{"openInspector", bound<open_inspector>}, {"tellProgram", bound<tell_program>}});
}

}  // namespace sparrow
