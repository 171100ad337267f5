// The contract's pseudocode over strings, vectors and hash tables; see langbench/log/contract.md.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runfair/execution.hpp"
#include "runfair/options.hpp"
#include "runfair/primitives.hpp"

namespace {

constexpr char variable_placeholder = '\x11';
constexpr char number_placeholder = '\x12';
constexpr std::size_t most_digits = 13;
constexpr std::size_t longest_line = 8192;

std::uint64_t lines = 0;
std::uint64_t tokens = 0;
std::uint64_t numbers = 0;
std::uint64_t references = 0;
std::uint64_t log_types = 0;
std::uint64_t variable_entries = 0;
std::uint64_t scanned = 0;
std::uint64_t candidates = 0;
std::uint64_t matching = 0;

bool is_digit(char byte) {
    return byte >= '0' && byte <= '9';
}

bool is_letter(char byte) {
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

bool is_placeholder(char byte) {
    return byte == variable_placeholder || byte == number_placeholder;
}

bool is_token_byte(char byte) {
    return is_digit(byte) || is_letter(byte) || is_placeholder(byte) || byte == '+' ||
           byte == '-' || byte == '.' || byte == '/' || byte == '_' || byte == '\\' ||
           static_cast<unsigned char>(byte) >= 128;
}

// Of the token [begin, end) of a text.
bool is_variable(std::string_view text, std::size_t begin, std::size_t end) {
    bool letter = false;
    for (std::size_t at = begin; at < end; at++) {
        if (is_digit(text[at]) || is_placeholder(text[at]))
            return true;
        if (is_letter(text[at]))
            letter = true;
    }
    return letter && begin > 0 && text[begin - 1] == '=';
}

std::optional<std::int64_t> number_code(std::string_view token) {
    std::size_t at = 0;
    const bool negative = token[0] == '-';
    if (negative)
        at++;
    std::int64_t value = 0;
    std::size_t digits = 0;
    std::size_t scale = 0;
    bool point = false;
    for (; at < token.size(); at++) {
        if (is_digit(token[at])) {
            digits++;
            if (digits > most_digits)
                return std::nullopt;
            value = 10 * value + (token[at] - '0');
            if (point)
                scale++;
        } else if (token[at] == '.' && digits > 0 && !point) {
            point = true;
        } else {
            return std::nullopt;
        }
    }
    if (digits == 0 || (point && scale == 0))
        return std::nullopt;
    const auto sizes = static_cast<std::int64_t>(digits * 32 + scale * 2);
    return value * 512 + sizes + (negative ? 1 : 0);
}

std::string number_text(std::int64_t code) {
    const auto digits = static_cast<std::size_t>(code / 32 % 16);
    const auto scale = static_cast<std::size_t>(code / 2 % 16);
    std::string text = std::to_string(code / 512);
    text.insert(0, digits - text.size(), '0');
    if (scale > 0)
        text.insert(digits - scale, 1, '.');
    if (code % 2 == 1)
        text.insert(0, 1, '-');
    return text;
}

bool matches(std::string_view text, const std::vector<std::string>& pieces) {
    std::size_t from = 0;
    for (const std::string& piece : pieces) {
        const std::size_t at = text.find(piece, from);
        if (at == text.npos)
            return false;
        from = at + piece.size();
    }
    return true;
}

// Calls `visit` with each line of a file.
template <class Visit>
void for_lines(const std::string& content, const Visit& visit) {
    const std::string_view text = content;
    std::size_t begin = 0;
    while (begin < text.size()) {
        std::size_t end = text.find('\n', begin);
        if (end == text.npos)
            end = text.size();
        visit(text.substr(begin, end - begin));
        begin = end + 1;
    }
}

// Texts with their ids, from 0 on.
struct Dictionary {
    std::unordered_map<std::string, std::int64_t> ids;
    std::vector<std::string> texts;

    // The text's id, and whether it is new.
    std::pair<std::int64_t, bool> enter(const std::string& text) {
        const auto [entry, entered] = ids.emplace(text, static_cast<std::int64_t>(texts.size()));
        if (entered)
            texts.push_back(text);
        return {entry->second, entered};
    }
};

struct Message {
    std::size_t type;
    std::vector<std::int64_t> values;
};

struct Archive {
    Dictionary types;
    Dictionary variables;
    std::vector<std::vector<Message>> files;

    void parse(const std::string& content) {
        std::vector<Message>& messages = files.emplace_back();
        for_lines(content, [&](std::string_view line) {
            lines++;  // tick
            Message message;
            std::string type;
            std::size_t at = 0;
            while (at < line.size()) {
                if (!is_token_byte(line[at])) {
                    type += line[at];
                    at++;
                    continue;
                }
                const std::size_t begin = at;
                while (at < line.size() && is_token_byte(line[at]))
                    at++;
                tokens++;  // tick
                const std::string_view token = line.substr(begin, at - begin);
                if (!is_variable(line, begin, at)) {
                    type += token;
                } else if (const auto code = number_code(token)) {
                    numbers++;  // tick
                    message.values.push_back(*code);
                    type += number_placeholder;
                } else {
                    references++;  // tick
                    const auto [id, entered] = variables.enter(std::string(token));
                    if (entered) {
                        variable_entries++;  // tick
                    }
                    message.values.push_back(id);
                    type += variable_placeholder;
                }
            }
            const auto [id, entered] = types.enter(type);
            if (entered) {
                log_types++;  // tick
            }
            message.type = static_cast<std::size_t>(id);
            messages.push_back(std::move(message));
        });
    }

    std::string decode(const Message& message) const {
        std::string line;
        std::size_t slot = 0;
        for (const char byte : types.texts[message.type]) {
            if (byte == number_placeholder)
                line += number_text(message.values[slot++]);
            else if (byte == variable_placeholder)
                line += variables.texts[static_cast<std::size_t>(message.values[slot++])];
            else
                line += byte;
        }
        return line;
    }
};

// A token of the query that is not whole, but surely part of a variable.
struct Part {
    std::string text;
    bool begins;
    bool ends;

    bool is_part_of(const std::string& variable) const {
        if (begins)
            return variable.starts_with(text);
        if (ends)
            return variable.ends_with(text);
        return variable.find(text) != variable.npos;
    }
};

struct Query {
    std::vector<std::string> pieces;
    std::vector<std::string> fragments;
    std::vector<std::int64_t> codes;
    std::vector<std::string> texts;
    std::vector<Part> parts;

    explicit Query(const std::string& text) {
        std::string piece;
        for (const char byte : text + '*') {
            if (byte != '*') {
                piece += byte;
            } else if (!piece.empty()) {
                cut(piece);
                pieces.push_back(piece);
                piece.clear();
            }
        }
    }

    void cut(const std::string& piece) {
        std::string fragment;
        std::size_t at = 0;
        while (at < piece.size()) {
            if (!is_token_byte(piece[at])) {
                fragment += piece[at];
                at++;
                continue;
            }
            const std::size_t begin = at;
            while (at < piece.size() && is_token_byte(piece[at]))
                at++;
            if (begin > 0 && at < piece.size()) {
                fragment += whole(piece, begin, at);
            } else {
                add(fragment);
                fragment.clear();
                part(piece, begin, at);
            }
        }
        add(fragment);
    }

    void add(const std::string& fragment) {
        if (!fragment.empty())
            fragments.push_back(fragment);
    }

    std::string whole(const std::string& piece, std::size_t begin, std::size_t end) {
        const std::string token = piece.substr(begin, end - begin);
        if (!is_variable(piece, begin, end))
            return token;
        if (const auto code = number_code(token)) {
            codes.push_back(*code);
            return std::string(1, number_placeholder);
        }
        texts.push_back(token);
        return std::string(1, variable_placeholder);
    }

    void part(const std::string& piece, std::size_t begin, std::size_t end) {
        const std::string token = piece.substr(begin, end - begin);
        if (token.find_first_not_of("0123456789-.") == token.npos)
            return;
        if (is_variable(piece, begin, end))
            parts.push_back({token, begin > 0, end < piece.size()});
    }

    std::string expression() const {
        std::string expression;
        for (const std::string& piece : pieces) {
            if (!expression.empty())
                expression += "[^\\n]*";
            for (const char byte : piece) {
                if (std::string_view("\\^$.|?+()[]{}").find(byte) != std::string_view::npos)
                    expression += '\\';
                expression += byte;
            }
        }
        return expression;
    }
};

// One of a message's variables is of this kind and has one of these values.
struct Condition {
    char kind;
    std::unordered_set<std::int64_t> values;
};

struct Plan {
    const Query& query;
    std::vector<bool> wanted;
    std::vector<Condition> conditions;

    Plan(const Query& query, const Archive& archive) : query(query) {
        for (const std::string& type : archive.types.texts) {
            scanned++;  // tick
            wanted.push_back(matches(type, query.fragments));
        }
        for (const std::int64_t code : query.codes)
            conditions.push_back({number_placeholder, {code}});
        for (const std::string& text : query.texts) {
            Condition condition{variable_placeholder, {}};
            const auto known = archive.variables.ids.find(text);
            if (known != archive.variables.ids.end())
                condition.values.insert(known->second);
            conditions.push_back(condition);
        }
        for (const Part& part : query.parts) {
            Condition condition{variable_placeholder, {}};
            std::int64_t id = 0;
            for (const std::string& text : archive.variables.texts) {
                scanned++;  // tick
                if (part.is_part_of(text))
                    condition.values.insert(id);
                id++;
            }
            conditions.push_back(condition);
        }
    }

    void search(const Archive& archive, const std::vector<Message>& messages,
                std::vector<std::string>& found) const {
        for (const Message& message : messages) {
            if (!wanted[message.type] || !fulfilled(archive.types.texts[message.type], message))
                continue;
            candidates++;  // tick
            std::string line = archive.decode(message);
            if (matches(line, query.pieces)) {
                matching++;  // tick
                found.push_back(std::move(line));
            }
        }
    }

    bool fulfilled(const std::string& type, const Message& message) const {
        for (const Condition& condition : conditions) {
            bool holds = false;
            std::size_t slot = 0;
            for (const char byte : type) {
                if (!is_placeholder(byte))
                    continue;
                if (byte == condition.kind && condition.values.contains(message.values[slot]))
                    holds = true;
                slot++;
            }
            if (!holds)
                return false;
        }
        return true;
    }
};

std::vector<Query> default_queries(const std::string& workload) {
    std::vector<std::string> texts = {
        " spark.ContextCleaner: Started accumulator for stage ",
        " rdd_42_7 ",
        " boot = 17, ",
        " broadcast_1*7_piece0 stored ",
        "Finished task * in stage 12.0 (TID *). 2077 bytes",
        " ip=/10.0.3.7 cmd=remove ",
        "WARN util.Utils: Lost * retry 3 of 4",
    };
    if (workload == "hadoop") {
        texts = {
            "] org.apache.hadoop.hdfs.LeaseRenewer: Starting lease for ",
            " container_1445144423722_0001_01_000007 ",
            "[fetcher#7] ",
            " attempt_*_0001_m_000003_1 is : ",
            "WARN * Slow ReadProcessor * took *77 ms; ack",
            " ip=/10.0.3.7 cmd=open ",
            "ERROR * Giving up * node-07.cluster.example:8020;",
        };
    }
    return {texts.begin(), texts.end()};
}

std::vector<Query> read_queries(const std::string& path) {
    const std::string named = "queries " + runfair::quoted(path);
    std::string content;
    try {
        content = runfair::read(path);
    } catch (const runfair::UserError&) {
        throw runfair::UserError(named + " cannot be read; name a file of queries, one a line");
    }
    std::vector<Query> queries;
    std::size_t number = 0;
    for_lines(content, [&](std::string_view line) {
        number++;
        for (const char byte : line) {
            if (byte < ' ' || byte > '~') {
                throw runfair::UserError("line " + std::to_string(number) + " of " + named +
                                         ": a query is printable ASCII");
            }
        }
        if (!line.empty())
            queries.emplace_back(std::string(line));
    });
    if (queries.empty())
        throw runfair::UserError(named + " holds no queries; write one a line");
    return queries;
}

std::vector<std::string> log_files(const std::string& folder) {
    const std::string named = "input " + runfair::quoted(folder);
    std::vector<std::string> paths;
    try {
        for (const auto& entry : std::filesystem::directory_iterator(folder)) {
            if (!entry.is_regular_file())
                continue;
            const std::string name = entry.path().filename().string();
            for (const char byte : name) {
                if (static_cast<unsigned char>(byte) >= 128) {
                    throw runfair::UserError(named + " holds " + runfair::quoted(name) +
                                             ": rename it to ASCII");
                }
            }
            paths.push_back(entry.path().string());
        }
    } catch (const std::filesystem::filesystem_error& error) {
        throw runfair::UserError(named + " cannot be read: " + error.code().message());
    }
    if (paths.empty())
        throw runfair::UserError(named + " holds no files; give a folder of logs");
    std::sort(paths.begin(), paths.end());
    return paths;
}

struct Answer {
    std::vector<std::vector<std::string>> found;
    Archive archive;
};

struct Log {
    static constexpr const char* name = "log";
    static constexpr const char* tier = "plain";
    static constexpr std::uint64_t max_threads = 1;

    bool is_indexed = true;
    std::vector<Query> queries;
    std::vector<std::string> files;

    static Log load(const runfair::Options& options) {
        const std::string& path = options.text("queries");
        Log log;
        log.is_indexed = options.text("form") == "indexed";
        log.queries = path.empty() ? default_queries(options.text("workload")) : read_queries(path);
        log.files = log_files(options.text("input"));
        return log;
    }

    struct Work {};

    Work prepare() const { return {}; }

    std::unique_ptr<Answer> run(Work) const {
        auto answer = std::make_unique<Answer>();
        answer->found.resize(queries.size());
        if (is_indexed)
            indexed(*answer);
        else
            regex(*answer);
        return answer;
    }

    void indexed(Answer& answer) const {
        for (const std::string& path : files)
            answer.archive.parse(runfair::read(path));
        std::vector<Plan> plans;
        for (const Query& query : queries)
            plans.emplace_back(query, answer.archive);
        for (std::size_t query = 0; query < plans.size(); query++) {
            for (const std::vector<Message>& messages : answer.archive.files)
                plans[query].search(answer.archive, messages, answer.found[query]);
        }
    }

    void regex(Answer& answer) const {
        std::vector<std::regex> expressions;
        for (const Query& query : queries)
            expressions.emplace_back(query.expression());
        for (std::size_t query = 0; query < expressions.size(); query++) {
            for (const std::string& path : files) {
                for_lines(runfair::read(path), [&](std::string_view line) {
                    lines++;  // tick
                    if (line.size() > longest_line)
                        throw too_long(path, line.size());
                    if (std::regex_search(line.begin(), line.end(), expressions[query])) {
                        matching++;  // tick
                        answer.found[query].emplace_back(line);
                    }
                });
            }
        }
    }

    // libstdc++ recurses for each byte that a repetition takes, on a stack of 8 MiB.
    static runfair::UserError too_long(const std::string& path, std::size_t length) {
        return runfair::UserError("input " + runfair::quoted(path) + " has a line of " +
                                  std::to_string(length) + " bytes, and std::regex takes " +
                                  std::to_string(longest_line) + "; search it by the tier boost");
    }

    std::uint64_t digest(const std::unique_ptr<Answer>& answer) const {
        runfair::Fnv1a hash;
        for (const std::vector<std::string>& found : answer->found) {
            hash.add(std::to_string(found.size()) + '\n');
            for (const std::string& line : found) {
                hash.add(line);
                hash.add("\n");
            }
        }
        return hash.value;
    }

    static runfair::Counters counters() {
        return {
            {"lines", lines},           {"tokens", tokens},         {"numbers", numbers},
            {"references", references}, {"log_types", log_types},   {"variables", variable_entries},
            {"scanned", scanned},       {"candidates", candidates}, {"matches", matching}};
    }
};

}  // namespace

int main(int argc, char** argv) {
    return runfair::main<Log>(argc, argv);
}
