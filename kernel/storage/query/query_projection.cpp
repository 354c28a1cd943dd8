#include "kernel/storage/query/query_projection.hpp"

#include <algorithm>
#include <optional>

#include <simdjson.h>
#include <nlohmann/json.hpp>

#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

namespace {

namespace ondemand = simdjson::ondemand;
using sdk::Json;
using FieldSteps = std::vector<Projection::Step>;

constexpr std::size_t kMaxFields = 1000;
constexpr std::size_t kMaxDepth = 50;

const Projection::Step* find(const FieldSteps& steps, std::string_view name) {
    const auto at = std::find_if(steps.begin(), steps.end(), [name](const Projection::Step& step) {
        return step.name == name;
    });
    return at == steps.end() ? nullptr : &*at;
}

/// A name that is meant as a whole wins over what is named below it.
void add_path(FieldSteps& steps, std::string_view path) {
    const std::size_t dot = path.find('.');
    const std::string_view name = path.substr(0, dot);
    auto at = std::find_if(steps.begin(), steps.end(),
                           [name](const Projection::Step& step) { return step.name == name; });
    const bool is_new = at == steps.end();
    if (is_new) at = steps.insert(steps.end(), {std::string(name), {}});
    if (dot == std::string_view::npos) {
        at->members.clear();
    } else if (is_new || !at->members.empty()) {
        add_path(at->members, path.substr(dot + 1));
    }
}

bool is_path(std::string_view path) {
    const bool has_gap = path.empty() || path.front() == '.' || path.back() == '.' ||
                         path.find("..") != std::string_view::npos;
    const auto dots = static_cast<std::size_t>(std::count(path.begin(), path.end(), '.'));
    return !has_gap && path.front() != '$' && dots < kMaxDepth;
}

std::optional<bool> read_choice(const Json& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number() && (value == 0 || value == 1)) return value == 1;
    return std::nullopt;
}

/// Copies the wanted parts of a text. Errors of the text end the copy.
class Selector {
public:
    Selector(std::string& out, bool is_inclusion) : out_(out), is_inclusion_(is_inclusion) {}

    simdjson::error_code object(ondemand::object object, const FieldSteps& steps) {
        out_.push_back('{');
        bool is_first = true;
        for (auto field : object) {
            std::string_view name;
            if (const auto error = field.unescaped_key().get(name)) return error;
            ondemand::value value;
            if (const auto error = field.value().get(value)) return error;
            const Projection::Step* const step = find(steps, name);
            const std::size_t size = out_.size();
            if (!is_first) out_.push_back(',');
            sdk::append_json_string(out_, name);
            out_.push_back(':');
            bool is_taken = false;
            if (const auto error = one(value, step, is_taken)) return error;
            if (!is_taken) out_.resize(size);
            is_first = is_first && !is_taken;
        }
        out_.push_back('}');
        return simdjson::SUCCESS;
    }

private:
    simdjson::error_code one(ondemand::value& value, const Projection::Step* step, bool& is_taken) {
        const bool is_whole = step == nullptr || step->members.empty();
        if (!is_whole) return part(value, *step, is_taken);
        is_taken = (step != nullptr) == is_inclusion_;
        return is_taken ? copy(value) : simdjson::SUCCESS;
    }

    /// A value of which only some members are named.
    simdjson::error_code part(ondemand::value& value, const Projection::Step& step,
                              bool& is_taken) {
        ondemand::json_type type;
        if (const auto error = value.type().get(type)) return error;
        is_taken = true;
        if (type == ondemand::json_type::object) {
            ondemand::object members;
            if (const auto error = value.get_object().get(members)) return error;
            return object(members, step.members);
        }
        if (type == ondemand::json_type::array) return array(value, step);
        is_taken = !is_inclusion_;
        return is_taken ? copy(value) : simdjson::SUCCESS;
    }

    simdjson::error_code array(ondemand::value& value, const Projection::Step& step) {
        ondemand::array items;
        if (const auto error = value.get_array().get(items)) return error;
        out_.push_back('[');
        bool is_first = true;
        for (auto item : items) {
            ondemand::value element;
            if (const auto error = item.get(element)) return error;
            const std::size_t size = out_.size();
            if (!is_first) out_.push_back(',');
            bool is_taken = false;
            if (const auto error = part(element, step, is_taken)) return error;
            if (!is_taken) out_.resize(size);
            is_first = is_first && !is_taken;
        }
        out_.push_back(']');
        return simdjson::SUCCESS;
    }

    simdjson::error_code copy(ondemand::value& value) {
        std::string_view json;
        if (const auto error = simdjson::to_json_string(value).get(json)) return error;
        out_.append(json);
        return simdjson::SUCCESS;
    }

    std::string& out_;
    bool is_inclusion_;
};

}  // namespace

std::unique_ptr<const Projection> Projection::parse(const Json& fields, QueryProblems& problems) {
    const QueryProblems::Step place(problems, "_fields");
    if (!fields.is_object() || fields.size() > kMaxFields) {
        problems.add("fields_invalid", "takes an object of at most 1000 fields with 1 or 0");
        return nullptr;
    }
    auto projection = std::make_unique<Projection>();
    std::optional<bool> inclusion;
    for (const auto& member : fields.items()) {
        const QueryProblems::Step step(problems, member.key());
        const auto choice = read_choice(member.value());
        if (!choice || !is_path(member.key())) {
            problems.add("fields_invalid", "takes a field's name with 1 or 0");
        } else if (member.key() == "_doc") {
            // Always comes back, so it only says something when it is the only one.
            if (*choice && fields.size() == 1) inclusion = true;
        } else if (inclusion && *inclusion != *choice) {
            problems.add("fields_invalid", "1 and 0 exclude each other");
        } else {
            inclusion = choice;
            add_path(projection->steps_, member.key());
        }
    }
    if (!inclusion) return nullptr;
    projection->is_inclusion_ = *inclusion;
    if (*inclusion) {
        add_path(projection->steps_, "_doc");
    } else {
        std::erase_if(projection->steps_, [](const Step& step) { return step.name == "_doc"; });
    }
    return projection;
}

std::string Projection::apply(std::string_view text) const {
    static_assert(Record::kPadding >= simdjson::SIMDJSON_PADDING);
    thread_local ondemand::parser parser;
    std::string out;
    out.reserve(text.size());
    ondemand::document document;
    ondemand::object object;
    auto error =
        parser.iterate(text.data(), text.size(), text.size() + Record::kPadding).get(document);
    if (!error) error = document.get_object().get(object);
    if (!error) error = Selector(out, is_inclusion_).object(object, steps_);
    // A text that cannot be read is shown as it is: whoever reads the reply learns of the damage.
    if (error) return std::string(text);
    return out;
}

}  // namespace stele::kernel::storage
