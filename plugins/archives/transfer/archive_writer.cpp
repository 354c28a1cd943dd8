#include "transfer/archive_writer.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/encoding.hpp>
#include <stele/sdk/members.hpp>
#include <stele/sdk/seal.hpp>

#include "archive/readable_text.hpp"
#include "paths/locations.hpp"
#include "transfer/archive_files.hpp"
#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

constexpr std::size_t kMostRefusals = 100;

/// Pictures, films and archives do not become shorter.
bool is_packed_already(std::string_view content_type) {
    constexpr std::string_view kPacked[] = {"image/jpeg",      "image/png",       "image/webp",
                                            "image/gif",       "video/",          "audio/",
                                            "application/zip", "application/gzip"};
    return std::any_of(std::begin(kPacked), std::end(kPacked),
                       [&](std::string_view type) { return content_type.starts_with(type); });
}

sdk::Json digest_of(std::string_view digest, std::uint64_t size) {
    return {{"sha256", sdk::hex_text(digest)}, {"size", size}};
}

/// What is wrong with bytes that are kept apart from their record says neither whose nor which.
sdk::Error about(sdk::Error error, const sdk::Json& entry, const std::string& file) {
    error.message = fmt::format("{} of {}: {}", sdk::shown_path(file),
                                entry["key"].get_ref<const std::string&>(), error.message);
    return error;
}

}  // namespace

ArchiveWriter::Entry::Entry(std::string_view key, std::string_view type, std::string_view id,
                            std::string folder)
    : told({{"typeId", type},
            {"id", id},
            {"key", key},
            {"location", folder},
            {"requires", sdk::Json::array()},
            {"requiredBy", sdk::Json::array()},
            {"dependencies", sdk::Json::array()},
            {"files", sdk::Json::object()}}),
      location(std::move(folder)) {}

ArchiveWriter::Shown::Shown(const std::filesystem::path& scratch)
    : changesets(scratch),
      order(scratch, JsonSpool::Kind::array),
      granted(scratch),
      grants(scratch, JsonSpool::Kind::object) {}

ArchiveWriter::ArchiveWriter(sdk::ZipWriter zip, sdk::UnnamedFile contents,
                             std::filesystem::path scratch, Progress progress)
    : zip_(std::move(zip)),
      contents_(std::move(contents)),
      scratch_(std::move(scratch)),
      progress_(std::move(progress)),
      changesets_(scratch_),
      whole_(scratch_),
      parts_(scratch_),
      branches_(scratch_) {}

sdk::Result<ArchiveWriter> ArchiveWriter::open(sdk::ZipWriter::Sink sink,
                                               const std::filesystem::path& folder,
                                               Progress progress) {
    auto zip = sdk::ZipWriter::open(std::move(sink), folder);
    if (!zip) return zip.error();
    auto contents = sdk::UnnamedFile::open(folder);
    if (!contents) return contents.error();
    return ArchiveWriter(std::move(*zip), std::move(*contents), folder, std::move(progress));
}

sdk::Result<void> ArchiveWriter::add_file(Entry& entry, const std::string& name,
                                          const sdk::Json& content) {
    const std::string text = readable_text(content);
    entry.told["files"][name] = digest_of(sdk::sha256(text), text.size());
    count(text.size());
    note_length(entry, name, text.size());
    return zip_.add(entry.location + '/' + name, text);
}

sdk::Result<void> ArchiveWriter::add_file(Entry& entry, const std::string& name,
                                          const sdk::ContentItem::File& file) {
    auto source = file.open();
    if (!source) return about(source.error(), entry.told, name);
    sdk::Sha256 digest;
    std::uint64_t size = 0;
    const auto read = [&](std::string& piece) -> sdk::Result<void> {
        if (auto came = (*source)(piece); !came) return about(came.error(), entry.told, name);
        digest.add(piece);
        size += piece.size();
        return {};
    };
    auto added = zip_.add(entry.location + '/' + name, read,
                          !is_packed_already(file.attachment.content_type));
    if (added) entry.told["files"][name] = digest_of(digest.finish(), size);
    count(size);
    return added;
}

sdk::Result<void> ArchiveWriter::add_list(Entry& entry, const std::string& name,
                                          JsonSpool& content) {
    sdk::ContentItem::File file;
    file.open = [&content]() -> sdk::Result<sdk::PieceSource> { return content.read(); };
    const std::uint64_t before = unpacked_;
    if (auto added = add_file(entry, name, file); !added) return added;
    note_length(entry, name, unpacked_ - before);
    return {};
}

void ArchiveWriter::count(std::uint64_t bytes) {
    ++files_;
    unpacked_ += bytes;
}

void ArchiveWriter::note_length(const Entry& entry, const std::string& name, std::uint64_t size) {
    if (size <= kMaxRecordBytes || too_long_.size() == kMostRefusals) return;
    too_long_.push_back(fmt::format("{} of {} has {} bytes, and an import reads {} at most", name,
                                    entry.told["key"].get_ref<const std::string&>(), size,
                                    kMaxRecordBytes));
}

std::vector<std::string> ArchiveWriter::refusals(const sdk::ZipLimits& limits) const {
    std::vector<std::string> refusals = too_long_;
    const std::uint64_t most =
        std::min(std::max(limits.least_bytes, limits.expansion * zip_.size()), limits.most_bytes);
    if (unpacked_ > most) {
        refusals.push_back(fmt::format("its files have {} bytes, and an archive of {} may have {}",
                                       unpacked_, zip_.size(), most));
    }
    if (files_ > limits.entries)
        refusals.push_back(fmt::format("it has {} files, and may have {}", files_, limits.entries));
    return refusals;
}

sdk::Result<void> ArchiveWriter::add_files(Entry& entry,
                                           const std::vector<sdk::ContentItem::File>& files) {
    for (const sdk::ContentItem::File& file : files) {
        const sdk::Attachment& attachment = file.attachment;
        const std::string name =
            "attachments/" + attachment_file_name(attachment.id, attachment.file_name);
        if (auto added = add_file(entry, name, file); !added) return added;
        const sdk::Json about{{"attachmentId", attachment.id},
                              {"contentType", attachment.content_type},
                              {"length", entry.told["files"][name]["size"]},
                              {"filename", attachment.file_name}};
        const std::string beside = "attachments/" + path_segment(attachment.id) + ".metadata.json";
        if (auto added = add_file(entry, beside, about); !added) return added;
    }
    return {};
}

sdk::Result<void> ArchiveWriter::close(const Entry& entry) {
    std::string text = entries_ == 0 ? "" : ",\n";
    sdk::append_json_string(text, entry.told["key"].get_ref<const std::string&>());
    text += ':';
    sdk::append_json(text, entry.told);
    if (auto kept = contents_.append(text); !kept) return kept;
    for (const auto& [name, told] : entry.told["files"].items())
        digest_.add(entry.location + '/' + name, sdk::text_member(told, "sha256"));
    ++entries_;
    return progress_({.done = entries_, .total = expected_, .bytes = zip_.size()});
}

sdk::Result<void> ArchiveWriter::add(const TransferRecord& record) {
    const std::string word = reference_parts(record.key).word;
    Entry entry(record.key, word, record.id, record.location);
    for (const char* name : {"title", "name"}) {
        const std::string text = sdk::text_member(record.fields, name);
        if (!text.empty()) entry.told[name] = text;
    }
    if (!record.container.empty()) {
        const ReferenceParts container = reference_parts(record.container);
        entry.told["requiredBy"].push_back(
            {{"typeId", container.word}, {"id", container.ids.back()}, {"key", record.container}});
    }
    if (word == kBranch) {
        if (auto noted = branches_.put(record.key, record.location); !noted) return noted;
    }
    if (auto added = add_file(entry, word + ".json", record.fields); !added) return added;
    const std::pair<const char*, const sdk::Json*> lists[] = {
        {"acl.json", &record.acl},         {"roles.json", &record.roles},
        {"teams.json", &record.teams},     {"members.json", &record.members},
        {"targets.json", &record.targets}, {"policies.json", &record.policies}};
    for (const auto& [name, list] : lists) {
        if (list->empty()) continue;
        if (auto added = add_file(entry, name, *list); !added) return added;
    }
    if (!record.companions.empty()) {
        auto added = add_file(entry, "companions.json", sdk::Json(record.companions));
        if (!added) return added;
    }
    if (seal_ && !record.secrets.empty()) {
        auto added = add_file(entry, kSecretsFile, seal_->seal(record.secrets, record.location));
        if (!added) return added;
        ++sealed_records_;
    }
    if (record.zip) {
        if (auto added = add_file(entry, kZipFile, *record.zip); !added) return added;
    }
    if (auto added = add_files(entry, record.files); !added) return added;
    return close(entry);
}

sdk::Result<void> ArchiveWriter::add_changeset(const TransferContent& content,
                                               const std::string& id) {
    auto record = content.changeset(id);
    if (!record) return record.error();
    ReferenceParts parts = reference_parts(content.repository);
    parts.word = "changeset";
    parts.ids.push_back(id);
    Entry entry(parts.text(), parts.word, id, changeset_location(content.location, id));
    sdk::Json told = *std::move(record);
    // Tools write it as a text.
    const auto revision = told.find("revision");
    if (revision != told.end() && revision->is_number())
        told["revision"] = std::to_string(revision->get<std::int64_t>());
    if (auto added = add_file(entry, "changeset.json", told); !added) return added;
    return close(entry);
}

sdk::Result<void> ArchiveWriter::add_item(const TransferContent& content,
                                          const std::string& changeset,
                                          const sdk::ContentItem& item, const sdk::Json& acl) {
    const bool is_association = sdk::flag_member(item.fields, "_is_association", false);
    const std::string word = is_association ? "association" : "node";
    ReferenceParts parts = reference_parts(content.repository);
    parts.word = word;
    parts.ids.push_back(changeset);
    parts.ids.push_back(item.id);
    Entry entry(
        parts.text(), word, item.id,
        changeset_location(content.location, changeset) + "/nodes/" + path_segment(item.id));
    for (const char* name : {"title", "_qname", "_type"}) {
        const std::string text = sdk::text_member(item.fields, name);
        if (!text.empty()) entry.told[name] = text;
    }
    if (auto added = add_file(entry, word + ".json", item.fields); !added) return added;
    if (!acl.empty()) {
        if (auto added = add_file(entry, "acl.json", acl); !added) return added;
    }
    if (auto added = add_files(entry, item.files); !added) return added;
    return close(entry);
}

sdk::Result<void> ArchiveWriter::add_order(const TransferContent& content, Shown& shown) {
    auto branch = branches_.find(content.branch);
    if (!branch) return branch.error();
    if (!*branch) return {};
    ReferenceParts parts = reference_parts(content.branch);
    Entry entry(content.branch + "/changesets", "changesets", parts.ids.back(), **branch);
    if (auto added = add_list(entry, "changesets.json", shown.order); !added) return added;
    if (shown.is_shared) {
        if (auto added = add_list(entry, kGrantsFile, shown.grants); !added) return added;
    }
    return close(entry);
}

sdk::Result<bool> ArchiveWriter::is_new(const TransferContent& content, const std::string& folder,
                                        const std::string& node) {
    auto is_whole = whole_.contains(folder);
    if (!is_whole) return is_whole;
    if (*is_whole) return false;
    const std::string place = folder + "/nodes/" + path_segment(node);
    auto is_written = parts_.contains(place);
    if (!is_written) return is_written;
    if (*is_written) return false;
    if (content.nodes.empty()) return true;
    auto noted = parts_.put(place, {});
    return noted ? sdk::Result<bool>(true) : noted.error();
}

/// Each branch has grants of its own, also on nodes that it shares with others.
sdk::Result<void> ArchiveWriter::note_grants(Shown& shown, const std::string& node,
                                             const sdk::Json& acl) {
    auto is_known = shown.granted.contains(node);
    if (!is_known) return is_known.error();
    if (*is_known) return {};
    if (auto noted = shown.granted.put(node, {}); !noted) return noted;
    std::string text;
    sdk::append_json_string(text, node);
    text += ": ";
    sdk::append_json(text, acl);
    return shown.grants.add(text);
}

sdk::Result<void> ArchiveWriter::show(const TransferContent& content, const sdk::ContentItem& item,
                                      Shown& shown) {
    const std::string& changeset = content.state.empty() ? item.changeset : content.state;
    const std::string folder = changeset_location(content.location, changeset);
    auto is_first = shown.changesets.add(changeset);
    if (!is_first) return is_first.error();
    if (*is_first) {
        std::string text;
        sdk::append_json_string(text, changeset);
        if (auto told = shown.order.add(text); !told) return told;
        auto has_record = changesets_.contains(folder);
        if (!has_record) return has_record.error();
        if (!*has_record) {
            if (auto noted = changesets_.put(folder, {}); !noted) return noted;
            if (auto added = add_changeset(content, changeset); !added) return added;
        }
    }
    auto acl = item.is_removed ? sdk::Result<sdk::Json>(sdk::Json::array()) : content.acl(item.id);
    if (!acl) return acl.error();
    if (!acl->empty()) {
        if (auto noted = note_grants(shown, item.id, *acl); !noted) return noted;
    }
    auto is_new = this->is_new(content, folder, item.id);
    if (!is_new) return is_new.error();
    if (*is_new) return add_item(content, changeset, item, *acl);
    shown.is_shared = true;
    return {};
}

sdk::Result<void> ArchiveWriter::add(const TransferContent& content) {
    Shown shown(scratch_);
    auto coming = content.source.count();
    if (!coming) return coming.error();
    if (*coming > 0) expected_ = entries_ + *coming;
    auto walked = content.source.for_each(
        [&](const sdk::ContentItem& item) { return show(content, item, shown); });
    if (!walked) return walked;
    for (std::uint64_t i = 0; content.nodes.empty() && i < shown.changesets.size(); ++i) {
        auto changeset = shown.changesets.at(i);
        if (!changeset) return changeset.error();
        auto noted = whole_.put(changeset_location(content.location, *changeset), {});
        if (!noted) return noted;
    }
    return add_order(content, shown);
}

sdk::Result<void> ArchiveWriter::finish(sdk::Json manifest) {
    if (seal_) manifest["seal"] = seal_->told(digest_.finish(manifest));
    std::string text = readable_text(manifest);
    // Behind its last member come the contents.
    text.resize(text.rfind('}'));
    while (text.ends_with('\n'))
        text.pop_back();
    text += ",\n  \"contents\": {\n";
    enum class Part { opening, contents, foot, end };
    Part part = Part::opening;
    std::uint64_t offset = 0;
    const auto read = [&](std::string& piece) -> sdk::Result<void> {
        piece.clear();
        if (part == Part::opening) {
            piece = std::move(text);
            part = Part::contents;
            return {};
        }
        if (part == Part::contents) {
            if (auto came = contents_.read(offset, piece); !came) return came;
            offset += piece.size();
            unpacked_ += piece.size();
            if (!piece.empty()) return {};
            part = Part::foot;
        }
        if (part == Part::foot) piece = "\n  }\n}\n";
        part = Part::end;
        return {};
    };
    if (auto added = zip_.add(kManifestPath, read, true); !added) return added;
    if (auto finished = zip_.finish(); !finished) return finished;
    return progress_(
        {.done = entries_, .total = entries_, .bytes = zip_.size(), .total_bytes = zip_.size()});
}

}  // namespace stele::archives
