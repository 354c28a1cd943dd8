#pragma once

#include <cstddef>
#include <string_view>

#include <simdjson.h>

namespace stele::kernel::pagination {

/// The text of a record, whose structure is found once for all who read it one after the other:
/// finding it is most of what reading a member costs. One thread at a time.
class ScannedText {
public:
    /// Readable bytes behind every text; storage::Record promises them.
    static constexpr std::size_t kPadding = 64;
    static_assert(kPadding >= simdjson::SIMDJSON_PADDING);

    ScannedText() = default;
    ScannedText(const ScannedText&) = delete;
    ScannedText& operator=(const ScannedText&) = delete;

    /// `text` stays as it is, with its padding, until the next call.
    void set(std::string_view text) {
        text_ = text;
        state_ = State::unknown;
    }
    std::string_view text() const { return text_; }

    /// The text's object from its beginning; what was read before is no longer valid. False when
    /// it is none.
    bool object(simdjson::ondemand::object& object) {
        if (state_ == State::unknown) {
            const auto error =
                parser_.iterate(text_.data(), text_.size(), text_.size() + kPadding).get(document_);
            state_ = error ? State::broken : State::scanned;
        } else if (state_ == State::scanned) {
            document_.rewind();
        }
        return state_ == State::scanned && !document_.get_object().get(object);
    }

private:
    enum class State { unknown, scanned, broken };

    simdjson::ondemand::parser parser_;
    simdjson::ondemand::document document_;
    std::string_view text_;
    State state_ = State::unknown;
};

}  // namespace stele::kernel::pagination
