#include "content/json_patch.hpp"

#include <algorithm>
#include <string>

#include <nlohmann/json.hpp>

#include <stele/sdk/members.hpp>

namespace stele::nodes {

namespace {

constexpr std::size_t kMostOperations = 1000;
/// Bytes of values that are put somewhere, and places in arrays that others move up or down.
constexpr std::size_t kMostWork = 16u << 20;

struct Extent {
    std::size_t size = 0;
    int depth = 0;
};

/// Stops to look deeper below `kDepth`, where nothing may be.
Extent extent_of(const sdk::Json& value, int above = 0) {
    Extent extent{sizeof(sdk::Json), value.is_structured() ? 1 : 0};
    if (value.is_string()) extent.size += value.get_ref<const std::string&>().size();
    if (!value.is_structured() || above > sdk::JsonLimits{}.depth) return extent;
    for (const auto& [name, inner] : value.items()) {
        const Extent part = extent_of(inner, above + 1);
        extent.size += part.size + (value.is_object() ? name.size() : 0);
        extent.depth = std::max(extent.depth, part.depth + 1);
    }
    return extent;
}

/// What is at a path of a patch; nothing where the path is wrong, which applying it tells.
const sdk::Json* value_at(const sdk::Json& document, const std::string& path) {
    try {
        return &document.at(sdk::Json::json_pointer(path));
    } catch (const sdk::Json::exception&) {
        return nullptr;
    }
}

/// How many values lie beside the one at a path.
std::size_t places_beside(const sdk::Json& document, const std::string& path) {
    if (path.empty()) return 0;
    const sdk::Json* const parent = value_at(document, path.substr(0, path.rfind('/')));
    return parent != nullptr && parent->is_array() ? parent->size() : 0;
}

sdk::Error too_costly(std::string_view problem) {
    return sdk::make_error(
        {{"body", "node.patch_too_costly", "the patch " + std::string(problem)}});
}

/// Published samples write paths without the slash that they begin with.
sdk::Json with_slashes(sdk::Json operation) {
    if (!operation.is_object()) return operation;
    for (const char* name : {"path", "from"}) {
        const std::string path = sdk::text_member(operation, name);
        if (!path.empty() && path.front() != '/') operation[name] = "/" + path;
    }
    return operation;
}

class Patching {
public:
    explicit Patching(sdk::Json document) : document_(std::move(document)) {}

    sdk::Result<void> apply(const sdk::Json& operation) {
        if (auto may = admit(operation); !may) return may;
        try {
            document_.patch_inplace(sdk::Json::array({operation}));
        } catch (const sdk::Json::other_error& problem) {
            // The one thing that this exception is thrown for.
            return sdk::make_error(
                sdk::ErrorKind::conflict, "node.patch_test_failed",
                std::string("the node is not as the patch wants it: ") + problem.what());
        } catch (const sdk::Json::exception& problem) {
            return sdk::invalid_parameter(
                "body", std::string("is no patch of this node: ") + problem.what());
        }
        return {};
    }

    sdk::Json take() { return std::move(document_); }

private:
    sdk::Result<void> admit(const sdk::Json& operation) {
        const std::string path = sdk::text_member(operation, "path");
        const std::string from = sdk::text_member(operation, "from");
        work_ += places_beside(document_, path) + places_beside(document_, from);
        const auto value = operation.find("value");
        const sdk::Json* put = value != operation.end() ? &*value : nullptr;
        if (put == nullptr && operation.contains("from")) put = value_at(document_, from);
        if (put != nullptr) {
            const Extent extent = extent_of(*put);
            work_ += extent.size;
            const auto above = std::count(path.begin(), path.end(), '/');
            if (above + extent.depth > sdk::JsonLimits{}.depth)
                return too_costly("nests values too deeply");
        }
        if (work_ > kMostWork) return too_costly("copies or moves too much");
        return {};
    }

    sdk::Json document_;
    std::size_t work_ = 0;
};

}  // namespace

sdk::Result<sdk::Json> patched(const sdk::Json& before, const sdk::Json& operations) {
    if (operations.size() > kMostOperations) return too_costly("has more than 1000 operations");
    Patching patching(before);
    for (const sdk::Json& operation : operations) {
        if (auto applied = patching.apply(with_slashes(operation)); !applied)
            return applied.error();
    }
    return patching.take();
}

}  // namespace stele::nodes
