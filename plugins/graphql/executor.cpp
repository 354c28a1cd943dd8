#include "executor.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "introspection.hpp"
#include "limits.hpp"
#include "type_text.hpp"
#include "values.hpp"

namespace stele::graphql {

namespace {

/// In place of a value: null where none may be, so that what contains it becomes null, too.
sdk::Json no_value() {
    return sdk::Json(sdk::Json::value_t::discarded);
}

class Executor {
public:
    Executor(const Schema& schema, RowSource& rows, Problems& problems)
        : schema_(schema), rows_(rows), problems_(problems) {}

    sdk::Result<sdk::Json> run(const Plan& plan) {
        auto data = object(plan.fields, sdk::Json());
        if (!data) return data;
        return data->is_discarded() ? sdk::Json() : *std::move(data);
    }

private:
    void add(const PlannedField& field, std::string code, std::string message) {
        if (problems_.size() >= kMaxProblems) return;
        problems_.push_back({std::move(code), std::move(message), {field.place}, path_});
    }

    sdk::Result<void> spend(std::size_t bytes) {
        spent_ += bytes;
        if (spent_ <= kMaxAnswerBytes) return {};
        return sdk::make_error(sdk::ErrorKind::invalid, "graphql.answer_too_large",
                               "the answer has more than " + std::to_string(kMaxAnswerBytes) +
                                   " bytes; select less, or use skip and limit");
    }

    sdk::Result<sdk::Json> object(const std::vector<PlannedField>& fields, const sdk::Json& value) {
        sdk::Json shown = sdk::Json::object();
        for (const PlannedField& field : fields) {
            path_.push_back(field.key);
            auto member = complete_field(field, value);
            path_.erase(path_.size() - 1);
            if (!member || member->is_discarded()) return member;
            if (auto paid = spend(field.key.size()); !paid) return paid.error();
            // A plan has each key once; `emplace` would look for it among all others.
            shown.get_ref<sdk::Json::object_t&>().emplace_back(field.key, *std::move(member));
        }
        return shown;
    }

    sdk::Result<sdk::Json> complete_field(const PlannedField& field, const sdk::Json& owner) {
        const std::string& type = field.definition->type;
        if (!is_computed(field)) return complete_member(field, owner);
        auto value = compute(field, owner);
        if (value) return complete(field, type, *value);
        const sdk::Error& error = value.error();
        if (error.kind != sdk::ErrorKind::invalid) return error;
        add(field, error.code, error.message);
        return is_non_null(type) ? no_value() : sdk::Json();
    }

    static bool is_computed(const PlannedField& field) {
        const std::string& owner = field.owner->name;
        return field.definition->name == "__typename" || owner == kQueryType ||
               owner == "__Schema" || owner == "__Type";
    }

    sdk::Result<sdk::Json> complete_member(const PlannedField& field, const sdk::Json& owner) {
        static const sdk::Json kNothing;
        // Looking for a member takes as long as there are others.
        if (auto paid = spend(owner.size() / 8); !paid) return paid.error();
        const auto found = owner.find(field.definition->member);
        return complete(field, field.definition->type, found == owner.end() ? kNothing : *found);
    }

    sdk::Result<sdk::Json> compute(const PlannedField& field, const sdk::Json& owner) {
        const std::string& name = field.definition->name;
        const std::string& type = field.owner->name;
        if (name == "__typename") return sdk::Json(type);
        if (type == kQueryType) return compute_root(field);
        if (type == "__Schema") return schema_field(schema_, name);
        return type_field(schema_, owner.get_ref<const std::string&>(), name);
    }

    sdk::Result<sdk::Json> compute_root(const PlannedField& field) {
        const std::string& name = field.definition->name;
        if (name == "__schema") return sdk::Json::object();
        if (name == "__type") {
            const sdk::Json& wanted = field.arguments.at("name");
            return schema_.find(wanted.get_ref<const std::string&>()) ? wanted : sdk::Json();
        }
        const RootField& root = schema_.roots.find(name)->second;
        if (root.kind != RootField::Kind::collection)
            return rows_.row(root.type, field.arguments.at("id").get<std::string>());
        auto wanted = read_rows_wanted(root.type, field.arguments);
        if (!wanted) return wanted.error();
        auto rows = rows_.rows(*wanted);
        if (!rows) return rows.error();
        return sdk::Json(*std::move(rows));
    }

    sdk::Result<sdk::Json> complete(const PlannedField& field, std::string_view type,
                                    const sdk::Json& value) {
        if (!is_non_null(type)) {
            auto shown = complete_nullable(field, type, value);
            return shown && shown->is_discarded() ? sdk::Json() : shown;
        }
        const std::size_t known = problems_.size();
        auto shown = complete_nullable(field, nullable(type), value);
        if (!shown || shown->is_discarded() || !shown->is_null()) return shown;
        if (problems_.size() == known)
            add(field, "graphql.value_unfit", "the value must not be null and is");
        return no_value();
    }

    sdk::Result<sdk::Json> complete_nullable(const PlannedField& field, std::string_view type,
                                             const sdk::Json& value) {
        if (auto paid = spend(8); !paid) return paid.error();
        if (value.is_null()) return sdk::Json();
        if (is_list(type)) return complete_list(field, item_type(type), value);
        const TypeDefinition* named = schema_.find(type);
        if (named->kind != TypeKind::object) return complete_leaf(field, type, value);
        const bool is_type = named->name == "__Type" && value.is_string();
        if (value.is_object() || is_type) return object(field.fields, value);
        return unfit(field, type);
    }

    sdk::Result<sdk::Json> complete_list(const PlannedField& field, std::string_view type,
                                         const sdk::Json& value) {
        if (!value.is_array()) return unfit(field, "list");
        sdk::Json items = sdk::Json::array();
        for (std::size_t i = 0; i < value.size(); ++i) {
            path_.push_back(i);
            auto item = complete(field, type, value[i]);
            path_.erase(path_.size() - 1);
            if (!item || item->is_discarded()) return item;
            items.push_back(*std::move(item));
        }
        return items;
    }

    sdk::Result<sdk::Json> complete_leaf(const PlannedField& field, std::string_view type,
                                         const sdk::Json& value) {
        if (auto paid = spend(shown_size(value)); !paid) return paid.error();
        auto shown = shown_value(value, type);
        return shown ? *std::move(shown) : unfit(field, type);
    }

    sdk::Json unfit(const PlannedField& field, std::string_view type) {
        add(field, "graphql.value_unfit", "the value is no " + std::string(type));
        return nullptr;
    }

    const Schema& schema_;
    RowSource& rows_;
    Problems& problems_;
    sdk::Json path_ = sdk::Json::array();
    std::size_t spent_ = 0;
};

}  // namespace

sdk::Result<sdk::Json> execute(const Schema& schema, const Plan& plan, RowSource& rows,
                               Problems& problems) {
    return Executor(schema, rows, problems).run(plan);
}

}  // namespace stele::graphql
