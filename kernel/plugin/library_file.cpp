#include "kernel/plugin/library_file.hpp"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

namespace stele::kernel::plugin {

namespace {

#if defined(__x86_64__)
constexpr std::uint16_t kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr std::uint16_t kMachine = EM_AARCH64;
#else
#error "name the ELF machine of this processor"
#endif

class Descriptor final {
public:
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (number_ >= 0) ::close(number_);
    }
    int number() const { return number_; }

private:
    int number_;
};

sdk::Error unreadable(const std::string& file, int reason) {
    return sdk::make_error(sdk::ErrorKind::invalid, "plugin.file_unreadable",
                           fmt::format("{}: the file cannot be read: {}", file,
                                       std::generic_category().message(reason)));
}

sdk::Error no_library(const std::string& file, std::string_view found) {
    return sdk::make_error(
        sdk::ErrorKind::invalid, "plugin.manifest_missing",
        fmt::format("{}: found {}, wanted a shared library that exports a plugin manifest", file,
                    found));
}

}  // namespace

sdk::Result<LibraryFile> LibraryFile::open(const std::filesystem::path& file) {
    const Descriptor descriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (descriptor.number() < 0) return unreadable(file.string(), errno);
    struct stat status = {};
    if (::fstat(descriptor.number(), &status) != 0) return unreadable(file.string(), errno);
    if (!S_ISREG(status.st_mode)) return no_library(file.string(), "something that is no file");
    const auto size = static_cast<std::size_t>(status.st_size);
    if (size < sizeof(Elf64_Ehdr)) return no_library(file.string(), "a file too short for one");
    void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor.number(), 0);
    if (mapped == MAP_FAILED) return unreadable(file.string(), errno);
    LibraryFile library(std::span(static_cast<const char*>(mapped), size));
    if (auto read = library.read_headers(file.string()); !read) return read.error();
    return library;
}

LibraryFile::LibraryFile(LibraryFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})),
      segments_(std::move(other.segments_)),
      symbols_address_(other.symbols_address_),
      texts_address_(other.texts_address_),
      texts_size_(other.texts_size_),
      gnu_hash_address_(other.gnu_hash_address_),
      hash_address_(other.hash_address_) {}

LibraryFile::~LibraryFile() {
    // The mapping is only ever read; munmap wants a pointer to non-const all the same.
    if (!bytes_.empty()) ::munmap(const_cast<char*>(bytes_.data()), bytes_.size());
}

template <class T>
std::optional<T> LibraryFile::read(std::uint64_t offset) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes_.data() + offset, sizeof(T));
    return value;
}

template <class T>
std::optional<T> LibraryFile::read_at_address(std::uint64_t address, std::uint64_t index) const {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    if (index > (kMax - address) / sizeof(T)) return std::nullopt;
    const std::span<const char> found = at_address(address + index * sizeof(T));
    if (found.size() < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, found.data(), sizeof(T));
    return value;
}

sdk::Result<void> LibraryFile::read_headers(const std::string& file) {
    const auto header = read<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) {
        return no_library(file, "no ELF file");
    }
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_ident[EI_DATA] != ELFDATA2LSB ||
        header->e_machine != kMachine) {
        return sdk::make_error(
            sdk::ErrorKind::invalid, "plugin.build_mismatch",
            fmt::format("{}: found a library of another kind of machine (ELF machine {}), wanted "
                        "machine {}",
                        file, header->e_machine, kMachine));
    }
    if (header->e_type != ET_DYN) return no_library(file, "an ELF file that is no library");
    if (!read_segments(header->e_phoff, header->e_phnum, header->e_phentsize)) {
        return no_library(file, "a damaged or truncated library");
    }
    return {};
}

bool LibraryFile::read_segments(std::uint64_t offset, unsigned count, unsigned entry_size) {
    if (entry_size != sizeof(Elf64_Phdr)) return false;
    std::optional<Elf64_Phdr> dynamic;
    for (unsigned i = 0; i < count; ++i) {
        if (offset > bytes_.size()) return false;
        const auto segment = read<Elf64_Phdr>(offset + i * sizeof(Elf64_Phdr));
        if (!segment) return false;
        if (segment->p_type == PT_DYNAMIC) dynamic = segment;
        if (segment->p_type != PT_LOAD) continue;
        const bool is_inside = segment->p_offset <= bytes_.size() &&
                               segment->p_filesz <= bytes_.size() - segment->p_offset;
        if (!is_inside) return false;
        segments_.push_back({segment->p_vaddr, segment->p_offset, segment->p_filesz});
    }
    return dynamic && read_dynamic(dynamic->p_offset, dynamic->p_filesz);
}

bool LibraryFile::read_dynamic(std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes_.size() || size > bytes_.size() - offset) return false;
    for (std::uint64_t i = 0; i + sizeof(Elf64_Dyn) <= size; i += sizeof(Elf64_Dyn)) {
        const auto entry = read<Elf64_Dyn>(offset + i);
        if (!entry) return false;
        if (entry->d_tag == DT_NULL) break;
        if (entry->d_tag == DT_SYMTAB) symbols_address_ = entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRTAB) texts_address_ = entry->d_un.d_ptr;
        if (entry->d_tag == DT_STRSZ) texts_size_ = entry->d_un.d_val;
        if (entry->d_tag == DT_GNU_HASH) gnu_hash_address_ = entry->d_un.d_ptr;
        if (entry->d_tag == DT_HASH) hash_address_ = entry->d_un.d_ptr;
    }
    return symbols_address_ != 0 && texts_address_ != 0;
}

std::span<const char> LibraryFile::at_address(std::uint64_t address) const {
    for (const Segment& segment : segments_) {
        if (address < segment.address || address - segment.address >= segment.size) continue;
        const std::uint64_t inside = address - segment.address;
        return bytes_.subspan(segment.offset + inside, segment.size - inside);
    }
    return {};
}

// The symbol table has no length of its own; only the hash tables tell how many entries it has.
std::uint32_t LibraryFile::count_symbols() const {
    if (hash_address_ != 0) return read_at_address<std::uint32_t>(hash_address_, 1).value_or(0);
    if (gnu_hash_address_ == 0) return 0;
    const auto bucket_count = read_at_address<std::uint32_t>(gnu_hash_address_, 0);
    const auto first_hashed = read_at_address<std::uint32_t>(gnu_hash_address_, 1);
    const auto bloom_words = read_at_address<std::uint32_t>(gnu_hash_address_, 2);
    if (!bucket_count || !first_hashed || !bloom_words) return 0;
    const std::uint64_t buckets =
        gnu_hash_address_ + 4 * sizeof(std::uint32_t) + std::uint64_t{*bloom_words} * 8;
    std::uint32_t last = 0;
    for (std::uint32_t i = 0; i < *bucket_count; ++i) {
        const auto bucket = read_at_address<std::uint32_t>(buckets, i);
        if (!bucket) return 0;
        last = std::max(last, *bucket);
    }
    if (last < *first_hashed) return *first_hashed;
    const std::uint64_t chains = buckets + std::uint64_t{*bucket_count} * sizeof(std::uint32_t);
    // An odd hash value ends the chain of its bucket.
    for (;; ++last) {
        const auto hash = read_at_address<std::uint32_t>(chains, last - *first_hashed);
        if (!hash) return 0;
        if ((*hash & 1) != 0) return last + 1;
    }
}

std::string_view LibraryFile::text(std::uint64_t string_offset) const {
    if (string_offset >= texts_size_) return {};
    std::span<const char> table = at_address(texts_address_);
    table = table.first(std::min<std::size_t>(table.size(), texts_size_));
    if (string_offset >= table.size()) return {};
    table = table.subspan(string_offset);
    const auto* end = std::find(table.data(), table.data() + table.size(), '\0');
    if (end == table.data() + table.size()) return {};
    return {table.data(), static_cast<std::size_t>(end - table.data())};
}

std::optional<LibraryFile::Symbol> LibraryFile::symbol(std::uint32_t index) const {
    const auto entry = read_at_address<Elf64_Sym>(symbols_address_, index);
    if (!entry) return std::nullopt;
    const unsigned binding = ELF64_ST_BIND(entry->st_info);
    const unsigned visibility = ELF64_ST_VISIBILITY(entry->st_other);
    const bool is_exported = entry->st_shndx != SHN_UNDEF && binding != STB_LOCAL &&
                             (visibility == STV_DEFAULT || visibility == STV_PROTECTED);
    return Symbol{text(entry->st_name), entry->st_value, entry->st_size, is_exported,
                  ELF64_ST_TYPE(entry->st_info) == STT_OBJECT};
}

std::optional<std::span<const char>> LibraryFile::object(std::string_view name) const {
    const std::uint32_t count = count_symbols();
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto found = symbol(i);
        if (!found) return std::nullopt;
        if (!found->is_exported || !found->is_object || found->name != name) continue;
        const std::span<const char> bytes = at_address(found->address);
        return bytes.first(std::min<std::size_t>(bytes.size(), found->size));
    }
    return std::nullopt;
}

std::vector<std::string> LibraryFile::exported() const {
    std::vector<std::string> names;
    const std::uint32_t count = count_symbols();
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto found = symbol(i);
        if (!found) break;
        if (found->is_exported) names.emplace_back(found->name);
    }
    return names;
}

}  // namespace stele::kernel::plugin
