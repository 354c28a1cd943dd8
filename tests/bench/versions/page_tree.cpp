// t page -> entries of a leaf (key, record's revision) or of an inner page (first key, page)
// v key revision -> a record
// r line revision -> page of the root
#include <algorithm>
#include <unordered_map>

#include "tests/bench/versions/version_store.hpp"

namespace stele::bench {

namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kCachedPages = 40'000;

struct Entry {
    std::string key;
    std::uint64_t number = 0;  ///< of a record's revision, or of a page
};

struct Page {
    bool is_leaf = true;
    std::vector<Entry> entries;
};

std::string page_key(std::uint64_t page) {
    std::string key = "t";
    append_number(key, page);
    return key;
}

std::string kept_key(std::string_view key, std::uint64_t revision) {
    std::string bytes = "v";
    bytes += key;
    append_number(bytes, revision);
    return bytes;
}

std::string encode(const Page& page) {
    std::string bytes(1, page.is_leaf ? 'l' : 'i');
    for (const Entry& entry : page.entries) {
        bytes.push_back(static_cast<char>(entry.key.size()));
        bytes += entry.key;
        append_number(bytes, entry.number);
    }
    return bytes;
}

Page decode(std::string_view bytes) {
    Page page{bytes.front() == 'l', {}};
    bytes.remove_prefix(1);
    while (!bytes.empty()) {
        const auto size = static_cast<unsigned char>(bytes.front());
        page.entries.push_back(
            {std::string(bytes.substr(1, size)), read_number(bytes.substr(1 + size))});
        bytes.remove_prefix(1 + size + 8);
    }
    return page;
}

class PageTree final : public VersionStore {
public:
    explicit PageTree(leveldb::DB& database) : VersionStore(database) { roots_[0] = {{0, 0}}; }

    bool read(View view, std::string_view key, std::string& value) override {
        std::uint64_t number = root(view);
        while (number != 0) {
            const Page& page = load(number);
            const auto at = upper(page, key);
            if (at == page.entries.begin()) return false;
            const Entry& entry = *std::prev(at);
            number = entry.number;
            if (!page.is_leaf) continue;
            return entry.key == key && database_.Get({}, kept_key(key, number), &value).ok();
        }
        return false;
    }

    std::size_t scan(View view, std::string_view begin, std::string_view end, std::size_t most,
                     std::vector<std::string>& keys) override {
        std::size_t steps = 0;
        if (const std::uint64_t top = root(view)) walk(top, begin, end, most, keys, steps);
        return steps;
    }

private:
    using Changes = std::vector<Change>::const_iterator;

    static std::vector<Entry>::const_iterator upper(const Page& page, std::string_view key) {
        return std::upper_bound(
            page.entries.begin(), page.entries.end(), key,
            [](std::string_view wanted, const Entry& entry) { return wanted < entry.key; });
    }

    std::uint64_t root(View view) const {
        const auto& roots = roots_.at(view.line);
        const auto after = std::upper_bound(
            roots.begin(), roots.end(), view.revision,
            [](std::uint64_t wanted, const auto& entry) { return wanted < entry.first; });
        return std::prev(after)->second;
    }

    const Page& load(std::uint64_t number) {
        const auto cached = cache_.find(number);
        if (cached != cache_.end()) return cached->second;
        std::string bytes;
        if (!database_.Get({}, page_key(number), &bytes).ok()) std::abort();
        if (cache_.size() > kCachedPages) cache_.clear();
        return cache_.emplace(number, decode(bytes)).first->second;
    }

    void walk(std::uint64_t number, std::string_view begin, std::string_view end, std::size_t most,
              std::vector<std::string>& keys, std::size_t& steps) {
        const Page page = load(number);
        auto at = upper(page, begin);
        if (at != page.entries.begin()) --at;
        for (; at != page.entries.end() && at->key < end && keys.size() < most; ++at) {
            ++steps;
            if (!page.is_leaf) {
                walk(at->number, begin, end, most, keys, steps);
            } else if (at->key >= begin) {
                keys.push_back(at->key);
            }
        }
    }

    void write(leveldb::WriteBatch& batch, View at, const std::vector<Change>& changes) override {
        std::vector<Change> sorted = changes;
        std::sort(sorted.begin(), sorted.end(),
                  [](const Change& one, const Change& other) { return one.key < other.key; });
        for (const Change& change : sorted) {
            if (change.value && !change.value->empty())
                batch.Put(kept_key(change.key, at.revision), *change.value);
        }
        const std::uint64_t former = root({at.line, at.revision});
        const Page top = former == 0 ? Page() : load(former);
        std::vector<Entry> pages = rewrite(batch, top, sorted.begin(), sorted.end(), at.revision);
        while (pages.size() > 1)
            pages = store(batch, {false, std::move(pages)});
        const std::uint64_t next = pages.empty() ? 0 : pages.front().number;
        roots_[at.line].emplace_back(at.revision, next);
        std::string key = "r";
        append_number(key, at.line);
        append_number(key, at.revision);
        batch.Put(key, page_key(next));
    }

    void forked(std::uint32_t line, View from) override {
        roots_[line] = {{from.revision, root(from)}};
    }

    std::vector<Entry> rewrite(leveldb::WriteBatch& batch, Page page, Changes at, Changes end,
                               std::uint64_t revision) {
        if (page.is_leaf) {
            for (; at != end; ++at) {
                const auto place = std::lower_bound(
                    page.entries.begin(), page.entries.end(), at->key,
                    [](const Entry& entry, const std::string& key) { return entry.key < key; });
                const bool is_there = place != page.entries.end() && place->key == at->key;
                if (!at->value) {
                    if (is_there) page.entries.erase(place);
                } else if (is_there) {
                    place->number = revision;
                } else {
                    page.entries.insert(place, {at->key, revision});
                }
            }
            return store(batch, std::move(page));
        }
        Page next{false, {}};
        for (std::size_t i = 0; i < page.entries.size(); ++i) {
            const auto upto = i + 1 == page.entries.size()
                                  ? end
                                  : std::find_if(at, end, [&](const Change& change) {
                                        return change.key >= page.entries[i + 1].key;
                                    });
            if (at == upto) {
                next.entries.push_back(page.entries[i]);
                continue;
            }
            const Page child = load(page.entries[i].number);
            for (Entry& entry : rewrite(batch, child, at, upto, revision))
                next.entries.push_back(std::move(entry));
            at = upto;
        }
        return store(batch, std::move(next));
    }

    /// In as many pages as are needed.
    std::vector<Entry> store(leveldb::WriteBatch& batch, Page page) {
        std::vector<Entry> stored;
        Page part{page.is_leaf, {}};
        std::size_t size = 0;
        const auto flush = [&] {
            if (part.entries.empty()) return;
            const std::uint64_t number = ++last_page_;
            stored.push_back({part.entries.front().key, number});
            batch.Put(page_key(number), encode(part));
            cache_.insert_or_assign(number, part);
            part.entries.clear();
            size = 0;
        };
        std::size_t whole = 0;
        for (const Entry& entry : page.entries)
            whole += entry.key.size() + 9;
        const std::size_t parts = whole / kPageBytes + 1;
        for (Entry& entry : page.entries) {
            size += entry.key.size() + 9;
            part.entries.push_back(std::move(entry));
            if (size > whole / parts) flush();
        }
        flush();
        return stored;
    }

    std::unordered_map<std::uint32_t, std::vector<std::pair<std::uint64_t, std::uint64_t>>> roots_;
    std::unordered_map<std::uint64_t, Page> cache_;
    std::uint64_t last_page_ = 0;
};

}  // namespace

std::unique_ptr<VersionStore> make_page_tree(leveldb::DB& database) {
    return std::make_unique<PageTree>(database);
}

}  // namespace stele::bench
