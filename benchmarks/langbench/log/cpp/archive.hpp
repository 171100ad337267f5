// Encoded logs: two dictionaries and the messages of every file.

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "counts.hpp"
#include "tokens.hpp"

namespace clp {

using Id = std::int32_t;

// Texts with ids from 0 on, in the order of their first appearance.
template <class Library>
class Dictionary {
public:
    Id id(std::string_view text) {
        const auto known = ids_.find(text);
        if (known != ids_.end())
            return known->second;
        const auto next = static_cast<Id>(texts_.size());
        entries_++;  // tick
        ids_.emplace(texts_.emplace_back(text), next);
        return next;
    }

    std::optional<Id> find(std::string_view text) const {
        const auto known = ids_.find(text);
        return known == ids_.end() ? std::nullopt : std::optional(known->second);
    }

    // A deque, for its elements stay where the map's keys refer to them.
    const std::deque<std::string>& texts() const { return texts_; }

    // How many entries were made since the last call, if they are counted.
    std::uint64_t take_entries() { return std::exchange(entries_, 0); }

private:
    std::deque<std::string> texts_;
    typename Library::template Map<std::string_view, Id> ids_;
    std::uint64_t entries_ = 0;
};

// A dictionary that workers fill together.
template <class Library>
class LockedDictionary : public Dictionary<Library> {
public:
    Id id(std::string_view text) {
        const std::lock_guard lock(mutex_);
        return Dictionary<Library>::id(text);
    }

private:
    std::mutex mutex_;
};

template <class Library>
using ParsersDictionary =
    std::conditional_t<Library::shared_dictionary, LockedDictionary<Library>, Dictionary<Library>>;

// A file, encoded: the types of its lines, and the values of all their variables.
struct Messages {
    std::vector<Id> types;
    std::vector<std::int64_t> values;
    bool ended = true;  // whether a line feed ends the last line
};

// The lines of a file; behind the last line feed there is one only if a byte is.
template <class Visit>
void for_each_line(std::string_view content, Visit visit) {
    while (!content.empty()) {
        const std::size_t end = content.find('\n');
        visit(content.substr(0, end));
        content.remove_prefix(end == content.npos ? content.size() : end + 1);
    }
}

// Encodes the files of one worker into dictionaries: its own, or those of all workers. The workers'
// parsers lie side by side, and each has its own cache lines.
template <class Library>
class alignas(64) Parser {
public:
    void parse(std::string_view content) {
        Messages& messages = files.emplace_back();
        messages.ended = content.ends_with('\n');
        for_each_line(content, [&](std::string_view line) { parse_line(line, messages); });
    }

    std::shared_ptr<ParsersDictionary<Library>> types =
        std::make_shared<ParsersDictionary<Library>>();
    std::shared_ptr<ParsersDictionary<Library>> variables =
        std::make_shared<ParsersDictionary<Library>>();
    std::vector<Messages> files;
    Counts counts;

private:
    void parse_line(std::string_view line, Messages& messages) {
        counts.lines++;  // tick
        type_.clear();
        std::size_t copied = 0;
        for (Token token = next_token(line, 0); token.begin < line.size();
             token = next_token(line, token.end)) {
            counts.tokens++;  // tick
            if (!is_variable(line, token))
                continue;
            type_.append(line, copied, token.begin - copied);
            copied = token.end;
            const std::string_view text = line.substr(token.begin, token.end - token.begin);
            if (const auto code = number_code(text)) {
                counts.numbers++;  // tick
                type_ += number_placeholder;
                messages.values.push_back(*code);
            } else {
                counts.references++;  // tick
                type_ += variable_placeholder;
                messages.values.push_back(variables->id(text));
            }
        }
        type_.append(line, copied);
        messages.types.push_back(types->id(type_));
    }

    std::string type_;  // of the line at hand, kept for its memory
};

// A parser for each worker.
template <class Library>
std::vector<Parser<Library>> parsers_of(std::size_t workers) {
    if constexpr (Library::shared_dictionary)
        return std::vector<Parser<Library>>(workers, Parser<Library>());
    else
        return std::vector<Parser<Library>>(workers);
}

// A line without its variables.
struct LogType {
    std::string_view text;
    std::string kinds;  // its placeholders
};

// The encoded files of all workers, with dictionaries in common.
template <class Library>
class Archive {
public:
    // Worker 0's dictionaries become everyone's; those of the others are entered in order, unless
    // they are everyone's already.
    // `counts` gets the entries that were made in them.
    Archive(std::vector<Parser<Library>> parsers, Counts& counts)
        : types_(parsers.front().types), variables_(parsers.front().variables) {
        for (Parser<Library>& parser : parsers) {
            Block& block = blocks_.emplace_back(Block{std::move(parser.files), {}, {}});
            if (parser.types != types_) {
                block.types = entered(*parser.types, *types_);
                block.variables = entered(*parser.variables, *variables_);
            }
        }
        counts.log_types += types_->take_entries();
        counts.variables += variables_->take_entries();
        for (const std::string& text : types_->texts()) {
            LogType& type = log_types_.emplace_back(LogType{text, {}});
            for (const char byte : text) {
                if (is_placeholder(byte))
                    type.kinds += byte;
            }
        }
    }

    // Gives the messages of a worker the common ids. Worker 0's have them, as all have if the
    // dictionaries are shared.
    void renumber(std::size_t worker) {
        if (worker == 0 || Library::shared_dictionary)
            return;
        Block& block = blocks_[worker];
        for (Messages& messages : block.files) {
            auto value = messages.values.begin();
            for (Id& type : messages.types) {
                type = block.types[static_cast<std::size_t>(type)];
                for (const char kind : log_type(type).kinds) {
                    if (kind == variable_placeholder)
                        *value = block.variables[static_cast<std::size_t>(*value)];
                    ++value;
                }
            }
        }
    }

    const std::vector<Messages>& files(std::size_t worker) const { return blocks_[worker].files; }
    const std::vector<LogType>& log_types() const { return log_types_; }
    const LogType& log_type(Id id) const { return log_types_[static_cast<std::size_t>(id)]; }
    const Dictionary<Library>& variables() const { return *variables_; }

    std::string decode(const LogType& type, std::span<const std::int64_t> values) const {
        std::string line;
        std::size_t copied = 0;
        for (std::size_t slot = 0; slot < type.kinds.size(); ++slot) {
            const std::size_t at = type.text.find(type.kinds[slot], copied);
            line.append(type.text, copied, at - copied);
            copied = at + 1;
            if (type.kinds[slot] == number_placeholder)
                append_number(line, values[slot]);
            else
                line += variables_->texts()[static_cast<std::size_t>(values[slot])];
        }
        line.append(type.text, copied);
        return line;
    }

private:
    // A worker's files, and the common ids of what its own dictionaries held.
    struct Block {
        std::vector<Messages> files;
        std::vector<Id> types;
        std::vector<Id> variables;
    };

    static std::vector<Id> entered(const Dictionary<Library>& own,
                                   ParsersDictionary<Library>& common) {
        std::vector<Id> ids;
        for (const std::string& text : own.texts())
            ids.push_back(common.id(text));
        return ids;
    }

    std::shared_ptr<ParsersDictionary<Library>> types_;
    std::shared_ptr<ParsersDictionary<Library>> variables_;
    std::vector<LogType> log_types_;
    std::vector<Block> blocks_;
};

}  // namespace clp
