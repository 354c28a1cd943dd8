#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/call.hpp>
#include <stele/sdk/multipart.hpp>
#include <stele/sdk/result.hpp>

namespace stele::nodes {

/// Whether the body is a form with files (`multipart/form-data`).
bool has_form_body(const sdk::Call& call);

/// The files of a form that is read as it arrives. Parts without a file name are parameters and may
/// come before or after the files they speak of.
class FormBody {
public:
    /// `call` must outlive it.
    static sdk::Result<FormBody> open(const sdk::Call& call);

    /// The next file; nothing after the last one.
    sdk::Result<std::optional<sdk::FormPart>> next_file();
    sdk::Result<void> read(std::string& piece) { return reader_.read(piece); }
    /// The whole file; `too_large` (`attachment.part_too_large`) beyond `limit` bytes.
    sdk::Result<std::string> read_all(std::size_t limit);

    /// From the query, else from the parts that have come.
    std::optional<std::string> parameter(std::string_view name) const;
    /// Parameters whose names begin with `prefix`, without it.
    std::map<std::string, std::string> parameters(std::string_view prefix) const;

private:
    FormBody(const sdk::Call& call, sdk::MultipartReader reader)
        : call_(&call), reader_(std::move(reader)) {}

    const sdk::Call* call_;
    sdk::MultipartReader reader_;
    std::map<std::string, std::string, std::less<>> fields_;
};

}  // namespace stele::nodes
