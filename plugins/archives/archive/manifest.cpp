#include "manifest.hpp"

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

#include "characters.hpp"

namespace stele::archives {

namespace {

constexpr std::size_t kMaxMemberBytes = std::size_t{64} * 1024;
/// A record that holds it is less deep than what the server reads.
constexpr std::size_t kMaxDepth = 90;
constexpr std::string_view kContents = "contents";

enum class Kind { any, text, boolean };

struct Member {
    std::string_view name;
    Kind kind = Kind::any;
};

constexpr std::array<Member, 21> kMembers{{
    {"model", Kind::text},
    {"type", Kind::text},
    {"group", Kind::text},
    {"artifact", Kind::text},
    {"version", Kind::text},
    {"title", Kind::text},
    {"description", Kind::text},
    {kContents},
    {"dependencies"},
    {"includes"},
    {"parts"},
    {"sources"},
    {"startDate"},
    {"endDate"},
    {"startChangeset", Kind::text},
    {"endChangeset", Kind::text},
    {"childrenOnly", Kind::boolean},
    {"tipChangesetOnly", Kind::boolean},
    {"template"},
    {"templateType", Kind::text},
    {"templateKey", Kind::text},
}};

const Member* find_member(std::string_view name) {
    for (const Member& member : kMembers) {
        if (member.name == name) return &member;
    }
    return nullptr;
}

bool fits(const Member& member, const sdk::Json& value) {
    if (member.kind == Kind::text && !value.is_string()) return false;
    if (member.kind == Kind::boolean && !value.is_boolean()) return false;
    return !value.is_null() && sdk::dump_json(value).size() <= kMaxMemberBytes;
}

sdk::Error malformed(const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::invalid, "archives.manifest_malformed",
                           "manifest.json cannot be read: " + problem);
}

/// Builds the members that are kept, and passes by everything else.
class ManifestBuilder {
public:
    ManifestBuilder(Characters& characters, Manifest& manifest)
        : characters_(characters), manifest_(manifest) {}

    bool null() { return add(nullptr, 4); }
    bool boolean(bool value) { return add(value, 4); }
    bool number_integer(std::int64_t value) { return add(value, 1); }
    bool number_unsigned(std::uint64_t value) { return add(value, 1); }
    bool number_float(double value, const std::string& text) { return add(value, text.size()); }
    bool string(std::string& value) {
        const std::size_t size = value.size();
        return add(std::move(value), size);
    }
    bool binary(sdk::Json::binary_t&) { return false; }
    bool start_object(std::size_t) { return open(sdk::Json::object()); }
    bool start_array(std::size_t) { return open(sdk::Json::array()); }
    bool end_object() { return close(); }
    bool end_array() { return close(); }

    bool key(std::string& name) {
        characters_.begin_token();
        if (name.find('\0') != std::string::npos) return refuse("a member's name has a NUL");
        if (depth_ == 1) return begin_member(name);
        count_entry(depth_ == 2);
        if (!grow(name.size())) return true;
        if (open_.back()->contains(name)) return refuse("a member is there twice");
        name_ = std::move(name);
        return true;
    }

    bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) {
        if (problem_.empty()) problem_ = "it is no JSON at byte " + std::to_string(position);
        return false;
    }

    const std::string& problem() const { return problem_; }

private:
    bool refuse(const char* problem) {
        problem_ = problem;
        return false;
    }

    bool begin_member(const std::string& name) {
        member_ = find_member(name);
        is_contents_ = name == kContents;
        is_kept_ = member_ != nullptr;
        if (is_kept_ && manifest_.fields.contains(name)) return refuse("a member is there twice");
        if (is_contents_ && manifest_.content_count) return refuse("a member is there twice");
        bytes_ = 0;
        return true;
    }

    void count_entry(bool is_entry) {
        if (is_contents_ && is_entry && manifest_.content_count) ++*manifest_.content_count;
    }

    /// Whether the member is still one to keep, so much longer.
    bool grow(std::size_t bytes) {
        if (!is_kept_) return false;
        bytes_ += bytes + 1;
        if (bytes_ <= kMaxMemberBytes) return true;
        is_kept_ = false;
        open_.clear();
        value_ = nullptr;
        return false;
    }

    /// Where a value goes; null where it is not kept.
    sdk::Json* put(sdk::Json&& value, std::size_t bytes) {
        if (depth_ == 2 && is_contents_ && is_array_) count_entry(true);
        if (!grow(bytes)) return nullptr;
        if (open_.empty()) return &(value_ = std::move(value));
        sdk::Json& parent = *open_.back();
        if (parent.is_array()) {
            parent.push_back(std::move(value));
            return &parent.back();
        }
        return &(parent[name_] = std::move(value));
    }

    bool add(sdk::Json value, std::size_t bytes) {
        characters_.begin_token();
        if (depth_ == 0) return refuse("it is no JSON object");
        put(std::move(value), bytes);
        if (depth_ == 1) end_member();
        return true;
    }

    bool open(sdk::Json&& value) {
        characters_.begin_token();
        const bool is_array = value.is_array();
        if (depth_ == 0 && is_array) return refuse("it is no JSON object");
        if (depth_ >= kMaxDepth) return refuse("it nests too deep");
        if (depth_ > 0) {
            sdk::Json* const place = put(std::move(value), 1);
            if (place != nullptr) open_.push_back(place);
        }
        if (depth_ == 1) {
            is_array_ = is_array;
            if (is_contents_) manifest_.content_count = 0;
        }
        ++depth_;
        return true;
    }

    bool close() {
        characters_.begin_token();
        if (!open_.empty()) open_.pop_back();
        if (--depth_ == 1) end_member();
        return true;
    }

    void end_member() {
        if (is_kept_ && fits(*member_, value_))
            manifest_.fields[std::string(member_->name)] = std::move(value_);
        value_ = nullptr;
        is_kept_ = is_contents_ = false;
    }

    Characters& characters_;
    Manifest& manifest_;
    const Member* member_ = nullptr;
    bool is_kept_ = false;
    bool is_contents_ = false;
    /// Of the member's own value.
    bool is_array_ = false;
    std::size_t bytes_ = 0;
    std::size_t depth_ = 0;
    sdk::Json value_;
    /// The values inside the member that are being read, the outermost first.
    std::vector<sdk::Json*> open_;
    std::string name_;
    std::string problem_;
};

}  // namespace

Manifest::Manifest() : fields(sdk::Json::object()) {}

Coordinates Manifest::coordinates() const {
    return {sdk::text_member(fields, "group"), sdk::text_member(fields, "artifact"),
            sdk::text_member(fields, "version")};
}

sdk::Result<Manifest> read_manifest(const sdk::PieceSource& read) {
    Manifest manifest;
    Characters characters(read);
    ManifestBuilder builder(characters, manifest);
    const bool is_read =
        sdk::Json::sax_parse(CharacterIterator(&characters), CharacterIterator(nullptr), &builder);
    if (characters.failure()) return *characters.failure();
    if (is_read) return manifest;
    return malformed(characters.is_token_too_long() ? "a text in it is too long"
                                                    : builder.problem());
}

sdk::Result<Manifest> read_manifest(const sdk::Json& manifest) {
    if (!manifest.is_object()) return malformed("it is no JSON object");
    Manifest found;
    for (const auto& [name, value] : manifest.items()) {
        const Member* const member = find_member(name);
        if (member != nullptr && fits(*member, value)) found.fields[name] = value;
        if (name == kContents && value.is_structured()) found.content_count = value.size();
    }
    return found;
}

}  // namespace stele::archives
