// key, line from the newest, revision from the newest -> 'p' value, or 'r' where it was removed.
#include "tests/bench/versions/version_store.hpp"

namespace stele::bench {

namespace {

constexpr std::size_t kVersionBytes = 16;

class VersionLists final : public VersionStore {
public:
    using VersionStore::VersionStore;

    bool read(View view, std::string_view key, std::string& value) override {
        const auto links = chain(view);
        const auto at = iterator();
        std::size_t steps = 0;
        return find(*at, key, links, value, steps);
    }

    std::size_t scan(View view, std::string_view begin, std::string_view end, std::size_t most,
                     std::vector<std::string>& keys) override {
        const auto links = chain(view);
        const auto at = iterator();
        std::size_t steps = 0;
        std::string value;
        at->Seek(slice(begin));
        while (at->Valid() && view_of(at->key()) < end && keys.size() < most) {
            std::string key(view_of(at->key()).substr(0, at->key().size() - kVersionBytes));
            if (find(*at, key, links, value, steps)) keys.push_back(key);
            // Past what is left of the key: a few steps, then a seek.
            for (int i = 0; at->Valid() && at->key().starts_with(slice(key)); ++i) {
                ++steps;
                if (i < 4) {
                    at->Next();
                } else {
                    at->Seek(version_key(key, 0, 0));
                    if (at->Valid() && at->key().starts_with(slice(key))) at->Next();
                }
            }
        }
        return steps;
    }

private:
    void write(leveldb::WriteBatch& batch, View at, const std::vector<Change>& changes) override {
        for (const Change& change : changes) {
            batch.Put(version_key(change.key, at.line, at.revision),
                      change.value ? "p" + *change.value : "r");
        }
    }

    /// The version that the first link with one has.
    static bool find(leveldb::Iterator& at, std::string_view key, const std::vector<Link>& links,
                     std::string& value, std::size_t& steps) {
        for (const Link& link : links) {
            const std::string wanted = version_key(key, link.line, link.bound);
            if (!at.Valid() || view_of(at.key()) < wanted) at.Seek(wanted);
            ++steps;
            if (!at.Valid() || !at.key().starts_with(slice(key))) return false;
            const std::string_view found = view_of(at.key()).substr(key.size());
            if (~read_number(found) != link.line || ~read_number(found.substr(8)) > link.bound)
                continue;
            const std::string_view stored = view_of(at.value());
            if (stored.front() == 'r') return false;
            value.assign(stored.substr(1));
            return true;
        }
        return false;
    }
};

}  // namespace

std::unique_ptr<VersionStore> make_version_lists(leveldb::DB& database) {
    return std::make_unique<VersionLists>(database);
}

}  // namespace stele::bench
