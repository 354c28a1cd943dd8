#pragma once

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/authority/record_tree.hpp"

namespace stele::kernel::authority {

/// Where rights on a record may lie, innermost first: the record, its siblings from which rights
/// reach it (the folders of a node), what contains them, what the outermost of these inherits from
/// (the stacks of a data store), and the platform's root record. The chain of a container's
/// contents begins with it and the containers that these may have come from.
class ContainerChain {
public:
    ContainerChain() = default;
    explicit ContainerChain(sdk::RecordKey record) : records_{std::move(record)} {}
    /// How many records of a chain are what.
    struct Parts {
        std::size_t siblings = 0;  ///< behind the first
        std::size_t origins = 0;   ///< behind the container of a chain of contents, nearest first
        std::size_t sources = 0;   ///< beside one another, in front of the last
    };
    ContainerChain(std::vector<sdk::RecordKey> records, Parts parts,
                   std::optional<sdk::RecordKey> origin = {})
        : records_(std::move(records)), parts_(parts), origin_(std::move(origin)) {}

    std::size_t size() const { return records_.size(); }
    const sdk::RecordKey& operator[](std::size_t level) const { return records_[level]; }
    const sdk::RecordKey& front() const { return records_.front(); }

    /// Whether what is defined at level `outer` holds at level `level`. What a record inherits from
    /// knows nothing of what else it inherits from.
    bool is_above(std::size_t outer, std::size_t level) const {
        if (outer == level) return true;
        return outer > level && !is_sibling(outer) && (!is_source(outer) || !is_source(level));
    }
    /// The record itself, or one from which all rights reach it.
    bool is_own(std::size_t level) const { return level <= parts_.siblings; }
    bool is_sibling(std::size_t level) const { return level > 0 && is_own(level); }
    /// What the record is in the container that it came from; nothing where it was made in its
    /// own one. Rights that reach it from its container, or from siblings there, are bounded by
    /// those that it has there.
    const std::optional<sdk::RecordKey>& origin() const { return origin_; }
    bool is_bounded(std::size_t level) const {
        return origin_ && level > 0 && level <= container_level();
    }
    /// The place of the record's container.
    std::size_t container_level() const { return parts_.siblings + 1; }
    std::size_t origins() const { return parts_.origins; }

private:
    bool is_source(std::size_t level) const {
        return level + 1 < records_.size() && level + 1 + parts_.sources >= records_.size();
    }

    std::vector<sdk::RecordKey> records_;
    Parts parts_;
    std::optional<sdk::RecordKey> origin_;
};

sdk::Result<ContainerChain> container_chain(const sdk::Reader& reader, RecordTree& tree,
                                            const sdk::RecordKey& record);
/// The chain of a container itself, with the containers that what lies in it may have come from:
/// it and these, nearest first, then what contains them.
sdk::Result<ContainerChain> contents_chain(const sdk::Reader& reader, RecordTree& tree,
                                           const sdk::RecordKey& container);

}  // namespace stele::kernel::authority
