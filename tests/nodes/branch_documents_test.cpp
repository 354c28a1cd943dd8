// Random documents on branches against models that are copied whole: what every branch held after
// each of its changesets is what queries find there for ever.
#include "tests/nodes/branch_documents.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/documents/aged_record.hpp"
#include "tests/documents/document_model.hpp"
#include "tests/documents/random_documents.hpp"

namespace stele::tests {

using namespace kernel::storage;
using sdk::Json;

namespace {

class Branches {
public:
    explicit Branches(std::uint64_t seed) : random_(seed) { states_[nodes::kFirstLine][0] = {}; }

    void step() {
        if (random_.one_in(12)) return fork();
        if (random_.one_in(6)) return change_indexes();
        write();
    }
    /// How often an index that was made answered.
    std::size_t uses() const { return uses_; }

    /// A query on a tip, or at a past revision.
    void compare() {
        const nodes::Line line = any_line();
        const auto& states = states_[line];
        const auto snapshot = engine_->snapshot();
        if (random_.one_in(3)) {
            const auto reader = branches_.read(*snapshot, line);
            if (random_.one_in(5)) CHECK(branches_.check(*snapshot, line) == Names());
            return compare(*reader, line, states.rbegin()->second);
        }
        const auto at =
            std::next(states.begin(), static_cast<std::ptrdiff_t>(random_.below(states.size())));
        if (random_.one_in(5)) CHECK(branches_.check(*snapshot, line, at->first) == Names());
        compare(*branches_.read(*snapshot, line, at->first), line, at->second);
    }

private:
    using Names = std::vector<std::string>;

    nodes::Line any_line() {
        return std::next(states_.begin(),
                         static_cast<std::ptrdiff_t>(random_.below(states_.size())))
            ->first;
    }

    void fork() {
        const nodes::Line parent = random_.one_in(2) ? states_.rbegin()->first : any_line();
        const auto& states = states_[parent];
        const auto at =
            std::next(states.begin(), static_cast<std::ptrdiff_t>(random_.below(states.size())));
        const nodes::Line line = states_.rbegin()->first + 1;
        branches_.fork(line, {parent, at->first});
        const DocumentModel state = at->second;
        states_[line][at->first] = state;
    }

    /// Makes an index, takes one away or goes on with one.
    void change_indexes() {
        const nodes::Line line = any_line();
        auto change = branches_.begin(line);
        auto& documents = branches_.documents();
        const auto id = branches_.collection(line);
        const auto& rules = branches_.rules();
        const auto present = documents.indexes(*change.writer, id, rules).value();
        const std::size_t what = present.empty() ? 0 : random_.below(4);
        if (what == 0 && present.size() < 4) {
            const sdk::CollectionIndex index{"i" + std::to_string(++indexes_), random_members()};
            REQUIRE(documents.add_index(*change.writer, id, rules, index).has_value());
        } else if (what == 1 && random_.one_in(3)) {
            const std::string& name = random_.one_of(present).name;
            REQUIRE(documents.remove_index(*change.writer, id, rules, name).has_value());
        }
        const std::size_t most = random_.one_in(2) ? 1 + random_.below(4) : 1000;
        REQUIRE(documents.build_indexes(*change.writer, id, rules, most).has_value());
        const DocumentModel model = states_[line].rbegin()->second;
        if (random_.one_in(3)) compare(*change.writer, line, model);
        const auto revision = branches_.commit(change);
        REQUIRE(revision == ++revision_);
        states_[line][*revision] = model;
    }

    std::vector<sdk::IndexMember> random_members() {
        static const Names kPaths = {"group", "title", "rank", "a",      "b",     "tags",
                                     "maybe", "a.x",   "t",    "tags.x", "maybe", "group"};
        std::vector<sdk::IndexMember> members;
        for (std::size_t left = 1 + random_.below(4); left > 0; --left) {
            const std::string& path = random_.one_of(kPaths);
            const bool is_new = std::none_of(members.begin(), members.end(),
                                             [&](const auto& one) { return one.path == path; });
            if (is_new) members.push_back({path, random_.one_in(2)});
        }
        return members;
    }

    /// A value that a record has at a path, of an array one element; null for none.
    Json value_at(const DocumentModel& model, std::string path) {
        if (model.entries().empty()) return nullptr;
        std::replace(path.begin(), path.end(), '.', '/');
        const Json::json_pointer pointer("/" + path);
        const Json& document = random_.one_of(model.entries()).document;
        if (!document.contains(pointer)) return nullptr;
        const Json& value = document[pointer];
        if (value.is_array() && !value.empty()) return value[random_.below(value.size())];
        return value;
    }

    /// What an index is for: equalities, then a condition or a sort.
    void aim_at(const sdk::CollectionIndex& index, const DocumentModel& model, Json& query,
                sdk::PageRequest& page) {
        static const Names kOperators = {"$gt", "$gte", "$lt", "$lte", "$ne"};
        query = Json::object();
        const std::size_t depth = random_.below(index.members.size() + 1);
        for (std::size_t i = 0; i < depth; ++i)
            query[index.members[i].path] = value_at(model, index.members[i].path);
        if (random_.one_in(4)) query["rank"] = {{"$lt", random_.below(40)}};
        page.sort.clear();
        if (depth == index.members.size()) return;
        const std::string& next = index.members[depth].path;
        if (random_.one_in(2)) {
            query[next] = {{random_.one_of(kOperators), value_at(model, next)}};
            if (random_.one_in(2)) query[next]["$gt"] = value_at(model, next);
        } else if (random_.one_in(4)) {
            query["$or"] = {{{next, value_at(model, next)}}, {{next, value_at(model, next)}}};
        }
        if (!random_.one_in(3)) page.sort = {{next, random_.one_in(2)}};
        page.skip = random_.below(4);
    }

    void write() {
        const nodes::Line line = any_line();
        DocumentModel model = states_[line].rbegin()->second;
        auto change = branches_.begin(line);
        std::set<Sequence> written;
        for (std::size_t left = 1 + random_.below(5); left > 0; --left)
            change_one(*change.writer, line, model, written);
        if (random_.one_in(3)) {
            compare(*change.writer, line, model);
            // Somebody else who reads in the same transaction sees the same.
            compare(*branches_.read(*change.transaction, line), line, model);
            if (random_.one_in(5)) CHECK(branches_.check(*change.transaction, line) == Names());
        }
        if (random_.one_in(8)) return;
        const auto revision = branches_.commit(change);
        REQUIRE(revision == ++revision_);
        for (std::size_t place = 0; place < model.entries().size(); ++place) {
            if (written.count(model.entries()[place].sequence) == 0) continue;
            Json fields = model.entries()[place].document;
            auto& changeset = fields["_system"]["changeset"];
            changeset = *revision == 1
                            ? std::string("0:root")
                            : std::to_string(*revision - 1) + ":" + changeset.get<std::string>();
            model.replace(place, sdk::dump_json(fields));
        }
        states_[line][*revision] = std::move(model);
    }

    void change_one(sdk::Transaction& writer, nodes::Line line, DocumentModel& model,
                    std::set<Sequence>& written) {
        auto& documents = branches_.documents();
        const std::size_t what = model.entries().size() < 5 ? 0 : random_.below(4);
        if (what == 0) {
            const Sequence sequence = next_sequence();
            const std::string custom =
                random_.one_in(4) ? "id-" + sequence_text(sequence) : std::string();
            const Json fields = document(custom.empty() ? sequence_text(sequence) : custom);
            REQUIRE(documents
                        .insert(writer, branches_.collection(line), branches_.rules(),
                                {sequence, custom, fields, "sealed"})
                        .has_value());
            if (random_.one_in(3)) age(writer, line, sequence);
            model.insert(sequence, sdk::dump_json(fields));
            written.insert(sequence);
            return;
        }
        const std::size_t place = random_.below(model.entries().size());
        const Sequence sequence = model.entries()[place].sequence;
        Record before;
        REQUIRE(documents.read(writer, record_key(branches_.collection(line), sequence), before)
                    .value());
        CHECK(before.text() == model.entries()[place].view());
        if (what == 1) {
            REQUIRE(documents.erase(writer, branches_.rules(), before).has_value());
            model.erase(place);
            return;
        }
        const Json fields = document(model.entries()[place].document.at("_doc").get<std::string>());
        REQUIRE(documents.replace(writer, branches_.rules(), before, fields, "sealed").has_value());
        if (random_.one_in(3)) age(writer, line, sequence);
        model.replace(place, sdk::dump_json(fields));
        written.insert(sequence);
    }

    Json document(const std::string& id) {
        Json fields = random_.one_in(60) ? random_.wide_document() : random_.document();
        fields["_doc"] = id;
        ids_.push_back(id);
        // The last member of the last member, as in every node.
        Json system = std::move(fields["_system"]);
        fields.erase("_system");
        system["changeset"] = sequence_text(next_sequence());
        fields["_system"] = std::move(system);
        return fields;
    }

    /// Makes a record what it would be in a store of the first format.
    void age(sdk::Transaction& writer, nodes::Line line, const Sequence& sequence) {
        Record record;
        REQUIRE(branches_.documents()
                    .read(writer, record_key(branches_.collection(line), sequence), record)
                    .value());
        REQUIRE(testing::age_record(writer, branches_.names(), branches_.rules().unindexed_fields,
                                    record)
                    .has_value());
    }

    void compare(const sdk::Reader& reader, nodes::Line line, const DocumentModel& model) {
        compare_query(reader, line, model);
        compare_record(reader, line, model);
        CHECK(branches_.documents().count(reader, branches_.collection(line)).value() ==
              model.entries().size());
    }

    void compare_record(const sdk::Reader& reader, nodes::Line line, const DocumentModel& model) {
        if (ids_.empty()) return;
        const std::string id = random_.one_of(ids_);
        const DocumentModel::Entry* expected = nullptr;
        for (const auto& entry : model.entries()) {
            if (entry.document.at("_doc") == id) expected = &entry;
        }
        Record record;
        const bool is_found =
            branches_.documents().read(reader, branches_.collection(line), id, record).value();
        REQUIRE(is_found == (expected != nullptr));
        if (!is_found) return;
        CHECK(record.text() == expected->view());
        CHECK(record.sealed().substr(0, 6) == "sealed");
        const auto changeset = expected->document["_system"]["changeset"].get<std::string>();
        if (const auto colon = changeset.find(':'); colon != std::string::npos)
            CHECK(record.version() == std::stoull(changeset.substr(0, colon)) + 1);
    }

    Visibility random_visibility(const DocumentModel& model) {
        Visibility visibility;
        if (!random_.one_in(4)) return visibility;
        visibility.is_everything = false;
        if (random_.one_in(2)) {
            visibility.accepts = [](const Record& record) {
                return sdk::Result<bool>(record.sequence.back() % 3 != 0);
            };
            return visibility;
        }
        auto& only = visibility.only.emplace();
        for (const auto& entry : model.entries()) {
            if (random_.one_in(2)) only.push_back(entry.sequence);
        }
        std::sort(only.begin(), only.end());
        return visibility;
    }

    void compare_query(const sdk::Reader& reader, nodes::Line line, const DocumentModel& model) {
        Json text = random_.query();
        sdk::PageRequest page = random_.page();
        const auto indexes = branches_.documents()
                                 .indexes(reader, branches_.collection(line), branches_.rules())
                                 .value();
        if (!indexes.empty() && !random_.one_in(3))
            aim_at(random_.one_of(indexes), model, text, page);
        auto query = Query::parse(text);
        if (!query) return;
        const bool is_numeric = random_.one_in(3);
        const Visibility visibility = random_visibility(model);
        const auto expected = model.query(text, page, visibility, is_numeric);
        auto run =
            branches_.documents().query(reader, branches_.collection(line), branches_.rules(),
                                        std::move(*query), page, visibility, is_numeric);
        REQUIRE(run.has_value());
        std::vector<Sequence> rows;
        Record row;
        while ((*run)->next(row).value()) {
            rows.push_back(row.sequence);
            for (const auto& entry : model.entries()) {
                if (entry.sequence == row.sequence) CHECK(row.text() == entry.view());
            }
        }
        INFO(sdk::dump_json(text) << " " << sdk::dump_json((*run)->explain()));
        if ((*run)->explain().at("access") == "composite") ++uses_;
        CHECK((*run)->total_rows().value() == expected.total);
        REQUIRE(rows == expected.rows);
    }

    RandomDocuments random_;
    testing::TemporaryFolder folder_;
    std::unique_ptr<sdk::Engine> engine_ =
        open_leveldb(folder_.path(), {.is_durable = false}).value();
    BranchDocuments branches_{*engine_};
    std::map<nodes::Line, std::map<nodes::Revision, DocumentModel>> states_;
    std::vector<std::string> ids_;
    nodes::Revision revision_ = 0;
    std::size_t indexes_ = 0;
    std::size_t uses_ = 0;
};

}  // namespace

TEST_CASE("queries on branches and in the past answer what looking at every record answers") {
    constexpr std::size_t kBatch = 200;
    std::size_t uses = 0;
    for (std::size_t seed = 0; seed < 1 + testing::test_cases(2000) / kBatch; ++seed) {
        INFO("seed " << seed);
        Branches branches(seed);
        for (std::size_t i = 0; i < kBatch; ++i) {
            if (i % 3 == 0) branches.step();
            branches.compare();
        }
        uses += branches.uses();
    }
    // Else the indexes were not looked at.
    CHECK(uses > testing::test_cases(2000) / 40);
}

}  // namespace stele::tests
