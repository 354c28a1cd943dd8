#include "tests/gifts/store_rewind.hpp"

#include <stele/sdk/key_tuple.hpp>

#include "kernel/storage/index/index_entries.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::gifts {

namespace {

/// kernel/storage/engine/keys.hpp
bool is_final(std::string_view key) {
    sdk::KeyReader reader(key);
    const auto platform = reader.integer();
    const auto tag = reader.tag();
    if (!platform || !tag) return false;
    if (*platform == 0) return *tag == 'n' || *tag == 'N';
    return *tag == 'c' || *tag == 'C' || key == storage::record_counter({*platform, 0});
}

}  // namespace

StoreRewind::StoreRewind(sdk::Engine& engine) : engine_(engine) {
    engine.observe("", [changes = changes_](const sdk::CommitNotice& commit) {
        const std::lock_guard lock(changes->mutex);
        changes->keys.insert(commit.keys.begin(), commit.keys.end());
    });
}

void StoreRewind::mark() {
    entries_.clear();
    const auto reader = engine_.snapshot();
    const auto cursor = reader->scan({}, sdk::ScanDirection::forward);
    for (; cursor->is_valid(); cursor->next())
        entries_.emplace_hint(entries_.end(), cursor->key(), cursor->value());
    resource::testing::expect(cursor->status());
    const std::lock_guard lock(changes_->mutex);
    changes_->keys.clear();
}

void StoreRewind::back() {
    const auto transaction = engine_.begin();
    {
        const std::lock_guard lock(changes_->mutex);
        for (const std::string& key : changes_->keys) {
            if (is_final(key)) continue;
            const auto found = entries_.find(key);
            if (found == entries_.end()) {
                transaction->remove(key);
            } else {
                transaction->put(key, found->second);
            }
        }
    }
    resource::testing::expect(sdk::commit_and_wait(*transaction));
    const std::lock_guard lock(changes_->mutex);
    changes_->keys.clear();
}

}  // namespace stele::kernel::gifts
