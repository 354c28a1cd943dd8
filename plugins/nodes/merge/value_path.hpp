#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>

namespace stele::nodes {

/// Members that tell elements of an array apart, the first of them before the others.
inline constexpr const char* kIdentities[] = {"_key", "id", "ref"};

/// What an element says in such a member, as text; empty where that tells nothing apart.
std::string identity_of(const sdk::Json& element, const char* identity);

/// Where in a value a merge is: as conflicts name it, and by names of members only.
class ValuePath {
public:
    const std::string& text() const { return text_; }
    const std::string& names() const { return names_; }

    /// Goes on to a member for as long as `work` takes.
    template <class Work>
    auto at_member(std::string_view name, Work work) {
        const Step step(*this);
        append_step(text_, name);
        append_step(names_, name);
        return work();
    }

    /// The same for an element.
    template <class Work>
    auto at_element(const char* identity, std::string_view id, Work work) {
        const Step step(*this);
        append_step(text_, std::string(identity) + '=' + std::string(id));
        return work();
    }

private:
    class Step {
    public:
        explicit Step(ValuePath& path)
            : path_(path), text_(path.text_.size()), names_(path.names_.size()) {}
        Step(const Step&) = delete;
        Step& operator=(const Step&) = delete;
        ~Step() {
            path_.text_.resize(text_);
            path_.names_.resize(names_);
        }

    private:
        ValuePath& path_;
        const std::size_t text_;
        const std::size_t names_;
    };

    static void append_step(std::string& path, std::string_view step);

    std::string text_;
    std::string names_;
};

/// The value at the path of a conflict; null where there is none.
const sdk::Json* find_value(const sdk::Json& value, std::string_view path);

}  // namespace stele::nodes
