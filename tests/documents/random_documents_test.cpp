#include "tests/documents/random_documents.hpp"

#include <map>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "kernel/storage/document/document_store.hpp"
#include "kernel/storage/record/name_table.hpp"
#include "tests/documents/aged_record.hpp"
#include "tests/documents/document_model.hpp"
#include "tests/documents/used_engine.hpp"

namespace stele::tests {

using namespace kernel::storage;
using sdk::Json;

namespace {

std::size_t case_count() {
    return testing::test_cases(10'000);
}

/// A store and the model beside it, both driven by the same random choices.
class Pair {
public:
    Pair(std::uint64_t seed, std::map<std::string, std::size_t>& accesses)
        : random_(seed), accesses_(accesses) {
        declare();
        write([&](sdk::Transaction& transaction) -> sdk::Result<void> {
            collection_ = store_.open_collection(transaction, 1, "article", "").value();
            return {};
        });
    }

    void insert(bool is_wide = false) {
        const Sequence sequence = next_sequence();
        Json fields = is_wide ? random_.wide_document() : random_.document();
        const std::string custom_id =
            random_.one_in(10) ? "id-" + sequence_text(sequence) : std::string();
        fields["_doc"] = custom_id.empty() ? sequence_text(sequence) : custom_id;
        write([&](sdk::Transaction& transaction) {
            return done(store_.insert(transaction, collection_, rules_,
                                      {sequence, custom_id, fields, "sealed"}));
        });
        model_.insert(sequence, sdk::dump_json(fields));
    }

    void change() {
        if (random_.one_in(4)) age();
        switch (random_.below(4)) {
            case 0:
                return erase();
            case 1:
                return insert(random_.one_in(40));
            default:
                return replace();
        }
    }

    /// Adds rules, as a newer plugin would; the indexes are then built beside the writers.
    void declare() {
        static const std::vector<sdk::CompositeIndex> kIndexes = {
            {"group", "title"}, {"group", "a", "rank"}, {"a", "b"}, {"tags", "title"},
            {"rank"},           {"made_on.ms"},         {"t"},      {"group", "_doc"},
            {"group", ""}};
        for (const auto& index : kIndexes) {
            if (random_.one_in(4)) rules_.composite_indexes.push_back(index);
        }
        if (random_.one_in(3)) rules_.unindexed_fields.push_back("body");
        if (random_.one_in(6)) rules_.unindexed_fields.push_back("b");
    }

    void compare() { compare(random_.query(), random_.page(), random_.one_in(3)); }

    void compare(const Json& text, const sdk::PageRequest& page, bool numeric_sort) {
        auto parsed = Query::parse(text);
        // Some random operators do not fit their operand.
        if (!parsed) return;
        const Visibility visible = visibility();
        const auto expected = model_.query(text, page, visible, numeric_sort);

        const auto reader = engine_->snapshot();
        auto run = store_.query(*reader, collection_, rules_, std::move(*parsed), page, visible,
                                numeric_sort);
        REQUIRE(run.has_value());
        std::vector<Sequence> rows;
        Record row;
        while ((*run)->next(row).value())
            rows.push_back(row.sequence);
        const std::uint64_t total = (*run)->total_rows().value();
        const Json explained = (*run)->explain();
        ++accesses_[explained.at("access").get<std::string>() + " " +
                    explained.at("order").get<std::string>() + " " +
                    explained.at("total").get<std::string>()];
        if (rows == expected.rows && total == expected.total) return;
        INFO(sdk::dump_json(text));
        INFO((page.sort.empty() ? "no sort"
                                : page.sort[0].field + (page.sort[0].ascending ? " up" : " down")));
        INFO(explained.dump());
        INFO("skip " << page.skip << " limit " << page.limit << " numeric " << numeric_sort);
        CHECK(total == expected.total);
        REQUIRE(readable(rows) == readable(expected.rows));
    }

    void check() { REQUIRE(store_.check(*engine_->snapshot()) == Strings()); }
    void finish_builds() { store_.finish_index_builds(); }
    RandomDocuments& random() { return random_; }

private:
    using Strings = std::vector<std::string>;

    static Strings readable(const std::vector<Sequence>& rows) {
        Strings texts;
        for (const Sequence& row : rows)
            texts.push_back(sequence_text(row));
        return texts;
    }

    void write(const std::function<sdk::Result<void>(sdk::Transaction&)>& work) {
        const auto written = sdk::write_with_retry(*engine_, work);
        if (!written) FAIL(written.error().code << ": " << written.error().message);
    }

    void erase() {
        if (model_.entries().empty()) return;
        const std::size_t place = random_.below(model_.entries().size());
        with_record(place, [&](sdk::Transaction& transaction, const Record& before) {
            return store_.erase(transaction, rules_, before);
        });
        model_.erase(place);
    }

    void replace() {
        if (model_.entries().empty()) return;
        const std::size_t place = random_.below(model_.entries().size());
        Json fields = random_.document();
        const auto old = sdk::parse_json(model_.entries()[place].view()).value();
        fields["_doc"] = old.at("_doc");
        // Often only one member changes.
        if (random_.one_in(2)) {
            Json kept = old;
            kept["rank"] = fields["rank"];
            fields = std::move(kept);
        }
        with_record(place, [&](sdk::Transaction& transaction, const Record& before) {
            return done(store_.replace(transaction, rules_, before, fields, "sealed"));
        });
        model_.replace(place, sdk::dump_json(fields));
    }

    /// Makes a record what it would be in a store of the first format.
    void age() {
        if (model_.entries().empty()) return;
        with_record(random_.below(model_.entries().size()), [&](sdk::Transaction& transaction,
                                                                const Record& record) {
            return testing::age_record(transaction, names_, rules_.unindexed_fields, record);
        });
    }

    void with_record(
        std::size_t place,
        const std::function<sdk::Result<void>(sdk::Transaction&, const Record&)>& work) {
        write([&](sdk::Transaction& transaction) {
            Record before;
            const Sequence& sequence = model_.entries()[place].sequence;
            REQUIRE(store_.read(transaction, record_key(collection_, sequence), before).value());
            return work(transaction, before);
        });
    }

    Visibility visibility() {
        Visibility visible;
        const std::size_t kind = random_.below(6);
        if (kind > 1) return visible;
        visible.is_everything = false;
        const std::size_t part = 1 + random_.below(5);
        if (kind == 0) {
            visible.only.emplace();
            for (const auto& entry : model_.entries()) {
                if (random_.one_in(part)) visible.only->push_back(entry.sequence);
            }
        } else {
            visible.accepts = [part](const Record& record) -> sdk::Result<bool> {
                return static_cast<unsigned char>(record.sequence.back()) % part == 0;
            };
        }
        return visible;
    }

    RandomDocuments random_;
    std::map<std::string, std::size_t>& accesses_;
    std::unique_ptr<sdk::Engine> engine_ = make_used_engine();
    NameTable names_{*engine_};
    DocumentStore store_{*engine_, names_};
    CollectionRules rules_;
    CollectionId collection_;
    DocumentModel model_;
};

}  // namespace

TEST_CASE("any query over any documents answers what looking at every record answers") {
    constexpr std::size_t kBatch = 250;
    std::map<std::string, std::size_t> accesses;
    const std::size_t batches = case_count() / kBatch;
    for (std::size_t batch = 0; batch < batches; ++batch) {
        INFO("seed " << batch);
        Pair pair(batch, accesses);
        const std::size_t records = 20 + pair.random().below(100);
        for (std::size_t i = 0; i < records; ++i)
            pair.insert(pair.random().one_in(400));
        for (std::size_t i = 0; i < kBatch; ++i) {
            if (pair.random().one_in(4)) pair.change();
            if (i == kBatch / 2) pair.declare();
            pair.compare();
        }
        pair.check();
        pair.finish_builds();
        pair.check();
    }
    for (const auto& [access, count] : accesses)
        UNSCOPED_INFO(access << ": " << count);
    // Every way must have been gone often, or the comparison proves little.
    for (const char* access :
         {"collection as found counter", "collection sorted counted", "index as found counted",
          "index sorted counted", "order as found counter", "composite as found counter",
          "composite as found counted", "visible sorted counted"}) {
        INFO(access);
        CHECK(accesses[access] >= case_count() / 2000);
    }
}

TEST_CASE("queries that stay costly get their indexes and answer the same afterwards") {
    std::map<std::string, std::size_t> accesses;
    for (std::uint64_t seed = 0; seed < 1 + case_count() / 50'000; ++seed) {
        INFO("seed " << seed);
        Pair pair(1'000'000 + seed, accesses);
        for (int i = 0; i < 900; ++i)
            pair.insert();
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 200; ++i) {
                // Few shapes, so that they come again and again.
                const Json query =
                    i % 2 == 0 ? Json::object() : Json{{"group", "g" + std::to_string(i % 3)}};
                sdk::PageRequest page = pair.random().page();
                const char* field = i % 5 == 0 ? "made_on.ms" : i % 5 < 3 ? "maybe" : "a";
                page.sort = {{field, i % 7 < 3}};
                page.options = {};
                pair.compare(query, page, i % 4 == 0);
                if (i % 5 == 0) pair.change();
            }
            pair.finish_builds();
            pair.check();
        }
    }
    for (const auto& [access, count] : accesses)
        UNSCOPED_INFO(access << ": " << count);
    CHECK(accesses["composite as found counter"] > 50);
}

}  // namespace stele::tests
