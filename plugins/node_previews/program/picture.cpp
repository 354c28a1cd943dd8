#include "program/picture.hpp"

#include <unistd.h>
#include <vips/vips.h>

#include <array>
#include <memory>

namespace stele::node_previews {

namespace {

/// Formats with one decoder that is much used and much tested. Neither SVG, which asks for other
/// files, nor what ImageMagick reads.
constexpr std::array kReaders{"VipsForeignLoadJpeg",  "VipsForeignLoadPng",  "VipsForeignLoadWebp",
                              "VipsForeignLoadNsgif", "VipsForeignLoadTiff", "VipsForeignLoadPdf"};
constexpr double kWhite = 255;

struct Unref {
    void operator()(void* object) const { g_object_unref(object); }
};
using Image = std::unique_ptr<VipsImage, Unref>;
using Source = std::unique_ptr<VipsSource, Unref>;

bool write_all(const char* bytes, std::size_t count) {
    while (count > 0) {
        const ssize_t written = ::write(STDOUT_FILENO, bytes, count);
        if (written <= 0) return false;
        bytes += written;
        count -= static_cast<std::size_t>(written);
    }
    return true;
}

/// JPEG has no transparency, and what is seen through a picture is rarely black.
Image without_transparency(Image image) {
    VipsImage* flat = nullptr;
    VipsArrayDouble* white = vips_array_double_newv(1, kWhite);
    const int failed = vips_flatten(image.get(), &flat, "background", white, nullptr);
    vips_area_unref(VIPS_AREA(white));
    return Image(failed ? nullptr : flat);
}

Image thumbnail(VipsSource* source, const RenderTask& task) {
    VipsImage* small = nullptr;
    const int failed =
        vips_thumbnail_source(source, &small, task.width, "height", task.height, "size",
                              VIPS_SIZE_DOWN, "option_string", "[fail_on=error]", nullptr);
    return Image(failed ? nullptr : small);
}

}  // namespace

bool open_libraries(const char* program_name) {
    if (VIPS_INIT(program_name) != 0) return false;
    vips_concurrency_set(1);
    vips_cache_set_max(0);
    vips_operation_block_set("VipsForeignLoad", TRUE);
    for (const char* reader : kReaders)
        vips_operation_block_set(reader, FALSE);
    return true;
}

int render_picture(const RenderTask& task) {
    const Source source(vips_source_new_from_descriptor(STDIN_FILENO));
    if (!source) return exit_code::kUnusable;
    {
        const Image header(vips_image_new_from_source(source.get(), "", "access",
                                                      VIPS_ACCESS_SEQUENTIAL, nullptr));
        if (!header) return exit_code::kUnreadable;
        const auto pixels = static_cast<std::uint64_t>(vips_image_get_width(header.get())) *
                            static_cast<std::uint64_t>(vips_image_get_height(header.get()));
        if (pixels > task.limits.pixels) return exit_code::kTooLarge;
    }
    Image small = thumbnail(source.get(), task);
    if (small && task.suffix == ".jpg" && vips_image_hasalpha(small.get()))
        small = without_transparency(std::move(small));
    if (!small) return exit_code::kUnreadable;
    void* bytes = nullptr;
    std::size_t count = 0;
    // What the source tells of places and cameras does not go with it.
    const std::string format = task.suffix + "[strip]";
    if (vips_image_write_to_buffer(small.get(), format.c_str(), &bytes, &count, nullptr) != 0)
        return exit_code::kUnreadable;
    const bool is_written = write_all(static_cast<const char*>(bytes), count);
    g_free(bytes);
    return is_written ? exit_code::kReady : exit_code::kUnusable;
}

}  // namespace stele::node_previews
