// What POST /pay/AMOUNT is about.

#pragma once

#include <openssl/sha.h>

#include <array>
#include <boost/describe.hpp>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "digits.hpp"

namespace payments {

// What it answers.
struct Receipt {
    std::string status;
    std::int64_t amount;
    std::string currency;
    std::string merchant;
    std::string reference;
    std::string record;
};
BOOST_DESCRIBE_STRUCT(Receipt, (), (status, amount, currency, merchant, reference, record))

// The first eight bytes of the key.
inline std::uint64_t key_of(const std::string& card, const std::string& merchant) {
    const std::string text = card + ':' + merchant;
    std::array<unsigned char, SHA256_DIGEST_LENGTH> digest;
    SHA256(reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data());
    std::uint64_t key = 0;
    for (std::size_t i = 0; i < sizeof key; ++i)
        key = key << 8 | digest[i];
    return key;
}

// What it is asked.
struct Payment {
    std::string card;
    std::string merchant;
    std::string currency;

    // Takes the payment.
    Receipt receipt(std::int64_t amount, const std::vector<std::string>& records) const {
        // A record's index is the first six bytes of the key, of the eight that are kept.
        constexpr int index_shift = 16;
        const std::uint64_t key = key_of(card, merchant);
        std::array<char, 17> reference;
        std::snprintf(reference.data(), reference.size(), "%016llx",
                      static_cast<unsigned long long>(key));
        return {"approved", amount,           currency,
                merchant,   reference.data(), records[(key >> index_shift) % records.size()]};
    }
};
BOOST_DESCRIBE_STRUCT(Payment, (), (card, merchant, currency))

// The amount that a path names; throws BadRequest.
inline std::int64_t amount(std::string_view text) {
    constexpr std::int64_t most = 1'000'000'000'000;
    return number(text, most);
}

}  // namespace payments
