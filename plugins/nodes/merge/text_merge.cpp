#include "merge/text_merge.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "merge/line_difference.hpp"

namespace stele::nodes {

namespace {

/// Numbers lines, and has their texts.
class LineTable {
public:
    /// Lines are what lies between line ends: text that ends with one has an empty last line.
    TextLines lines_of(std::string_view text) {
        TextLines lines;
        while (true) {
            const std::size_t end = text.find('\n');
            lines.push_back(number_of(text.substr(0, end)));
            if (end == std::string_view::npos) return lines;
            text.remove_prefix(end + 1);
        }
    }

    std::string_view text_of(std::uint32_t line) const { return texts_[line]; }
    std::size_t size() const { return texts_.size(); }

private:
    std::uint32_t number_of(std::string_view text) {
        const auto [place, is_new] =
            numbers_.try_emplace(text, static_cast<std::uint32_t>(texts_.size()));
        if (is_new) texts_.push_back(text);
        return place->second;
    }

    std::unordered_map<std::string_view, std::uint32_t> numbers_;
    std::vector<std::string_view> texts_;
};

/// The changes of one side, which are gone through once.
class ChangedSide {
public:
    ChangedSide(const TextLines& lines, std::vector<ChangedLines> changes)
        : lines_(lines), changes_(std::move(changes)) {}

    bool has_next() const { return next_ < changes_.size(); }
    std::size_t next_begin() const { return changes_[next_].base_begin; }

    void begin_group() { first_ = next_; }
    /// Takes the changes that begin up to the end of a group, which these make longer.
    bool take(std::size_t& group_end) {
        const std::size_t before = next_;
        for (; has_next() && next_begin() <= group_end; ++next_)
            group_end = std::max(group_end, changes_[next_].base_end);
        return next_ != before;
    }

    bool has_changed() const { return first_ != next_; }
    /// What it has instead of the base's lines of a group in which it has changed something.
    TextLines lines(std::size_t base_begin, std::size_t base_end) const {
        const ChangedLines& first = changes_[first_];
        const ChangedLines& last = changes_[next_ - 1];
        const std::size_t begin = first.begin - (first.base_begin - base_begin);
        const std::size_t end = last.end + (base_end - last.base_end);
        const auto at = lines_.begin();
        return {at + static_cast<std::ptrdiff_t>(begin), at + static_cast<std::ptrdiff_t>(end)};
    }

private:
    const TextLines& lines_;
    const std::vector<ChangedLines> changes_;
    std::size_t first_ = 0;
    std::size_t next_ = 0;
};

/// False where both sides changed a group of lines differently.
bool append_group(TextLines& merged, const ChangedSide& source, const ChangedSide& target,
                  std::size_t begin, std::size_t end) {
    const TextLines lines = (target.has_changed() ? target : source).lines(begin, end);
    if (source.has_changed() && target.has_changed() && lines != source.lines(begin, end))
        return false;
    merged.insert(merged.end(), lines.begin(), lines.end());
    return true;
}

std::optional<TextLines> merge_lines(const TextLines& base, ChangedSide& source,
                                     ChangedSide& target) {
    TextLines merged;
    std::size_t done = 0;
    const auto copy_base = [&](std::size_t end) {
        merged.insert(merged.end(), base.begin() + static_cast<std::ptrdiff_t>(done),
                      base.begin() + static_cast<std::ptrdiff_t>(end));
    };
    while (source.has_next() || target.has_next()) {
        const std::size_t begin = std::min(source.has_next() ? source.next_begin() : base.size(),
                                           target.has_next() ? target.next_begin() : base.size());
        copy_base(begin);
        std::size_t end = begin;
        source.begin_group();
        target.begin_group();
        while (source.take(end) || target.take(end)) {
        }
        if (!append_group(merged, source, target, begin, end)) return std::nullopt;
        done = end;
    }
    copy_base(base.size());
    return merged;
}

std::size_t count_lines(std::string_view text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
}

std::string joined(const TextLines& lines, const LineTable& table) {
    std::string text;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i > 0) text += '\n';
        text += table.text_of(lines[i]);
    }
    return text;
}

}  // namespace

std::optional<std::string> merge_texts(std::string_view base, std::string_view source,
                                       std::string_view target, TextMergeBounds& left) {
    if (source == target || base == source) return std::string(target);
    if (base == target) return std::string(source);
    if (base.size() + source.size() + target.size() > left.bytes) return std::nullopt;
    if (count_lines(base) + count_lines(source) + count_lines(target) > left.lines)
        return std::nullopt;
    LineTable table;
    const TextLines base_lines = table.lines_of(base);
    const TextLines source_lines = table.lines_of(source);
    const TextLines target_lines = table.lines_of(target);
    const auto changed = [&](const TextLines& side) {
        return ChangedSide(side, changed_lines(base_lines, side, table.size(), left.steps));
    };
    ChangedSide by_source = changed(source_lines);
    ChangedSide by_target = changed(target_lines);
    const auto merged = merge_lines(base_lines, by_source, by_target);
    if (!merged) return std::nullopt;
    return joined(*merged, table);
}

}  // namespace stele::nodes
