#include "kernel/authority/inheritance.hpp"

#include "kernel/authority/authority_keys.hpp"
#include "kernel/authority/authority_store.hpp"

namespace stele::kernel::authority {

namespace {

/// The record keys that end the entries of `first` under a tag.
sdk::Result<std::vector<sdk::RecordKey>> others_under(const sdk::Reader& reader,
                                                      std::uint64_t platform, char tag,
                                                      const sdk::RecordKey& first) {
    std::vector<sdk::RecordKey> others;
    const auto visited =
        each_entry(reader, entries_prefix(platform, tag, first),
                   [&others](std::string_view key, std::string_view) -> sdk::Result<void> {
                       const auto other = cut_record_key(key);
                       if (!other) return broken_entry("the key of an inheritance");
                       others.emplace_back(*other);
                       return {};
                   });
    if (!visited) return visited.error();
    return others;
}

}  // namespace

sdk::Result<std::vector<sdk::RecordKey>> sources_of(const sdk::Reader& reader,
                                                    const sdk::RecordKey& record) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    return others_under(reader, *platform, kSourceTag, record);
}

sdk::Result<std::vector<sdk::RecordKey>> heirs_of(const sdk::Reader& reader,
                                                  const sdk::RecordKey& source) {
    const auto platform = platform_of(source);
    if (!platform) return platform.error();
    return others_under(reader, *platform, kHeirTag, source);
}

sdk::Result<void> each_heir(const sdk::Reader& reader, std::uint64_t platform,
                            std::string_view record_key_prefix, const VisitHeir& visit) {
    std::string prefix(record_key_prefix);
    return each_entry(reader, entries_prefix(platform, kSourceTag, prefix),
                      [&](std::string_view rest, std::string_view) -> sdk::Result<void> {
                          const std::string both = prefix + std::string(rest);
                          std::string_view left = both;
                          const auto record = cut_record_key(left);
                          const auto source = cut_record_key(left);
                          if (!record || !source) return broken_entry("the key of an inheritance");
                          return visit(sdk::RecordKey(*record), sdk::RecordKey(*source));
                      });
}

sdk::Result<bool> forget_inheritance(sdk::Transaction& transaction, const sdk::RecordKey& record) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    bool had_any = false;
    for (const char tag : {kSourceTag, kHeirTag}) {
        const char mirror = tag == kSourceTag ? kHeirTag : kSourceTag;
        const auto others = others_under(transaction, *platform, tag, record);
        if (!others) return others.error();
        for (const sdk::RecordKey& other : *others) {
            transaction.remove(membership_key(*platform, tag, record, other));
            transaction.remove(membership_key(*platform, mirror, other, record));
            had_any = true;
        }
    }
    return had_any;
}

sdk::Result<void> AuthorityStore::inherit(sdk::Transaction& transaction,
                                          const sdk::RecordKey& record,
                                          const sdk::RecordKey& source) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    if (const auto other = platform_of(source); !other) return other.error();
    const std::string key = membership_key(*platform, kSourceTag, record, source);
    const auto stored = transaction.get(key);
    if (!stored) return stored.error();
    if (*stored) return {};
    transaction.put(key, {});
    transaction.put(membership_key(*platform, kHeirTag, source, record), {});
    // Inheriting gives rights only, unless a custom role of the source hides one of the platform.
    const auto defined = roles(transaction, source);
    if (!defined) return defined.error();
    if (!defined->empty()) withdraw_decisions(transaction, *platform);
    return {};
}

sdk::Result<void> AuthorityStore::disinherit(sdk::Transaction& transaction,
                                             const sdk::RecordKey& record,
                                             const sdk::RecordKey& source) {
    const auto platform = platform_of(record);
    if (!platform) return platform.error();
    const std::string key = membership_key(*platform, kSourceTag, record, source);
    const auto stored = transaction.get(key);
    if (!stored) return stored.error();
    if (!*stored) return {};
    transaction.remove(key);
    transaction.remove(membership_key(*platform, kHeirTag, source, record));
    withdraw_decisions(transaction, *platform);
    return {};
}

}  // namespace stele::kernel::authority
