#include "store/paged_file.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <utility>

namespace stele::sdk {

namespace {

constexpr std::uint64_t kNoPage = std::numeric_limits<std::uint64_t>::max();

}  // namespace

PagedFile::PagedFile(std::filesystem::path folder, std::size_t most_pages)
    : folder_(std::move(folder)), most_pages_(most_pages) {}

Result<const char*> PagedFile::page(std::uint64_t number) {
    auto slot = slot_of(number);
    if (!slot) return slot.error();
    return static_cast<const char*>((*slot)->bytes.get());
}

Result<char*> PagedFile::changed_page(std::uint64_t number) {
    auto slot = slot_of(number);
    if (!slot) return slot.error();
    (*slot)->is_changed = true;
    return (*slot)->bytes.get();
}

Result<PagedFile::Slot*> PagedFile::slot_of(std::uint64_t number) {
    const std::uint64_t place = folder_.empty() ? number : number % most_pages_;
    if (place >= slots_.size()) slots_.resize(static_cast<std::size_t>(place) + 1);
    Slot& slot = slots_[static_cast<std::size_t>(place)];
    if (slot.bytes && slot.number == number) return &slot;
    if (auto written = write_out(slot); !written) return written.error();
    if (auto filled = fill(slot, number); !filled) return filled.error();
    return &slot;
}

Result<void> PagedFile::write_out(Slot& slot) {
    if (!slot.is_changed) return {};
    if (!file_) {
        auto file = UnnamedFile::open(folder_);
        if (!file) return file.error();
        file_.emplace(*std::move(file));
    }
    auto written = file_->write(slot.number * kPageBytes, {slot.bytes.get(), kPageBytes});
    if (written) slot.is_changed = false;
    return written;
}

Result<void> PagedFile::fill(Slot& slot, std::uint64_t number) {
    if (!slot.bytes) slot.bytes = std::make_unique<char[]>(kPageBytes);
    slot.number = kNoPage;
    piece_.clear();
    if (file_) {
        auto read = file_->read(number * kPageBytes, piece_, kPageBytes);
        if (!read) return read;
    }
    piece_.resize(kPageBytes);
    std::memcpy(slot.bytes.get(), piece_.data(), kPageBytes);
    slot.number = number;
    return {};
}

Result<void> PagedFile::write(std::uint64_t offset, std::string_view bytes) {
    while (!bytes.empty()) {
        auto page = changed_page(offset / kPageBytes);
        if (!page) return page.error();
        const std::size_t begin = static_cast<std::size_t>(offset % kPageBytes);
        const std::size_t size = std::min(bytes.size(), kPageBytes - begin);
        std::memcpy(*page + begin, bytes.data(), size);
        bytes.remove_prefix(size);
        offset += size;
    }
    return {};
}

Result<void> PagedFile::read(std::uint64_t offset, std::size_t size, std::string& bytes) {
    bytes.clear();
    while (bytes.size() < size) {
        auto page = this->page(offset / kPageBytes);
        if (!page) return page.error();
        const std::size_t begin = static_cast<std::size_t>(offset % kPageBytes);
        const std::size_t taken = std::min(size - bytes.size(), kPageBytes - begin);
        bytes.append(*page + begin, taken);
        offset += taken;
    }
    return {};
}

}  // namespace stele::sdk
