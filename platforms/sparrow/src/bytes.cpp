// Text as bytes, base64, and the digests that a SCRAM login needs (OpenSSL,
// from the engine).

#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "runtime.hpp"

namespace sparrow {

using v8::Local;

namespace {

constexpr int kReplace = v8::String::WriteFlags::kReplaceInvalidUtf8;

// encode(string): its UTF-8.
void encode(Arguments arguments) {
    const Local<v8::String> string = arguments[0].As<v8::String>();
    v8::Isolate* isolate = runtime().isolate;
    const std::size_t size = string->Utf8LengthV2(isolate);
    const auto buffer = v8::ArrayBuffer::New(isolate, size);
    string->WriteUtf8V2(isolate, static_cast<char*>(buffer->Data()), size, kReplace);
    arguments.GetReturnValue().Set(v8::Uint8Array::New(buffer, 0, size));
}

// encodeInto(string, view, offset): how many bytes; -1 if they do not fit.
void encode_into(Arguments arguments) {
    const Local<v8::String> string = arguments[0].As<v8::String>();
    v8::Isolate* isolate = runtime().isolate;
    const Bytes into = bytes_of(arguments[1]);
    const auto offset = static_cast<std::size_t>(integer(arguments, 2));
    const std::size_t size = string->Utf8LengthV2(isolate);
    if (offset > into.size || size > into.size - offset)
        return arguments.GetReturnValue().Set(-1);
    string->WriteUtf8V2(isolate, reinterpret_cast<char*>(into.data) + offset, size, kReplace);
    arguments.GetReturnValue().Set(static_cast<int>(size));
}

// decode(view, from, to): the string of this UTF-8; what is none becomes
// U+FFFD.
void decode(Arguments arguments) {
    const Bytes from = bytes_of(arguments[0]);
    const auto begin = std::min(from.size, static_cast<std::size_t>(number(arguments, 1)));
    const auto end = std::clamp(static_cast<std::size_t>(number(arguments, 2)), begin, from.size);
    const std::uint8_t* first = from.data + begin;
    const std::uint8_t* last = from.data + end;
    const bool ascii = std::all_of(first, last, [](std::uint8_t byte) { return byte < 0x80; });
    v8::Isolate* isolate = runtime().isolate;
    const int size = static_cast<int>(end - begin);
    const auto made =
        ascii ? v8::String::NewFromOneByte(isolate, first, v8::NewStringType::kNormal, size)
              : v8::String::NewFromUtf8(isolate, reinterpret_cast<const char*>(first),
                                        v8::NewStringType::kNormal, size);
    Local<v8::String> string;
    if (!made.ToLocal(&string))
        return throw_error("the string would be too long");
    arguments.GetReturnValue().Set(string);
}

// decodeLatin1(view, from, to): a character for each byte.
void decode_latin1(Arguments arguments) {
    const Bytes from = bytes_of(arguments[0]);
    const auto begin = std::min(from.size, static_cast<std::size_t>(number(arguments, 1)));
    const auto end = std::clamp(static_cast<std::size_t>(number(arguments, 2)), begin, from.size);
    Local<v8::String> string;
    if (!v8::String::NewFromOneByte(runtime().isolate, from.data + begin,
                                    v8::NewStringType::kNormal, static_cast<int>(end - begin))
             .ToLocal(&string))
        return throw_error("the string would be too long");
    arguments.GetReturnValue().Set(string);
}

// encodeLatin1(string): the lower byte of each character.
void encode_latin1(Arguments arguments) {
    const Local<v8::String> string = arguments[0].As<v8::String>();
    v8::Isolate* isolate = runtime().isolate;
    const auto size = static_cast<std::uint32_t>(string->Length());
    const auto buffer = v8::ArrayBuffer::New(isolate, size);
    string->WriteOneByteV2(isolate, 0, size, static_cast<std::uint8_t*>(buffer->Data()));
    arguments.GetReturnValue().Set(v8::Uint8Array::New(buffer, 0, size));
}

// digest(name, view)
void digest(Arguments arguments) {
    const EVP_MD* kind = EVP_get_digestbyname(utf8(arguments[0]).c_str());
    if (!kind)
        return throw_error("no digest has this name");
    const Bytes message = bytes_of(arguments[1]);
    std::array<unsigned char, EVP_MAX_MD_SIZE> made{};
    unsigned int size = 0;
    EVP_Digest(message.data, message.size, made.data(), &size, kind, nullptr);
    arguments.GetReturnValue().Set(bytes({reinterpret_cast<char*>(made.data()), size}));
}

// hmac(name, key, view)
void hmac(Arguments arguments) {
    const EVP_MD* kind = EVP_get_digestbyname(utf8(arguments[0]).c_str());
    if (!kind)
        return throw_error("no digest has this name");
    const Bytes key = bytes_of(arguments[1]);
    const Bytes message = bytes_of(arguments[2]);
    std::array<unsigned char, EVP_MAX_MD_SIZE> made{};
    unsigned int size = 0;
    HMAC(kind, key.data, static_cast<int>(key.size), message.data, message.size, made.data(),
         &size);
    arguments.GetReturnValue().Set(bytes({reinterpret_cast<char*>(made.data()), size}));
}

// pbkdf2Sha256(password, salt, iterations): 32 bytes.
void pbkdf2(Arguments arguments) {
    const Bytes password = bytes_of(arguments[0]);
    const Bytes salt = bytes_of(arguments[1]);
    std::array<unsigned char, 32> made{};
    PKCS5_PBKDF2_HMAC(reinterpret_cast<const char*>(password.data), static_cast<int>(password.size),
                      salt.data, static_cast<int>(salt.size), integer(arguments, 2), EVP_sha256(),
                      made.size(), made.data());
    arguments.GetReturnValue().Set(bytes({reinterpret_cast<char*>(made.data()), made.size()}));
}

// fillRandom(view)
void fill_random(Arguments arguments) {
    const Bytes into = bytes_of(arguments[0]);
    if (RAND_bytes(into.data, static_cast<int>(into.size)) != 1)
        throw_error("the system provides no random bytes");
}

void to_base64(Arguments arguments) {
    const Bytes from = bytes_of(arguments[0]);
    std::string made((from.size + 2) / 3 * 4 + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(made.data()), from.data,
                                     static_cast<int>(from.size));
    arguments.GetReturnValue().Set(text({made.data(), static_cast<std::size_t>(size)}));
}

void from_base64(Arguments arguments) {
    const std::string words = utf8(arguments[0]);
    std::string made(words.size() / 4 * 3 + 3, '\0');
    const int size = EVP_DecodeBlock(reinterpret_cast<unsigned char*>(made.data()),
                                     reinterpret_cast<const unsigned char*>(words.data()),
                                     static_cast<int>(words.size()));
    if (size < 0)
        return throw_error("this is not base64");
    const auto padding = std::count(
        words.end() - std::min<long>(2, static_cast<long>(words.size())), words.end(), '=');
    arguments.GetReturnValue().Set(
        bytes(std::string_view(made).substr(0, static_cast<std::size_t>(size - padding))));
}

}  // namespace

void define_bytes(Local<v8::Object> native) {
    define(native, {{"encode", encode},
                    {"encodeInto", encode_into},
                    {"decode", decode},
                    {"decodeLatin1", decode_latin1},
                    {"encodeLatin1", encode_latin1},
                    {"digest", digest},
                    {"hmac", hmac},
                    {"pbkdf2Sha256", pbkdf2},
                    {"fillRandom", fill_random},
                    {"toBase64", to_base64},
                    {"fromBase64", from_base64}});
}

}  // namespace sparrow
