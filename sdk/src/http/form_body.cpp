#include <stele/sdk/form_body.hpp>

#include <stele/sdk/attachment_names.hpp>

namespace stele::sdk {

namespace {

constexpr std::size_t kMaxParts = 1000;
constexpr std::size_t kMaxFieldLength = std::size_t{64} * 1024;

}  // namespace

bool has_form_body(const Call& call) {
    return media_essence(call.header("Content-Type").value_or("")) == "multipart/form-data";
}

Result<FormBody> FormBody::open(const Call& call) {
    auto reader =
        MultipartReader::open(call.upload(), call.header("Content-Type").value_or(""), kMaxParts);
    if (!reader) return reader.error();
    return FormBody(call, std::move(*reader));
}

Result<std::optional<FormPart>> FormBody::next_file() {
    for (;;) {
        auto part = reader_.next();
        if (!part || !*part || (*part)->file_name) return part;
        auto value = read_all(kMaxFieldLength);
        if (!value) return value.error();
        fields_[(*part)->name] = std::move(*value);
    }
}

Result<UploadBytes> FormBody::find() {
    auto* const placed = dynamic_cast<PlacedUpload*>(&call_->upload());
    if (!placed) {
        return make_error(ErrorKind::unsupported, "http.multipart_expected",
                          "a form is taken of clients only");
    }
    const std::uint64_t begin = reader_.position();
    std::uint64_t size = 0;
    std::string piece;
    do {
        if (auto got = reader_.read(piece); !got) return got.error();
        size += piece.size();
    } while (!piece.empty());
    return UploadBytes(*placed, begin, size);
}

Result<std::string> FormBody::read_all(std::size_t limit) {
    std::string all;
    std::string piece;
    do {
        if (auto got = reader_.read(piece); !got) return got.error();
        all += piece;
        if (all.size() > limit) {
            return make_error(
                ErrorKind::too_large, "attachment.part_too_large",
                "a part of the form is longer than " + std::to_string(limit) + " bytes");
        }
    } while (!piece.empty());
    return all;
}

std::optional<std::string> FormBody::parameter(std::string_view name) const {
    if (auto value = call_->parameter(name)) return value;
    const auto field = fields_.find(name);
    if (field == fields_.end()) return std::nullopt;
    return field->second;
}

std::map<std::string, std::string> FormBody::parameters(std::string_view prefix) const {
    std::map<std::string, std::string> found;
    for (auto field = fields_.lower_bound(prefix);
         field != fields_.end() && field->first.starts_with(prefix); ++field)
        found[field->first.substr(prefix.size())] = field->second;
    for (const std::string& name : call_->parameter_names()) {
        if (!name.starts_with(prefix)) continue;
        if (auto value = call_->parameter(name)) found[name.substr(prefix.size())] = *value;
    }
    return found;
}

}  // namespace stele::sdk
