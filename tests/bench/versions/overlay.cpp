// c line key                    -> born, 'p' or 'r': what the line shows at its tip beside its
// parent h line level block key born   -> died, 'p' or 'r': what ended, in the smallest block of
// revisions
//                                  that it lies in
// v key line revision           -> 'p' value, or 'r': the versions of a record, newest first
#include <algorithm>
#include <utility>

#include "tests/bench/versions/version_store.hpp"

namespace stele::bench {

namespace {

constexpr std::size_t kNumberBytes = 8;
/// How many revisions other writers may add before an end is committed.
constexpr std::uint64_t kSlack = 64;

std::string present_prefix(std::uint64_t line) {
    std::string key = "c";
    append_number(key, line);
    return key;
}

std::string past_prefix(std::uint64_t line, int level, std::uint64_t block) {
    std::string key = "h";
    append_number(key, line);
    key.push_back(static_cast<char>(level));
    append_number(key, block);
    return key;
}

/// Entries of one kind and place that a view shows.
struct Source {
    std::unique_ptr<leveldb::Iterator> at;
    std::string prefix;
    std::string end;
    std::uint64_t bound = 0;
    std::size_t rank = 0;
    bool is_past = false;

    bool is_inside() const { return at->Valid() && at->key().starts_with(prefix) && key() < end; }
    std::string_view key() const {
        std::string_view bytes = view_of(at->key()).substr(prefix.size());
        if (is_past) bytes.remove_suffix(kNumberBytes);
        return bytes;
    }
    bool is_shown() const {
        if (!is_past) return read_number(view_of(at->value())) <= bound;
        const std::string_view full = view_of(at->key());
        return read_number(full.substr(full.size() - kNumberBytes)) <= bound &&
               bound < read_number(view_of(at->value()));
    }
    bool is_removal() const { return at->value()[kNumberBytes] == 'r'; }
    void settle(std::size_t& steps) {
        for (; is_inside() && !is_shown(); at->Next())
            ++steps;
    }
};

class Overlay final : public VersionStore {
public:
    using VersionStore::VersionStore;

    bool read(View view, std::string_view key, std::string& value) override {
        const auto links = chain(view);
        const auto at = iterator();
        const std::string record = std::string("v").append(key);
        for (const Link& link : links) {
            const std::string wanted = version_key(record, link.line, link.bound);
            if (!at->Valid() || view_of(at->key()) < wanted) at->Seek(wanted);
            if (!at->Valid()) return false;
            const std::string_view found = view_of(at->key());
            if (found.size() != wanted.size() || !found.starts_with(record)) return false;
            const std::string_view version = found.substr(record.size());
            if (~read_number(version) != link.line || ~read_number(version.substr(8)) > link.bound)
                continue;
            if (at->value()[0] == 'r') return false;
            value.assign(view_of(at->value()).substr(1));
            return true;
        }
        return false;
    }

    std::size_t scan(View view, std::string_view begin, std::string_view end, std::size_t most,
                     std::vector<std::string>& keys) override;

private:
    void write(leveldb::WriteBatch& batch, View at, const std::vector<Change>& changes) override;
    void end_entry(leveldb::WriteBatch& batch, View at, std::string_view key,
                   std::string_view stored) const;
    std::vector<Source> sources(View view, std::string_view begin, std::string_view end,
                                std::size_t& steps) const;
};

void Overlay::end_entry(leveldb::WriteBatch& batch, View at, std::string_view key,
                        std::string_view stored) const {
    const std::uint64_t born = read_number(stored);
    const std::uint64_t last = at.revision + kSlack;
    int level = 0;
    while (born >> level != last >> level)
        ++level;
    std::string past = past_prefix(at.line, level, born >> level);
    past += key;
    append_number(past, born);
    std::string value;
    append_number(value, at.revision);
    value += stored.substr(kNumberBytes);
    batch.Put(past, value);
    batch.Delete(present_prefix(at.line).append(key));
}

void Overlay::write(leveldb::WriteBatch& batch, View at, const std::vector<Change>& changes) {
    std::string born;
    append_number(born, at.revision);
    for (const Change& change : changes) {
        const bool is_record = change.value && !change.value->empty();
        const std::string present = present_prefix(at.line).append(change.key);
        std::string stored;
        const bool is_own = database_.Get({}, present, &stored).ok();
        if (is_record) {
            batch.Put(version_key("v" + change.key, at.line, at.revision), "p" + *change.value);
            std::string former;
            if (is_own || read(tip(at.line), change.key, former)) continue;
        }
        if (is_own) {
            end_entry(batch, at, change.key, stored);
        } else {
            batch.Put(present, born + (change.value ? 'p' : 'r'));
        }
    }
}

std::vector<Source> Overlay::sources(View view, std::string_view begin, std::string_view end,
                                     std::size_t& steps) const {
    std::vector<Source> found;
    std::unique_ptr<leveldb::Iterator> at;
    const auto look = [&](std::string prefix, const Link& link, std::size_t rank, bool is_past) {
        if (!at) at = iterator();
        ++steps;
        at->Seek(std::string(prefix).append(begin));
        Source source{std::move(at), std::move(prefix), std::string(end), link.bound, rank,
                      is_past};
        if (source.is_inside()) {
            source.settle(steps);
            if (source.is_inside()) return found.push_back(std::move(source));
        }
        at = std::move(source.at);
    };
    const auto links = chain(view);
    for (std::size_t rank = 0; rank < links.size(); ++rank) {
        const Link& link = links[rank];
        const std::uint64_t tip = lines_[link.line].tip;
        look(present_prefix(link.line), link, rank, false);
        if (link.bound >= tip) continue;
        for (int level = 0; level == 0 || (tip + kSlack) >> (level - 1) != 0; ++level)
            look(past_prefix(link.line, level, link.bound >> level), link, rank, true);
    }
    return found;
}

std::size_t Overlay::scan(View view, std::string_view begin, std::string_view end, std::size_t most,
                          std::vector<std::string>& keys) {
    std::size_t steps = 0;
    std::vector<Source> open = sources(view, begin, end, steps);
    while (!open.empty() && keys.size() < most) {
        const auto least =
            std::min_element(open.begin(), open.end(), [](const Source& one, const Source& other) {
                return std::pair(one.key(), one.rank) < std::pair(other.key(), other.rank);
            });
        const std::string key(least->key());
        if (!least->is_removal()) keys.push_back(key);
        for (Source& source : open) {
            if (source.key() != key) continue;
            ++steps;
            source.at->Next();
            source.settle(steps);
        }
        std::erase_if(open, [](const Source& source) { return !source.is_inside(); });
    }
    return steps;
}

}  // namespace

std::unique_ptr<VersionStore> make_overlay(leveldb::DB& database) {
    return std::make_unique<Overlay>(database);
}

}  // namespace stele::bench
