#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace stele::node_previews {

/// What one run of the program may use.
struct RenderLimits {
    /// Of the source, width times height.
    std::uint64_t pixels = 0;
    std::uint64_t memory_bytes = 0;
    /// Of the preview.
    std::uint64_t output_bytes = 0;
    std::uint64_t seconds = 0;
};

/// What the program is asked for: the source is its standard input, the preview its output.
struct RenderTask {
    /// The box into which the picture has to fit.
    int width = 0;
    int height = 0;
    /// Of the preview: `.jpg`, `.png` or `.webp`.
    std::string suffix;
    RenderLimits limits;
};

/// How the program ends when nothing kills it. Other values come from the system.
namespace exit_code {
inline constexpr int kReady = 0;
inline constexpr int kUnreadable = 10;
inline constexpr int kTooLarge = 11;
/// It was started wrongly, or could not be confined.
inline constexpr int kUnusable = 12;
}  // namespace exit_code

/// The program's arguments, its name not among them.
std::vector<std::string> to_arguments(const RenderTask& task);
std::optional<RenderTask> parse_arguments(const std::vector<std::string>& arguments);

}  // namespace stele::node_previews
