#include <stele/sdk/multipart.hpp>

#include <algorithm>
#include <vector>

#include <catch2/catch.hpp>

using namespace stele::sdk;

namespace {

/// Gives a text in pieces that end at the given places.
class CutUpload final : public Upload {
public:
    CutUpload(std::string text, std::vector<std::size_t> cuts)
        : text_(std::move(text)), cuts_(std::move(cuts)) {
        cuts_.push_back(text_.size());
    }

    Result<void> read(std::string& piece) override {
        piece.clear();
        while (piece.empty() && next_ < cuts_.size()) {
            piece = text_.substr(at_, cuts_[next_] - at_);
            at_ = cuts_[next_++];
        }
        return {};
    }

private:
    std::string text_;
    std::vector<std::size_t> cuts_;
    std::size_t next_ = 0;
    std::size_t at_ = 0;
};

struct SeenPart {
    std::string name;
    std::string file_name = "(none)";
    std::string type;
    std::string body;

    bool operator==(const SeenPart&) const = default;
};

/// The parts, and the code of the failure behind them.
struct Seen {
    std::vector<SeenPart> parts;
    std::string failure;
    /// Where the bodies of the parts begin.
    std::vector<std::uint64_t> places = {};
};

Seen read_all(Upload& upload, std::string_view type, std::size_t most_parts = 100) {
    Seen seen;
    auto reader = MultipartReader::open(upload, type, most_parts);
    if (!reader) return {{}, reader.error().code};
    while (true) {
        auto part = reader->next();
        if (!part) {
            seen.failure = part.error().code;
            CHECK(reader->next().has_error());
            return seen;
        }
        if (!*part) return seen;
        SeenPart& one = seen.parts.emplace_back();
        one.name = (*part)->name;
        one.file_name = (*part)->file_name.value_or("(none)");
        one.type = (*part)->content_type;
        seen.places.push_back(reader->position());
        std::string piece;
        do {
            if (auto read = reader->read(piece); !read) {
                seen.failure = read.error().code;
                return seen;
            }
            one.body += piece;
        } while (!piece.empty());
    }
}

Seen read_form(const std::string& form, std::string_view type = "multipart/form-data; boundary=b1",
               std::size_t most_parts = 100) {
    CutUpload upload(form, {});
    return read_all(upload, type, most_parts);
}

std::string part_with(const std::string& header) {
    return "--b1\r\n" + header + "\r\n\r\nx\r\n--b1--\r\n";
}

std::string disposition(const std::string& parameters) {
    return part_with("Content-Disposition: form-data; " + parameters);
}

constexpr const char* kMalformed = "http.multipart_malformed";

// Every delimiter but the last has a look-alike near it.
const char* const kForm =
    "preamble\r\n--b\r\n"
    "--b1 \t\r\n"
    "Content-Disposition: form-data; name=\"title\"\r\n"
    "\r\n"
    "one\r\n--b1x\r\ntwo\r\n\r\n"
    "--b1\r\n"
    "content-type:  image/png \r\n"
    "X-Other: 1\r\n"
    "CONTENT-DISPOSITION: Form-Data; filename=\"a \\\"b\\\\c\\d;e.png\"; name=file\r\n"
    "\r\n"
    "\r--b1\n--b1\r\n--b1--x\r\n-"
    "\r\n--b1\r\n"
    "Content-Disposition: form-data; name=\"\"\r\n"
    "\r\n"
    "--b1\r\n"
    "Content-Disposition: form-data; name=n; filename=x; filename*=utf-8'en'%C3%BCber%20x.txt\r\n"
    "\r\n"
    "\r\n--b1--\t\r\n"
    "epilogue\r\n--b1\r\n";

const std::vector<SeenPart> kParts{
    {"title", "(none)", "", "one\r\n--b1x\r\ntwo\r\n"},
    {"file", "a \"b\\c\\d;e.png", "image/png", "\r--b1\n--b1\r\n--b1--x\r\n-"},
    {"", "(none)", "", ""},
    {"n",
     "\xC3\xBC"
     "ber x.txt",
     "", ""},
};

}  // namespace

TEST_CASE("a form gives its parts, wherever it is cut") {
    const std::string form = kForm;
    const char* const type = "Multipart/Form-Data; charset=utf-8; boundary=\"b1\"";
    for (std::size_t cut = 0; cut <= form.size(); ++cut) {
        INFO(cut);
        CutUpload upload(form, {cut});
        const Seen seen = read_all(upload, type);
        CHECK(seen.failure.empty());
        REQUIRE(seen.parts == kParts);
    }
    std::vector<std::size_t> everywhere;
    for (std::size_t cut = 1; cut < form.size(); ++cut)
        everywhere.push_back(cut);
    CutUpload upload(form, everywhere);
    CHECK(read_all(upload, type).parts == kParts);
}

TEST_CASE("the body of a part lies in the upload where the reader says, wherever that is cut") {
    const std::string form = kForm;
    for (std::size_t cut = 0; cut <= form.size(); ++cut) {
        INFO(cut);
        CutUpload upload(form, {cut});
        const Seen seen = read_all(upload, "multipart/form-data; boundary=b1");
        REQUIRE(seen.places.size() == kParts.size());
        for (std::size_t i = 0; i < kParts.size(); ++i)
            CHECK(form.substr(seen.places[i], kParts[i].body.size()) == kParts[i].body);
    }
}

TEST_CASE("a form that ends anywhere before its last delimiter is malformed") {
    const std::string form = kForm;
    const std::size_t last = form.find("\r\n--b1--\t") + 8;
    // Cut there, a look-alike is the last delimiter.
    const std::size_t alike = form.find("\r\n--b1--x") + 8;
    for (std::size_t size = 0; size < last; ++size) {
        INFO(size);
        if (size == alike) continue;
        CHECK(read_form(form.substr(0, size)).failure == kMalformed);
    }
    CHECK(read_form(form.substr(0, last)).parts == kParts);
}

TEST_CASE("the parts of a form can be skipped") {
    CutUpload upload(kForm, {40, 90, 140});
    auto reader = MultipartReader::open(upload, "multipart/form-data; boundary=b1", 4);
    REQUIRE(reader.has_value());
    for (const SeenPart& expected : kParts) {
        auto part = reader->next();
        REQUIRE(part.has_value());
        REQUIRE(part->has_value());
        CHECK((*part)->name == expected.name);
    }
    CHECK_FALSE(reader->next()->has_value());
    CHECK_FALSE(reader->next()->has_value());
}

TEST_CASE("a boundary has up to 70 characters of those that are allowed") {
    const std::string longest = std::string(57, '-') + "'()+_,-./:=?x";
    REQUIRE(longest.size() == 70);
    const std::string form = "--" + longest +
                             "\r\nContent-Disposition: form-data; name=a\r\n\r\n1\r\n--" + longest +
                             "--";
    const std::string type = "multipart/form-data; boundary=\"";
    CHECK(read_form(form, type + longest + "\"").parts ==
          std::vector<SeenPart>{{"a", "(none)", "", "1"}});
    for (const std::string& wrong :
         {type + longest + "x\"", type + "\"", type + "a\nb\"", type + "a \"", type + "a",
          std::string("multipart/form-data"), std::string("multipart/mixed; boundary=a"),
          std::string("application/json"), std::string()}) {
        INFO(wrong);
        CHECK(read_form("--a--", wrong).failure == "http.multipart_expected");
    }
}

TEST_CASE("a form without parts is one") {
    CHECK(read_form("--b1--").failure.empty());
    CHECK(read_form("--b1--\r\n").parts.empty());
    CHECK(read_form("").failure == kMalformed);
    CHECK(read_form("--b2--\r\n").failure == kMalformed);
}

TEST_CASE("a part needs a sound header with a name") {
    for (const char* const header :
         {"",
          "Content-Type: text/plain",
          "Content-Disposition: attachment; name=a",
          "Content-Disposition: form-data",
          "Content-Disposition: form-data; filename=a",
          "Content-Disposition form-data; name=a",
          ": form-data; name=a",
          "Content-Disposition : form-data; name=a",
          "Content-Disposition: form-data; name=\"a",
          "Content-Disposition: form-data; name=a b",
          "Content-Disposition: form-data; name",
          "Content-Disposition: form-data; name=a; name=b",
          "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b",
          "Content-Disposition: form-data;\r\n name=a",
          "Content-Disposition: form-data; name=\"a\x01\"",
          "Content-Disposition: form-data; name=\"\xC3\"",
          "Content-Disposition: form-data; name=\"\xED\xA0\x80\"",
          "Content-Disposition: form-data; name=a; filename*=latin1''a",
          "Content-Disposition: form-data; name=a; filename*=UTF-8''%C3",
          "Content-Disposition: form-data; name=a; filename*=UTF-8''%4",
          "Content-Disposition: form-data; name=a; filename*=UTF-8''a%00b",
          "Content-Disposition: form-data; name=a; filename*=a"}) {
        INFO(header);
        CHECK(read_form(part_with(header)).failure == kMalformed);
    }
}

TEST_CASE("file names come as they were sent") {
    const auto name_of = [](const std::string& parameters) {
        const Seen seen = read_form(disposition("name=a; " + parameters));
        return seen.parts.size() == 1 ? seen.parts.front().file_name : seen.failure;
    };
    CHECK(name_of(R"(filename="C:\temp\a.txt")") == R"(C:\temp\a.txt)");
    CHECK(name_of(R"(filename="../a%22.txt")") == "../a%22.txt");
    CHECK(name_of("filename=\"\xE2\x82\xAC.txt\"") == "\xE2\x82\xAC.txt");
    CHECK(name_of("filename=\"\"") == "");
    CHECK(name_of("filename*=UTF-8''%e2%82%ac") == "\xE2\x82\xAC");
    CHECK(name_of("filename*=UTF-8''plain; filename=other;") == "plain");
}

TEST_CASE("headers and parts have bounds") {
    const std::string name = "Content-Disposition: form-data; name=a\r\nX: ";
    CHECK(read_form(part_with(name + std::string(16'000, 'x'))).failure.empty());
    CHECK(read_form(part_with(name + std::string(17'000, 'x'))).failure == kMalformed);
    CHECK(read_form("--b1\r\n" + name + std::string(100'000, 'x')).failure == kMalformed);
    const Seen padded =
        read_form("--b1" + std::string(300, ' ') + "\r\n" + name + "\r\n\r\nx\r\n--b1--");
    CHECK(padded.failure.empty());
    CHECK(padded.parts.empty());
    const std::string form = kForm;
    const char* const type = "multipart/form-data; boundary=b1";
    CHECK(read_form(form, type, 4).failure.empty());
    CHECK(read_form(form, type, 3).failure == "http.multipart_too_long");
    CHECK(read_form(form, type, 3).parts.size() == 3);
}

TEST_CASE("a failure of the upload is the reader's") {
    class BrokenUpload final : public Upload {
        Result<void> read(std::string&) override {
            return make_error(ErrorKind::internal, "test.broken", "broken");
        }
    } upload;
    CHECK(read_all(upload, "multipart/form-data; boundary=b1").failure == "test.broken");
}

TEST_CASE("what a reader gives at once does not grow with the body") {
    constexpr std::size_t kPiece = 10'000;
    std::string form = "--b1\r\nContent-Disposition: form-data; name=a\r\n\r\n";
    const std::size_t header = form.size();
    form += std::string(1'000'000, '\r') + "\r\n--b1--";
    std::vector<std::size_t> cuts;
    for (std::size_t at = kPiece; at < form.size(); at += kPiece)
        cuts.push_back(at);
    CutUpload upload(form, cuts);
    auto reader = MultipartReader::open(upload, "multipart/form-data; boundary=b1", 1);
    REQUIRE(reader.has_value());
    REQUIRE(reader->next().has_value());
    std::string piece;
    std::size_t total = 0;
    do {
        REQUIRE(reader->read(piece).has_value());
        REQUIRE(piece.size() <= kPiece + header);
        total += piece.size();
    } while (!piece.empty());
    CHECK(total == 1'000'000);
}
