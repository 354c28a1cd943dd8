#pragma once

#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>
#include <stele/sdk/passphrase_seal.hpp>
#include <stele/sdk/result.hpp>
#include <stele/sdk/seal.hpp>

namespace stele::archives {

/// What stands for all that an import goes by: the digests of files, in the order of the manifest,
/// and its own members. One thread.
class ContentDigest {
public:
    /// `sha256` is hexadecimal.
    void add(std::string_view path, std::string_view sha256);
    /// Once, at the end; 32 bytes.
    std::string finish(const sdk::Json& manifest);

private:
    sdk::Sha256 digest_;
};

/// Seals the secrets of an archive (docs/reference/archive-format.md) with a passphrase, each for
/// the folder of its record, and the archive itself against changes. Any thread.
class ArchiveSeal {
public:
    static ArchiveSeal make(std::string_view passphrase);
    /// From the manifest's member `seal`. `invalid`: `archives.seal_missing`,
    /// `archives.seal_malformed`, `archives.passphrase_wrong`.
    static sdk::Result<ArchiveSeal> of(std::string_view passphrase, const sdk::Json& told);

    /// That member, for an archive of a digest.
    sdk::Json told(std::string_view digest) const;
    /// `invalid` (`archives.seal_broken`) where it is not the archive that was sealed.
    sdk::Result<void> check(const sdk::Json& told, std::string_view digest) const;

    /// What `secrets.json` in a folder says.
    sdk::Json seal(const sdk::Json& secrets, std::string_view folder) const;
    /// `invalid` (`archives.seal_broken`) for what was sealed elsewhere.
    sdk::Result<sdk::Json> open(const sdk::Json& file, std::string_view folder) const;

private:
    explicit ArchiveSeal(sdk::PassphraseSeal seal) : seal_(std::move(seal)) {}

    sdk::PassphraseSeal seal_;
};

}  // namespace stele::archives
