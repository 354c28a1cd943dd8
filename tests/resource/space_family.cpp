#include "tests/resource/space_family.hpp"

#include <nlohmann/json.hpp>

#include <stele/sdk/key_tuple.hpp>
#include <stele/sdk/members.hpp>

namespace stele::kernel::resource::testing {

namespace {

constexpr char kPart[] = "more.gathered";

/// Hands out the keys of a range below the prefix without it.
class MovedCursor final : public sdk::Cursor {
public:
    MovedCursor(std::unique_ptr<sdk::Cursor> cursor, std::string prefix)
        : cursor_(std::move(cursor)), prefix_(std::move(prefix)) {}
    bool is_valid() const override { return cursor_->is_valid(); }
    std::string_view key() const override { return cursor_->key().substr(prefix_.size()); }
    std::string_view value() const override { return cursor_->value(); }
    void next() override { cursor_->next(); }
    void seek(std::string_view key) override { cursor_->seek(prefix_ + std::string(key)); }
    sdk::Result<void> status() const override { return cursor_->status(); }

private:
    std::unique_ptr<sdk::Cursor> cursor_;
    std::string prefix_;
};

/// Where the keys of a collection lie.
class Place {
public:
    explicit Place(sdk::SpaceCollection collection) : collection_(std::move(collection)) {}
    std::string operator()(std::string_view key) const {
        const bool is_inside = sdk::read_space_key(collection_, key).has_value();
        return (is_inside ? space_prefix() : std::string()) + std::string(key);
    }
    std::unique_ptr<sdk::Cursor> scan(const sdk::Reader& store, const sdk::KeyRange& range,
                                      sdk::ScanDirection direction) const {
        if (!sdk::read_space_key(collection_, range.begin)) return store.scan(range, direction);
        return std::make_unique<MovedCursor>(
            store.scan({space_prefix() + range.begin, space_prefix() + range.end}, direction),
            space_prefix());
    }

private:
    sdk::SpaceCollection collection_;
};

class MovedReader final : public sdk::Reader {
public:
    MovedReader(const sdk::Reader& store, const sdk::SpaceCollection& collection)
        : store_(store), place_(collection) {}
    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        return store_.get(place_(key));
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        return store_.get_into(place_(key), value);
    }
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        return place_.scan(store_, range, direction);
    }

private:
    const sdk::Reader& store_;
    Place place_;
};

class MovedTransaction final : public sdk::Transaction {
public:
    MovedTransaction(sdk::Transaction& store, const sdk::SpaceCollection& collection)
        : store_(store), place_(collection) {}
    sdk::Result<std::optional<std::string>> get(std::string_view key) const override {
        return store_.get(place_(key));
    }
    sdk::Result<bool> get_into(std::string_view key, std::string& value) const override {
        return store_.get_into(place_(key), value);
    }
    std::unique_ptr<sdk::Cursor> scan(sdk::KeyRange range,
                                      sdk::ScanDirection direction) const override {
        return place_.scan(store_, range, direction);
    }
    void put(std::string_view key, std::string_view value) override {
        store_.put(place_(key), value);
    }
    void remove(std::string_view key) override { store_.remove(place_(key)); }
    void remove_range(sdk::KeyRange range) override {
        const std::string begin = place_(range.begin);
        const bool is_moved = begin != range.begin;
        store_.remove_range({begin, is_moved ? space_prefix() + range.end : range.end});
    }
    void add(std::string_view key, std::int64_t delta) override { store_.add(place_(key), delta); }
    void put_stamped(std::string_view counter, const sdk::StampedPut& put) override {
        store_.put_stamped(counter, put);
    }
    std::optional<std::uint64_t> stamp(std::string_view counter) const override {
        return store_.stamp(counter);
    }
    sdk::Result<std::optional<std::string>> peek(std::string_view key) const override {
        return store_.peek(place_(key));
    }
    bool has_writes() const override { return store_.has_writes(); }
    void commit(Done done) override { store_.commit(std::move(done)); }

private:
    sdk::Transaction& store_;
    Place place_;
};

/// Gathers the collections that are written to, and tells of them when the operation has succeeded.
class Gathered final : public sdk::ContextPart {
public:
    sdk::Transaction* open(sdk::Context& context, const sdk::SpaceCollection& collection) {
        spaces_.push_back(std::make_unique<MovedTransaction>(context.transaction(), collection));
        return spaces_.back().get();
    }
    sdk::Result<void> finish(sdk::Context& context) override {
        context.transaction().put_stamped(
            counter(), {space_prefix() + "finished", std::string(8, '\0'), {}, sdk::StampPlace{}});
        return {};
    }
    void complete(const sdk::Transaction& committed, std::string& body) override {
        const std::string mark = "\"stamp\":0";
        const std::size_t at = body.find(mark);
        const auto stamp = committed.stamp(counter());
        if (at != std::string::npos && stamp)
            body.replace(at, mark.size(), "\"stamp\":" + std::to_string(*stamp));
    }

private:
    static std::string counter() { return space_prefix() + "stamps"; }
    std::vector<std::unique_ptr<sdk::Transaction>> spaces_;
};

class Branch final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = "branch";
        descriptor.path = "branches";
        descriptor.path_aliases = {"b"};
        descriptor.placeholder = "branchId";
        return descriptor;
    }
};

class Node final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override;
    sdk::Result<void> complete_system(const sdk::Change& change, sdk::Context&,
                                      sdk::Json& system) override {
        system["kind"] = change.kind == sdk::ChangeKind::create ? "made" : "changed";
        system["stamp"] = 0;
        return {};
    }
    sdk::Result<void> present(const sdk::Call&, sdk::Json& record) override {
        record["shown"] = true;
        return {};
    }
    sdk::Result<std::unique_ptr<sdk::Reader>> read_space(
        const sdk::Reader& store, const sdk::SpaceCollection& collection) override {
        return std::unique_ptr<sdk::Reader>(std::make_unique<MovedReader>(store, collection));
    }
    sdk::Result<sdk::Transaction*> write_space(sdk::Context& context,
                                               const sdk::SpaceCollection& collection) override {
        auto* gathered = static_cast<Gathered*>(context.part(kPart));
        if (!gathered) {
            auto made = std::make_unique<Gathered>();
            gathered = made.get();
            context.keep(kPart, std::move(made));
        }
        return gathered->open(context, collection);
    }
    sdk::Result<std::vector<std::string>> roles_of(const sdk::Reader& store,
                                                   const sdk::SpaceCollection& collection,
                                                   const sdk::RecordKey& record,
                                                   const sdk::RecordKey& principal) override {
        auto fields = fields_of(store, collection, record);
        if (!fields) return fields.error();
        const std::string author = sdk::text_member(*fields, "author");
        if (author == sdk::space_record_id(principal)) return std::vector<std::string>{"owner"};
        return std::vector<std::string>();
    }
    sdk::Result<std::vector<sdk::RecordKey>> inherits_from(const sdk::Reader& store,
                                                           const sdk::SpaceCollection& collection,
                                                           const sdk::RecordKey& record) override;

private:
    static sdk::Result<sdk::Json> fields_of(const sdk::Reader& store,
                                            const sdk::SpaceCollection& collection,
                                            const sdk::RecordKey& record) {
        const std::string sequence = record.substr(record.size() - 10);
        auto stored = store.get(space_prefix() + sdk::space_key(collection, 'd', sequence));
        if (!stored) return stored.error();
        if (!*stored) return sdk::Json::object();
        return sdk::parse_json(sdk::StoredRecord::read(**stored)->text);
    }
    sdk::Result<sdk::Reply> tell(const sdk::Call& call) {
        return sdk::Reply::json({{"raw", call.raw_body()}, {"body", call.body()}});
    }
};

sdk::ResourceDescriptor Node::describe() const {
    sdk::ResourceDescriptor descriptor;
    descriptor.type = "node";
    descriptor.container = "branch";
    descriptor.path = "nodes";
    descriptor.path_aliases = {"n"};
    descriptor.placeholder = "nodeId";
    descriptor.fields = {{.name = "name", .kind = sdk::FieldKind::text, .addresses = true},
                         {.name = "heavy", .unindexed = true}};
    descriptor.operations.remove = true;
    descriptor.actions = {{.name = "",
                           .method = "PATCH",
                           .scope = sdk::ActionScope::item,
                           .run = sdk::action<&Node::tell>(),
                           .array_body = true},
                          {.name = "",
                           .method = "DELETE",
                           .scope = sdk::ActionScope::collection,
                           .run = sdk::action<&Node::tell>(),
                           .raw_body = true}};
    descriptor.has_space = true;
    descriptor.is_ungranted = true;
    descriptor.is_presented = true;
    return descriptor;
}

sdk::Result<std::vector<sdk::RecordKey>> Node::inherits_from(const sdk::Reader& store,
                                                             const sdk::SpaceCollection& collection,
                                                             const sdk::RecordKey& record) {
    std::vector<sdk::RecordKey> folders;
    sdk::RecordKey step = record;
    while (true) {
        auto fields = fields_of(store, collection, step);
        if (!fields) return fields.error();
        const auto folder = sdk::space_record_key(collection, sdk::text_member(*fields, "folder"));
        if (!folder) return folders;
        folders.push_back(*folder);
        step = *folder;
    }
}

}  // namespace

std::string space_prefix() {
    return sdk::plugin_key_space(1, "more.space");
}

std::vector<std::unique_ptr<sdk::Resource>> space_families() {
    std::vector<std::unique_ptr<sdk::Resource>> families;
    families.push_back(std::make_unique<Branch>());
    families.push_back(std::make_unique<Node>());
    return families;
}

}  // namespace stele::kernel::resource::testing
