// A value of a JSON document.

#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "vector.hpp"

namespace awfy {

class JsonValue {
public:
    class Literal;
    class Number;
    class Text;
    class Array;
    class Fields;

    virtual ~JsonValue() = default;

    virtual bool is_array() const { return false; }

    virtual bool is_object() const { return false; }

    virtual const Array& as_array() const { throw std::logic_error("no array"); }

    virtual const Fields& as_object() const { throw std::logic_error("no object"); }
};

// Null, true or false.
class JsonValue::Literal final : public JsonValue {
public:
    const std::string_view name;

    explicit Literal(std::string_view name) : name(name) {}
};

class JsonValue::Number final : public JsonValue {
public:
    const std::string digits;

    explicit Number(std::string digits) : digits(std::move(digits)) {}
};

class JsonValue::Text final : public JsonValue {
public:
    const std::string characters;

    explicit Text(std::string characters) : characters(std::move(characters)) {}
};

class JsonValue::Array final : public JsonValue {
public:
    void add(std::unique_ptr<JsonValue> value) { values_->append(std::move(value)); }

    int size() const { return values_->size(); }

    bool is_array() const override { return true; }

    const Array& as_array() const override { return *this; }

private:
    const std::unique_ptr<Vector<std::unique_ptr<JsonValue>>> values_ =
        std::make_unique<Vector<std::unique_ptr<JsonValue>>>();
};

// An object, whose names are found by a table of guesses.
class JsonValue::Fields final : public JsonValue {
public:
    void add(std::string name, std::unique_ptr<JsonValue> value) {
        const int index = names_->size();
        guesses_[slot(name)] = index < most ? index + 1 : 0;
        names_->append(std::move(name));
        values_->append(std::move(value));
    }

    // The value of a name, or null.
    const JsonValue* get(std::string_view name) const {
        int index = guesses_[slot(name)] - 1;
        if (index < 0 || name != names_->at(index))
            index = place(name);
        return index < 0 ? nullptr : values_->at(index).get();
    }

    bool is_object() const override { return true; }

    const Fields& as_object() const override { return *this; }

private:
    static constexpr int guesses = 32;
    static constexpr int most = 255;

    int place(std::string_view name) const {
        for (int i = names_->size() - 1; i >= 0; i--) {
            if (name == names_->at(i))
                return i;
        }
        return -1;
    }

    static int slot(std::string_view name) {
        return static_cast<int>(name.length()) * 1'402'589 & (guesses - 1);
    }

    const std::unique_ptr<Vector<std::string>> names_ = std::make_unique<Vector<std::string>>();
    const std::unique_ptr<Vector<std::unique_ptr<JsonValue>>> values_ =
        std::make_unique<Vector<std::unique_ptr<JsonValue>>>();
    const std::unique_ptr<int[]> guesses_ = std::make_unique<int[]>(guesses);
};

}  // namespace awfy
