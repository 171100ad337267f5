// libh2o with its own event loop, not that of libuv.

#pragma once

#define H2O_USE_LIBUV 0

#include <h2o.h>
#include <openssl/ssl.h>  // libh2o's headers need OpenSSL's
