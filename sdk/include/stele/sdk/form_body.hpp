#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include <stele/sdk/call.hpp>
#include <stele/sdk/multipart.hpp>
#include <stele/sdk/placed_upload.hpp>
#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Whether the body is a form with files (`multipart/form-data`).
bool has_form_body(const Call& call);

/// The files of a form that is read as it arrives. Parts without a file name are parameters and may
/// come before or after the files they speak of.
class FormBody {
public:
    /// `call` must outlive it.
    static Result<FormBody> open(const Call& call);

    /// The next file; nothing after the last one.
    Result<std::optional<FormPart>> next_file();
    Result<void> read(std::string& piece) { return reader_.read(piece); }
    /// Reads the whole file and keeps nothing: where its bytes lie in the upload. `unsupported`
    /// (`http.multipart_expected`) where the upload is no `PlacedUpload`.
    Result<UploadBytes> find();
    /// The whole file; `too_large` (`attachment.part_too_large`) beyond `limit` bytes.
    Result<std::string> read_all(std::size_t limit);

    /// From the query, else from the parts that have come.
    std::optional<std::string> parameter(std::string_view name) const;
    /// Parameters whose names begin with `prefix`, without it.
    std::map<std::string, std::string> parameters(std::string_view prefix) const;

private:
    FormBody(const Call& call, MultipartReader reader) : call_(&call), reader_(std::move(reader)) {}

    const Call* call_;
    MultipartReader reader_;
    std::map<std::string, std::string, std::less<>> fields_;
};

}  // namespace stele::sdk
