// What POST /route is about.

#pragma once

#include <boost/describe.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "digits.hpp"
#include "processor.hpp"

namespace payments {

// What it answers.
struct Choice {
    std::string processor;
    std::int64_t score;
    std::int64_t fee;
    int eligible;
};
BOOST_DESCRIBE_STRUCT(Choice, (), (processor, score, fee, eligible))

// What it is asked.
struct Routing {
    static constexpr std::size_t digits = 16;

    std::int64_t amount;
    std::string country;
    std::string card;

    // Throws BadRequest for an amount that is out of range or a card that is none.
    void check() const {
        constexpr std::int64_t most = 1'000'000'000;
        if (amount < 1 || amount > most || card.size() != digits || !only_digits(card))
            throw BadRequest();
    }

    // The best of the processors, or none where no one serves the country.
    std::optional<Choice> choice(const std::vector<Processor>& processors) const {
        const Features features = this->features();
        const Processor* best = nullptr;
        std::int64_t best_score = 0;
        std::int64_t best_fee = 0;
        int eligible = 0;
        for (const Processor& processor : processors) {
            if (!processor.serves(country))
                continue;
            ++eligible;
            const std::int64_t fee = processor.fee(amount);
            const std::int64_t score = processor.score(fee, features);
            if (best == nullptr || score > best_score) {
                best = &processor;
                best_score = score;
                best_fee = fee;
            }
        }
        if (best == nullptr)
            return std::nullopt;
        return Choice{best->id, best_score, best_fee, eligible};
    }

private:
    Features features() const {
        Features all;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const std::int64_t digit = card[i % digits] - '0';
            all[i] = static_cast<std::int32_t>(((amount >> (i % 24)) ^ digit) & 255);
        }
        return all;
    }
};
BOOST_DESCRIBE_STRUCT(Routing, (), (amount, country, card))

}  // namespace payments
