#include "tests/nodes/content_world.hpp"

#include <algorithm>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "attachment/collected_loads.hpp"
#include "branch/vocabulary.hpp"
#include "conflict/conflict_family.hpp"
#include "family/deletion_family.hpp"
#include "family/node_family.hpp"
#include "family/repository.hpp"
#include "family/sweep.hpp"
#include "job/jobs.hpp"
#include "job/node_jobs.hpp"
#include "job/purge_job.hpp"
#include "kernel/resource/consistency/declarations.hpp"
#include "kernel/resource/operations/operations.hpp"
#include "kernel/resource/operations/routed_call.hpp"
#include "kernel/resource/registration/registration.hpp"
#include "kernel/storage/backends/leveldb/leveldb_engine.hpp"
#include "kernel/storage/blob/blob_directory.hpp"
#include "operation/branch/branch_indexes.hpp"
#include "operation/branch/branch_jobs.hpp"

namespace stele::tests {

using namespace kernel::resource;

namespace {

constexpr int kAttempts = 20;
constexpr char kUserType[] = "user";
const std::string kRepository = "/repositories/{repositoryId}";
const std::string kBranches = kRepository + "/branches";

class UserFamily final : public sdk::Resource {
public:
    sdk::ResourceDescriptor describe() const override {
        return {.type = kUserType, .path = "users", .placeholder = "userId"};
    }
};

class TextUpload final : public sdk::Upload {
public:
    explicit TextUpload(std::string text) : text_(std::move(text)) {}
    sdk::Result<void> read(std::string& piece) override {
        piece = std::exchange(text_, {});
        return {};
    }

private:
    std::string text_;
};

kernel::job::JobRunnerOptions job_options() {
    kernel::job::JobRunnerOptions options;
    options.server = "test";
    options.threads = 1;
    return options;
}

sdk::Result<sdk::Principal> unknown_user() {
    return sdk::make_error(sdk::ErrorKind::not_found, "principal.unknown", "no such principal");
}

template <class Fits>
sdk::Result<sdk::Principal> first_user(const std::vector<sdk::Principal>& users, const Fits& fits) {
    const auto found = std::find_if(users.begin(), users.end(), fits);
    return found == users.end() ? unknown_user() : sdk::Result<sdk::Principal>(*found);
}

}  // namespace

void must(const sdk::Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().code + ": " + result.error().message);
}

sdk::Result<sdk::Principal> UserDirectory::find(sdk::Context&, std::string_view form,
                                                std::string_view) {
    return first_user(users, [form](const sdk::Principal& user) {
        return form == user.id || form == user.domain_id + '/' + user.id;
    });
}

sdk::Result<sdk::Principal> UserDirectory::describe(sdk::Context&, const sdk::RecordKey& key) {
    return first_user(users, [&key](const sdk::Principal& user) { return user.key == key; });
}

sdk::Result<bool> UserDirectory::can_log_in(sdk::Context&, const sdk::Principal& user) {
    return user.enabled;
}

ContentWorld::ContentWorld()
    : kernel_(must(kernel::storage::open_leveldb(folder_.path(), {.is_durable = false})),
              sdk::Sealer(std::string(sdk::Sealer::kKeySize, 'k'))),
      registrar_("nodes", kernel_, settings_, table_, installations_),
      jobs_(*kernel_.engine, job_options()) {
    add_families();
    must(kernel_.binaries.add(sdk::kFileProvider, must(kernel::storage::open_blob_directory(
                                                      folder_.path() / "blobs", 0))));
    must(sdk::write_with_retry(*kernel_.engine, [this](sdk::Transaction& transaction) {
        auto made = kernel_.platforms.create(transaction, "Test");
        return made ? sdk::Result<void>() : sdk::Result<void>(made.error());
    }));
    platform_ = must(kernel_.platforms.root());
    must(apply_declarations(kernel_));
    kernel_.principals = &users_;
    jobs_.start_running();
    for (const char* id : {"ann", "ben"})
        add_user(id, "owner");
    make_repository();
}

ContentWorld::~ContentWorld() {
    jobs_.stop();
    kernel_.documents.finish_index_builds();
}

void ContentWorld::add_families() {
    add_kernel_families(kernel_.registry);
    services_.reset(new nodes::Services{registrar_, rows_, lists_, users_, jobs_, indexes_});
    sizes_ = std::make_unique<nodes::ContentSizes>(*services_);
    kernel_.content_sizes = sizes_.get();
    nodes::define_sweep(*services_);
    nodes::define_collection(*services_);
    nodes::define_branch_jobs(*services_);
    nodes::define_copy_jobs(*services_);
    nodes::define_purge_jobs(*services_);
    nodes::define_history_jobs(*services_);
    nodes::define_index_builds(*services_);
    registrar_.add(std::make_unique<UserFamily>());
    registrar_.add(std::make_unique<nodes::Repository>(*services_));
    registrar_.add(std::make_unique<nodes::Branch>(*services_));
    registrar_.add(std::make_unique<nodes::NodeFamily>(*services_));
    registrar_.add(std::make_unique<nodes::DeletionFamily>(*services_));
    registrar_.add(std::make_unique<nodes::ConflictFamily>(*services_));
    must(registrar_.finish());
    must(freeze(kernel_.registry));
    for (const Route& route : kernel_.registry.routes())
        routes_.emplace(route.method + " " + route.path, &route);
}

std::size_t ContentWorld::add_user(const std::string& id, std::string_view role) {
    sdk::Session session;
    session.platform = platform_;
    sdk::Principal& user = session.principal;
    user.id = id;
    user.name = "name of " + id;
    user.domain_id = "default";
    must(run_as_system(kernel_, platform_, [&](sdk::Context& context) -> sdk::Result<void> {
        auto made = context.documents().create({kUserType, ""}, {{"_doc", id}});
        if (!made) return made.error();
        user.key = made->key;
        return role.empty() ? sdk::Result<void>()
                            : context.authorities().grant(platform_.root, user.key, role, true);
    }));
    users_.users.push_back(user);
    sessions_.push_back(std::make_shared<const sdk::Session>(std::move(session)));
    return sessions_.size() - 1;
}

sdk::Result<bool> ContentWorld::work(std::size_t user,
                                     const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    WorkContext context(kernel_, sessions_[user]);
    if (auto done = work(context); !done) return done.error();
    if (auto finished = context.finish(); !finished) return finished.error();
    const bool has_written = context.transaction().has_writes();
    if (auto committed = sdk::commit_and_wait(context.transaction()); !committed)
        return committed.error();
    context.run_effects();
    return has_written;
}

sdk::RecordKey ContentWorld::add_repository() {
    sdk::RecordKey key;
    must(run_as_system(kernel_, platform_, [&](sdk::Context& context) -> sdk::Result<void> {
        auto made = context.documents().create({nodes::kRepositoryType, ""}, {{"title", "R"}});
        if (!made) return made.error();
        auto master = context.documents().read({nodes::kBranchType, made->id, made->key},
                                               nodes::kMasterAlias);
        if (!master) return master.error();
        key = master->key;
        return {};
    }));
    return key;
}

void ContentWorld::make_repository() {
    must(run_as_system(kernel_, platform_, [this](sdk::Context& context) -> sdk::Result<void> {
        auto made = context.documents().create({nodes::kRepositoryType, ""}, {{"title", "R"}});
        if (!made) return made.error();
        repository_ = made->id;
        auto master = context.documents().read({nodes::kBranchType, made->id, made->key},
                                               nodes::kMasterAlias);
        if (!master) return master.error();
        master_ = master->id;
        return {};
    }));
}

const Route& ContentWorld::route(std::string_view method, std::string_view path) const {
    auto found = routes_.find(std::string(method).append(" ").append(kBranches).append(path));
    if (found == routes_.end())
        found = routes_.find(std::string(method).append(" ").append(kRepository).append(path));
    if (found == routes_.end()) throw std::logic_error("no route for " + std::string(path));
    return *found->second;
}

sdk::Result<sdk::Json> ContentWorld::ask(std::size_t user, const Request& request) {
    for (int attempt = 1;; ++attempt) {
        auto answer = ask_once(user, request);
        if (answer || answer.error().code != "engine.conflict" || attempt == kAttempts)
            return answer;
    }
}

sdk::Result<sdk::Json> ContentWorld::ask_once(std::size_t user, const Request& request) {
    const std::string body = sdk::dump_json(request.body);
    RequestInput input;
    input.route = &route(request.method, request.path);
    input.values = {repository_};
    input.values.insert(input.values.end(), request.values.begin(), request.values.end());
    input.parameters = request.parameters;
    if (request.method != "GET") input.raw_body = body;
    input.open_upload = [&body] { return std::make_unique<TextUpload>(body); };
    input.header = [](std::string_view) { return std::optional<std::string_view>(); };
    input.method = input.route->method;
    input.session = sessions_[user];
    WorkContext context(kernel_, sessions_[user]);
    RoutedCall call(context, input);
    std::optional<sdk::Reply> reply;
    if (auto done = execute(call, reply); !done) return done.error();
    if (auto committed = sdk::commit_and_wait(context.transaction()); !committed)
        return committed.error();
    context.complete(*reply);
    context.run_effects();
    std::string text = reply->take_body();
    if (reply->source()) {
        while (must(reply->source()(text)))
            continue;
    }
    return sdk::parse_json(text, {.depth = 200});
}

sdk::Result<sdk::Json> ContentWorld::wait(const std::string& job) {
    return jobs_.wait(platform_, job, std::chrono::minutes(1));
}

const sdk::RecordKey& ContentWorld::branch_key(const std::string& branch) {
    sdk::RecordKey& key = branch_keys_[branch];
    if (!key.empty()) return key;
    const auto reader = kernel_.engine->snapshot();
    const RegisteredResource& family = *kernel_.registry.find(nodes::kBranchType);
    const auto repositories =
        must(kernel_.records.collection(*reader, platform_, *family.container));
    kernel::storage::Record record;
    must(kernel_.records.read(*reader, repositories, repository_, record));
    const auto branches = must(kernel_.records.collection_inside(*reader, family, record));
    must(kernel_.records.read(*reader, branches, branch, record));
    return key = record.key();
}

const std::string& ContentWorld::user_name(std::size_t user) const {
    return sessions_[user]->principal.name;
}

}  // namespace stele::tests
