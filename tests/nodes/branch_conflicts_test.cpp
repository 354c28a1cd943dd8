#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "plugins/nodes/version/line_writer.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/nodes/branch_documents.hpp"

namespace stele::tests {

using namespace kernel::storage;
using sdk::Json;

namespace {

/// Two records on a line, and a line that was forked from it.
class Rivals {
public:
    Rivals() {
        auto change = branches_.begin(nodes::kFirstLine);
        for (const Sequence& record : records_)
            insert(change, nodes::kFirstLine, record);
        REQUIRE(branches_.commit(change) == 1U);
        branches_.fork(kFork, {nodes::kFirstLine});
        // The first who writes to a collection declares its indexes.
        for (const nodes::Line line : {nodes::kFirstLine, kFork}) {
            auto first = branches_.begin(line);
            insert(first, line, next_sequence());
            REQUIRE(branches_.commit(first).has_value());
        }
    }

    static constexpr nodes::Line kFork = 2;

    void insert(BranchDocuments::Change& change, nodes::Line line, const Sequence& record) {
        REQUIRE(branches_.documents()
                    .insert(*change.writer, branches_.collection(line), branches_.rules(),
                            {record, "", fields(record, 0), ""})
                    .has_value());
    }

    void replace(BranchDocuments::Change& change, nodes::Line line, const Sequence& record) {
        Record before;
        REQUIRE(branches_.documents()
                    .read(*change.writer, record_key(branches_.collection(line), record), before)
                    .value());
        REQUIRE(
            branches_.documents()
                .replace(*change.writer, branches_.rules(), before, fields(record, ++value_), "")
                .has_value());
    }

    std::uint64_t count(nodes::Line line) {
        const auto snapshot = engine_->snapshot();
        return branches_.documents()
            .count(*branches_.read(*snapshot, line), branches_.collection(line))
            .value();
    }

    int read(const sdk::Reader& reader, nodes::Line line, const Sequence& record) {
        Record found;
        REQUIRE(branches_.documents()
                    .read(reader, record_key(branches_.collection(line), record), found)
                    .value());
        return sdk::parse_json(found.text())->at("value").get<int>();
    }
    int read(nodes::Line line, const Sequence& record) {
        const auto snapshot = engine_->snapshot();
        return read(*branches_.read(*snapshot, line), line, record);
    }

    sdk::Engine& engine() { return *engine_; }
    BranchDocuments& branches() { return branches_; }
    const Sequence& record(std::size_t i) const { return records_[i]; }

private:
    static Json fields(const Sequence& record, int value) {
        return {{"value", value},
                {"kind", "same"},
                {"_doc", sequence_text(record)},
                {"_system", {{"changeset", sequence_text(next_sequence())}}}};
    }

    testing::TemporaryFolder folder_;
    std::unique_ptr<sdk::Engine> engine_ = open_leveldb(folder_.path()).value();
    BranchDocuments branches_{*engine_};
    const std::vector<Sequence> records_{next_sequence(), next_sequence()};
    int value_ = 0;
};

/// A line with entries of one kind, without documents.
class Entries {
public:
    struct Change {
        std::unique_ptr<sdk::Transaction> transaction;
        std::unique_ptr<nodes::LineWriter> writer;
    };
    Change begin(std::size_t attempt = 0) {
        Change change{engine_->begin(), nullptr};
        change.writer = writer_of(*change.transaction, nodes::kFirstLine, {.attempt = attempt});
        return change;
    }
    std::unique_ptr<nodes::LineWriter> writer_of(sdk::Transaction& transaction, nodes::Line line,
                                                 nodes::LineWriter::Place place) {
        return std::make_unique<nodes::LineWriter>(
            transaction, space_, nodes::find_view(transaction, space_, line).value(), place);
    }
    std::unique_ptr<sdk::Transaction> begin_several() { return engine_->begin(); }
    void fork(nodes::Line line) {
        const auto transaction = engine_->begin();
        REQUIRE(nodes::put_line(*transaction, *transaction, space_, line, {nodes::kFirstLine, 1})
                    .has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
    }
    void commit(Change& change) {
        REQUIRE(change.writer->finish("").has_value());
        REQUIRE(sdk::commit_and_wait(*change.transaction).has_value());
    }
    std::vector<std::string> shown(std::optional<nodes::Revision> revision,
                                   nodes::Line line = nodes::kFirstLine) {
        const auto snapshot = engine_->snapshot();
        const nodes::ViewReader view(*snapshot, space_,
                                     nodes::find_view(*snapshot, space_, line, revision).value());
        std::vector<std::string> keys;
        const auto cursor = view.scan({"aa", "ab"}, sdk::ScanDirection::forward);
        for (; cursor->is_valid(); cursor->next())
            keys.emplace_back(cursor->key());
        for (const std::string& key : keys)
            CHECK(view.get(key).value().has_value());
        return keys;
    }

private:
    static nodes::Keeping keeping(std::string_view) { return nodes::Keeping::entry; }

    testing::TemporaryFolder folder_;
    std::unique_ptr<sdk::Engine> engine_ = open_leveldb(folder_.path()).value();
    nodes::VersionCache cache_;
    nodes::VersionSpace space_{"space/", keeping, cache_};
};

}  // namespace

TEST_CASE("changesets of different records on one line do not conflict") {
    Rivals rivals;
    for (const nodes::Line line : {nodes::kFirstLine, Rivals::kFork}) {
        INFO("line " << line);
        auto one = rivals.branches().begin(line);
        auto other = rivals.branches().begin(line);
        auto third = rivals.branches().begin(line);
        rivals.replace(one, line, rivals.record(0));
        rivals.replace(other, line, rivals.record(1));
        rivals.insert(third, line, next_sequence());
        const auto first = rivals.branches().commit(one);
        REQUIRE(first.has_value());
        CHECK(rivals.branches().commit(other) == *first + 1);
        CHECK(rivals.branches().commit(third) == *first + 2);
        CHECK(rivals.count(line) == 4);
    }
}

TEST_CASE("changesets of one record on one line conflict, on two lines they do not") {
    Rivals rivals;
    for (const nodes::Line line : {nodes::kFirstLine, Rivals::kFork}) {
        INFO("line " << line);
        auto one = rivals.branches().begin(line);
        auto other = rivals.branches().begin(line);
        rivals.replace(one, line, rivals.record(0));
        rivals.replace(other, line, rivals.record(0));
        CHECK(rivals.branches().commit(one).has_value());
        CHECK_FALSE(rivals.branches().commit(other).has_value());
    }
    auto one = rivals.branches().begin(nodes::kFirstLine);
    auto other = rivals.branches().begin(Rivals::kFork);
    rivals.replace(one, nodes::kFirstLine, rivals.record(0));
    rivals.replace(other, Rivals::kFork, rivals.record(0));
    CHECK(rivals.branches().commit(one).has_value());
    CHECK(rivals.branches().commit(other).has_value());
}

TEST_CASE("changesets that make one record on one line conflict") {
    Rivals rivals;
    for (const nodes::Line line : {nodes::kFirstLine, Rivals::kFork}) {
        INFO("line " << line);
        const Sequence record = next_sequence();
        auto one = rivals.branches().begin(line);
        auto other = rivals.branches().begin(line);
        rivals.insert(one, line, record);
        rivals.insert(other, line, record);
        CHECK(rivals.branches().commit(one).has_value());
        CHECK_FALSE(rivals.branches().commit(other).has_value());
    }
}

TEST_CASE("a record that is remembered still conflicts with its next version") {
    Rivals rivals;
    for (const nodes::Line line : {nodes::kFirstLine, Rivals::kFork}) {
        INFO("line " << line);
        CHECK(rivals.read(line, rivals.record(0)) == 0);
        const auto transaction = rivals.engine().begin();
        const auto reader = rivals.branches().read(*transaction, line);
        CHECK(rivals.read(*reader, line, rivals.record(0)) == 0);
        transaction->put("elsewhere", "1");
        auto change = rivals.branches().begin(line);
        rivals.replace(change, line, rivals.record(0));
        CHECK(rivals.branches().commit(change).has_value());
        CHECK_FALSE(sdk::commit_and_wait(*transaction).has_value());
        CHECK(rivals.read(line, rivals.record(0)) > 0);
    }
}

TEST_CASE("what two changesets begin and end shows in the past, whichever is committed first") {
    using Keys = std::vector<std::string>;
    for (const bool is_one_first : {true, false}) {
        INFO("the first is committed " << (is_one_first ? "first" : "last"));
        Entries entries;
        auto one = entries.begin();
        auto two = entries.begin();
        one.writer->put("aa-one", "");
        two.writer->put("aa-two", "");
        entries.commit(is_one_first ? one : two);
        entries.commit(is_one_first ? two : one);
        one = entries.begin();
        two = entries.begin();
        one.writer->remove("aa-one");
        two.writer->remove("aa-two");
        entries.commit(is_one_first ? one : two);
        entries.commit(is_one_first ? two : one);
        CHECK(entries.shown(1) == Keys{is_one_first ? "aa-one" : "aa-two"});
        CHECK(entries.shown(2) == Keys{"aa-one", "aa-two"});
        CHECK(entries.shown(3) == Keys{is_one_first ? "aa-two" : "aa-one"});
        CHECK(entries.shown({}).empty());
    }
}

TEST_CASE("however many others write meanwhile, what is begun again comes to its end") {
    using Keys = std::vector<std::string>;
    const int others = GENERATE(0, 63, 64, 1000, 5000);
    INFO(others << " others");
    Entries entries;
    auto first = entries.begin();
    first.writer->put("aa-ends", "");
    entries.commit(first);
    nodes::Revision last = 1;
    bool is_done = false;
    std::size_t attempt = 0;
    for (; !is_done && attempt < 8; ++attempt) {
        auto ends = entries.begin(attempt);
        ends.writer->remove("aa-ends");
        for (int other = 0; other < others; ++other) {
            auto change = entries.begin();
            change.writer->put("ab" + std::to_string(other), std::to_string(attempt));
            entries.commit(change);
            ++last;
        }
        REQUIRE(ends.writer->finish("").has_value());
        is_done = sdk::commit_and_wait(*ends.transaction).has_value();
    }
    CHECK(is_done);
    CHECK((attempt == 1) == (others < 64));
    for (const nodes::Revision revision : {nodes::Revision{1}, last / 2 + 1, last})
        CHECK(entries.shown(revision) == Keys{"aa-ends"});
    CHECK(entries.shown(last + 1).empty());
    CHECK(entries.shown({}).empty());
}

TEST_CASE("of several lines each may end what it shows as long as its own number is in reach") {
    using Keys = std::vector<std::string>;
    // Which of three lines, in the order of their steps, ends something; the others only begin.
    const std::size_t ends = GENERATE(0, 1, 2);
    const int others = GENERATE(60, 61, 62, 63, 64, 65);
    INFO("line " << ends + 1 << " ends something, " << others << " others");
    Entries entries;
    auto first = entries.begin();
    first.writer->put("aa-ends", "");
    entries.commit(first);
    for (const nodes::Line line : {2, 3})
        entries.fork(line);
    const auto own_of = [](nodes::Line line) { return "aa-own" + std::to_string(line); };
    nodes::Revision last = 1;
    for (const nodes::Line line : {2, 3}) {
        const auto transaction = entries.begin_several();
        const auto writer = entries.writer_of(*transaction, line, {});
        writer->put(own_of(line), "");
        REQUIRE(writer->finish("").has_value());
        REQUIRE(sdk::commit_and_wait(*transaction).has_value());
        ++last;
    }
    const auto transaction = entries.begin_several();
    std::vector<std::unique_ptr<nodes::LineWriter>> writers;
    // All of them begin before any writes, so all know the same revisions.
    for (const nodes::Line line : {1, 2, 3})
        writers.push_back(entries.writer_of(*transaction, line, {.step = line - 1}));
    for (std::size_t i = 0; i < writers.size(); ++i) {
        if (i == ends) {
            writers[i]->remove(i == 0 ? "aa-ends" : own_of(i + 1));
        } else {
            writers[i]->put("ab-begins", "");
        }
    }
    for (int other = 0; other < others; ++other) {
        auto change = entries.begin();
        change.writer->put("ac" + std::to_string(other), "");
        entries.commit(change);
        ++last;
    }
    for (std::size_t i = 0; i < writers.size(); ++i)
        REQUIRE(writers[i]->finish("", writers.size() - 1 - i).has_value());
    const bool is_done = sdk::commit_and_wait(*transaction).has_value();
    // The last number in reach is 64 beyond what was known; as many steps come before its own.
    CHECK(is_done == (others + static_cast<int>(ends) + 1 <= 64));
    if (!is_done) return;
    const nodes::Line line = ends + 1;
    const Keys before = line == 1 ? Keys{"aa-ends"} : Keys{"aa-ends", own_of(line)};
    const Keys after = line == 1 ? Keys() : Keys{"aa-ends"};
    CHECK(writers[ends]->revision(*transaction) == last + 1 + ends);
    for (const nodes::Revision revision : {nodes::Revision{3}, last, last + ends})
        CHECK(entries.shown(revision, line) == before);
    CHECK(entries.shown(last + 1 + ends, line) == after);
    CHECK(entries.shown({}, line) == after);
}

TEST_CASE("a query in a transaction conflicts with those who change its answer, and no others") {
    const auto line = GENERATE(nodes::kFirstLine, Rivals::kFork);
    struct Case {
        const char* query;
        bool is_of_new;
    };
    const Case asked = GENERATE(Case{R"({"value":7})", false}, Case{R"({"value":0})", true},
                                Case{R"({"kind":"same"})", true}, Case{"{}", true});
    INFO("line " << line << ", " << asked.query);
    Rivals rivals;
    auto& branches = rivals.branches();
    auto change = branches.begin(line);
    auto query = Query::parse(*sdk::parse_json(asked.query));
    REQUIRE(query.has_value());
    const auto reader = branches.read(*change.transaction, line);
    auto run = branches.documents().query(*reader, branches.collection(line), branches.rules(),
                                          std::move(*query), {}, {}, false);
    REQUIRE(run.has_value());
    Record row;
    while ((*run)->next(row).value()) {
    }
    REQUIRE((*run)->total_rows().has_value());
    change.transaction->put("elsewhere", "1");
    auto other = branches.begin(line);
    rivals.insert(other, line, next_sequence());
    REQUIRE(branches.commit(other).has_value());
    CHECK(branches.commit(change).has_value() == !asked.is_of_new);
}

TEST_CASE("nobody writes past an index that is made or built meanwhile") {
    const auto line = GENERATE(nodes::kFirstLine, Rivals::kFork);
    const bool is_writer_first = GENERATE(true, false);
    const bool is_begun = GENERATE(true, false);
    Rivals rivals;
    auto& branches = rivals.branches();
    auto& documents = branches.documents();
    const auto id = branches.collection(line);
    const auto make = [&](BranchDocuments::Change& change) {
        REQUIRE(
            documents
                .add_index(*change.writer, id, branches.rules(), {"index", {{"kind"}, {"value"}}})
                .has_value());
    };
    if (is_begun) {
        auto begun = branches.begin(line);
        make(begun);
        REQUIRE(branches.commit(begun).has_value());
    }
    auto writer = branches.begin(line);
    auto builder = branches.begin(line);
    rivals.insert(writer, line, next_sequence());
    if (!is_begun) make(builder);
    CHECK(documents.build_indexes(*builder.writer, id, branches.rules(), 100).value());
    auto& first = is_writer_first ? writer : builder;
    auto& second = is_writer_first ? builder : writer;
    CHECK(branches.commit(first).has_value());
    // A new record lies behind what is built, so its writer puts it into the index.
    CHECK(branches.commit(second).has_value() == (is_writer_first && is_begun));
    const auto snapshot = rivals.engine().snapshot();
    CHECK(branches.check(*snapshot, line) == std::vector<std::string>());
}

TEST_CASE("a fork does not conflict with those who write to its parent") {
    Rivals rivals;
    auto change = rivals.branches().begin(nodes::kFirstLine);
    rivals.insert(change, nodes::kFirstLine, next_sequence());
    const auto fork = rivals.branches().begin_fork(3, {nodes::kFirstLine});
    CHECK(rivals.branches().commit(change).has_value());
    CHECK(sdk::commit_and_wait(*fork).has_value());
    CHECK(rivals.count(nodes::kFirstLine) == 4);
    CHECK(rivals.count(3) == 3);
}

}  // namespace stele::tests
