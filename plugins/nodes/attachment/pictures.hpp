#pragma once

#include "attachment/attachments.hpp"

namespace stele::nodes {

/// A picture made of one attachment, as another one.
struct PictureOrder {
    std::string source = kDefaultAttachment;
    std::string target;
    std::string content_type;
    int width = 0;
    int height = 0;
};

/// Makes it and puts its bytes into the store's binaries; no record knows of them yet.
/// `not_found` (`attachment.unknown`), `unimplemented` where no enabled plugin makes pictures
/// (`nodes.transform_missing`), and what `sdk::PictureMaker` says.
sdk::Result<Attachment> make_picture(const BranchContent& content, const sdk::Json& attachments,
                                     const PictureOrder& order);

/// The pictures that `f:thumbnailable` and `f:previewable` of a node ask for, made of `attachments`
/// and put among them; those whose source is gone or has no picture are taken out. What is up to
/// date stays.
sdk::Result<void> derive_pictures(const BranchContent& content, const sdk::Json& node,
                                  sdk::Json& attachments);

}  // namespace stele::nodes
