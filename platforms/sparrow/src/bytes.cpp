// Text as bytes, and digests and random bytes (OpenSSL, from the engine).

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "binding.hpp"

namespace sparrow {

using v8::Local;

namespace {

constexpr int kReplace = v8::String::WriteFlags::kReplaceInvalidUtf8;
constexpr auto kNormal = v8::NewStringType::kNormal;

// encode(string): its UTF-8.
Local<v8::Value> encode(Local<v8::String> string) {
    v8::Isolate* isolate = runtime().isolate;
    const std::size_t size = string->Utf8LengthV2(isolate);
    const auto buffer = v8::ArrayBuffer::New(isolate, size);
    string->WriteUtf8V2(isolate, static_cast<char*>(buffer->Data()), size, kReplace);
    return v8::Uint8Array::New(buffer, 0, size);
}

// encodeInto(string, view, offset): how many bytes; -1 if they do not fit.
int encode_into(Local<v8::String> string, Bytes into, int offset) {
    v8::Isolate* isolate = runtime().isolate;
    const auto begin = static_cast<std::size_t>(offset);
    const std::size_t size = string->Utf8LengthV2(isolate);
    if (begin > into.size || size > into.size - begin)
        return -1;
    string->WriteUtf8V2(isolate, reinterpret_cast<char*>(into.data) + begin, size, kReplace);
    return static_cast<int>(size);
}

std::span<const std::uint8_t> part_of(Bytes whole, double from, double to) {
    const auto begin = std::min(whole.size, static_cast<std::size_t>(from));
    const auto end = std::clamp(static_cast<std::size_t>(to), begin, whole.size);
    return {whole.data + begin, whole.data + end};
}

Local<v8::Value> made(v8::MaybeLocal<v8::String> string) {
    return string.IsEmpty() ? throw_error("the string would be too long")
                            : string.ToLocalChecked().As<v8::Value>();
}

v8::MaybeLocal<v8::String> latin1(std::span<const std::uint8_t> part) {
    if (part.size() > v8::String::kMaxLength)
        return {};
    return v8::String::NewFromOneByte(runtime().isolate, part.data(), kNormal,
                                      static_cast<int>(part.size()));
}

// decode(view, from, to): the string of this UTF-8; what is none becomes U+FFFD.
Local<v8::Value> decode(Bytes whole, double from, double to) {
    const auto part = part_of(whole, from, to);
    if (part.size() > v8::String::kMaxLength)
        return made({});
    if (std::all_of(part.begin(), part.end(), [](std::uint8_t byte) { return byte < 0x80; }))
        return made(latin1(part));
    return made(v8::String::NewFromUtf8(runtime().isolate,
                                        reinterpret_cast<const char*>(part.data()), kNormal,
                                        static_cast<int>(part.size())));
}

// decodeLatin1(view, from, to): a character for each byte.
Local<v8::Value> decode_latin1(Bytes whole, double from, double to) {
    return made(latin1(part_of(whole, from, to)));
}

// encodeLatin1(string): the lower byte of each character.
Local<v8::Value> encode_latin1(Local<v8::String> string) {
    v8::Isolate* isolate = runtime().isolate;
    const auto size = static_cast<std::uint32_t>(string->Length());
    const auto buffer = v8::ArrayBuffer::New(isolate, size);
    string->WriteOneByteV2(isolate, 0, size, static_cast<std::uint8_t*>(buffer->Data()));
    return v8::Uint8Array::New(buffer, 0, size);
}

using Digest = std::array<char, EVP_MAX_MD_SIZE>;

unsigned char* place(Digest& digest) {
    return reinterpret_cast<unsigned char*>(digest.data());
}

// digest(name, view)
Local<v8::Value> digest(const std::string& name, Bytes message) {
    const EVP_MD* kind = EVP_get_digestbyname(name.c_str());
    if (!kind)
        return throw_error("no digest has this name");
    Digest made{};
    unsigned int size = 0;
    EVP_Digest(message.data, message.size, place(made), &size, kind, nullptr);
    return bytes({made.data(), size});
}

// hmac(name, key, view)
Local<v8::Value> hmac(const std::string& name, Bytes key, Bytes message) {
    const EVP_MD* kind = EVP_get_digestbyname(name.c_str());
    if (!kind)
        return throw_error("no digest has this name");
    Digest made{};
    unsigned int size = 0;
    HMAC(kind, key.data, static_cast<int>(key.size), message.data, message.size, place(made),
         &size);
    return bytes({made.data(), size});
}

// pbkdf2Sha256(password, salt, iterations): 32 bytes.
Local<v8::Value> pbkdf2(Bytes password, Bytes salt, int iterations) {
    constexpr std::size_t size = 32;
    Digest made{};
    PKCS5_PBKDF2_HMAC(reinterpret_cast<const char*>(password.data), static_cast<int>(password.size),
                      salt.data, static_cast<int>(salt.size), iterations, EVP_sha256(), size,
                      place(made));
    return bytes({made.data(), size});
}

// fillRandom(view)
Local<v8::Value> fill_random(Bytes into) {
    if (RAND_bytes(into.data, static_cast<int>(into.size)) == 1)
        return {};
    return throw_error("the system provides no random bytes");
}

}  // namespace

void define_bytes(Local<v8::Object> native) {
    define(native, {{"encode", bound<encode>},
                    {"encodeInto", bound<encode_into>},
                    {"decode", bound<decode>},
                    {"decodeLatin1", bound<decode_latin1>},
                    {"encodeLatin1", bound<encode_latin1>},
                    {"digest", bound<digest>},
                    {"hmac", bound<hmac>},
                    {"pbkdf2Sha256", bound<pbkdf2>},
                    {"fillRandom", bound<fill_random>}});
}

}  // namespace sparrow
