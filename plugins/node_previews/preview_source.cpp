#include "preview_source.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/members.hpp>

#include "preview_cache.hpp"

namespace stele::node_previews {

namespace {

constexpr std::size_t kPiece = std::size_t{256} * 1024;

sdk::Error unknown_record(std::string_view type, std::string_view id) {
    return sdk::make_error(sdk::ErrorKind::not_found, "document.unknown",
                           fmt::format("there is no {} {}", type, id));
}

/// The records that a path names, from the outside inwards, and what the caller may know of them.
class PathWalk {
public:
    explicit PathWalk(const sdk::Call& call) : call_(call) {}

    sdk::Result<void> enter(const char* type, const char* placeholder) {
        const std::string id(call_.path(placeholder));
        auto found = call_.context().documents().read(
            {type, {}, steps_.empty() ? sdk::RecordKey() : steps_.back().record.key}, id);
        if (found) {
            steps_.push_back({type, id, std::move(*found)});
            return {};
        }
        if (!sdk::is_missing(found.error())) return found.error();
        if (auto known = check_containers(steps_.size()); !known) return known;
        return unknown_record(type, id);
    }

    const sdk::Document& last() const { return steps_.back().record; }

    /// The last record, if the caller may READ it.
    sdk::Result<sdk::Document> readable() {
        const Step& last = steps_.back();
        auto may_read = sdk::holds(call_.context(), last.record.key, sdk::Permission::read);
        if (!may_read) return may_read.error();
        if (*may_read) return last.record;
        auto may_know = sdk::holds(call_.context(), last.record.key, sdk::Permission::connect);
        if (!may_know) return may_know.error();
        if (*may_know) {
            return sdk::make_error(
                sdk::ErrorKind::forbidden, "authority.permission_missing",
                fmt::format("READ on {} {} is needed for this", last.type, last.id));
        }
        if (auto known = check_containers(steps_.size() - 1); !known) return known.error();
        return unknown_record(last.type, last.id);
    }

private:
    struct Step {
        std::string_view type;
        std::string id;
        sdk::Document record;
    };

    sdk::Result<void> check_containers(std::size_t count) {
        for (std::size_t i = 0; i < count; ++i) {
            auto may_know =
                sdk::holds(call_.context(), steps_[i].record.key, sdk::Permission::connect);
            if (!may_know) return may_know.error();
            if (!*may_know) return unknown_record(steps_[i].type, steps_[i].id);
        }
        return {};
    }

    const sdk::Call& call_;
    std::vector<Step> steps_;
};

const sdk::Json* find_member(const sdk::Json& object, std::string_view name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_object() ? &*found : nullptr;
}

}  // namespace

sdk::Result<sdk::Document> find_node(const sdk::Call& call, sdk::NodePaths& paths) {
    PathWalk walk(call);
    if (auto entered = walk.enter("repository", "repositoryId"); !entered) return entered.error();
    if (auto entered = walk.enter("branch", "branchId"); !entered) return entered.error();
    const sdk::RecordKey branch = walk.last().key;
    if (auto entered = walk.enter("node", "nodeId"); !entered) return entered.error();
    auto node = walk.readable();
    const std::string path = call.parameter("path").value_or("");
    if (!node || path.empty()) return node;
    return paths.below(call.context(), branch, node->id, path);
}

sdk::Result<PreviewSource> PreviewSource::find(const sdk::Document& node,
                                               std::string_view attachment) {
    const sdk::Json* system = find_member(node.fields, "_system");
    const sdk::Json* attachments = system ? find_member(*system, "attachments") : nullptr;
    const sdk::Json* kept = attachments ? find_member(*attachments, attachment) : nullptr;
    if (!kept) {
        return sdk::make_error(sdk::ErrorKind::not_found, "attachment.unknown",
                               fmt::format("there is no attachment {}", attachment));
    }
    return PreviewSource{
        sdk::text_member(*kept, "objectId"),
        static_cast<std::uint64_t>(sdk::integer_member(*kept, "length").value_or(0))};
}

sdk::Result<std::unique_ptr<sdk::BlobStore::Reader>> PreviewSource::open(
    sdk::Context& context, const sdk::Document& node) const {
    auto binaries = context.data_stores().binaries(node.key);
    if (!binaries) return binaries.error();
    return (*binaries)->open(object_id);
}

sdk::Result<void> copy_bytes(sdk::BlobStore::Reader& source, const Descriptor& target) {
    std::string piece;
    std::uint64_t at = 0;
    do {
        if (auto read = source.read(at, kPiece, piece); !read) return read;
        if (auto written = write_file(target, piece); !written) return written;
        at += piece.size();
    } while (!piece.empty());
    return {};
}

}  // namespace stele::node_previews
