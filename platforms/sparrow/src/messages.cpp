#include "messages.hpp"

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "runtime.hpp"

namespace sparrow {

using v8::Local;

namespace {

class Writing : public v8::ValueSerializer::Delegate {
public:
    explicit Writing(Message& message) : message_(message) {}

    void ThrowDataCloneError(Local<v8::String> what) override {
        runtime().isolate->ThrowException(v8::Exception::Error(what));
    }

    v8::Maybe<std::uint32_t> GetSharedArrayBufferId(v8::Isolate*,
                                                    Local<v8::SharedArrayBuffer> buffer) override {
        message_.shared.push_back(buffer->GetBackingStore());
        return v8::Just(static_cast<std::uint32_t>(message_.shared.size() - 1));
    }

private:
    Message& message_;
};

class Reading : public v8::ValueDeserializer::Delegate {
public:
    explicit Reading(const Message& message) : message_(message) {}

    v8::MaybeLocal<v8::SharedArrayBuffer> GetSharedArrayBufferFromId(v8::Isolate* isolate,
                                                                     std::uint32_t id) override {
        return v8::SharedArrayBuffer::New(isolate, message_.shared.at(id));
    }

private:
    const Message& message_;
};

}  // namespace

bool write(Local<v8::Value> value, Message& message) {
    Writing delegate(message);
    v8::ValueSerializer serializer(runtime().isolate, &delegate);
    serializer.WriteHeader();
    if (!serializer.WriteValue(context(), value).FromMaybe(false))
        return false;
    const auto [data, size] = serializer.Release();
    message.content.assign(data, data + size);
    std::free(data);
    return true;
}

v8::MaybeLocal<v8::Value> read(const Message& message) {
    Reading delegate(message);
    v8::ValueDeserializer deserializer(runtime().isolate, message.content.data(),
                                       message.content.size(), &delegate);
    if (!deserializer.ReadHeader(context()).FromMaybe(false))
        return {};
    return deserializer.ReadValue(context());
}

Inbox::Inbox() : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

Inbox::~Inbox() {
    close(descriptor_);
}

void Inbox::put(Message message) {
    {
        const std::lock_guard lock(mutex_);
        messages_.push_back(std::move(message));
    }
    wake();
}

void Inbox::wake() const {
    const std::uint64_t one = 1;
    (void)!::write(descriptor_, &one, sizeof one);
}

void Inbox::rest() const {
    std::uint64_t count = 0;
    (void)!::read(descriptor_, &count, sizeof count);
}

std::vector<Message> Inbox::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(messages_, {});
}

}  // namespace sparrow
