#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transfer/archive_manifest.hpp"
#include "transfer/generation_one_content.hpp"
#include "transfer/transfer_source.hpp"

namespace stele::archives {

/// Records and content out of an archive that was laid out by hand
/// (docs/specification/merge_and_transfer.md 5.1): one repository with one branch, whatever its
/// manifest says that it is, unless that is `node`. Paths stand for ids. One thread; the archive
/// outlives it.
class GenerationOneSource final : public TransferSource {
public:
    /// For an import into a record of a type. On a platform it is about a new repository; in a
    /// repository or a branch about this one, whose names stay; elsewhere about nodes.
    static sdk::Result<std::unique_ptr<GenerationOneSource>> open(const ArchiveFiles& archive,
                                                                  const ArchiveManifest& manifest,
                                                                  std::string_view target_type);

    const std::vector<TransferSubject>& subjects() const override { return subjects_; }
    sdk::Result<void> for_each(
        const std::function<sdk::Result<void>(const TransferRecord&)>& visit) override;
    sdk::Result<void> for_each_content(
        const std::function<sdk::Result<void>(const TransferContent&)>& visit) override;

private:
    explicit GenerationOneSource(GenerationOneContent content) : content_(std::move(content)) {}

    sdk::Result<void> describe(const ArchiveFiles& archive, const ArchiveManifest& manifest,
                               std::string_view target_type);
    sdk::Result<void> read_records(const ArchiveFiles& archive, bool are_new);
    void add_subject(const char* type, const std::string& path);

    GenerationOneContent content_;
    std::vector<TransferSubject> subjects_;
    std::vector<TransferRecord> records_;
};

}  // namespace stele::archives
