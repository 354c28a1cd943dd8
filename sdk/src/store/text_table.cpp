#include <stele/sdk/text_table.hpp>

#include <cstring>
#include <stdexcept>
#include <utility>

#include "store/keyed_hash.hpp"
#include "store/paged_file.hpp"

namespace stele::sdk {

namespace {

constexpr std::size_t kIndexPages = 256;
constexpr std::size_t kRecordPages = 64;
constexpr std::size_t kMostTextBytes = std::size_t{1} << 30;

/// Of the index: where a record lies, by the hash of its key.
struct IndexRow {
    std::uint64_t hash = 0;
    std::uint64_t place = 0;
};

/// A page of the index: how many rows it has, and these. Which page a row is in is told by the
/// first bits of its hash.
constexpr std::size_t kIndexRowsOfPage = PagedFile::kPageBytes / sizeof(IndexRow) - 1;

std::uint64_t rows_on(const char* page) {
    std::uint64_t count = 0;
    std::memcpy(&count, page, sizeof(count));
    return count;
}

IndexRow index_row(const char* page, std::size_t i) {
    IndexRow row;
    std::memcpy(&row, page + (i + 1) * sizeof(IndexRow), sizeof(IndexRow));
    return row;
}

void put_index_row(char* page, std::size_t i, const IndexRow& row) {
    std::memcpy(page + (i + 1) * sizeof(IndexRow), &row, sizeof(IndexRow));
}

void add_index_row(char* page, const IndexRow& row) {
    const std::uint64_t count = rows_on(page) + 1;
    put_index_row(page, static_cast<std::size_t>(count - 1), row);
    std::memcpy(page, &count, sizeof(count));
}

/// What a record begins with; key and value follow.
struct RecordHead {
    std::uint32_t key_size = 0;
    std::uint32_t value_size = 0;
    /// The key has another value by now, or none.
    std::uint32_t is_gone = 0;
};

std::string_view head_bytes(const RecordHead& head) {
    return {reinterpret_cast<const char*>(&head), sizeof(RecordHead)};
}

}  // namespace

struct TextTable::State {
    explicit State(std::filesystem::path where)
        : folder(std::move(where)), index(folder, kIndexPages), records(folder, kRecordPages) {}

    /// A row of the index and the record that it leads to.
    struct Found {
        std::uint64_t page = 0;
        std::size_t row = 0;
        std::uint64_t place = 0;
        RecordHead head;

        std::uint64_t value_place() const { return place + sizeof(RecordHead) + head.key_size; }
    };

    std::uint64_t page_of(std::uint64_t hash) const { return bits == 0 ? 0 : hash >> (64 - bits); }
    Result<RecordHead> head_at(std::uint64_t place);
    Result<std::optional<Found>> find(std::uint64_t hash, std::string_view key);
    Result<std::uint64_t> append(std::string_view key, std::string_view value);
    Result<void> insert(const IndexRow& row);
    Result<void> grow();
    Result<void> replace(Found& found, std::string_view key, std::string_view value);
    Result<void> set_gone(Found& found, bool is_gone);

    std::filesystem::path folder;
    PagedFile index;
    PagedFile records;
    /// Of a hash, that tell its page.
    unsigned bits = 0;
    /// Of the records.
    std::uint64_t end = 0;
    std::uint64_t count = 0;
    detail::KeyedHash keyed_hash;
    std::string piece;
};

Result<RecordHead> TextTable::State::head_at(std::uint64_t place) {
    if (auto read = records.read(place, sizeof(RecordHead), piece); !read) return read.error();
    RecordHead head;
    std::memcpy(&head, piece.data(), sizeof(RecordHead));
    return head;
}

Result<std::optional<TextTable::State::Found>> TextTable::State::find(std::uint64_t hash,
                                                                      std::string_view key) {
    Found found;
    found.page = page_of(hash);
    auto page = index.page(found.page);
    if (!page) return page.error();
    const std::uint64_t rows = rows_on(*page);
    for (; found.row < rows; ++found.row) {
        const IndexRow row = index_row(*page, found.row);
        if (row.hash != hash) continue;
        found.place = row.place;
        auto head = head_at(row.place);
        if (!head) return head.error();
        found.head = *head;
        auto read = records.read(row.place + sizeof(RecordHead), head->key_size, piece);
        if (!read) return read.error();
        if (piece == key) return std::optional(found);
    }
    return std::optional<Found>();
}

Result<std::uint64_t> TextTable::State::append(std::string_view key, std::string_view value) {
    const RecordHead head{static_cast<std::uint32_t>(key.size()),
                          static_cast<std::uint32_t>(value.size())};
    const std::uint64_t place = end;
    for (const std::string_view bytes : {head_bytes(head), key, value}) {
        if (auto written = records.write(end, bytes); !written) return written.error();
        end += bytes.size();
    }
    return place;
}

Result<void> TextTable::State::insert(const IndexRow& row) {
    while (true) {
        auto page = index.page(page_of(row.hash));
        if (!page) return page.error();
        if (rows_on(*page) < kIndexRowsOfPage) break;
        if (auto grown = grow(); !grown) return grown;
    }
    auto page = index.changed_page(page_of(row.hash));
    if (!page) return page.error();
    add_index_row(*page, row);
    return {};
}

/// Makes twice as many pages, in their order: what was on one is on two that lie together.
Result<void> TextTable::State::grow() {
    PagedFile larger(folder, kIndexPages);
    const std::uint64_t pages = std::uint64_t{1} << bits;
    for (std::uint64_t i = 0; i < pages; ++i) {
        auto page = index.page(i);
        if (!page) return page.error();
        const std::uint64_t rows = rows_on(*page);
        for (std::size_t at = 0; at < rows; ++at) {
            const IndexRow row = index_row(*page, at);
            auto target = larger.changed_page(row.hash >> (63 - bits));
            if (!target) return target.error();
            add_index_row(*target, row);
        }
    }
    index = std::move(larger);
    ++bits;
    return {};
}

Result<void> TextTable::State::set_gone(Found& found, bool is_gone) {
    const bool is_same = (found.head.is_gone != 0) == is_gone;
    if (is_same) return {};
    found.head.is_gone = is_gone ? 1 : 0;
    if (is_gone) {
        --count;
    } else {
        ++count;
    }
    return records.write(found.place, head_bytes(found.head));
}

Result<void> TextTable::State::replace(Found& found, std::string_view key, std::string_view value) {
    if (found.head.value_size == value.size()) {
        if (auto marked = set_gone(found, false); !marked) return marked;
        return records.write(found.value_place(), value);
    }
    if (auto marked = set_gone(found, true); !marked) return marked;
    auto place = append(key, value);
    if (!place) return place.error();
    ++count;
    auto page = index.changed_page(found.page);
    if (!page) return page.error();
    put_index_row(*page, found.row, {index_row(*page, found.row).hash, *place});
    return {};
}

TextTable::TextTable(std::filesystem::path folder)
    : state_(std::make_unique<State>(std::move(folder))) {}
TextTable::~TextTable() = default;
TextTable::TextTable(TextTable&&) noexcept = default;
TextTable& TextTable::operator=(TextTable&&) noexcept = default;

Result<void> TextTable::put(std::string_view key, std::string_view value) {
    if (key.size() >= kMostTextBytes || value.size() >= kMostTextBytes)
        throw std::logic_error("a text of a table is too long");
    const std::uint64_t hash = state_->keyed_hash.of(key);
    auto found = state_->find(hash, key);
    if (!found) return found.error();
    if (*found) return state_->replace(**found, key, value);
    auto place = state_->append(key, value);
    if (!place) return place.error();
    ++state_->count;
    return state_->insert({hash, *place});
}

Result<std::optional<std::string>> TextTable::find(std::string_view key) const {
    auto found = state_->find(state_->keyed_hash.of(key), key);
    if (!found) return found.error();
    if (!*found || (*found)->head.is_gone != 0) return std::optional<std::string>();
    std::string value;
    auto read = state_->records.read((*found)->value_place(), (*found)->head.value_size, value);
    if (!read) return read.error();
    return std::optional(std::move(value));
}

Result<bool> TextTable::contains(std::string_view key) const {
    auto found = state_->find(state_->keyed_hash.of(key), key);
    if (!found) return found.error();
    return *found && (*found)->head.is_gone == 0;
}

Result<void> TextTable::erase(std::string_view key) {
    auto found = state_->find(state_->keyed_hash.of(key), key);
    if (!found) return found.error();
    return *found ? state_->set_gone(**found, true) : Result<void>();
}

std::uint64_t TextTable::size() const {
    return state_->count;
}

Result<void> TextTable::for_each(
    const std::function<Result<void>(std::string_view key, std::string_view value)>& visit) const {
    std::string key;
    std::string value;
    std::uint64_t place = 0;
    while (place < state_->end) {
        auto head = state_->head_at(place);
        if (!head) return head.error();
        const std::uint64_t key_place = place + sizeof(RecordHead);
        place = key_place + head->key_size + head->value_size;
        if (head->is_gone != 0) continue;
        if (auto read = state_->records.read(key_place, head->key_size, key); !read) return read;
        auto read = state_->records.read(key_place + head->key_size, head->value_size, value);
        if (!read) return read;
        if (auto visited = visit(key, value); !visited) return visited;
    }
    return {};
}

}  // namespace stele::sdk
