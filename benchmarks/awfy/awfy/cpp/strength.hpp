// How strong a constraint is: the smaller the number, the stronger.

#pragma once

#include <memory>

#include "identity_dictionary.hpp"

namespace awfy {

class Strength {
public:
    // A strength's name, by which the table of a run finds it.
    class Name final : public Hashed {
    public:
        explicit Name(int hash) : hash_(hash) {}

        int hash() const override { return hash_; }

    private:
        const int hash_;
    };

    // The names outlive the tables, which do not own them.
    static const Name absolute_strongest;
    static const Name required;
    static const Name strong_preferred;
    static const Name preferred;
    static const Name strong_default;
    static const Name default_;
    static const Name weak_default;
    static const Name absolute_weakest;

    using Table = IdentityDictionary<Name, std::unique_ptr<Strength>>;

    const Name* const name;

    Strength(const Name& name, int value) : name(&name), value_(value) {}

    bool is_stronger_than(const Strength& other) const { return value_ < other.value_; }

    bool is_weaker_than(const Strength& other) const { return value_ > other.value_; }

    const Strength* weakest(const Strength& other) const {
        return other.is_weaker_than(*this) ? &other : this;
    }

    // All strengths by their names.
    static std::unique_ptr<Table> table() {
        auto table = std::make_unique<Table>();
        add(*table, absolute_strongest, -10'000);
        add(*table, required, -800);
        add(*table, strong_preferred, -600);
        add(*table, preferred, -400);
        add(*table, strong_default, -200);
        add(*table, default_, 0);
        add(*table, weak_default, 500);
        add(*table, absolute_weakest, 10'000);
        return table;
    }

private:
    static void add(Table& table, const Name& name, int value) {
        table.put(&name, std::make_unique<Strength>(name, value));
    }

    const int value_;
};

inline const Strength::Name Strength::absolute_strongest{0};
inline const Strength::Name Strength::required{1};
inline const Strength::Name Strength::strong_preferred{2};
inline const Strength::Name Strength::preferred{3};
inline const Strength::Name Strength::strong_default{4};
inline const Strength::Name Strength::default_{5};
inline const Strength::Name Strength::weak_default{6};
inline const Strength::Name Strength::absolute_weakest{7};

}  // namespace awfy
