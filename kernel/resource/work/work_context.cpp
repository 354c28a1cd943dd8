#include "kernel/resource/work/work_context.hpp"

#include <stele/sdk/log.hpp>

#include "kernel/plugin/plugin_host.hpp"
#include "kernel/resource/work/store_numbers.hpp"
#include "kernel/resource/work/withheld_members.hpp"

namespace stele::kernel::resource {

namespace {
constexpr std::size_t kAttempts = 64;
constexpr char kConflict[] = "engine.conflict";

/// The plugin that a part belongs to: its name begins with the id.
std::string plugin_of(std::string_view part_name) {
    return std::string(part_name.substr(0, part_name.find('.')));
}

/// Where the slash behind so many ids of a reference is.
std::size_t end_of_ids(std::string_view reference, std::size_t count) {
    std::size_t end = reference.find("://") + 2;
    while (count-- > 0 && end != std::string_view::npos)
        end = reference.find('/', end + 1);
    return end;
}

}  // namespace

std::shared_ptr<WorkContext::Work> WorkContext::begin(Services& services, std::size_t attempt) {
    // In this order: decisions that are younger than the moment may know more than the transaction.
    return std::make_shared<Work>(Work{.moment = services.authority_cache.moment(),
                                       .transaction = services.engine->begin(),
                                       .attempt = attempt});
}

WorkContext::WorkContext(Services& services, sdk::SessionPtr session)
    : WorkContext(services, std::move(session), begin(services)) {}

WorkContext::WorkContext(Services& services, sdk::SessionPtr session, std::shared_ptr<Work> work)
    : services_(services),
      session_(std::move(session)),
      work_(std::move(work)),
      documents_(services, *this),
      authorities_(services.authorities, *work_->transaction, session_->platform.number),
      data_stores_(services, *this) {}

WorkContext::~WorkContext() = default;

std::string WorkContext::key_space(std::string_view name) {
    return storage::plugin_space(platform().number, name);
}

std::string WorkContext::shared_key_space(std::string_view name) {
    return storage::plugin_space(0, name);
}

void WorkContext::after_commit(std::function<void()> effect) {
    work_->effects.push_back(std::move(effect));
}

sdk::Result<std::string> WorkContext::reference(const sdk::RecordKey& record) {
    return services_.references.reference(transaction(), platform(), record);
}

sdk::Result<sdk::RecordKey> WorkContext::find_reference(std::string_view reference) {
    return services_.references.find(transaction(), platform(), reference);
}

sdk::Result<sdk::Document> WorkContext::read_referenced(std::string_view reference) {
    auto key = find_reference(reference);
    if (!key) return key.error();
    auto may_read = sdk::holds(*this, *key, sdk::Permission::read);
    if (!may_read) return may_read.error();
    if (!*may_read) return unknown_record("record", reference);
    return documents_.read(*key);
}

/// What whoever acts may know of a record that it may READ.
sdk::Result<sdk::Json> WorkContext::known_fields(sdk::Document record) {
    auto family = services_.records.resource_of(transaction(), record.key);
    if (!family) return family.error();
    if (!*family) return std::move(record.fields);
    withhold_members(**family, record.fields);
    if (!has_store_numbers(**family)) return std::move(record.fields);
    auto may = may_know_numbers(services_, *session_, transaction(), record.key);
    if (!may) return may.error();
    if (!*may) withhold_numbers(record.fields);
    return std::move(record.fields);
}

sdk::Result<sdk::Json> WorkContext::read_reference(std::string_view reference) {
    auto record = read_referenced(reference);
    if (record) return known_fields(*std::move(record));
    const std::string_view word = reference.substr(0, reference.find("://"));
    const RegisteredResource* const family = services_.registry.find_inner_word(word);
    if (!family || !sdk::is_missing(record.error())) return record.error();
    const std::size_t end = end_of_ids(reference, family->chain.size() + 1);
    if (end == std::string_view::npos) return record.error();
    const std::string around =
        family->descriptor.type + std::string(reference.substr(word.size(), end - word.size()));
    auto container = read_referenced(around);
    // What is around it is named by nobody: the caller may not know of that.
    if (!container) return sdk::is_missing(container.error()) ? record.error() : container.error();
    return plugin::guarded<sdk::Json>(family->plugin_id, "read_inner", [&] {
        return family->resource->read_inner(*this, *container, word, reference.substr(end + 1));
    });
}

sdk::Context& WorkContext::as_system() {
    if (session_->is_system) return *this;
    if (!system_) {
        auto session = std::make_shared<sdk::Session>(system_session(platform()));
        system_.reset(new WorkContext(services_, std::move(session), work_));
    }
    return *system_;
}

sdk::ContextPart* WorkContext::part(std::string_view name) {
    for (const Work::Part& kept : work_->parts) {
        if (kept.name == name) return kept.part.get();
    }
    return nullptr;
}

void WorkContext::keep(std::string_view name, std::unique_ptr<sdk::ContextPart> part) {
    std::erase_if(work_->parts, [name](const Work::Part& kept) { return kept.name == name; });
    work_->parts.push_back({std::string(name), std::move(part)});
}

sdk::Result<void> WorkContext::check_read(std::size_t bytes) {
    if (!work_->max_read_bytes || bytes <= *work_->max_read_bytes) return {};
    work_->has_met_long_record = true;
    return sdk::make_error(sdk::ErrorKind::unavailable, "http.busy",
                           "the server is busy; try again soon");
}

sdk::Result<void> WorkContext::finish() {
    // By number: a part may keep others, which come after it.
    for (std::size_t i = 0; i < work_->parts.size(); ++i) {
        const std::string owner = plugin_of(work_->parts[i].name);
        sdk::ContextPart& part = *work_->parts[i].part;
        auto finished = plugin::guarded<void>(owner, "finish", [&] { return part.finish(*this); });
        if (!finished) return finished;
    }
    return {};
}

void WorkContext::complete(sdk::Reply& reply) {
    if (work_->parts.empty() || reply.source()) return;
    std::string body = reply.take_body();
    for (const Work::Part& kept : work_->parts) {
        auto done =
            plugin::guarded<void>(plugin_of(kept.name), "complete", [&]() -> sdk::Result<void> {
                kept.part->complete(*work_->transaction, body);
                return {};
            });
        // The escaped exception is logged and counted; the commit stands.
        (void)done;
    }
    reply.replace_body(std::move(body));
}

void WorkContext::run_effects() {
    // The commit stands whatever an effect does, and the others must run.
    for (const auto& effect : work_->effects) {
        try {
            effect();
        } catch (const std::exception& exception) {
            sdk::log(sdk::LogLevel::error, "resource",
                     std::string("an effect after a commit failed: ") + exception.what());
        }
    }
    work_->effects.clear();
}

sdk::Result<void> run_as_system(Services& services, const sdk::PlatformScope& platform,
                                const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    return run_for(services, std::make_shared<const sdk::Session>(system_session(platform)), work);
}

sdk::Result<void> run_for(Services& services, const sdk::SessionPtr& session,
                          const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    for (std::size_t attempt = 0; attempt < kAttempts; ++attempt) {
        WorkContext context(services, session, WorkContext::begin(services, attempt));
        auto done = work(context);
        if (done) done = context.finish();
        // What takes long may know before its commit.
        if (!done && done.error().code == kConflict) continue;
        if (!done) return done;
        auto committed = sdk::commit_and_wait(context.transaction());
        if (committed) {
            context.run_effects();
            return committed;
        }
        context.note_failed_commit(committed.error());
        if (committed.error().code != kConflict) return committed;
    }
    return sdk::make_error(sdk::ErrorKind::unavailable, "engine.busy",
                           "too many others change the same records; try again");
}

}  // namespace stele::kernel::resource
