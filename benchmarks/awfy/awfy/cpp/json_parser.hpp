// A parser of JSON that looks at one character after the other, each a string.

#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include "counts.hpp"
#include "json_value.hpp"

namespace awfy {

class JsonParser {
public:
    explicit JsonParser(const std::string& input) : input_(input) {}

    std::unique_ptr<JsonValue> parse() {
        read();
        skip_space();
        auto value = this->value();
        skip_space();
        if (current_ != std::nullopt)
            throw unexpected("the end");
        return value;
    }

private:
    void read() {
        counts.steps++;  // tick
        index_++;
        if (index_ < static_cast<int>(input_.length())) {
            current_ = input_.substr(index_, 1);
        } else {
            current_ = std::nullopt;
        }
    }

    bool is(std::string_view character) const { return current_ == character; }

    // Reads the character if it is there; whether it was.
    bool skip(std::string_view character) {
        if (!is(character))
            return false;
        read();
        return true;
    }

    void require(std::string_view character) {
        if (!skip(character))
            throw unexpected(std::string(character));
    }

    void skip_space() {
        while (is(" ") || is("\t") || is("\n") || is("\r"))
            read();
    }

    std::logic_error unexpected(const std::string& wanted) const {
        return std::logic_error("no " + wanted + " at character " + std::to_string(index_));
    }

    std::unique_ptr<JsonValue> value() {
        if (is("n"))
            return literal("null");
        if (is("t"))
            return literal("true");
        if (is("f"))
            return literal("false");
        if (is("\""))
            return std::make_unique<JsonValue::Text>(text());
        if (is("["))
            return array();
        if (is("{"))
            return object();
        if (is("-") || is_digit())
            return number();
        throw unexpected("value");
    }

    std::unique_ptr<JsonValue> literal(std::string_view name) {
        for (std::size_t i = 0; i < name.length(); i++)
            require(std::string(name.substr(i, 1)));
        return std::make_unique<JsonValue::Literal>(name);
    }

    std::unique_ptr<JsonValue> array() {
        read();
        auto array = std::make_unique<JsonValue::Array>();
        skip_space();
        if (skip("]"))
            return array;
        do {
            skip_space();
            array->add(value());
            skip_space();
        } while (skip(","));
        require("]");
        return array;
    }

    std::unique_ptr<JsonValue> object() {
        read();
        auto object = std::make_unique<JsonValue::Fields>();
        skip_space();
        if (skip("}"))
            return object;
        do {
            skip_space();
            if (!is("\""))
                throw unexpected("name");
            std::string name = text();
            skip_space();
            require(":");
            skip_space();
            object->add(std::move(name), value());
            skip_space();
        } while (skip(","));
        require("}");
        return object;
    }

    std::string text() {
        read();
        start_capture();
        while (!is("\"")) {
            if (current_ == std::nullopt)
                throw unexpected("end of a string");
            if (is("\\")) {
                pause_capture();
                escape();
                start_capture();
            } else {
                read();
            }
        }
        std::string text = end_capture();
        read();
        return text;
    }

    void escape() {
        read();
        if (is("\"") || is("/") || is("\\")) {
            captured_ += *current_;
        } else if (is("b")) {
            captured_ += "\b";
        } else if (is("f")) {
            captured_ += "\f";
        } else if (is("n")) {
            captured_ += "\n";
        } else if (is("r")) {
            captured_ += "\r";
        } else if (is("t")) {
            captured_ += "\t";
        } else {
            throw unexpected("escape sequence");
        }
        read();
    }

    std::unique_ptr<JsonValue> number() {
        start_capture();
        skip("-");
        const bool is_zero = is("0");
        require_digit();
        if (!is_zero)
            digits();
        if (skip(".")) {
            require_digit();
            digits();
        }
        if (skip("e") || skip("E")) {
            if (!skip("+"))
                skip("-");
            require_digit();
            digits();
        }
        return std::make_unique<JsonValue::Number>(end_capture());
    }

    bool is_digit() const {
        return is("0") || is("1") || is("2") || is("3") || is("4") || is("5") || is("6") ||
               is("7") || is("8") || is("9");
    }

    void digits() {
        while (is_digit())
            read();
    }

    void require_digit() {
        if (!is_digit())
            throw unexpected("digit");
        read();
    }

    void start_capture() { capture_start_ = index_; }

    void pause_capture() { captured_ += input_.substr(capture_start_, index_ - capture_start_); }

    std::string end_capture() {
        pause_capture();
        return std::exchange(captured_, "");
    }

    const std::string& input_;
    int index_ = -1;
    std::optional<std::string> current_;  // none at the end
    std::string captured_;
    int capture_start_ = 0;
};

}  // namespace awfy
