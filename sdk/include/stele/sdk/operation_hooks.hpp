#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/attachments.hpp>
#include <stele/sdk/documents.hpp>

namespace stele::sdk {

// What the hooks of standard operations get and answer (`Resource::locate`, `attach`, `show`).

/// Parameters by name: those of a call, and of its form.
using Parameters = std::function<std::optional<std::string>(std::string_view name)>;

/// A record that a form has made, and the file that came for it.
struct FiledRecord {
    Document record;
    Attachment file;
};

/// What a read shows of a record.
struct ShownRecord {
    /// JSON, an object.
    std::string json;
    /// Of the stored record that it is made of, for its tag (`version_tag`).
    std::string id;
    std::uint64_t version = 0;
};

}  // namespace stele::sdk
