#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <stele/sdk/attachment_names.hpp>
#include <stele/sdk/form_body.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/record/body_bounds.hpp"

namespace stele::kernel::resource {

namespace {

/// The members of one record, which lie in memory.
constexpr std::size_t kMaxFileBytes = std::size_t{16} * 1024 * 1024;

const RegisteredResource& called_family(const RoutedCall& call) {
    return *call.route().resource;
}

const sdk::Creating& creating_of(const RoutedCall& call) {
    return called_family(call).descriptor.creating;
}

sdk::Parameters call_parameters(const RoutedCall& call) {
    return [&call](std::string_view name) { return call.parameter(name); };
}

/// Puts a new record where its family says; it may come back changed.
sdk::Result<void> place_record(const RoutedCall& call, WrittenRecord& made,
                               const sdk::Json& where) {
    const RegisteredResource& family = called_family(call);
    auto changed = plugin::guarded<std::optional<sdk::Document>>(family.plugin_id, "place", [&] {
        return family.resource->place(call, made.document, where);
    });
    if (!changed) return changed.error();
    if (!*changed) return {};
    made.document = *std::move(*changed);
    return call.services().records.read(call.work().transaction(), made.document.key, made.stored);
}

sdk::Result<WrittenRecord> create_one(const RoutedCall& call, const sdk::Parameters& parameters,
                                      sdk::Json fields) {
    BoundDocuments& documents = call.work().bound_documents();
    if (!creating_of(call).is_placed || !fields.is_object())
        return documents.create(call.place(), std::move(fields));
    const RegisteredResource& family = called_family(call);
    auto where = plugin::guarded<sdk::Json>(family.plugin_id, "locate", [&] {
        return family.resource->locate(call, parameters, fields);
    });
    if (!where) return where.error();
    auto made = documents.create(call.place(), std::move(fields));
    if (!made || where->is_null()) return made;
    if (auto placed = place_record(call, *made, *where); !placed) return placed.error();
    return made;
}

/// One of many, whose bounds no stage has looked at.
sdk::Result<WrittenRecord> create_bounded(const RoutedCall& call, const sdk::Parameters& parameters,
                                          sdk::Json fields) {
    const Route& route = call.route();
    if (auto fits = check_bounds(fields, route.body, route.bounds); !fits) return fits.error();
    return create_one(call, parameters, std::move(fields));
}

/// Says which of many records is wrong.
sdk::Error indexed_error(const RoutedCall& call, std::size_t index, sdk::Error error) {
    error.message =
        fmt::format("{} {}: {}", called_family(call).descriptor.type, index, error.message);
    for (sdk::Violation& violation : error.violations)
        violation.path = fmt::format("{}.{}", index, violation.path);
    return error;
}

/// A page of the records that a call has made.
class CreatedPage {
public:
    explicit CreatedPage(const RoutedCall& call) : call_(call) {}

    sdk::Result<void> add(const storage::Record& stored) {
        auto row = written_text(call_, stored);
        if (!row) return row.error();
        if (count_++ > 0) rows_ += ',';
        rows_ += *row;
        return {};
    }
    sdk::Reply reply() && {
        return sdk::Reply::json_text(fmt::format(
            R"({{"rows":[{}],"total_rows":{},"offset":0,"size":{}}})", rows_, count_, count_));
    }

private:
    const RoutedCall& call_;
    std::string rows_;
    std::size_t count_ = 0;
};

sdk::Error too_many_records(const RoutedCall& call) {
    return sdk::invalid_parameter(
        "body", fmt::format("may hold at most {} records", creating_of(call).most));
}

sdk::Result<sdk::Reply> create_of_array(const RoutedCall& call) {
    const sdk::Json& bodies = call.body();
    if (bodies.size() > creating_of(call).most) return too_many_records(call);
    CreatedPage page(call);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
        auto made = create_bounded(call, call_parameters(call), bodies[i]);
        if (!made) return indexed_error(call, i, made.error());
        if (auto added = page.add(made->stored); !added) return added.error();
    }
    return std::move(page).reply();
}

/// A file of a form on its way to a record.
struct IncomingRecord {
    sdk::Json fields = sdk::Json::object();
    std::optional<sdk::Attachment> file;
};

bool is_json_type(std::string_view content_type) {
    const std::string essence = sdk::media_essence(content_type);
    return essence == "application/json" || essence == "text/json" || essence.ends_with("+json");
}

sdk::Result<IncomingRecord> read_members(sdk::FormBody& form, std::size_t index) {
    auto text = form.read_all(kMaxFileBytes);
    if (!text) return text.error();
    auto fields = sdk::parse_json(*text);
    if (!fields) return fields.error();
    if (fields->is_object()) return IncomingRecord{*std::move(fields), {}};
    return sdk::make_error({{fmt::format("part {}", index), "body.not_an_object",
                             "a part of a JSON type must be an object"}});
}

sdk::Result<IncomingRecord> keep_form_file(const RoutedCall& call, sdk::FormBody& form,
                                           const sdk::FormPart& part) {
    const RegisteredResource& family = called_family(call);
    const sdk::IncomingFile file{.file_name = part.file_name->empty() ? part.name : *part.file_name,
                                 .content_type = part.content_type};
    auto kept = plugin::guarded<sdk::Attachment>(family.plugin_id, "keep_file", [&] {
        return family.resource->keep_file(call, file,
                                          [&form](std::string& piece) { return form.read(piece); });
    });
    if (!kept) return kept.error();
    return IncomingRecord{sdk::Json::object(), *std::move(kept)};
}

/// All of the form: what its last part says may be meant for the first file.
sdk::Result<std::vector<IncomingRecord>> read_form(const RoutedCall& call, sdk::FormBody& form) {
    std::vector<IncomingRecord> records;
    for (;;) {
        auto part = form.next_file();
        if (!part) return part.error();
        if (!*part) break;
        if (records.size() == creating_of(call).most) return too_many_records(call);
        auto record = is_json_type((*part)->content_type) ? read_members(form, records.size())
                                                          : keep_form_file(call, form, **part);
        if (!record) return record.error();
        records.push_back(*std::move(record));
    }
    for (std::size_t i = 0; i < records.size(); ++i) {
        for (const auto& [name, value] : form.parameters(fmt::format("property{}__", i)))
            records[i].fields[name] = value;
    }
    return records;
}

sdk::Result<void> attach_files(const RoutedCall& call, std::vector<WrittenRecord>& made,
                               std::vector<IncomingRecord>& records) {
    const RegisteredResource& family = called_family(call);
    std::vector<sdk::FiledRecord> files;
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (records[i].file)
            files.push_back({std::move(made[i].document), *std::move(records[i].file)});
    }
    auto attached = plugin::guarded<void>(family.plugin_id, "attach",
                                          [&] { return family.resource->attach(call, files); });
    if (!attached) return attached;
    for (std::size_t i = 0; i < made.size(); ++i) {
        if (!records[i].file) continue;
        auto read = call.services().records.read(call.work().transaction(), made[i].stored.key(),
                                                 made[i].stored);
        if (!read) return read;
    }
    return {};
}

sdk::Result<sdk::Reply> create_of_form(const RoutedCall& call) {
    auto form = sdk::FormBody::open(call);
    if (!form) return form.error();
    auto records = read_form(call, *form);
    if (!records) return records.error();
    const sdk::Parameters parameters = [&form](std::string_view name) {
        return form->parameter(name);
    };
    std::vector<WrittenRecord> made;
    for (IncomingRecord& record : *records) {
        auto one = create_bounded(call, parameters, std::move(record.fields));
        if (!one) return indexed_error(call, made.size(), one.error());
        made.push_back(*std::move(one));
    }
    if (auto attached = attach_files(call, made, *records); !attached) return attached.error();
    CreatedPage page(call);
    for (const WrittenRecord& one : made) {
        if (auto added = page.add(one.stored); !added) return added.error();
    }
    return std::move(page).reply();
}

}  // namespace

sdk::Result<sdk::Reply> create_record(RoutedCall& call) {
    if (creating_of(call).takes_forms && sdk::has_form_body(call)) return create_of_form(call);
    if (call.body().is_array()) return create_of_array(call);
    auto created = create_one(call, call_parameters(call), call.body());
    if (!created) return created.error();
    call.set_created(created->document);
    return written_reply(call, created->stored);
}

}  // namespace stele::kernel::resource
