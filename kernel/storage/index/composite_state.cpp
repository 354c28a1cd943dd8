#include <algorithm>

#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

#include "kernel/storage/index/composite_index.hpp"

namespace stele::kernel::storage {

namespace {

sdk::Error broken(std::string_view text) {
    return sdk::make_error(sdk::ErrorKind::internal, "document.index_broken",
                           "The indexes of a collection cannot be read.",
                           "index state: " + std::string(text));
}

bool read_sequence(const sdk::Json& index, const char* member, Sequence& sequence) {
    const auto found = index.find(member);
    if (found == index.end()) return true;
    const auto* text = found->get_ptr<const std::string*>();
    if (text == nullptr) return false;
    // Before the first record nothing is built; that is no sequence.
    return text->empty() || parse_sequence(*text, sequence);
}

bool read_names(const sdk::Json& names, std::vector<std::string>& out) {
    if (!names.is_array()) return false;
    for (const sdk::Json& name : names) {
        if (!name.is_string()) return false;
        out.push_back(name.get<std::string>());
    }
    return true;
}

bool read_flag(const sdk::Json& index, const char* member) {
    const auto found = index.find(member);
    return found != index.end() && found->is_boolean() && found->get<bool>();
}

bool read_composite(const sdk::Json& index, CompositeIndexState& out) {
    if (!index.is_object()) return false;
    const auto number = index.find("number");
    const auto fields = index.find("fields");
    if (number == index.end() || !number->is_number_unsigned()) return false;
    if (fields == index.end() || !read_names(*fields, out.fields)) return false;
    out.number = number->get<std::uint64_t>();
    out.is_numeric = read_flag(index, "numeric");
    out.is_automatic = read_flag(index, "automatic");
    out.is_ready = read_flag(index, "ready");
    return !out.fields.empty() && read_sequence(index, "built", out.built) &&
           read_sequence(index, "ceiling", out.ceiling);
}

}  // namespace

std::string IndexState::encode() const {
    sdk::Json list = sdk::Json::array();
    for (const CompositeIndexState& index : composites) {
        sdk::Json one = {{"number", index.number},
                         {"fields", index.fields},
                         {"numeric", index.is_numeric},
                         {"automatic", index.is_automatic},
                         {"ready", index.is_ready}};
        if (!index.is_ready) {
            one["built"] = index.built.empty() ? std::string() : sequence_text(index.built);
            one["ceiling"] = index.ceiling.empty() ? std::string() : sequence_text(index.ceiling);
        }
        list.push_back(std::move(one));
    }
    return sdk::dump_json({{"composites", std::move(list)}, {"unindexed", unindexed}});
}

sdk::Result<IndexState> IndexState::decode(std::string_view text) {
    const auto json = sdk::parse_json(text);
    if (!json || !json->is_object()) return broken(text);
    IndexState state;
    const auto composites = json->find("composites");
    const auto unindexed = json->find("unindexed");
    if (composites == json->end() || !composites->is_array()) return broken(text);
    if (unindexed == json->end() || !read_names(*unindexed, state.unindexed)) return broken(text);
    for (const sdk::Json& one : *composites) {
        CompositeIndexState index;
        if (!read_composite(one, index)) return broken(text);
        state.composites.push_back(std::move(index));
    }
    return state;
}

}  // namespace stele::kernel::storage
