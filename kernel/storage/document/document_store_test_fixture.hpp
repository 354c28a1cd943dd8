#pragma once

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/storage/document/document_store.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::kernel::storage {

using sdk::Json;
using Names = std::vector<std::string>;

/// Whether it succeeded, whatever was answered.
template <class T>
sdk::Result<void> done(const sdk::Result<T>& result) {
    if (!result) return result.error();
    return {};
}

/// A store with one collection, driven in one transaction a call.
class StoreFixture {
public:
    explicit StoreFixture(CollectionRules given = {}) : rules(std::move(given)) {
        write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            collection = store.open_collection(transaction, 7, "article", "box").value();
            return {};
        }).value();
    }

    sdk::Result<void> write(const std::function<sdk::Result<void>(sdk::Transaction&)>& work) {
        return sdk::write_with_retry(engine, work);
    }

    sdk::Result<std::string> insert(const std::string& text, const std::string& custom_id = {}) {
        Json fields = sdk::parse_json(text).value();
        const Sequence sequence = next_sequence();
        const std::string id = custom_id.empty() ? sequence_text(sequence) : custom_id;
        fields["_doc"] = id;
        auto written = write([&](sdk::Transaction& transaction) {
            return done(store.insert(transaction, collection, rules,
                                     {sequence, custom_id, fields, "sealed"}));
        });
        if (!written) return written.error();
        return id;
    }

    sdk::Result<void> replace(const std::string& id, const std::string& text) {
        Json fields = sdk::parse_json(text).value();
        fields["_doc"] = id;
        return write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            Record before;
            REQUIRE(store.read(transaction, collection, id, before).value());
            return done(store.replace(transaction, rules, before, fields, "sealed"));
        });
    }

    sdk::Result<void> erase(const std::string& id) {
        return write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            Record before;
            REQUIRE(store.read(transaction, collection, id, before).value());
            return store.erase(transaction, rules, before);
        });
    }

    struct Page {
        std::vector<std::string> names;
        std::uint64_t total = 0;
        Json explained;
        std::optional<WantedIndex> wanted;
    };

    Page query(const std::string& text, const sdk::PageRequest& page = {},
               Visibility visibility = {}, bool numeric_sort = false) {
        const auto reader = engine.snapshot();
        auto run = store.query(*reader, collection, rules,
                               Query::parse(sdk::parse_json(text).value()).value(), page,
                               std::move(visibility), numeric_sort);
        Page result;
        Record row;
        while ((*run)->next(row).value()) {
            result.names.push_back(
                sdk::parse_json(row.text()).value().value("name", std::string("-")));
        }
        result.total = (*run)->total_rows().value();
        result.explained = (*run)->explain();
        result.wanted = (*run)->wanted_index();
        return result;
    }

    std::vector<std::string> differences() { return store.check(*engine.snapshot()); }

    sdk::testing::MemoryEngine engine;
    NameTable names{engine};
    DocumentStore store{engine, names};
    CollectionRules rules;
    CollectionId collection;
};

inline sdk::PageRequest sorted(const std::string& field, bool is_ascending = true,
                               std::uint64_t skip = 0, std::int64_t limit = 1000) {
    sdk::PageRequest page;
    page.sort = {{field, is_ascending}};
    page.skip = skip;
    page.limit = limit;
    return page;
}

}  // namespace stele::kernel::storage
