#include <stele/sdk/json_patch.hpp>

#include <algorithm>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::sdk {

namespace {

constexpr std::size_t kMaxPatchOperations = 1000;
/// Bytes of values that are put somewhere, and places in arrays that others move up or down.
constexpr std::size_t kMaxPatchWork = 16u << 20;

struct PatchExtent {
    std::size_t size = 0;
    int depth = 0;
};

/// Stops to look deeper below `kDepth`, where nothing may be.
PatchExtent extent_of(const Json& value, int above = 0) {
    PatchExtent extent{sizeof(Json), value.is_structured() ? 1 : 0};
    if (value.is_string()) extent.size += value.get_ref<const std::string&>().size();
    if (!value.is_structured() || above > JsonLimits{}.depth) return extent;
    for (const auto& [name, inner] : value.items()) {
        const PatchExtent part = extent_of(inner, above + 1);
        extent.size += part.size + (value.is_object() ? name.size() : 0);
        extent.depth = std::max(extent.depth, part.depth + 1);
    }
    return extent;
}

/// What is at a path of a patch; nothing where the path is wrong, which applying it tells.
const Json* value_at(const Json& document, const std::string& path) {
    try {
        return &document.at(Json::json_pointer(path));
    } catch (const Json::exception&) {
        return nullptr;
    }
}

/// How many values lie beside the one at a path.
std::size_t places_beside(const Json& document, const std::string& path) {
    if (path.empty()) return 0;
    const Json* const parent = value_at(document, path.substr(0, path.rfind('/')));
    return parent != nullptr && parent->is_array() ? parent->size() : 0;
}

Error too_costly(std::string_view problem) {
    return make_error({{"body", "json.patch_too_costly", "the patch " + std::string(problem)}});
}

/// Published samples write paths without the slash that they begin with.
Json with_slashes(Json operation) {
    if (!operation.is_object()) return operation;
    for (const char* name : {"path", "from"}) {
        const std::string path = text_member(operation, name);
        if (!path.empty() && path.front() != '/') operation[name] = "/" + path;
    }
    return operation;
}

class Patching {
public:
    explicit Patching(Json document) : document_(std::move(document)) {}

    Result<void> apply(const Json& operation) {
        if (auto may = admit(operation); !may) return may;
        try {
            document_.patch_inplace(Json::array({operation}));
        } catch (const Json::other_error& problem) {
            // The one thing that this exception is thrown for.
            return make_error(
                ErrorKind::conflict, "json.patch_test_failed",
                std::string("the record is not as the patch wants it: ") + problem.what());
        } catch (const Json::exception& problem) {
            return invalid_parameter("body",
                                     std::string("is no patch of this record: ") + problem.what());
        }
        return {};
    }

    Json take() { return std::move(document_); }

private:
    Result<void> admit(const Json& operation) {
        const std::string path = text_member(operation, "path");
        const std::string from = text_member(operation, "from");
        work_ += places_beside(document_, path) + places_beside(document_, from);
        const auto value = operation.find("value");
        const Json* put = value != operation.end() ? &*value : nullptr;
        if (put == nullptr && operation.contains("from")) put = value_at(document_, from);
        if (put != nullptr) {
            const PatchExtent extent = extent_of(*put);
            work_ += extent.size;
            const auto above = std::count(path.begin(), path.end(), '/');
            if (above + extent.depth > JsonLimits{}.depth)
                return too_costly("nests values too deeply");
        }
        if (work_ > kMaxPatchWork) return too_costly("copies or moves too much");
        return {};
    }

    Json document_;
    std::size_t work_ = 0;
};

}  // namespace

const Json* patch_operations(const Json& body) {
    if (body.is_array()) return &body;
    if (!body.is_object()) return nullptr;
    for (const char* name : {"patches", "operations", "ops"}) {
        const auto member = body.find(name);
        if (member != body.end() && member->is_array()) return &*member;
    }
    return nullptr;
}

Result<Json> patched(const Json& before, const Json& operations) {
    if (operations.size() > kMaxPatchOperations) return too_costly("has more than 1000 operations");
    Patching patching(before);
    for (const Json& operation : operations) {
        if (auto applied = patching.apply(with_slashes(operation)); !applied)
            return applied.error();
    }
    return patching.take();
}

}  // namespace stele::sdk
