#include "node_text.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/json.hpp>

namespace stele::node_search {

namespace {

namespace dom = simdjson::dom;

constexpr std::string_view kSystem = "_system.";
constexpr std::string_view kDate = "_on";

/// As the server writes it everywhere.
std::string number_text(const dom::element& number) {
    switch (number.type()) {
        case dom::element_type::INT64:
            return fmt::to_string(std::int64_t(number));
        case dom::element_type::UINT64:
            return fmt::to_string(std::uint64_t(number));
        default:
            return sdk::dump_json(double(number));
    }
}

double number_of(const dom::element& number) {
    switch (number.type()) {
        case dom::element_type::INT64:
            return static_cast<double>(std::int64_t(number));
        case dom::element_type::UINT64:
            return static_cast<double>(std::uint64_t(number));
        default:
            return double(number);
    }
}

class TextWalk {
public:
    explicit TextWalk(const std::function<void(const FieldText&)>& visit) : visit_(visit) {}

    void walk(const dom::object& members) {
        for (const auto& [name, member] : members)
            walk_member(name, member);
    }

private:
    void walk(const dom::element& value) {
        switch (value.type()) {
            case dom::element_type::OBJECT:
                return walk(dom::object(value));
            case dom::element_type::ARRAY:
                for (const dom::element element : dom::array(value))
                    walk(element);
                return;
            case dom::element_type::STRING:
                return visit_({path_, std::string_view(value), is_in_all_});
            case dom::element_type::BOOL:
                if (is_in_all_) visit_({path_, bool(value) ? "true" : "false", false});
                return;
            case dom::element_type::NULL_VALUE:
                return;
            default:
                if (is_in_all_) visit_({path_, number_text(value), true, number_of(value)});
        }
    }

    void walk_member(std::string_view name, const dom::element& member) {
        const std::size_t size = path_.size();
        const bool is_top = path_.empty();
        if (is_top && is_of_the_server(name)) is_in_all_ = false;
        const bool is_second_text = !is_in_all_ && name == "timestamp" && path_.ends_with(kDate);
        if (!is_top) path_ += '.';
        path_ += name;
        if (!is_second_text) walk(member);
        path_.resize(size);
        if (is_top) is_in_all_ = true;
    }

    const std::function<void(const FieldText&)>& visit_;
    std::string path_;
    bool is_in_all_ = true;
};

bool is_date_of_the_server(std::string_view path) {
    if (!path.starts_with(kSystem)) return false;
    path.remove_prefix(kSystem.size());
    const std::size_t end = path.find('.');
    return end != std::string_view::npos && path.substr(0, end).ends_with(kDate);
}

}  // namespace

bool is_of_the_server(std::string_view path) {
    const std::string_view member = path.substr(0, path.find('.'));
    return member == "_system" || member == "_statistics";
}

bool is_found_whole(std::string_view path) {
    return path == "_type" || path == "_qname" || is_date_of_the_server(path);
}

std::string as_one_word(const std::vector<std::string>& words) {
    return fmt::format("{}", fmt::join(words, " "));
}

std::optional<std::size_t> place_of_common(std::string_view path) {
    static constexpr std::array<std::string_view, 16> kCommon{
        "_doc",
        "_type",
        "_qname",
        "_system.changeset",
        "_system.created_on.iso_8601",
        "_system.created_by",
        "_system.created_by_principal_id",
        "_system.created_by_principal_domain_id",
        "_system.modified_on.iso_8601",
        "_system.modified_by",
        "_system.modified_by_principal_id",
        "_system.modified_by_principal_domain_id",
        "_system.edited_on.iso_8601",
        "_system.edited_by",
        "_system.edited_by_principal_id",
        "_system.edited_by_principal_domain_id",
    };
    if (!path.starts_with('_')) return std::nullopt;
    const auto found = std::find(kCommon.begin(), kCommon.end(), path);
    if (found == kCommon.end()) return std::nullopt;
    return static_cast<std::size_t>(found - kCommon.begin());
}

void for_each_text(const dom::object& node, const std::function<void(const FieldText&)>& visit) {
    TextWalk(visit).walk(node);
}

}  // namespace stele::node_search
