#include "tests/support/naive_pattern.hpp"

#include <algorithm>

namespace stele::testing {

namespace {

using Points = std::u32string;

Points decoded(std::string_view text) {
    Points points;
    for (std::size_t i = 0; i < text.size();) {
        const auto lead = static_cast<unsigned char>(text[i]);
        const int more = lead < 0x80 ? 0 : lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
        char32_t point = more == 0 ? lead : lead & (0x3f >> more);
        for (int k = 1; k <= more; ++k) {
            point = point << 6 |
                    (static_cast<unsigned char>(text[i + static_cast<std::size_t>(k)]) & 0x3f);
        }
        points.push_back(point);
        i += static_cast<std::size_t>(more) + 1;
    }
    return points;
}

char32_t folded(char32_t point) {
    const bool is_upper =
        (point >= U'A' && point <= U'Z') || point == U'Ä' || point == U'Ö' || point == U'Ü';
    return is_upper ? point + 32 : point;
}

class Matcher {
public:
    Matcher(std::string_view options, Points text) : options_(options), text_(std::move(text)) {}

    bool search(const Points& pattern) const {
        const bool is_anchored = !pattern.empty() && pattern.front() == U'^';
        const Points rest = is_anchored ? pattern.substr(1) : pattern;
        for (std::size_t at = 0; at <= text_.size(); ++at) {
            if (is_anchored && !is_line_begin(at)) continue;
            if (here(rest, at)) return true;
        }
        return false;
    }

private:
    bool has(char option) const { return options_.find(option) != std::string_view::npos; }
    bool is_line_begin(std::size_t at) const {
        return at == 0 || (has('m') && text_[at - 1] == U'\n');
    }
    bool is_line_end(std::size_t at) const {
        return at == text_.size() || (has('m') && text_[at] == U'\n');
    }

    bool one(char32_t wanted, std::size_t at) const {
        if (at >= text_.size()) return false;
        if (wanted == U'.') return has('s') || text_[at] != U'\n';
        return has('i') ? folded(wanted) == folded(text_[at]) : wanted == text_[at];
    }

    bool here(const Points& pattern, std::size_t at) const {
        if (pattern.empty()) return true;
        if (pattern == U"$") return is_line_end(at);
        if (pattern.size() > 1 && pattern[1] == U'*') {
            for (;; ++at) {
                if (here(pattern.substr(2), at)) return true;
                if (!one(pattern[0], at)) return false;
            }
        }
        return one(pattern[0], at) && here(pattern.substr(1), at + 1);
    }

    std::string_view options_;
    Points text_;
};

}  // namespace

bool naive_search(std::string_view pattern, std::string_view options, std::string_view text) {
    Points points = decoded(pattern);
    if (options.find('x') != std::string_view::npos)
        points.erase(std::remove(points.begin(), points.end(), U' '), points.end());
    return Matcher(options, decoded(text)).search(points);
}

}  // namespace stele::testing
