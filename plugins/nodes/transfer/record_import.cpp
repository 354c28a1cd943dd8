#include "transfer/record_import.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/json_difference.hpp>
#include <stele/sdk/members.hpp>

#include "attachment/attachment_writer.hpp"
#include "branch/client_members.hpp"
#include "branch/vocabulary.hpp"
#include "definition/definitions.hpp"
#include "history/deletion.hpp"

namespace stele::nodes {

namespace {

/// Of the record in its own branch.
constexpr std::array kOfSource{member::kSystem, member::kStatistics, member::kPaths,
                               "source_changeset", "target_changeset"};
/// What an update leaves as it is (docs/specification/nodes.md 7.4).
constexpr std::array kKept{member::kQName, member::kIsAssociation};
constexpr std::array kKeptOfAssociations{
    member::kType,       member::kSource,         member::kSourceType, member::kTarget,
    member::kTargetType, member::kDirectionality, "source_changeset",  "target_changeset"};

sdk::Json kept_attachments_of(const sdk::Json& record) {
    sdk::Json kept = kept_attachments(record);
    return kept.empty() ? sdk::Json() : kept;
}

bool has_member(const sdk::Json& record, const std::string& name, const sdk::Json& value) {
    const auto found = record.find(name);
    return found != record.end() && *found == value;
}

void take_over(const sdk::Json& from, const char* name, sdk::Json& to) {
    const auto found = from.find(name);
    if (found == from.end()) {
        to.erase(name);
    } else {
        to[name] = *found;
    }
}

/// What clients say of a record.
sdk::Json client_part(sdk::Json record) {
    drop_server_members(record);
    for (const char* name : {"_doc", member::kSystem})
        record.erase(name);
    mend_features(record);
    return record;
}

}  // namespace

sdk::Json RecordImport::fields_of(const sdk::ContentItem& item) {
    sdk::Json fields = item.fields;
    for (const char* name : kOfSource)
        fields.erase(name);
    fields.erase("_doc");
    fields[member::kIsAssociation] = kind_of(item.fields) == ItemKind::association;
    drop_server_members(fields);
    return fields;
}

sdk::Result<std::optional<sdk::Document>> RecordImport::find_present(const std::string& id,
                                                                     bool is_association) const {
    auto found = content_.node(id);
    if (!found && sdk::is_missing(found.error())) return std::optional<sdk::Document>();
    if (!found) return found.error();
    if (found->id != id) return std::optional<sdk::Document>();
    auto is_readable = content_.may(found->key, sdk::Permission::read);
    if (!is_readable) return is_readable.error();
    if (!*is_readable) {
        // Whatever it says, before anything is compared.
        if (auto may = state_.require_create(); !may) return may.error();
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.import_id_taken",
                               "something else has the id here");
    }
    if (nodes::is_association(found->fields) != is_association)
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.import_kind_differs",
                               "a node and an association have the same id");
    return std::optional<sdk::Document>(std::move(*found));
}

sdk::Result<bool> RecordImport::says(const sdk::Json& present, const sdk::Json& fields) const {
    const sdk::Json one = client_part(present);
    sdk::Json other = client_part(fields);
    for (const char* name : kKept)
        take_over(one, name, other);
    for (const char* name : {member::kFeatures, kParent, member::kType}) {
        if (!other.contains(name)) take_over(one, name, other);
    }
    if (is_association(one)) {
        for (const char* name : kKeptOfAssociations)
            take_over(one, name, other);
    }
    keep_servers_features(&one, other, false);
    if (auto applied = apply_mandatory_features(content_, other); !applied) return applied.error();
    return sdk::is_same_json(one, other);
}

sdk::PieceSource RecordImport::in_steps(sdk::PieceSource bytes) const {
    return [this, bytes = std::move(bytes),
            left = kStepBytes](std::string& piece) mutable -> sdk::Result<void> {
        if (auto read = bytes(piece); !read) return read;
        left -= std::min(left, piece.size());
        if (left > 0) return {};
        left = kStepBytes;
        if (auto may = content_.context().go_on(); !may) return may;
        return content_.changes().move_on(content_.context());
    };
}

sdk::Result<sdk::Json> RecordImport::store_files(const sdk::ContentItem& item) {
    sdk::Json kept = sdk::Json::object();
    for (const sdk::ContentItem::File& file : item.files) {
        if (auto may = content_.context().go_on(); !may) return may.error();
        if (!file.open) {
            state_.note(fmt::format("{} comes without the bytes of its attachment {}",
                                    sdk::shown_path(item.id), sdk::shown_path(file.attachment.id)));
            continue;
        }
        auto bytes = file.open();
        if (!bytes) return bytes.error();
        auto stored = store_attachment(content_,
                                       {.id = file.attachment.id,
                                        .file_name = file.attachment.file_name,
                                        .content_type = file.attachment.content_type},
                                       in_steps(*std::move(bytes)));
        if (!stored) return stored.error();
        kept[stored->id] = stored->to_json();
    }
    return kept.empty() ? sdk::Json() : kept;
}

sdk::Json RecordImport::kept_members(const sdk::ContentItem& item) const {
    sdk::Json members = sdk::Json::object();
    const auto key = item.fields.find(member::kImportKey);
    if (key != item.fields.end()) members[member::kImportKey] = *key;
    if (state_.target.keeps_source_ids) members[member::kSourceDoc] = item.id;
    return members;
}

sdk::Result<void> RecordImport::make_room(const sdk::ContentItem& item) const {
    const std::string bytes = id_bytes(item.id);
    if (bytes.empty() || id_text(bytes) != item.id || find_implicit(item.id)) {
        return sdk::make_error(
            {{"_doc", "nodes.import_id_unfit",
              fmt::format("{} is no id that a server gives to nodes", sdk::shown_path(item.id))}});
    }
    if (auto forgotten = forget_deletion(content_, item.id); !forgotten) return forgotten;
    return keep_system(content_, item.id);
}

sdk::Result<void> RecordImport::fit_qname(const sdk::ContentItem& item, sdk::Json& fields) {
    const std::string qname = sdk::text_member(fields, member::kQName);
    if (qname.starts_with("o:") || !is_qname(qname)) {
        fields.erase(member::kQName);
        return {};
    }
    auto other = content_.node(qname);
    if (!other && sdk::is_missing(other.error())) return {};
    if (!other) return other.error();
    // A client's definition takes the place of a built-in one.
    if (is_unchanged_built_in(other->fields) && is_replaceable_definition(qname)) return {};
    if (state_.is_clone())
        return sdk::make_error(sdk::ErrorKind::conflict, "nodes.import_qname_taken",
                               fmt::format("the branch has another {}", qname));
    state_.note(fmt::format("{} comes without its name {}, which another node has",
                            sdk::shown_path(item.id), qname));
    fields.erase(member::kQName);
    return state_.unnamed.put(item.id, {});
}

sdk::Result<void> RecordImport::complete(const sdk::ContentItem& item, const sdk::Document& made,
                                         bool has_new_attachments) {
    sdk::Json members = kept_members(item);
    for (const char* name : {member::kImportKey, member::kSourceDoc}) {
        if (members.contains(name) && has_member(made.fields, name, members[name]))
            members.erase(name);
    }
    if (members.empty() && !has_new_attachments) return {};
    auto patched = content_.context().documents().patch(content_.nodes(), made.id, members);
    return patched ? sdk::Result<void>() : patched.error();
}

sdk::Result<sdk::Json> RecordImport::begin_creation(const sdk::ContentItem& item,
                                                    sdk::Json& fields) {
    if (auto may = state_.require_create(); !may) return may.error();
    if (auto fits = fit_qname(item, fields); !fits) return fits.error();
    if (state_.is_clone()) {
        if (auto room = make_room(item); !room) return room.error();
        fields["_doc"] = item.id;
    }
    if (!state_.target.has_attachments) return sdk::Json();
    auto attachments = store_files(item);
    if (!attachments) return attachments;
    if (state_.is_clone())
        content_.changes().set_system(item.id, {{member::kAttachments, *attachments}});
    return attachments;
}

sdk::Result<Brought> RecordImport::finish_creation(const sdk::ContentItem& item,
                                                   const sdk::Document& made,
                                                   const sdk::Json& attachments) {
    const bool is_late = !state_.is_clone() && !attachments.is_null();
    if (is_late) content_.changes().set_system(made.id, {{member::kAttachments, attachments}});
    if (auto completed = complete(item, made, is_late); !completed) return completed.error();
    if (auto noted = state_.report.ids.put(item.id, made.id); !noted) return noted.error();
    state_.report.attachments += attachments.size();
    return Brought::created;
}

sdk::Result<Brought> RecordImport::update(const sdk::ContentItem& item,
                                          const sdk::Document& present, sdk::Json fields) {
    if (auto noted = state_.report.ids.put(item.id, present.id); !noted) return noted.error();
    const sdk::Json former = kept_attachments_of(present.fields);
    sdk::Json attachments = former;
    if (state_.target.has_attachments) {
        auto stored = store_files(item);
        if (!stored) return stored.error();
        attachments = std::move(*stored);
    }
    const bool has_new_files = !sdk::is_same_json(attachments, former);
    auto is_same = says(present.fields, fields);
    if (!is_same) return is_same.error();
    const sdk::Json kept = kept_members(item);
    bool keeps_same = true;
    for (const auto& [name, value] : kept.items())
        keeps_same = keeps_same && has_member(present.fields, name, value);
    if (*is_same && !has_new_files && keeps_same) return Brought::skipped;
    if (auto may = content_.require(present, sdk::Permission::update); !may) return may.error();
    if (has_new_files) {
        content_.changes().set_system(present.id, {{member::kAttachments, attachments}});
        state_.report.attachments += attachments.size();
    }
    auto updated = update_fields(present, std::move(fields));
    if (!updated) return updated.error();
    if (auto completed = complete(item, *updated, false); !completed) return completed.error();
    return Brought::updated;
}

sdk::Result<sdk::Document> RecordImport::update_fields(const sdk::Document& present,
                                                       sdk::Json fields) {
    if (auto applied = apply_mandatory_features(content_, fields); !applied) return applied.error();
    // An association keeps its type, by which the graph lists it.
    const std::string type =
        is_association(present.fields) ? std::string() : sdk::text_member(fields, member::kType);
    const bool is_retyped =
        !type.empty() && sdk::text_member(present.fields, member::kType) != type;
    if (is_retyped) {
        if (auto fits = check_new_type(content_, fields, type); !fits) return fits.error();
    }
    auto updated =
        content_.context().documents().update(content_.nodes(), present.id, std::move(fields));
    if (!updated || !is_retyped) return updated;
    return content_.context().documents().patch(content_.nodes(), present.id,
                                                {{member::kType, type}});
}

sdk::Result<Brought> RecordImport::bring_node(const sdk::ContentItem& item, sdk::Json fields,
                                              const std::string& match) {
    const std::string wanted = match.empty() && state_.is_clone() ? item.id : match;
    if (!wanted.empty()) {
        auto present = find_present(wanted, false);
        if (!present) return present.error();
        if (*present) return update(item, **present, std::move(fields));
    }
    auto attachments = begin_creation(item, fields);
    if (!attachments) return attachments.error();
    auto made = content_.create(std::move(fields));
    if (!made) return made.error();
    if (auto noted = state_.made.put(made->id, {}); !noted) return noted.error();
    return finish_creation(item, *made, *attachments);
}

sdk::Result<Brought> RecordImport::bring_association(const sdk::ContentItem& item, sdk::Json fields,
                                                     const sdk::Document& source,
                                                     const sdk::Document& target,
                                                     bool is_undirected) {
    auto attachments = begin_creation(item, fields);
    if (!attachments) return attachments.error();
    const std::string type = sdk::text_member(fields, member::kType);
    auto made = content_.associate(source, target,
                                   {.source = source.id,
                                    .target = target.id,
                                    .type = type,
                                    .is_undirected = is_undirected,
                                    .fields = std::move(fields)});
    if (!made) return made.error();
    return finish_creation(item, *made, *attachments);
}

sdk::Result<Brought> RecordImport::rewrite(const std::string& id, sdk::Json fields) {
    auto present = content_.node(id);
    if (!present) return present.error();
    auto is_same = says(present->fields, fields);
    if (!is_same) return is_same.error();
    if (*is_same) return Brought::skipped;
    // The first time it may have been as it was wanted, so that nobody was asked.
    if (auto may = state_.require_update(*present); !may) return may.error();
    auto updated = update_fields(*present, std::move(fields));
    if (!updated) return updated.error();
    return Brought::updated;
}

}  // namespace stele::nodes
