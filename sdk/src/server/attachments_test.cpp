#include <stele/sdk/attachments.hpp>

#include <algorithm>
#include <string>

#include <catch2/catch.hpp>

#include <stele/sdk/blob_store.hpp>
#include <stele/sdk/http_date.hpp>
#include <stele/sdk/time.hpp>

namespace stele::sdk {

namespace {

/// A place without binaries: what a reply's head says needs none.
class NoBinaries final : public BlobStore {
public:
    Result<std::unique_ptr<Writer>> create() override { return unknown(); }
    Result<std::unique_ptr<Reader>> open(std::string_view) override { return unknown(); }
    Result<bool> exists(std::string_view) override { return false; }
    Result<void> remove(std::string_view) override { return {}; }
    Result<void> for_each(const std::function<void(std::string_view)>&) override { return {}; }

private:
    static Error unknown() { return make_error(ErrorKind::not_found, "blob.unknown", "none"); }
};

/// What `Last-Modified` says; empty where it is missing.
std::string date_told(std::int64_t modified_ms) {
    NoBinaries binaries;
    const Attachment attachment{.id = "default",
                                .file_name = "default",
                                .content_type = "text/plain",
                                .length = 1,
                                .object_id = "1",
                                .modified_ms = modified_ms};
    const Reply reply = inert_download(binaries, attachment, false, "default");
    for (const auto& [name, value] : reply.headers()) {
        if (name == "Last-Modified") return value;
    }
    return {};
}

}  // namespace

TEST_CASE("a download tells when its bytes came once no other bytes can have that second") {
    constexpr std::int64_t kMinute = 60'000;
    const std::int64_t earlier = now_ms() - kMinute;
    CHECK(date_told(earlier) == http_date(earlier));
    // The second that passes now: another upload may follow in it.
    CHECK(date_told(now_ms() + kMinute).empty());
    CHECK(date_told(0).empty());
}

}  // namespace stele::sdk
