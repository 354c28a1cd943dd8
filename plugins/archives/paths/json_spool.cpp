#include "paths/json_spool.hpp"

#include <utility>

namespace stele::archives {

sdk::Result<void> JsonSpool::add(std::string_view element) {
    const bool is_first = !file_;
    if (is_first) {
        auto file = sdk::UnnamedFile::open(scratch_);
        if (!file) return file.error();
        file_.emplace(*std::move(file));
    }
    if (auto kept = file_->append(is_first ? "\n  " : ",\n  "); !kept) return kept;
    return file_->append(element);
}

sdk::PieceSource JsonSpool::read() {
    const std::string opening = kind_ == Kind::array ? "[" : "{";
    const std::string closing = kind_ == Kind::array ? "]\n" : "}\n";
    enum class Part { head, elements, foot, end };
    return [this, opening, closing, part = Part::head,
            at = std::uint64_t{0}](std::string& piece) mutable -> sdk::Result<void> {
        piece.clear();
        if (part == Part::head) {
            piece = opening;
            part = file_ ? Part::elements : Part::foot;
            return {};
        }
        if (part == Part::elements) {
            if (auto came = file_->read(at, piece); !came) return came;
            at += piece.size();
            if (!piece.empty()) return {};
            part = Part::foot;
        }
        if (part == Part::foot) piece = (file_ ? "\n" : "") + closing;
        part = Part::end;
        return {};
    };
}

}  // namespace stele::archives
