// Bytes of records: content beside attachments, counted, checked, copied and gone with the record.

#include <catch2/catch.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>

#include <stele/sdk/data_store.hpp>
#include <stele/sdk/time.hpp>

#include "kernel/resource/consistency/data_store_count.hpp"
#include "kernel/resource/consistency/declarations.hpp"
#include "kernel/resource/data_store/data_store_rows.hpp"
#include "kernel/resource/operations/inner_operations.hpp"
#include "kernel/resource/upkeep/binary_check.hpp"
#include "kernel/resource/upkeep/blob_collector.hpp"
#include "kernel/resource/work/record_attachments.hpp"
#include "kernel/resource/work/record_binaries.hpp"
#include "kernel/storage/blob/blob_directory.hpp"
#include "sdk/testing/memory_engine.hpp"
#include "sdk/testing/temporary_folder.hpp"
#include "tests/resource/resource_fixture.hpp"

namespace stele::kernel::resource::testing {

namespace {

class CrateFamily final : public sdk::Resource {
public:
    explicit CrateFamily(bool is_store) : is_store_(is_store) {}
    sdk::ResourceDescriptor describe() const override {
        sdk::ResourceDescriptor descriptor;
        descriptor.type = is_store_ ? "cellar" : "crate";
        descriptor.container = is_store_ ? "platform" : "cellar";
        descriptor.path = is_store_ ? "cellars" : "crates";
        descriptor.placeholder = descriptor.type + "Id";
        descriptor.capabilities.data_store = is_store_;
        return descriptor;
    }

private:
    bool is_store_;
};

std::vector<std::unique_ptr<sdk::Resource>> crate_families() {
    std::vector<std::unique_ptr<sdk::Resource>> families;
    families.push_back(std::make_unique<CrateFamily>(true));
    families.push_back(std::make_unique<CrateFamily>(false));
    return families;
}

struct Cellars : ResourceFixture {
    Cellars() : ResourceFixture(crate_families()) {
        for (const char* place : {sdk::kFileProvider, "other"})
            expect(services.binaries.add(
                place, value_of(storage::open_blob_directory(folder.path() / place, 0))));
        expect(apply_declarations(services));
        near = create({"cellar", ""}, {{"_doc", "near"}});
        far = create({"cellar", ""}, {{"_doc", "far"}, {"binaryStorageProviderType", "other"}});
        crate = create({"crate", "near", near}, {{"_doc", "one"}});
    }

    static sdk::Attachment store(sdk::Context& context, const sdk::RecordKey& record,
                                 const std::string& text) {
        auto* const blobs = value_of(context.data_stores().binaries(record));
        const sdk::StoredBytes bytes = value_of(sdk::store_bytes(
            *blobs, [rest = text](std::string& piece) mutable -> sdk::Result<void> {
                piece = std::exchange(rest, {});
                return {};
            }));
        return {.id = sdk::kDefaultAttachment,
                .file_name = "f",
                .content_type = "text/plain",
                .length = bytes.length,
                .object_id = bytes.name};
    }
    void set_content(const sdk::RecordKey& record, const std::string& text) {
        as_system([&](sdk::Context& context) {
            return binaries.set_content(context, record, store(context, record, text));
        });
    }
    void attach(const sdk::RecordKey& record, const std::string& id, const std::string& text) {
        as_system([&](sdk::Context& context) -> sdk::Result<void> {
            const sdk::Json before = value_of(read_attachments(context.transaction(), record));
            sdk::Json after = before;
            after[id] = store(context, record, text).to_json();
            return replace_attachments(WorkContext::of(context), record, before, after);
        });
    }
    std::optional<std::string> content(const sdk::RecordKey& record) {
        std::optional<std::string> text;
        as_system([&](sdk::Context& context) -> sdk::Result<void> {
            const auto found = value_of(binaries.content(context, record));
            if (!found) return {};
            auto* const blobs = value_of(context.data_stores().binaries(record));
            auto reader = value_of(blobs->open(found->object_id));
            CHECK(reader->size() == found->length);
            expect(reader->read(0, 1000, text.emplace()));
            return {};
        });
        return text;
    }
    sdk::DataStoreSize size(const sdk::RecordKey& store) {
        return value_of(read_store_size(*services.engine->snapshot(), store));
    }
    sdk::Json attachments(const std::string& path) {
        return json(system(), "GET", path + "/attachments").at("rows");
    }

    stele::testing::TemporaryFolder folder;
    RecordBinaries binaries;
    sdk::RecordKey near;
    sdk::RecordKey far;
    sdk::RecordKey crate;
};

}  // namespace

TEST_CASE_METHOD(Cellars, "content counts like an attachment and is none") {
    const sdk::DataStoreSize empty = size(near);
    CHECK_FALSE(content(crate));
    set_content(crate, "twelve bytes");
    CHECK(content(crate) == "twelve bytes");
    CHECK(size(near) == sdk::DataStoreSize{empty.objects + 1, empty.bytes + 12});
    CHECK(attachments("/cellars/near/crates/one").empty());
    CHECK_FALSE(
        json(system(), "GET", "/cellars/near/crates/one").at("_system").contains("attachments"));
    set_content(crate, "four");
    CHECK(content(crate) == "four");
    CHECK(size(near) == sdk::DataStoreSize{empty.objects + 1, empty.bytes + 4});
    CHECK(check_store(services).empty());
}

TEST_CASE_METHOD(Cellars, "attachments come and go beside content") {
    set_content(crate, "content");
    attach(crate, "a", "attached");
    CHECK(attachments("/cellars/near/crates/one").size() == 1);
    set_content(crate, "other content");
    CHECK(attachments("/cellars/near/crates/one").size() == 1);
    json(system(), "DELETE", "/cellars/near/crates/one/attachments/a");
    CHECK(content(crate) == "other content");
    CHECK(check_store(services).empty());
}

TEST_CASE_METHOD(Cellars, "content goes with its record") {
    const sdk::DataStoreSize before = size(near);
    const sdk::RecordKey other = create({"crate", "near", near}, {{"_doc", "two"}});
    set_content(other, "goes");
    attach(other, "a", "goes, too");
    json(system(), "DELETE", "/cellars/near/crates/two");
    CHECK(size(near) == before);
    CHECK(check_store(services).empty());
}

TEST_CASE_METHOD(Cellars, "content does not pass maxsize") {
    json(system(), "PUT", "/cellars/near", {{"maxsize", size(near).bytes + 10}});
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        const auto refused =
            binaries.set_content(context, crate, store(context, crate, "eleven byte"));
        REQUIRE_FALSE(refused);
        CHECK(refused.error().kind == sdk::ErrorKind::storage_full);
        return {};
    });
    CHECK_FALSE(content(crate));
    set_content(crate, "ten bytes!");
    CHECK(content(crate) == "ten bytes!");
}

TEST_CASE_METHOD(Cellars, "a copy has the bytes where its own store keeps them") {
    set_content(crate, "content");
    attach(crate, "a", "attached");
    for (const sdk::RecordKey& target : {near, far}) {
        const std::string path = target == near ? "near" : "far";
        const sdk::RecordKey copied = create({"crate", path, target}, {{"_doc", "copy"}});
        as_system([&](sdk::Context& context) { return binaries.copy(context, crate, copied); });
        CHECK(content(copied) == "content");
        const sdk::Json rows = attachments("/cellars/" + path + "/crates/copy");
        REQUIRE(rows.size() == 1);
        CHECK(rows.at(0).at("attachmentId") == "a");
        CHECK(rows.at(0).at("length") == 8);
    }
    auto* const other = value_of(services.binaries.find("other"));
    std::size_t count = 0;
    expect(other->for_each([&count](std::string_view) { ++count; }));
    CHECK(count == 2);
    CHECK(check_store(services).empty());
}

TEST_CASE_METHOD(Cellars, "content that is lost is noticed") {
    set_content(crate, "content");
    expect(find_missing_binaries(services));
    CHECK(services.binaries.damage().status());
    std::string name;
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        name = value_of(binaries.content(context, crate))->object_id;
        return {};
    });
    expect(value_of(services.binaries.find(sdk::kFileProvider))->remove(name));
    expect(find_missing_binaries(services));
    CHECK_FALSE(services.binaries.damage().status());
}

TEST_CASE_METHOD(Cellars, "binaries of a transaction that takes long stay on a short disk") {
    const auto is_there = [this](const std::string& name) {
        return value_of(services.binaries.find(sdk::kFileProvider))->open(name).has_value();
    };
    BlobCollector collector(*services.engine, services.binaries, services.keeping_blobs,
                            services.blob_writers, std::chrono::hours(1));
    collector.set_pressed(true);
    const std::int64_t nobody = services.blob_writers.oldest_ms();
    std::string name;
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        CHECK(services.blob_writers.oldest_ms() == nobody);
        name = store(context, crate, "nobody's").object_id;
        // The transaction may have begun before this does; what it writes is younger.
        CHECK(services.blob_writers.oldest_ms() <= sdk::now_ms());
        return {};
    });
    CHECK(services.blob_writers.oldest_ms() == nobody);
    for (const auto& file : std::filesystem::recursive_directory_iterator(folder.path())) {
        if (file.is_regular_file())
            last_write_time(file, file.last_write_time() - std::chrono::minutes(10));
    }
    std::optional<storage::BlobWriters::Entry> writer(
        std::in_place, services.blob_writers,
        storage::BlobWriters::Begin{sdk::now_ms() - 20 * 60 * 1000});
    CHECK(value_of(collector.collect()).blobs == 0);
    CHECK(is_there(name));
    writer.reset();
    CHECK(value_of(collector.collect()).blobs == 1);
    CHECK_FALSE(is_there(name));
}

TEST_CASE_METHOD(Cellars,
                 "whoever may write binaries is waited for until it ends, however it ends") {
    const storage::BlobWriters& writers = services.blob_writers;
    const std::int64_t nobody = writers.oldest_ms();
    const auto write = [&](sdk::Context& context) {
        store(context, crate, "some");
        CHECK(writers.oldest_ms() != nobody);
    };
    SECTION("with a commit after conflicts") {
        int attempt = 0;
        as_system([&](sdk::Context& context) -> sdk::Result<void> {
            CHECK(writers.oldest_ms() == nobody);
            if (auto read = context.transaction().get("rival"); !read) return read.error();
            write(context);
            context.transaction().put("mine", "1");
            if (++attempt > 3) return {};
            const auto rival = services.engine->begin();
            rival->put("rival", std::to_string(attempt));
            return sdk::commit_and_wait(*rival);
        });
        CHECK(attempt == 4);
    }
    SECTION("with an error") {
        const auto done =
            run_as_system(services, platform(), [&](sdk::Context& context) -> sdk::Result<void> {
                write(context);
                return sdk::make_error(sdk::ErrorKind::invalid, "test.refused", "refused");
            });
        CHECK_FALSE(done);
    }
    SECTION("with an exception") {
        const auto throws = [&](sdk::Context& context) -> sdk::Result<void> {
            write(context);
            throw std::runtime_error("thrown");
        };
        CHECK_THROWS_AS(run_as_system(services, platform(), throws), std::runtime_error);
    }
    SECTION("in what only reads the store") {
        InnerOperations operations(services);
        expect(operations.read_as(platform(), system()->principal,
                                  [&](sdk::Context& context) -> sdk::Result<void> {
                                      write(context);
                                      // For a commit that is not its own.
                                      as_system([&](sdk::Context& other) -> sdk::Result<void> {
                                          CHECK(writers.oldest_ms() != nobody);
                                          other.transaction().put("mine", "1");
                                          return {};
                                      });
                                      CHECK(writers.oldest_ms() != nobody);
                                      return {};
                                  }));
    }
    SECTION("in a request") {
        const auto request = begin(system(), "GET", "/cellars/near/crates/one");
        write(request->context());
        write(request->context().as_system());
    }
    CHECK(writers.oldest_ms() == nobody);
}

TEST_CASE_METHOD(Cellars,
                 "binaries whose commit failed stay while nobody knows whether it is stored") {
    const bool is_conflict = GENERATE(true, false);
    services.blob_writers.settle(*services.engine);
    auto& memory = dynamic_cast<sdk::testing::MemoryEngine&>(*services.engine);
    memory.refuse_commits(is_conflict ? 100 : 1,
                          sdk::make_error(sdk::ErrorKind::unavailable,
                                          is_conflict ? "engine.conflict" : "engine.write_failed",
                                          "it may be stored or not"));
    const std::int64_t nobody = services.blob_writers.oldest_ms();
    const auto failed =
        run_as_system(services, platform(), [&](sdk::Context& context) -> sdk::Result<void> {
            store(context, crate, "who knows");
            context.transaction().put("mine", "1");
            return {};
        });
    CHECK_FALSE(failed);
    CHECK((services.blob_writers.oldest_ms() == nobody) == is_conflict);
    BlobCollector collector(*services.engine, services.binaries, services.keeping_blobs,
                            services.blob_writers, std::chrono::hours(1));
    value_of(collector.collect());
    CHECK(services.blob_writers.oldest_ms() == nobody);
}

}  // namespace stele::kernel::resource::testing
