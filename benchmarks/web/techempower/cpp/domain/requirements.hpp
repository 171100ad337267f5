// The libraries that every service with a database needs: one line for each that is missing.

#pragma once

#if !__has_include(<boost/version.hpp>)
#error "Boost is missing: apt-get install libboost1.81-dev"
#else
#include <boost/version.hpp>
#if BOOST_VERSION < 108100
#error "Boost is older than 1.81: apt-get install libboost1.81-dev"
#endif
#endif
#if !__has_include(<libpq-fe.h>)
#error "libpq is missing: apt-get install libpq-dev"
#else
#include <libpq-fe.h>
#ifndef LIBPQ_HAS_PIPELINING
#error "libpq is older than 14: apt-get install libpq-dev"
#endif
#endif
