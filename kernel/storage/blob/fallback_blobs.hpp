#pragma once

#include <stele/sdk/file_reader.hpp>

namespace stele::kernel::storage {

/// A place for blobs, and a second one where those lie that were written before it was chosen: what
/// the first one lacks is read there. Everything is written to the first. Both must outlive it.
class FallbackBlobs final : public sdk::FileBlobs {
public:
    FallbackBlobs(sdk::BlobStore& first, sdk::BlobStore& second) : first_(first), second_(second) {}

    sdk::Result<std::unique_ptr<Writer>> create() override { return first_.create(); }
    sdk::Result<std::unique_ptr<Reader>> open(std::string_view name) override {
        auto opened = first_.open(name);
        return !opened && sdk::is_missing(opened.error()) ? second_.open(name) : std::move(opened);
    }
    sdk::Result<std::unique_ptr<sdk::FileReader>> open_file(std::string_view name,
                                                            bool may_wait) override {
        auto opened = open_file_of(first_, name, may_wait);
        return !opened && sdk::is_missing(opened.error()) ? open_file_of(second_, name, may_wait)
                                                          : std::move(opened);
    }
    sdk::Result<bool> exists(std::string_view name) override {
        auto found = first_.exists(name);
        return found && !*found ? second_.exists(name) : found;
    }
    sdk::Result<void> remove(std::string_view name) override {
        auto removed = first_.remove(name);
        return removed ? second_.remove(name) : removed;
    }
    /// Each once.
    sdk::Result<void> for_each(const std::function<void(std::string_view)>& visit) override {
        if (auto listed = first_.for_each(visit); !listed) return listed;
        sdk::Result<void> looked;
        auto listed = second_.for_each([&](std::string_view name) {
            auto found = first_.exists(name);
            if (!found) looked = found.error();
            if (found && !*found) visit(name);
        });
        return looked ? listed : looked;
    }

private:
    static sdk::Result<std::unique_ptr<sdk::FileReader>> open_file_of(sdk::BlobStore& blobs,
                                                                      std::string_view name,
                                                                      bool may_wait) {
        auto* const files = dynamic_cast<sdk::FileBlobs*>(&blobs);
        if (files == nullptr) return std::unique_ptr<sdk::FileReader>();
        return files->open_file(name, may_wait);
    }

    sdk::BlobStore& first_;
    sdk::BlobStore& second_;
};

}  // namespace stele::kernel::storage
