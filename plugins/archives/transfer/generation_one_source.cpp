#include "transfer/generation_one_source.hpp"

#include <nlohmann/json.hpp>

#include "transfer/vocabulary.hpp"

namespace stele::archives {

namespace {

/// Paths, which no text of a record is equal to by chance.
constexpr char kRepositoryPath[] = "/repository";
constexpr char kBranchPath[] = "/repository/branch";

/// The object of a file; an empty one where there is none.
sdk::Result<sdk::Json> object_at(const ArchiveFiles& archive, const std::string& path) {
    auto file = archive.find(path);
    if (!file) return file.error();
    if (!*file) return sdk::Json::object();
    return read_json(**file);
}

}  // namespace

sdk::Result<std::unique_ptr<GenerationOneSource>> GenerationOneSource::open(
    const ArchiveFiles& archive, const ArchiveManifest& manifest, std::string_view target_type) {
    auto content = GenerationOneContent::open(archive);
    if (!content) return content.error();
    std::unique_ptr<GenerationOneSource> source(new GenerationOneSource(*std::move(content)));
    if (auto described = source->describe(archive, manifest, target_type); !described)
        return described.error();
    return source;
}

void GenerationOneSource::add_subject(const char* type, const std::string& path) {
    TransferSubject subject;
    subject.type = type;
    subject.id = path;
    subject.key = path;
    subject.chain = {{{"typeId", type}, {"id", path}, {"key", path}}};
    subjects_.push_back(std::move(subject));
}

sdk::Result<void> GenerationOneSource::describe(const ArchiveFiles& archive,
                                                const ArchiveManifest& manifest,
                                                std::string_view target_type) {
    auto named = archive.find("repository/repository.json");
    if (!named) return named.error();
    if (!*named && content_.is_empty()) return {};
    const bool is_repository = target_type == kPlatform || target_type == kRepository;
    if (manifest.type != kNode && is_repository) {
        add_subject(kRepository, kRepositoryPath);
        return read_records(archive, target_type == kPlatform);
    }
    if (manifest.type != kNode && target_type == kBranch) {
        add_subject(kBranch, kBranchPath);
        return read_records(archive, false);
    }
    auto tops = content_.tops();
    if (!tops) return tops.error();
    for (const std::string& id : *tops)
        add_subject(kNode, id);
    return {};
}

sdk::Result<void> GenerationOneSource::read_records(const ArchiveFiles& archive, bool are_new) {
    TransferRecord repository;
    repository.key = repository.id = kRepositoryPath;
    repository.type = kRepository;
    repository.companions[kMaster] = kBranchPath;
    TransferRecord branch;
    branch.key = branch.id = kBranchPath;
    branch.type = kBranch;
    branch.container = kRepositoryPath;
    for (TransferRecord* const record : {&repository, &branch}) {
        record->location = record->key.substr(1);
        if (!are_new) continue;
        auto fields = object_at(archive, record->location + '/' + record->type + ".json");
        if (!fields) return fields.error();
        record->fields = *std::move(fields);
    }
    if (subjects_.front().type == kRepository) records_.push_back(std::move(repository));
    records_.push_back(std::move(branch));
    return {};
}

sdk::Result<void> GenerationOneSource::for_each(
    const std::function<sdk::Result<void>(const TransferRecord&)>& visit) {
    for (const TransferRecord& record : records_) {
        if (auto visited = visit(record); !visited) return visited;
    }
    return {};
}

sdk::Result<void> GenerationOneSource::for_each_content(
    const std::function<sdk::Result<void>(const TransferContent&)>& visit) {
    std::vector<std::string> nodes;
    for (const TransferSubject& subject : subjects_) {
        if (subject.type == kNode) nodes.push_back(subject.id);
    }
    return visit(
        {.branch = kBranchPath,
         .repository = kRepositoryPath,
         .location = kRepositoryPath,
         .nodes = std::move(nodes),
         .state = {},
         .source = content_,
         .changeset = [](const std::string&) -> sdk::Result<sdk::Json> {
             return sdk::Json::object();
         },
         .acl = [](const std::string&) -> sdk::Result<sdk::Json> { return sdk::Json::array(); }});
}

}  // namespace stele::archives
