#include "tls.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "binding.hpp"
#include "peer.hpp"
#include "tls_sessions.hpp"

namespace sparrow {

using v8::Local;

namespace {

constexpr std::string_view kHttp = "\x08http/1.1";

template <auto release>
struct Release {
    template <typename T>
    void operator()(T* one) const {
        release(one);
    }
};

using Text = std::unique_ptr<BIO, Release<BIO_free>>;
using Key = std::unique_ptr<EVP_PKEY, Release<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Release<X509_free>>;
using Context = std::unique_ptr<SSL_CTX, Release<SSL_CTX_free>>;

// Keys with a password are refused; OpenSSL would ask for it at the terminal.
int no_password(char*, int, int, void*) {
    return -1;
}

Text text_of(const std::string& pem) {
    return Text(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// All certificates of the text. None: OpenSSL complains of something.
std::vector<Certificate> certificates_of(const std::string& pem) {
    const Text from = text_of(pem);
    std::vector<Certificate> all;
    ERR_clear_error();
    while (X509* one = PEM_read_bio_X509(from.get(), nullptr, no_password, nullptr))
        all.emplace_back(one);
    if (ERR_GET_REASON(ERR_peek_last_error()) != PEM_R_NO_START_LINE)
        all.clear();
    return all;
}

// The first certificate is the own one, and the others lead to an authority.
bool use_certificates(SSL_CTX* context, const std::string& pem) {
    const auto all = certificates_of(pem);
    for (const Certificate& one : all) {
        const bool first = &one == all.data();
        if ((first ? SSL_CTX_use_certificate(context, one.get())
                   : SSL_CTX_add1_chain_cert(context, one.get())) != 1)
            return false;
    }
    return !all.empty();
}

bool use_key(SSL_CTX* context, const std::string& pem) {
    ERR_clear_error();
    const Key key(PEM_read_bio_PrivateKey(text_of(pem).get(), nullptr, no_password, nullptr));
    return key && SSL_CTX_use_PrivateKey(context, key.get()) == 1 &&
           SSL_CTX_check_private_key(context) == 1;
}

bool trust(SSL_CTX* context, const std::string& pem) {
    const auto all = certificates_of(pem);
    for (const Certificate& one : all) {
        if (X509_STORE_add_cert(SSL_CTX_get_cert_store(context), one.get()) != 1)
            return false;
    }
    return !all.empty();
}

// JavaScript's hold on a context, which ends with its value.
struct Held {
    Context context;
    v8::Global<v8::External> value;
};

Local<v8::Value> held(Context context) {
    auto* one = new Held{std::move(context), {}};
    const auto value = v8::External::New(runtime().isolate, one);
    one->value.Reset(runtime().isolate, value);
    one->value.SetWeak(
        one,
        [](const v8::WeakCallbackInfo<Held>& info) {
            info.GetParameter()->value.Reset();
            delete info.GetParameter();
        },
        v8::WeakCallbackType::kParameter);
    return value;
}

// tlsContext(certificates, key, authorities): PEM each, or undefined.
Local<v8::Value> tls_context(Local<v8::Value> certificates, Local<v8::Value> key,
                             Local<v8::Value> authorities) {
    Context context(SSL_CTX_new(TLS_method()));
    SSL_CTX* own = context.get();
    SSL_CTX_set_min_proto_version(own, TLS1_2_VERSION);
    SSL_CTX_set_mode(own, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                              SSL_MODE_RELEASE_BUFFERS);
    SSL_CTX_set_options(own, SSL_OP_NO_RENEGOTIATION);
    // Servers keep no sessions: their clients have them in tickets.
    keep_sessions(own);
    const auto use = [&](Local<v8::Value> pem, const char* what,
                         bool (*step)(SSL_CTX*, const std::string&)) {
        if (pem->IsUndefined() || step(own, utf8(pem)))
            return true;
        throw_error(std::string("TLS: ") + what + " cannot be used: " + tls_complaint());
        return false;
    };
    if (use(certificates, "the certificate", use_certificates) && use(key, "the key", use_key) &&
        use(authorities, "an authority", trust))
        return held(std::move(context));
    return {};
}

}  // namespace

SSL_CTX* tls_context_of(Local<v8::Value> value) {
    if (!value->IsExternal())
        return nullptr;
    return static_cast<Held*>(value.As<v8::External>()->Value())->context.get();
}

void speak_http(SSL_CTX* context) {
    SSL_CTX_set_alpn_select_cb(
        context,
        [](SSL*, const unsigned char** chosen, unsigned char* size, const unsigned char* offered,
           unsigned int count, void*) {
            const auto* own = reinterpret_cast<const unsigned char*>(kHttp.data());
            const int found = SSL_select_next_proto(const_cast<unsigned char**>(chosen), size, own,
                                                    kHttp.size(), offered, count);
            return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
        },
        nullptr);
}

void define_tls(Local<v8::Object> native) {
    define(native, {{"tlsContext", bound<tls_context>}});
}

}  // namespace sparrow
