#pragma once

#include <string>

#include <stele/sdk/result.hpp>

#include "descriptor.hpp"
#include "preview.hpp"
#include "preview_cache.hpp"
#include "program/task.hpp"

namespace stele::node_previews {

/// Has the program `stele_preview` make previews, a process for each. Any thread.
class Renderer {
public:
    /// `files` must outlive this object.
    Renderer(std::string program, const PreviewCache& files)
        : program_(std::move(program)), files_(files) {}

    /// Waits for the process, at most the seconds that the task names. Fails only when it cannot
    /// be run (`node_previews.program_failed`); whatever the source does to it is a preview's
    /// state.
    sdk::Result<PreviewPtr> render(const RenderTask& task, const Descriptor& source) const;

private:
    sdk::Result<int> start(const RenderTask& task, const Descriptor& source,
                           const Descriptor& target) const;

    std::string program_;
    const PreviewCache& files_;
};

}  // namespace stele::node_previews
