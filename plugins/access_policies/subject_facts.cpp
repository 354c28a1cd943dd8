#include "subject_facts.hpp"

#include <utility>

#include <nlohmann/json.hpp>

namespace stele::access_policies {

namespace {

/// The kept value, read when it is asked for first; null where it cannot be asked for.
template <class Value, class Read>
sdk::Result<const Value*> once(std::optional<Value>& kept, const Read& read) {
    if (kept) return &*kept;
    if (!read) return static_cast<const Value*>(nullptr);
    auto value = read();
    if (!value) return value.error();
    kept = *std::move(value);
    return &*kept;
}

}  // namespace

sdk::Result<const sdk::Json*> SubjectFacts::fields() const {
    return once(fields_, subject_.fields);
}

sdk::Result<const std::vector<std::string>*> SubjectFacts::paths() const {
    return once(paths_, subject_.paths);
}

sdk::Result<const std::vector<sdk::PolicySubject::Project>*> SubjectFacts::projects() const {
    if (!subject_.projects_of) return static_cast<decltype(&*projects_)>(nullptr);
    const std::function<sdk::Result<std::vector<sdk::PolicySubject::Project>>()> read = [this] {
        return subject_.projects_of(subject_.key);
    };
    return once(projects_, read);
}

sdk::Result<void> SubjectFacts::read_origins() const {
    if (auto read = once(origins_, subject_.origins); !read) return read.error();
    if (!origins_) origins_.emplace();
    return {};
}

sdk::Result<std::size_t> SubjectFacts::places() const {
    if (auto read = read_origins(); !read) return read.error();
    return origins_->size() + 1;
}

sdk::Result<const std::string*> SubjectFacts::reference() const {
    if (place_ > 0) return static_cast<const std::string*>(&(*origins_)[place_ - 1].reference);
    return once(reference_, subject_.reference);
}

sdk::Result<const SubjectFacts::Stores*> SubjectFacts::stores() const {
    if (place_ > 0) return static_cast<const Stores*>(&(*origins_)[place_ - 1].stores);
    if (stores_) return static_cast<const Stores*>(&*stores_);
    auto stores = subject_.stores();
    if (!stores) return stores.error();
    if (subject_.itself) {
        auto itself = subject_.itself();
        if (!itself) return itself.error();
        stores->insert(stores->begin(), *std::move(itself));
    }
    stores_ = *std::move(stores);
    return static_cast<const Stores*>(&*stores_);
}

}  // namespace stele::access_policies
