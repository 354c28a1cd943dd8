#include <stele/sdk/json_difference.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stele::sdk {

namespace {

/// Up to so many, members are found fast enough one after another.
constexpr std::size_t kFewMembers = 256;
/// Of an operation, beside its path and value: `{"op":"replace","path":"","value":},`.
constexpr std::size_t kBytesOfOperation = 40;

/// Finds members of an object by name, however many there are.
class Members {
public:
    explicit Members(const Json& object) : object_(object) {
        if (object.size() <= kFewMembers) return;
        by_name_.reserve(object.size());
        for (auto member = object.begin(); member != object.end(); ++member)
            by_name_.emplace(member.key(), &*member);
    }

    const Json* find(const std::string& name) const {
        if (by_name_.empty()) {
            const auto found = object_.find(name);
            return found == object_.end() ? nullptr : &*found;
        }
        const auto found = by_name_.find(name);
        return found == by_name_.end() ? nullptr : found->second;
    }

private:
    const Json& object_;
    std::unordered_map<std::string_view, const Json*> by_name_;
};

/// A name as a JSON pointer has it.
std::string escaped(std::string_view name) {
    std::string text;
    text.reserve(name.size());
    for (const char c : name) {
        if (c == '~') {
            text += "~0";
        } else if (c == '/') {
            text += "~1";
        } else {
            text += c;
        }
    }
    return text;
}

/// Makes the patch as long as it fits into its bytes; the path is where the walk is.
class DifferenceWalk {
public:
    explicit DifferenceWalk(std::size_t left) : left_(left) {}

    /// False where the patch has no room for what differs.
    bool compare(const Json& before, const Json& after) {
        if (before.is_object() && after.is_object()) return compare_objects(before, after);
        if (before.is_array() && after.is_array()) return compare_arrays(before, after);
        if (before == after) return true;
        return add("replace", &after);
    }

    std::size_t left() const { return left_; }
    Json take_patch() { return std::move(patch_); }

private:
    bool compare_objects(const Json& before, const Json& after) {
        const Members in_before(before);
        const Members in_after(after);
        for (auto member = before.begin(); member != before.end(); ++member) {
            const Json* const other = in_after.find(member.key());
            const bool has_room = at(escaped(member.key()), [&] {
                return other ? compare(*member, *other) : add("remove", nullptr);
            });
            if (!has_room) return false;
        }
        for (auto member = after.begin(); member != after.end(); ++member) {
            if (in_before.find(member.key())) continue;
            const bool has_room = at(escaped(member.key()), [&] { return add("add", &*member); });
            if (!has_room) return false;
        }
        return true;
    }

    /// By place. What is too many is removed from the end, so that each place is still right.
    bool compare_arrays(const Json& before, const Json& after) {
        const std::size_t common = std::min(before.size(), after.size());
        for (std::size_t i = 0; i < common; ++i) {
            if (!at(std::to_string(i), [&] { return compare(before[i], after[i]); })) return false;
        }
        for (std::size_t i = before.size(); i > common; --i) {
            if (!at(std::to_string(i - 1), [&] { return add("remove", nullptr); })) return false;
        }
        for (std::size_t i = common; i < after.size(); ++i) {
            if (!at("-", [&] { return add("add", &after[i]); })) return false;
        }
        return true;
    }

    template <class Work>
    bool at(std::string_view step, Work work) {
        const std::size_t size = path_.size();
        path_.append(1, '/').append(step);
        const bool has_room = work();
        path_.resize(size);
        return has_room;
    }

    bool spend(std::size_t bytes) {
        if (bytes > left_) return false;
        left_ -= bytes;
        return true;
    }

    /// About as many bytes as the value's text has.
    bool spend_value(const Json& value) {
        if (value.is_string()) return spend(value.get_ref<const std::string&>().size() + 3);
        if (!value.is_structured()) return spend(8);
        if (!spend(2)) return false;
        for (auto inner = value.begin(); inner != value.end(); ++inner) {
            if (value.is_object() && !spend(inner.key().size() + 4)) return false;
            if (!spend_value(*inner)) return false;
        }
        return true;
    }

    bool add(const char* operation, const Json* value) {
        if (!spend(kBytesOfOperation + path_.size())) return false;
        if (value && !spend_value(*value)) return false;
        Json entry = {{"op", operation}, {"path", path_}};
        if (value) entry["value"] = *value;
        patch_.push_back(std::move(entry));
        return true;
    }

    std::size_t left_;
    std::string path_;
    Json patch_ = Json::array();
};

Error too_large(std::size_t most) {
    return make_error(
        ErrorKind::too_large, "json.difference_too_large",
        fmt::format("the difference would have more than {} bytes; compare less at once", most));
}

}  // namespace

Result<Json> json_difference(const Json& before, const Json& after, std::size_t most) {
    DifferenceWalk walk(most);
    if (!walk.compare(before, after)) return too_large(most);
    return walk.take_patch();
}

Result<Json> take_json_difference(const Json& before, const Json& after, std::size_t& left) {
    const std::size_t most = std::min(left, kMaxDifference);
    DifferenceWalk walk(most);
    if (!walk.compare(before, after)) return too_large(most);
    left -= most - walk.left();
    return walk.take_patch();
}

bool is_same_json(const Json& one, const Json& other) {
    return json_difference(one, other, 0).has_value();
}

}  // namespace stele::sdk
