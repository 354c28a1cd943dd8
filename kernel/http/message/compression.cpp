#include "kernel/http/message/compression.hpp"

#include <memory>
#include <utility>

#include <zlib.h>

#include <stele/sdk/letter_case.hpp>
#include <stele/sdk/text.hpp>

namespace stele::kernel::http {

namespace {

/// On replies of this kind higher levels cost several times the time for a few percent.
constexpr int kLevel = 2;
/// Largest window, with a gzip header in place of zlib's.
constexpr int kGzipWindow = 15 + 16;
constexpr int kMemoryLevel = 8;

/// One zlib stream, reset from body to body: its tables are large.
class Deflater {
public:
    Deflater() {
        is_ready_ = deflateInit2(&stream_, kLevel, Z_DEFLATED, kGzipWindow, kMemoryLevel,
                                 Z_DEFAULT_STRATEGY) == Z_OK;
    }
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;
    ~Deflater() {
        if (is_ready_) deflateEnd(&stream_);
    }

    bool begin() { return is_ready_ && deflateReset(&stream_) == Z_OK; }

    /// Appends what comes out for `text`; everything when it `is_last`.
    bool add(std::string_view text, bool is_last, std::string& out) {
        if (!is_ready_) return false;
        // zlib does not write to its input; the member lacks `const` for history's sake.
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
        stream_.avail_in = static_cast<uInt>(text.size());
        std::size_t used = out.size();
        int outcome = Z_OK;
        do {
            out.resize(used + deflateBound(&stream_, stream_.avail_in));
            stream_.next_out = reinterpret_cast<Bytef*>(out.data() + used);
            stream_.avail_out = static_cast<uInt>(out.size() - used);
            outcome = deflate(&stream_, is_last ? Z_FINISH : Z_NO_FLUSH);
            used = out.size() - stream_.avail_out;
            if (outcome != Z_OK && outcome != Z_STREAM_END && outcome != Z_BUF_ERROR) return false;
        } while (stream_.avail_out == 0 && outcome != Z_STREAM_END);
        out.erase(used);
        return true;
    }

private:
    z_stream stream_{};
    bool is_ready_ = false;
};

}  // namespace

bool accepts_gzip(std::string_view accept_encoding) {
    bool any = false;
    while (!accept_encoding.empty()) {
        std::string_view parameters = sdk::take_until(accept_encoding, ',');
        const std::string_view name = sdk::trimmed(sdk::take_until(parameters, ';'));
        if (sdk::equals_ignoring_case(name, "gzip") || sdk::equals_ignoring_case(name, "x-gzip")) {
            return !sdk::has_zero_weight(parameters);
        }
        if (name == "*") any = !sdk::has_zero_weight(parameters);
    }
    return any;
}

bool is_compressible(std::string_view content_type) {
    const std::string_view type = sdk::trimmed(sdk::take_until(content_type, ';'));
    for (const std::string_view known :
         {"application/json", "application/javascript", "application/xml", "image/svg+xml"}) {
        if (sdk::equals_ignoring_case(type, known)) return true;
    }
    const auto ends_in = [&](std::string_view suffix) {
        return type.size() > suffix.size() &&
               sdk::equals_ignoring_case(type.substr(type.size() - suffix.size()), suffix);
    };
    return sdk::equals_ignoring_case(type.substr(0, 5), "text/") || ends_in("+json") ||
           ends_in("+xml");
}

bool gzip(std::string_view text, std::string& out) {
    thread_local Deflater deflater;
    out.clear();
    return deflater.begin() && deflater.add(text, true, out);
}

sdk::BodySource gzip_source(sdk::BodySource source) {
    struct State {
        sdk::BodySource source;
        Deflater deflater;
        std::string piece;
    };
    // Shared because a BodySource is copyable; copies would continue the same stream.
    auto state = std::make_shared<State>();
    state->source = std::move(source);
    return [state](std::string& out) -> sdk::Result<bool> {
        state->piece.clear();
        sdk::Result<bool> more = state->source(state->piece);
        if (!more) return more;
        if (!state->deflater.add(state->piece, !*more, out)) {
            return sdk::make_error(sdk::ErrorKind::internal, "http.compression_failed",
                                   "the reply could not be compressed");
        }
        return more;
    };
}

}  // namespace stele::kernel::http
