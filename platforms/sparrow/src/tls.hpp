// Contexts of TLS: certificates and authorities, for many connections.
#pragma once

#include <openssl/ssl.h>
#include <v8.h>

namespace sparrow {

// What native.tlsContext made; null for undefined.
SSL_CTX* tls_context_of(v8::Local<v8::Value> value);

// Answers clients that ask for a protocol other than HTTP/1.1 with a refusal.
void speak_http(SSL_CTX* context);

}  // namespace sparrow
