// Queries: what a line must hold, and how the index finds it.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "archive.hpp"
#include "counts.hpp"
#include "tokens.hpp"

namespace clp {

// Whether the text holds all pieces, in order and without overlap.
inline bool matches(std::string_view text, const std::vector<std::string>& pieces) {
    std::size_t from = 0;
    for (const std::string& piece : pieces) {
        const std::size_t at = text.find(piece, from);
        if (at == text.npos)
            return false;
        from = at + piece.size();
    }
    return true;
}

// A token of the query that is not whole, but surely part of a variable of the dictionary.
struct Part {
    std::string_view text;
    bool begins;  // the variable begins with it
    bool ends;

    bool is_part_of(std::string_view variable) const {
        if (begins)
            return variable.starts_with(text);
        if (ends)
            return variable.ends_with(text);
        return variable.find(text) != variable.npos;
    }
};

// A query, cut into what the index knows.
class Query {
public:
    explicit Query(std::string_view text) {
        while (!text.empty()) {
            const std::size_t end = std::min(text.find('*'), text.size());
            if (end > 0)
                pieces.emplace_back(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
        for (const std::string& piece : pieces)
            cut(piece);
    }

    // Parts and variables refer to the pieces.
    Query(const Query&) = delete;
    Query(Query&&) = default;

    // The regular expression that finds the query in a line.
    std::string expression() const {
        std::string expression;
        for (const std::string& piece : pieces) {
            if (!expression.empty())
                expression += "[^\\n]*";
            for (const char character : piece) {
                if (std::string_view("\\^$.|?+()[]{}").find(character) != std::string_view::npos)
                    expression += '\\';
                expression += character;
            }
        }
        return expression;
    }

    std::vector<std::string> pieces;
    std::vector<std::string> fragments;
    std::vector<std::int64_t> numbers;
    std::vector<std::string_view> variables;
    std::vector<Part> parts;

private:
    void cut(std::string_view piece) {
        std::string fragment;
        std::size_t done = 0;
        for (Token token = next_token(piece, 0); token.begin < piece.size();
             token = next_token(piece, token.end)) {
            fragment.append(piece, done, token.begin - done);
            done = token.end;
            if (token.begin > 0 && token.end < piece.size()) {
                add_whole(piece, token, fragment);
            } else {
                end(fragment);
                add_part(piece, token);
            }
        }
        fragment.append(piece, done);
        end(fragment);
    }

    void end(std::string& fragment) {
        if (!fragment.empty())
            fragments.push_back(fragment);
        fragment.clear();
    }

    // A token between delimiters; what stands for it in a log type goes to the fragment.
    void add_whole(std::string_view piece, Token token, std::string& fragment) {
        const std::string_view text = piece.substr(token.begin, token.end - token.begin);
        if (!is_variable(piece, token)) {
            fragment += text;
        } else if (const auto code = number_code(text)) {
            fragment += number_placeholder;
            numbers.push_back(*code);
        } else {
            fragment += variable_placeholder;
            variables.push_back(text);
        }
    }

    void add_part(std::string_view piece, Token token) {
        const std::string_view text = piece.substr(token.begin, token.end - token.begin);
        const bool maybe_number = text.find_first_not_of("0123456789-.") == text.npos;
        if (is_variable(piece, token) && !maybe_number)
            parts.push_back({text, token.begin > 0, token.end < piece.size()});
    }
};

// One of a message's variables is of this kind and has one of these values.
template <class Library>
struct Condition {
    char kind;
    typename Library::template Set<std::int64_t> values;

    bool holds(std::string_view kinds, std::span<const std::int64_t> found) const {
        for (std::size_t slot = 0; slot < kinds.size(); ++slot) {
            if (kinds[slot] == kind && values.contains(found[slot]))
                return true;
        }
        return false;
    }
};

// What a message must have to be a candidate of a query.
template <class Library>
class Plan {
public:
    Plan(const Query& query, const Archive<Library>& archive, Counts& counts)
        : query_(query), archive_(archive) {
        for (const LogType& type : archive.log_types()) {
            counts.scanned++;  // tick
            wanted_.push_back(matches(type.text, query.fragments));
        }
        for (const std::int64_t code : query.numbers)
            conditions_.push_back({number_placeholder, {code}});
        for (const std::string_view text : query.variables) {
            Condition<Library>& condition = conditions_.emplace_back();
            condition.kind = variable_placeholder;
            if (const auto id = archive.variables().find(text))
                condition.values.insert(*id);
        }
        for (const Part& part : query.parts) {
            Condition<Library>& condition = conditions_.emplace_back();
            condition.kind = variable_placeholder;
            std::int64_t id = 0;
            for (const std::string& variable : archive.variables().texts()) {
                counts.scanned++;  // tick
                if (part.is_part_of(variable))
                    condition.values.insert(id);
                ++id;
            }
        }
    }

    // Visits the lines of a file that match.
    template <class Visit>
    void search(const Messages& messages, Counts& counts, Visit visit) const {
        std::span<const std::int64_t> rest = messages.values;
        for (const Id id : messages.types) {
            const LogType& type = archive_.log_type(id);
            const auto values = rest.first(type.kinds.size());
            rest = rest.subspan(type.kinds.size());
            if (wanted_[static_cast<std::size_t>(id)] && fulfilled(type, values)) {
                counts.candidates++;  // tick
                std::string line = archive_.decode(type, values);
                if (matches(line, query_.pieces)) {
                    counts.matches++;  // tick
                    visit(std::move(line));
                }
            }
        }
    }

private:
    bool fulfilled(const LogType& type, std::span<const std::int64_t> values) const {
        return std::all_of(conditions_.begin(), conditions_.end(), [&](const auto& condition) {
            return condition.holds(type.kinds, values);
        });
    }

    const Query& query_;
    const Archive<Library>& archive_;
    std::vector<bool> wanted_;
    std::vector<Condition<Library>> conditions_;
};

}  // namespace clp
