// What the system has to provide: one line for each thing that is missing.

#if !__has_include(<h2o.h>)
#error "libh2o is missing: apt-get install libh2o-evloop-dev"
#endif
#if !__has_include(<openssl/ssl.h>)
#error "OpenSSL is missing: apt-get install libssl-dev"
#endif

#include "../domain/requirements.hpp"
