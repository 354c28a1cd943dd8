#include "attachment/attachment_check.hpp"

#include <set>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/log.hpp>

#include "attachment/attachments.hpp"
#include "attachment/binaries.hpp"
#include "attachment/counted_bytes.hpp"
#include "attachment/store_files.hpp"

namespace stele::nodes {

namespace {

/// Names of bytes that were looked at; beyond that some are looked at again.
constexpr std::size_t kMaxRemembered = 100'000;

std::string space_name(const sdk::ContentSpace& space) {
    return fmt::format("platform {}, repository {}", space.platform, space.repository);
}

std::string not_checked(const sdk::ContentSpace& space, const sdk::Error& error) {
    return fmt::format("{}: attachments cannot be checked: {} [{}]", space_name(space),
                       error.message, error.code);
}

class SpaceCheck {
public:
    SpaceCheck(const BranchStore& branches, sdk::ContentSpace space,
               std::vector<std::string>& differences)
        : branches_(branches), space_(space), differences_(differences) {}

    void look_at(const sdk::Reader& reader, sdk::BlobStore& binaries,
                 const sdk::ContentVersion& version) {
        auto attachments = attachments_in(version);
        if (!attachments) return differ("node " + version.node, "cannot be decoded");
        for (const Attachment& attachment : *attachments) {
            if (!is_new(attachment)) continue;
            const std::string place = "node " + version.node;
            const std::string what = "attachment " + attachment.id + ' ';
            compare(binaries, place, what, attachment);
            compare_count(reader, place, what, attachment);
        }
    }

    void look_at(sdk::BlobStore& binaries, const Attachment& file) {
        compare(binaries, "file " + file.id, "", file);
    }

private:
    bool is_new(const Attachment& attachment) {
        if (seen_.size() >= kMaxRemembered) seen_.clear();
        return seen_.emplace(attachment.object_id, attachment.length).second;
    }

    void compare(sdk::BlobStore& binaries, const std::string& place, const std::string& what,
                 const Attachment& attachment) {
        auto bytes = binaries.open(attachment.object_id);
        if (!bytes) {
            return differ(place, fmt::format("{}cannot be read: {} [{}]", what,
                                             bytes.error().message, bytes.error().code));
        }
        if ((*bytes)->size() != attachment.length) {
            differ(place, fmt::format("{}has {} bytes instead of {}", what, (*bytes)->size(),
                                      attachment.length));
        }
    }

    void compare_count(const sdk::Reader& reader, const std::string& place, const std::string& what,
                       const Attachment& attachment) {
        auto counted = counted_length(branches_, reader, space_, attachment.object_id);
        if (!counted) {
            differ(place,
                   what + "cannot be looked up among what was counted: " + counted.error().message);
        } else if (*counted != attachment.length) {
            differ(place, fmt::format("{}counts {} bytes instead of {}", what, counted->value_or(0),
                                      attachment.length));
        }
    }

    void differ(const std::string& place, const std::string& what) {
        differences_.push_back(fmt::format("{}, {}: {}", space_name(space_), place, what));
    }

    const BranchStore& branches_;
    sdk::ContentSpace space_;
    std::vector<std::string>& differences_;
    std::set<std::pair<std::string, std::uint64_t>> seen_;
};

/// Visits the binaries that one repository names.
class SpaceBinaries {
public:
    SpaceBinaries(sdk::BlobStore& binaries, const sdk::ContentSizes::VisitBinary& visit)
        : binaries_(binaries), visit_(visit) {}

    /// False when that was enough.
    bool look_at(const sdk::ContentVersion& version) {
        auto attachments = attachments_in(version);
        // A version that cannot be decoded is not this one's to tell.
        if (!attachments) return true;
        for (const Attachment& attachment : *attachments)
            look_at(attachment);
        return outcome_.has_value();
    }

    void look_at(const Attachment& attachment) {
        if (!outcome_) return;
        if (seen_.size() >= kMaxRemembered) seen_.clear();
        if (seen_.insert(attachment.object_id).second)
            outcome_ = visit_(binaries_, attachment.object_id);
    }

    const sdk::Result<void>& outcome() const { return outcome_; }

private:
    sdk::BlobStore& binaries_;
    const sdk::ContentSizes::VisitBinary& visit_;
    std::set<std::string> seen_;
    sdk::Result<void> outcome_;
};

}  // namespace

void check_attachments(Services& services, sdk::ContentLog& log,
                       std::vector<std::string>& differences) {
    const auto reader = services.registrar.engine().snapshot();
    auto spaces = log.spaces(*reader);
    if (!spaces) {
        differences.push_back(fmt::format("the list of repositories cannot be read: {} [{}]",
                                          spaces.error().message, spaces.error().code));
        return;
    }
    for (const sdk::ContentSpace& space : *spaces) {
        auto binaries = binaries_of(services, *reader, space);
        if (!binaries) differences.push_back(not_checked(space, binaries.error()));
        if (!binaries || *binaries == nullptr) continue;
        SpaceCheck check(services.branches, space, differences);
        auto walked =
            log.for_each_after(*reader, space, 0, [&](const sdk::ContentVersion& version) {
                check.look_at(*reader, **binaries, version);
                return true;
            });
        if (!walked) differences.push_back(not_checked(space, walked.error()));
        auto listed = for_each_file(
            *reader, space, [&](const Attachment& file) { check.look_at(**binaries, file); });
        if (!listed) differences.push_back(not_checked(space, listed.error()));
    }
}

sdk::Result<void> for_each_attached_binary(Services& services, sdk::ContentLog& log,
                                           const sdk::Reader& reader,
                                           const sdk::ContentSizes::VisitBinary& visit) {
    auto spaces = log.spaces(reader);
    if (!spaces) return spaces.error();
    for (const sdk::ContentSpace& space : *spaces) {
        auto binaries = binaries_of(services, reader, space);
        if (!binaries)
            sdk::log(sdk::LogLevel::warning, "nodes", not_checked(space, binaries.error()));
        if (!binaries || *binaries == nullptr) continue;
        SpaceBinaries found(**binaries, visit);
        auto walked = log.for_each_after(
            reader, space, 0,
            [&found](const sdk::ContentVersion& version) { return found.look_at(version); });
        if (!walked) return walked.error();
        auto listed =
            for_each_file(reader, space, [&found](const Attachment& file) { found.look_at(file); });
        if (!listed) return listed;
        if (!found.outcome()) return found.outcome();
    }
    return {};
}

}  // namespace stele::nodes
