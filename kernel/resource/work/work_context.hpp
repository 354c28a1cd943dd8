#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <stele/sdk/context.hpp>
#include <stele/sdk/reply.hpp>

#include "kernel/job/budget.hpp"
#include "kernel/resource/record/services.hpp"
#include "kernel/resource/work/bound_authorities.hpp"
#include "kernel/resource/work/bound_data_stores.hpp"
#include "kernel/resource/work/bound_documents.hpp"

namespace stele::kernel::resource {
class WorkContext;
}

namespace stele::sdk {

struct ServerContext {
    kernel::resource::WorkContext& work;
};

}  // namespace stele::sdk

namespace stele::kernel::resource {

/// Decoding and writing more at once holds up the other connections of a thread.
inline constexpr std::size_t kMaxShortBytes = std::size_t{32} * 1024;

/// One transaction and who acts in it. Lives as long as the operation; `commit` ends it.
class WorkContext final : public sdk::Context {
public:
    /// What a transaction has, whoever acts in it.
    struct Work {
        authority::Moment moment;
        std::unique_ptr<sdk::Transaction> transaction;
        std::vector<std::function<void()>> effects = {};
        std::optional<sdk::RecordKey> blocked_by = {};
        /// Longest record that may be read here; nothing: any.
        std::optional<std::size_t> max_read_bytes = {};
        bool has_met_long_record = false;
        std::size_t attempt = 0;
        struct Part {
            std::string name;
            std::unique_ptr<sdk::ContextPart> part;
        };
        std::vector<Part> parts = {};
        /// Of those that may have written binaries.
        std::unique_ptr<storage::BlobWriters::Entry> blob_writer = {};
    };
    /// `attempt` is what `sdk::Context::attempt` tells.
    static std::shared_ptr<Work> begin(Services& services, std::size_t attempt = 0);

    WorkContext(Services& services, sdk::SessionPtr session);
    WorkContext(Services& services, sdk::SessionPtr session, std::shared_ptr<Work> work);
    ~WorkContext() override;

    /// What is given back by plugins: they get contexts from the server only.
    static WorkContext& of(sdk::Context& context) { return context.of_server()->work; }
    sdk::ServerContext* of_server() override { return &of_server_; }

    const sdk::Session& session() const override { return *session_; }
    const sdk::SessionPtr& shared_session() const { return session_; }
    sdk::Documents& documents() override { return documents_; }
    sdk::Authorities& authorities() override { return authorities_; }
    sdk::DataStores& data_stores() override { return data_stores_; }
    sdk::Transaction& transaction() override { return *work_->transaction; }
    std::string key_space(std::string_view name) override;
    std::string shared_key_space(std::string_view name) override;
    sdk::ContextPart* part(std::string_view name) override;
    void keep(std::string_view name, std::unique_ptr<sdk::ContextPart> part) override;
    void after_commit(std::function<void()> effect) override;
    sdk::Result<std::string> reference(const sdk::RecordKey& record) override;
    sdk::Result<sdk::RecordKey> find_reference(std::string_view reference) override;
    sdk::Result<sdk::Json> read_reference(std::string_view reference) override;
    sdk::Context& as_system() override;
    sdk::Result<void> go_on() const override { return job::Budget::check_current(); }
    std::size_t attempt() const override { return work_->attempt; }

    Services& services() { return services_; }
    /// For a context of somebody else in the same transaction.
    const std::shared_ptr<Work>& work() const { return work_; }
    BoundDocuments& bound_documents() { return documents_; }
    BoundDataStores& bound_data_stores() { return data_stores_; }

    /// The data store whose lock made the operation fail; nothing when none did.
    const std::optional<sdk::RecordKey>& blocked_by() const { return work_->blocked_by; }
    void set_blocked_by(const sdk::RecordKey& store) { work_->blocked_by = store; }

    /// On a thread that others wait for, no longer records are read; what fails for it is run again
    /// elsewhere, also where a handler went on without.
    void keep_reads_short() { work_->max_read_bytes = kMaxShortBytes; }
    sdk::Result<void> check_read(std::size_t bytes);
    bool has_met_long_record() const { return work_->has_met_long_record; }

    /// Binaries that the transaction writes from now on are kept until it has ended.
    void keep_binaries() {
        if (!work_->blob_writer) work_->blob_writer = services_.blob_writers.enter();
    }

    /// The commit has failed with this.
    void note_failed_commit(const sdk::Error& error) {
        if (work_->blob_writer && error.code != "engine.conflict") work_->blob_writer->leave_open();
    }

    /// For decisions at the state of the transaction.
    authority::Moment moment() const { return work_->moment; }

    /// Lets the kept parts write what they have gathered. Once, when the operation has succeeded.
    sdk::Result<void> finish();
    /// Whether something is left to do after the commit.
    bool has_followers() const { return !work_->effects.empty() || !work_->parts.empty(); }
    /// Lets the kept parts put into the reply what only the commit knew. After a successful commit.
    void complete(sdk::Reply& reply);
    /// Runs the effects that `after_commit` collected. Once, after a successful commit.
    void run_effects();

private:
    /// `not_found` also where whoever acts may not READ it.
    sdk::Result<sdk::Document> read_referenced(std::string_view reference);
    sdk::Result<sdk::Json> known_fields(sdk::Document record);

    sdk::ServerContext of_server_{*this};
    Services& services_;
    sdk::SessionPtr session_;
    std::shared_ptr<Work> work_;
    BoundDocuments documents_;
    BoundAuthorities authorities_;
    BoundDataStores data_stores_;
    std::unique_ptr<WorkContext> system_;
};

/// Runs `work` for whoever the session is of, commits, and repeats conflicts. Waits: not on an I/O
/// thread.
sdk::Result<void> run_for(Services& services, const sdk::SessionPtr& session,
                          const std::function<sdk::Result<void>(sdk::Context&)>& work);
/// The same as the server on a platform.
sdk::Result<void> run_as_system(Services& services, const sdk::PlatformScope& platform,
                                const std::function<sdk::Result<void>(sdk::Context&)>& work);

}  // namespace stele::kernel::resource
