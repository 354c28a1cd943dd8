#include "fake_content_log.hpp"

#include <algorithm>
#include <set>

#include <stele/sdk/error.hpp>
#include <stele/sdk/key_tuple.hpp>

namespace stele::node_search {

std::uint64_t FakeContentLog::fork(std::uint64_t parent, std::uint64_t revision) {
    const std::lock_guard lock(mutex_);
    const std::uint64_t line = lines_.size() + 1;
    lines_[line] = {parent, revision};
    return line;
}

std::uint64_t FakeContentLog::write(std::uint64_t line,
                                    const std::vector<std::pair<std::string, std::string>>& nodes) {
    const std::lock_guard lock(mutex_);
    ++revision_;
    for (const auto& [node, text] : nodes) {
        const auto former = std::find_if(versions_.rbegin(), versions_.rend(),
                                         [&, &id = node](const auto& version) {
                                             return version.line == line && version.node == id;
                                         });
        const bool is_former = former != versions_.rend() && !former->is_removed;
        versions_.push_back(
            {line, revision_, node, is_former ? former->revision : 0, text.empty(), text});
    }
    return revision_;
}

void FakeContentLog::forget() {
    const std::lock_guard lock(mutex_);
    versions_.clear();
    revision_ = 0;
}

sdk::ContentView FakeContentLog::view_of(std::uint64_t line) const {
    sdk::ContentView view{kSpace, {{line, revision_}}};
    for (Fork fork = lines_.at(line); fork.parent != 0; fork = lines_.at(fork.parent))
        view.links.push_back(
            {fork.parent, std::min(fork.revision, view.links.back().last_revision)});
    return view;
}

const sdk::ContentVersion* FakeContentLog::find_shown(const sdk::ContentView& view,
                                                      std::string_view node) const {
    for (const sdk::ContentView::Link& link : view.links) {
        const auto found = std::find_if(
            versions_.rbegin(), versions_.rend(), [&](const sdk::ContentVersion& version) {
                return version.node == node && version.line == link.line &&
                       version.revision <= link.last_revision;
            });
        if (found != versions_.rend()) return found->is_removed ? nullptr : &*found;
    }
    return nullptr;
}

std::map<std::string, std::string> FakeContentLog::shown_on(std::uint64_t line) {
    const std::lock_guard lock(mutex_);
    std::map<std::string, std::string> shown;
    for (const sdk::ContentVersion& version : versions_) {
        const auto* const found = find_shown(view_of(line), version.node);
        if (found) shown[version.node] = found->text;
    }
    return shown;
}

sdk::Result<std::vector<sdk::ContentSpace>> FakeContentLog::spaces(const sdk::Reader&) {
    return has_space ? std::vector{kSpace} : std::vector<sdk::ContentSpace>{};
}

sdk::Result<std::uint64_t> FakeContentLog::newest(const sdk::Reader&, const sdk::ContentSpace&) {
    const std::lock_guard lock(mutex_);
    return revision_;
}

std::vector<sdk::ContentVersion> FakeContentLog::all_versions() {
    const std::lock_guard lock(mutex_);
    return versions_;
}

bool FakeContentLog::fails_now() {
    const std::lock_guard lock(mutex_);
    if (!failing_after_ || (*failing_after_)-- > 0) return false;
    failing_after_.reset();
    return true;
}

sdk::Result<void> FakeContentLog::for_each_after(
    const sdk::Reader&, const sdk::ContentSpace& space, std::uint64_t revision,
    const std::function<bool(const sdk::ContentVersion&)>& visit) {
    if (space != kSpace) return {};
    // Whoever visits may wait for another thread that reads this log.
    for (const sdk::ContentVersion& version : all_versions()) {
        if (version.revision <= revision) continue;
        if (fails_now())
            return sdk::make_error(sdk::ErrorKind::unavailable, "engine.busy", "as was asked for");
        ++told_;
        if (!visit(version)) return {};
    }
    return {};
}

sdk::Result<sdk::ContentView> FakeContentLog::view(const sdk::Reader&,
                                                   const sdk::RecordKey& branch) {
    const std::lock_guard lock(mutex_);
    return view_of(std::stoull(branch));
}

sdk::Result<std::optional<sdk::ContentVersion>> FakeContentLog::shown(const sdk::Reader&,
                                                                      const sdk::ContentView& view,
                                                                      std::string_view node) {
    const std::lock_guard lock(mutex_);
    const auto* const found = find_shown(view, node);
    return found ? std::optional(*found) : std::nullopt;
}

sdk::Result<std::optional<std::vector<std::string>>> FakeContentLog::written_on(
    const sdk::Reader&, const sdk::ContentSpace&, const sdk::ContentView::Link& link,
    std::size_t most) {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> nodes;
    for (const sdk::ContentVersion& version : versions_) {
        if (version.line == link.line && version.revision <= link.last_revision)
            nodes.push_back(version.node);
    }
    if (nodes.size() > most) return std::optional<std::vector<std::string>>();
    return std::optional(std::move(nodes));
}

sdk::Result<std::string> FakeContentLog::attached_text(const sdk::Reader&, const sdk::ContentSpace&,
                                                       const sdk::ContentVersion& version,
                                                       std::size_t limit) {
    const auto found = attached.find(version.node);
    return found == attached.end() ? std::string() : found->second.substr(0, limit);
}

std::string FakeContentLog::watched_prefix(std::uint64_t platform) {
    return sdk::KeyWriter().integer(platform).text("content").key();
}

}  // namespace stele::node_search
