#pragma once

#include <string>
#include <string_view>

#include <zlib.h>

namespace stele::sdk::zip {

/// One raw deflate stream after another; its tables are large, so it is used again. One thread.
class Deflater {
public:
    Deflater();
    ~Deflater();
    Deflater(const Deflater&) = delete;
    Deflater& operator=(const Deflater&) = delete;

    /// False: there was no memory for it.
    bool is_ready() const { return is_ready_; }

    /// Replaces `packed` with the bytes deflated; false when that does not make them shorter.
    bool shorten(std::string_view bytes, std::string& packed);

    void begin();
    /// Replaces `packed` with what comes out for 64 KiB at most; everything when they are the last.
    void add(std::string_view bytes, bool is_last, std::string& packed);

private:
    void take(std::string_view bytes);

    z_stream stream_{};
    bool is_ready_ = false;
};

}  // namespace stele::sdk::zip
