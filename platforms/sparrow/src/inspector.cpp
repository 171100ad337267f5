#include "inspector.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/epoll.h>

#include <chrono>
#include <cstdio>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

#include "inspector_interface.hpp"
#include "inspector_link.hpp"
#include "module_names.hpp"
#include "modules.hpp"
#include "runtime.hpp"

namespace sparrow {

using v8::Local;
using v8_inspector::StringBuffer;
using v8_inspector::StringView;
using v8_inspector::V8Inspector;

namespace {

constexpr int kGroup = 1;  // of contexts; there is one

StringView view(std::string_view content) {
    return {reinterpret_cast<const std::uint8_t*>(content.data()), content.size()};
}

std::string utf8(StringView view) {
    v8::Isolate* isolate = runtime().isolate;
    const v8::HandleScope handles(isolate);
    const int length = static_cast<int>(view.length());
    const auto kind = v8::NewStringType::kNormal;
    const auto made = view.is_8_bit()
                          ? v8::String::NewFromOneByte(isolate, view.characters_8(), kind, length)
                          : v8::String::NewFromTwoByte(isolate, view.characters_16(), kind, length);
    return sparrow::utf8(made.FromMaybe(v8::String::Empty(isolate)));
}

// The program's side: a session for the client, if there is one.
class Inspector : public v8_inspector::V8InspectorClient,
                  public V8Inspector::Channel,
                  public Watch {
public:
    explicit Inspector(const InspectorOption& option)
        : context_(runtime().isolate, context()),
          inspector_(V8Inspector::create(runtime().isolate, this)) {
        v8_inspector::V8ContextInfo info;
        info.context = context();
        info.group = kGroup;
        info.name = view("sparrow");
        inspector_->contextCreated(info);
        extend_console();
        // Otherwise V8 prints what a verbose TryCatch catches.
        runtime().isolate->AddMessageListener([](Local<v8::Message>, Local<v8::Value>) {});
        fd = fcntl(link_.to_program.descriptor(), F_DUPFD_CLOEXEC, 0);
        runtime().loop.add(*this, EPOLLIN);
        runtime().loop.each_second.emplace_back([this] {
            for (const auto& [data, callback] : timers_)
                callback(data);
        });
        link_.interrupt = [this, isolate = runtime().isolate] {
            isolate->RequestInterrupt(
                [](v8::Isolate*, void* own) { static_cast<Inspector*>(own)->receive(); }, this);
        };
        start_inspector_server(link_, option.host, option.port);
        receive_until([this] { return listens_; });
    }

    void await_release() {
        released_ = false;
        receive_until([this] { return released_; });
    }

    void pause_next() {
        if (session_)
            session_->schedulePauseOnNextStatement(view("Break on start"), view("{}"));
    }

    void exception(Local<v8::Value> thrown, Local<v8::Message> message) {
        v8::Isolate* isolate = runtime().isolate;
        const v8::String::Value words(isolate, message->Get());
        const StringView details(*words, static_cast<std::size_t>(words.length()));
        const std::string url = source_url(sparrow::utf8(message->GetScriptResourceName()));
        const auto line = message->GetLineNumber(context()).FromMaybe(0);
        const auto column = message->GetStartColumn(context()).FromMaybe(-1) + 1;
        inspector_->exceptionThrown(context(), view("Uncaught"), thrown, details, view(url),
                                    static_cast<unsigned>(line), static_cast<unsigned>(column),
                                    inspector_->createStackTrace(message->GetStackTrace()),
                                    message->GetScriptOrigin().ScriptId());
    }

    void await_disconnection() {
        if (!session_ || std::exchange(ends_, true))
            return;
        std::fputs("Waiting for the debugger to disconnect...\n", stderr);
        inspector_->contextDestroyed(context_.Get(runtime().isolate));
        receive_until([this] { return !session_; });
    }

    // Watch: the program is in its loop.
    void ready(std::uint32_t) override {
        const v8::HandleScope handles(runtime().isolate);
        receive();
        run_microtasks();
    }

    // V8InspectorClient
    void runMessageLoopOnPause(int) override {
        if (std::exchange(paused_, true))
            return;
        receive_until([this] { return !paused_; });
    }
    void quitMessageLoopOnPause() override { paused_ = false; }
    void runIfWaitingForDebugger(int) override { released_ = true; }
    Local<v8::Context> ensureDefaultContextInGroup(int) override {
        return context_.Get(runtime().isolate);
    }
    double currentTimeMS() override {
        const auto now = std::chrono::system_clock::now().time_since_epoch();
        return std::chrono::duration<double, std::milli>(now).count();
    }
    // Only statistics of the heap use timers, which need no better clock than the loop's second.
    void startRepeatingTimer(double, TimerCallback callback, void* data) override {
        timers_[data] = callback;
    }
    void cancelTimer(void* data) override { timers_.erase(data); }
    std::unique_ptr<StringBuffer> resourceNameToUrl(View name) override {
        const std::string url = source_url(utf8(name));
        return StringBuffer::create(view(url));
    }

    // Channel
    void sendResponse(int, std::unique_ptr<StringBuffer> message) override { send(*message); }
    void sendNotification(std::unique_ptr<StringBuffer> message) override { send(*message); }
    void flushProtocolNotifications() override {}

private:
    // V8 may be anywhere, also where its heap must not be used. What V8 writes is ASCII.
    void send(const StringBuffer& message) {
        const StringView json = message.string();
        Message sent;
        if (json.is_8_bit())
            sent.content.assign(json.characters_8(), json.characters_8() + json.length());
        else
            sent.content.assign(json.characters_16(), json.characters_16() + json.length());
        link_.to_client.put(std::move(sent));
    }

    bool next(Message& message) {
        if (waiting_.empty()) {
            link_.to_program.rest();
            for (Message& one : link_.to_program.take())
                waiting_.push_back(std::move(one));
        }
        if (waiting_.empty())
            return false;
        message = std::move(waiting_.front());
        waiting_.pop_front();
        return true;
    }

    // Handles what has arrived. An interrupt in the middle of a message changes nothing: the
    // messages keep their order.
    void receive() {
        if (std::exchange(receiving_, true))
            return;
        for (Message message; next(message);)
            handle(message);
        receiving_ = false;
    }

    // The program stands still until `done()`, perhaps in the middle of a message.
    void receive_until(const std::function<bool()>& done) {
        const bool outer = std::exchange(receiving_, false);
        for (receive(); !done(); receive()) {
            pollfd arrived{link_.to_program.descriptor(), POLLIN, 0};
            poll(&arrived, 1, -1);
        }
        receiving_ = outer;
    }

    void handle(const Message& message) {
        const v8::HandleScope handles(runtime().isolate);
        switch (message.content.front()) {
            case kListening:
                listens_ = true;
                break;
            case kOpened:
                session_ = inspector_->connectShared(kGroup, this, {}, V8Inspector::kFullyTrusted,
                                                     V8Inspector::kNotWaitingForDebugger);
                break;
            case kClosed:  // a program that is paused goes on
                session_->stop();
                session_.reset();
                break;
            default:
                session_->dispatchProtocolMessage(
                    {message.content.data() + 1, message.content.size() - 1});
        }
    }

    InspectorLink link_;
    v8::Global<v8::Context> context_;
    std::unique_ptr<V8Inspector> inspector_;
    std::shared_ptr<v8_inspector::V8InspectorSession> session_;
    std::deque<Message> waiting_;
    std::map<void*, TimerCallback> timers_;
    bool listens_ = false, released_ = false, paused_ = false, receiving_ = false, ends_ = false;
};

// Of the main thread. It is never deleted: the process ends first.
thread_local Inspector* inspector = nullptr;

}  // namespace

void start_inspector(const InspectorOption& option) {
    inspector = new Inspector(option);
}

void await_debugger(const std::string& file) {
    inspector->await_release();
    prepare_module(file);
    inspector->pause_next();
}

bool is_inspected() {
    return inspector != nullptr;
}

void inspect_uncaught(Local<v8::Value> thrown, Local<v8::Message> message) {
    if (inspector && !message.IsEmpty())
        inspector->exception(thrown, message);
}

void await_end_of_debugger() {
    if (inspector)
        inspector->await_disconnection();
}

void abandon_inspector() {
    inspector = nullptr;
}

}  // namespace sparrow
