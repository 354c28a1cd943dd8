#pragma once

#include <cstdint>
#include <map>
#include <shared_mutex>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>
#include <stele/sdk/principal.hpp>

#include "kernel/storage/document/document_store.hpp"

namespace stele::kernel::resource {

/// The platforms (tenants) of a store. Each has a number, with which all its keys begin, and a root
/// record. The first one is the root platform. Any thread.
///
/// Those that were asked for are remembered, and forgotten with every commit that opens, closes or
/// removes one: what is answered holds for every reader that was begun before.
class Platforms {
public:
    Platforms(sdk::Engine& engine, storage::DocumentStore& documents);

    /// The root platform, number 1; `not_found` while the store is empty.
    sdk::Result<sdk::PlatformScope> root();
    /// Closed ones too; not those that were removed.
    sdk::Result<sdk::PlatformScope> find(std::uint64_t number);
    sdk::Result<std::vector<sdk::PlatformScope>> all();
    /// Those on which the server works behind its callers' backs.
    sdk::Result<std::vector<sdk::PlatformScope>> all_open();
    /// False too where there is no such platform.
    sdk::Result<bool> is_open(std::uint64_t number);
    /// The same as the reader sees it; a transaction conflicts when it changes until the commit.
    static sdk::Result<bool> is_open(const sdk::Reader& reader, std::uint64_t number);

    /// As the reader sees it: a transaction may be making the platform.
    sdk::Result<sdk::PlatformScope> find(const sdk::Reader& reader, std::uint64_t number);
    /// False when it was removed; the transaction conflicts when it is until the commit.
    sdk::Result<bool> holds(const sdk::Transaction& transaction, std::uint64_t number);
    /// The platform of a root record's id, as the transaction sees it.
    sdk::Result<sdk::PlatformScope> find(const sdk::Transaction& transaction, std::string_view id);

    /// Makes a platform with its root record, which is there with the commit.
    sdk::Result<sdk::PlatformScope> create(sdk::Transaction& transaction, std::string_view title);
    void set_open(sdk::Transaction& transaction, std::uint64_t number, bool is_open);
    /// From the commit on it is one of `removed`, until `forget`.
    void remove(sdk::Transaction& transaction, const sdk::PlatformScope& platform);
    void forget(sdk::Transaction& transaction, std::uint64_t number);

    /// Those of which something is left to erase.
    sdk::Result<std::vector<std::uint64_t>> removed();

private:
    struct Known {
        sdk::PlatformScope scope;
        bool is_open = true;
    };
    sdk::Result<Known> know(std::uint64_t number);
    sdk::Result<Known> load(const sdk::Reader& reader, std::uint64_t number);
    /// Null when it is not remembered.
    const Known* remembered(std::uint64_t number) const;
    /// Counted in a transaction of its own, the first one's excepted: no two attempts, of two
    /// servers perhaps, work under one number, under which each server remembers what is committed.
    /// An attempt that fails leaves a gap.
    sdk::Result<std::uint64_t> give_number(sdk::Transaction& transaction);
    void observe(std::string prefix);
    void notice(const sdk::CommitNotice& commit, std::size_t prefix_size);

    sdk::Engine& engine_;
    storage::DocumentStore& documents_;
    std::shared_mutex mutex_;
    std::map<std::uint64_t, Known> known_;
    /// Grows with every commit that may change what is known.
    std::uint64_t changes_ = 0;
};

/// What the server itself acts as on a platform.
sdk::Session system_session(const sdk::PlatformScope& platform);

}  // namespace stele::kernel::resource
