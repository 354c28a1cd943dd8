#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/call.hpp>

#include "kernel/resource/record/path_cache.hpp"
#include "kernel/resource/record/records.hpp"
#include "kernel/resource/work/work_context.hpp"

namespace stele::kernel::resource {

/// One request in terms of operations, free of any protocol. Survives the repetition of a conflict.
struct RequestInput {
    const Route* route = nullptr;
    /// Values of the route's placeholders, decoded.
    std::vector<std::string> values;
    std::vector<std::pair<std::string, std::string>> parameters;
    /// It runs where other connections wait (`WorkContext::keep_reads_short`).
    bool must_be_short = false;
    std::string_view raw_body;
    /// Reads a streamed body from its start; empty where there is none.
    std::function<std::unique_ptr<sdk::Upload>()> open_upload;
    std::function<std::optional<std::string_view>(std::string_view)> header;
    std::string_view method;
    /// As sent, without the query string.
    std::string_view path;
    std::string_view remote_address;
    std::string_view request_id;
    sdk::SessionPtr session;

    sdk::Json body = sdk::Json::object();
    sdk::PageRequest page;
    bool is_decoded = false;
    /// The stage that it is in (docs/request-life.md), for the log of what fails unforeseen. Lives
    /// as long as the program.
    std::string_view stage;
};

/// A request inside one transaction.
class RoutedCall final : public sdk::Call {
public:
    RoutedCall(WorkContext& context, RequestInput& input);
    /// A call of a collection that was found before.
    RoutedCall(WorkContext& context, RequestInput& input, CollectionPlace place);
    ~RoutedCall() override;
    RoutedCall(const RoutedCall&) = delete;
    RoutedCall& operator=(const RoutedCall&) = delete;

    /// What a handler was given, as services get it back: plugins have calls from routes only.
    static const RoutedCall& of(const sdk::Call& call) {
        return static_cast<const RoutedCall&>(call);
    }

    sdk::Context& context() const override { return context_; }
    std::string_view path(std::string_view placeholder) const override;
    std::optional<std::string> parameter(std::string_view name) const override;
    std::vector<std::string> parameters(std::string_view name) const override;
    std::vector<std::string> parameter_names() const override;
    const sdk::Json& body() const override { return input_.body; }
    std::string_view raw_body() const override { return input_.raw_body; }
    sdk::Upload& upload() const override;
    std::optional<std::string_view> header(std::string_view name) const override {
        return input_.header(name);
    }
    std::string_view method() const override { return input_.method; }
    const sdk::PageRequest& page() const override { return input_.page; }
    const sdk::Document& record() const override;
    sdk::RecordText record_text() const override;
    /// How long the text of the addressed record is; 0 where there is none.
    std::size_t record_bytes() const {
        return stored_.sequence.empty() ? 0 : stored_.text().size();
    }
    const sdk::Reader* record_space() const override { return space_ ? space_->space() : nullptr; }
    const sdk::CollectionName& collection() const override { return path_->place.name; }
    std::string_view request_id() const override { return input_.request_id; }

    /// Stage "find the record": the collection that the route addresses, and the record on item
    /// routes. `not_found` when something on the way does not exist.
    sdk::Result<void> find_target();
    /// Stage "authorize": the permission that the operation needs, at the state of the transaction.
    /// `not_found` when the caller may not know of the record, `forbidden` when it may.
    sdk::Result<void> authorize();
    /// Whether the caller may know of the platform and of the containers that were found. An answer
    /// that something is unknown must come after it: the outermost container that is hidden from
    /// the caller is named like one that does not exist.
    sdk::Result<void> authorize_containers() const;
    /// Whether the caller may read a record, by what held before the operation wrote anything.
    sdk::Result<bool> may_read(const sdk::RecordKey& record) const;
    /// Makes the commit conflict when rights are taken away until then.
    sdk::Result<void> hold_decision();
    /// Makes the commit conflict when a container that was remembered, not read, is changed until
    /// then.
    sdk::Result<void> hold_path();
    /// `If-Match` against lost updates: whether it names the record that a write is about.
    sdk::Result<void> check_precondition() const;
    /// Stages "decode", "bounds" and "parameters": the body, its arrays, and what the query string
    /// and the body say. Once per request, also when a conflict repeats it.
    sdk::Result<void> decode();
    sdk::Result<void> check_body() const;
    sdk::Result<void> read_parameters();

    const RequestInput& input() const { return input_; }
    void enter(std::string_view stage) const { input_.stage = stage; }
    const Route& route() const { return *input_.route; }
    const CollectionPlace& place() const { return path_->place; }
    /// Keys of the records around the addressed collection, outermost first, the platform not among
    /// them.
    const std::vector<sdk::RecordKey>& containers() const { return path_->containers; }
    /// The record that a create has made.
    struct Created {
        std::string id;
        /// What the family's `reference_type_member` says; empty where it has none.
        std::string reference_word;
    };
    void set_created(const sdk::Document& document);
    const std::optional<Created>& created() const { return created_; }
    /// As it was found; the platform's root on its own routes.
    const sdk::RecordKey& record_key() const { return record_key_; }
    const storage::Record& stored() const { return stored_; }
    storage::Record& stored() { return stored_; }
    WorkContext& work() const { return context_; }
    Services& services() const { return context_.services(); }
    std::optional<std::string> query_parameter(std::string_view name) const;

private:
    bool is_unchecked() const { return input_.route->is_open || context_.session().is_system; }
    /// What the caller may do, or as much of it as holds `enough`.
    sdk::Result<sdk::PermissionSet> held(const sdk::RecordKey& record,
                                         sdk::Permission enough) const;
    sdk::Result<void> find_path();
    sdk::Result<void> find_unknown_path();
    /// Finds by reading; of what is missing `path` tells as much as was found. `container` becomes
    /// the innermost one.
    sdk::Result<void> walk_path(TargetPath& path, storage::Record& container) const;
    /// Whether the operation's permission reaches into the container around the record: asked
    /// before the record itself, of which there are more, and what is cached of it goes with each
    /// write.
    sdk::Result<bool> is_held_around() const;
    sdk::Result<void> check_schedule() const;
    sdk::Result<void> authorize_platform() const;
    sdk::Result<void> require(const sdk::RecordKey& record, sdk::Permission permission,
                              std::string_view type, std::string_view id) const;

    WorkContext& context_;
    RequestInput& input_;
    /// Null until it was looked for.
    std::shared_ptr<const TargetPath> path_;
    bool is_path_remembered_ = false;
    sdk::RecordKey record_key_;
    storage::Record stored_;
    std::optional<SpaceReader> space_;
    mutable std::optional<sdk::Document> document_;
    mutable std::unique_ptr<sdk::Upload> upload_;
    std::optional<Created> created_;
};

}  // namespace stele::kernel::resource
