#include "node_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace stele::node_search {

namespace {

class TextWalk {
public:
    explicit TextWalk(const std::function<void(const FieldText&)>& visit) : visit_(visit) {}

    void walk(const sdk::Json& value) {
        if (value.is_object()) {
            for (const auto& [name, member] : value.items())
                walk_member(name, member);
        } else if (value.is_array()) {
            for (const sdk::Json& element : value)
                walk(element);
        } else if (value.is_string()) {
            visit_({path_, value.get_ref<const std::string&>(), is_in_all_});
        } else if (!is_in_all_) {
            return;
        } else if (value.is_boolean()) {
            visit_({path_, value.get<bool>() ? "true" : "false", false});
        } else if (value.is_number()) {
            visit_({path_, sdk::dump_json(value), is_in_all_});
        }
    }

private:
    void walk_member(const std::string& name, const sdk::Json& member) {
        const std::size_t size = path_.size();
        const bool is_top = path_.empty();
        if (is_top && is_of_the_server(name)) is_in_all_ = false;
        if (!is_top) path_ += '.';
        path_ += name;
        walk(member);
        path_.resize(size);
        if (is_top) is_in_all_ = true;
    }

    const std::function<void(const FieldText&)>& visit_;
    std::string path_;
    bool is_in_all_ = true;
};

}  // namespace

bool is_of_the_server(std::string_view path) {
    const std::string_view member = path.substr(0, path.find('.'));
    return member == "_system" || member == "_statistics";
}

bool is_date_of_the_server(std::string_view path) {
    constexpr std::string_view kSystem = "_system.";
    if (!path.starts_with(kSystem)) return false;
    path.remove_prefix(kSystem.size());
    const std::size_t end = path.find('.');
    return end != std::string_view::npos && path.substr(0, end).ends_with("_on");
}

std::vector<std::string> as_one_word(const std::vector<std::string>& words) {
    if (words.empty()) return words;
    return {fmt::format("{}", fmt::join(words, " "))};
}

void for_each_text(const sdk::Json& node, const std::function<void(const FieldText&)>& visit) {
    TextWalk(visit).walk(node);
}

}  // namespace stele::node_search
