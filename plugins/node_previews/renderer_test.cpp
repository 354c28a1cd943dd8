#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cerrno>
#include <chrono>
#include <fstream>

#include <catch2/catch.hpp>

#include "program/confinement.hpp"
#include "renderer.hpp"
#include "sdk/testing/temporary_folder.hpp"

using namespace stele;
using namespace stele::node_previews;

namespace {

/// A picture of 2 by 1 pixels in the simplest of the formats.
constexpr std::string_view kGif{
    "GIF89a\x02\x00\x01\x00\x80\x00\x00\xff\x00\x00\x00\x00\xff\x2c\x00\x00\x00\x00\x02\x00\x01"
    "\x00\x00\x02\x02\x44\x0a\x00\x3b",
    35};

struct Workshop {
    Workshop() : cache(temporary.path() / "previews", {.bytes = 1'000'000, .files = 10}) {
        REQUIRE(cache.prepare());
        auto file = cache.open_nameless();
        REQUIRE(file.has_value());
        source = std::move(*file);
    }
    /// A program of a few words.
    std::string script(const std::string& words) const {
        const std::string name = (temporary.path() / "script").string();
        std::ofstream(name) << "#!/bin/sh\n" << words << '\n';
        ::chmod(name.c_str(), 0700);
        return name;
    }
    sdk::Result<PreviewPtr> run(const std::string& program) const {
        return Renderer(program, cache).render(task, source);
    }

    testing::TemporaryFolder temporary;
    PreviewCache cache;
    Descriptor source;
    RenderTask task{.width = 64,
                    .height = 64,
                    .suffix = ".png",
                    .limits = {.pixels = 1'000,
                               .memory_bytes = std::uint64_t{1} << 30,
                               .output_bytes = 1'000'000,
                               .seconds = 20}};
};

}  // namespace

TEST_CASE("the program makes a preview of a picture, and none of what is none") {
    Workshop workshop;
    REQUIRE(write_file(workshop.source, kGif));
    auto made = workshop.run(STELE_PREVIEW_PROGRAM);
    REQUIRE(made);
    CHECK((*made)->state == PreviewState::ready);
    CHECK((*made)->bytes.substr(0, 8) == "\x89PNG\r\n\x1a\n");
    // The size in the header: never larger than the source.
    CHECK((*made)->bytes.substr(16, 8) == std::string("\0\0\0\2\0\0\0\1", 8));
    workshop.task.limits.pixels = 2;
    CHECK((*workshop.run(STELE_PREVIEW_PROGRAM))->state == PreviewState::ready);
    workshop.task.limits.pixels = 1;
    CHECK((*workshop.run(STELE_PREVIEW_PROGRAM))->state == PreviewState::too_large);
    Workshop other;
    REQUIRE(write_file(other.source,
                       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"9\" "
                       "height=\"9\"/>"));
    CHECK((*other.run(STELE_PREVIEW_PROGRAM))->state == PreviewState::unreadable);
}

TEST_CASE("source and target are the program's input and output") {
    Workshop workshop;
    REQUIRE(write_file(workshop.source, "as it came"));
    auto copied = workshop.run(workshop.script("cat"));
    REQUIRE(copied);
    CHECK((*copied)->bytes == "as it came");
    // Another one begins at the source's beginning.
    CHECK((*workshop.run(workshop.script("cat")))->bytes == "as it came");
}

TEST_CASE("the server's environment stays with the server") {
    Workshop workshop;
    ::setenv("STELE_SECRET", "hunter2", 1);
    auto listed = workshop.run(workshop.script("env"));
    ::unsetenv("STELE_SECRET");
    REQUIRE(listed);
    CHECK((*listed)->bytes.find("LC_ALL") != std::string::npos);
    CHECK((*listed)->bytes.find("hunter2") == std::string::npos);
}

TEST_CASE("a program that takes too long is ended") {
    Workshop workshop;
    workshop.task.limits.seconds = 1;
    const auto begin = std::chrono::steady_clock::now();
    auto late = workshop.run(workshop.script("exec sleep 60"));
    REQUIRE(late);
    CHECK((*late)->state == PreviewState::exhausted);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("a program that crashes tells that its source cannot be read") {
    Workshop workshop;
    CHECK((*workshop.run(workshop.script("kill -SEGV $$")))->state == PreviewState::unreadable);
    CHECK((*workshop.run(workshop.script("kill -ABRT $$")))->state == PreviewState::exhausted);
    CHECK((*workshop.run(workshop.script("exit 10")))->state == PreviewState::unreadable);
    CHECK((*workshop.run(workshop.script("exit 11")))->state == PreviewState::too_large);
}

TEST_CASE("a program that cannot do its work is a fault of the server") {
    Workshop workshop;
    for (const std::string& program :
         {workshop.script("exit 12"), workshop.script("exit 0"), std::string("/nonexistent")}) {
        auto failed = workshop.run(program);
        REQUIRE_FALSE(failed);
        CHECK(failed.error().kind == sdk::ErrorKind::internal);
        CHECK(failed.error().code == "node_previews.program_failed");
    }
}

TEST_CASE("a confined process reads no files of the server and reaches nobody") {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        const bool is_limited = limit_process({.pixels = 1,
                                               .memory_bytes = std::uint64_t{1} << 40,
                                               .output_bytes = 1'000'000,
                                               .seconds = 20});
        confine_process();
        const bool has_fonts = ::open("/usr/share", O_RDONLY | O_DIRECTORY) >= 0;
        const bool reads = ::open("/etc/passwd", O_RDONLY) >= 0;
        const bool writes = ::open("/tmp/stele-confined", O_WRONLY | O_CREAT, 0600) >= 0;
        const bool connects = ::socket(AF_INET, SOCK_STREAM, 0) >= 0;
        ::_exit((is_limited ? 0 : 1) + (has_fonts ? 0 : 2) + (reads ? 4 : 0) + (writes ? 8 : 0) +
                (connects ? 16 : 0));
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    const int problems = WEXITSTATUS(status);
    CHECK((problems & ~12) == 0);
    // A kernel without Landlock leaves files open; the limits hold there as well.
    if ((problems & 12) != 0) WARN("this kernel does not confine a process's files");
}
