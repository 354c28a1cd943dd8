#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/engine.hpp>

#include "kernel/storage/engine/keys.hpp"
#include "kernel/storage/index/index_walk.hpp"
#include "kernel/storage/record/record.hpp"

namespace stele::kernel::storage {

/// What an entry of the automatic indexes says; the byte behind the field's number in its key. The
/// layout is told in docs/reference/indexes.md.
///
/// A direct value counts as one of the kinds `text`, `number` and `flag`, so their counts tell
/// whether a field is in every record.
enum class IndexKind : char {
    text = 't',          ///< a direct string
    long_text = 'T',     ///< the beginning of a direct string beyond `kIndexedTextSize`
    cut_text = 'L',      ///< the same, of `kCutTextSize` bytes
    item = 'i',          ///< a string in an array
    long_item = 'I',     ///< the beginning of a long string in an array
    cut_item = 'J',      ///< the same, of `kCutTextSize` bytes
    number = 'n',        ///< a direct number, by value
    plain_number = 'N',  ///< the same where the value tells its text (`plain_text`)
    number_item = 'e',   ///< a number in an array
    number_text = 'o',   ///< the JSON text beside `number`, for its place among strings
    flag = 'f',          ///< a direct boolean, as text
    flag_item = 'g',     ///< a boolean in an array
};

inline constexpr std::size_t kIndexedTextSize = 256;
inline constexpr std::size_t kCutTextSize = 32;
inline constexpr std::size_t kMaxEntries = 500;
/// From here on several integers share one double, and an entry says less than the number.
inline constexpr double kExactIntegers = 9007199254740992.0;

/// Beyond it a number's text may have an exponent.
inline constexpr double kMaxPlainNumber = 1e15;
/// The only JSON text that a number from 0 up to `kMaxPlainNumber` has under `plain_number`:
/// digits, and a fraction where there is one. Of numbers with as many digits before the fraction
/// the texts come in the order of the values.
std::string plain_text(double value);

/// The names under which entries of a field may lie that it shares with others; none of most.
std::vector<std::string> shared_names(std::string_view path);
/// The paths of fields that may share entries: these are never left out of the indexes.
std::vector<std::string> sharing_paths();
/// Whether a field is counted together with others (`shape_counters`).
bool is_of_shape(std::string_view path);

/// The entries of one record: field number, kind and value, sorted, each once. The sequence that
/// ends a key and the collection that begins it are the same for all and left out.
class RecordImage {
public:
    std::size_t size() const { return spans_.size(); }
    std::string_view operator[](std::size_t i) const {
        return std::string_view(bytes_).substr(spans_[i].begin, spans_[i].size);
    }
    /// Too many entries, or a value that has no place: the record is listed under `P b` instead.
    bool is_over_indexed() const { return is_over_indexed_; }
    /// The counters that the record is in, without what begins all of a collection's (`counter`);
    /// sorted, each once.
    const std::vector<std::string>& counted() const { return counted_; }

private:
    friend class ImageBuilder;
    struct Span {
        std::uint32_t begin;
        std::uint32_t size;
    };
    std::string bytes_;
    std::vector<Span> spans_;
    std::vector<std::string> counted_;
    bool is_over_indexed_ = false;
};

/// Collects the entries of a record while its text is walked.
class ImageBuilder final : public ValueSink {
public:
    using FieldNumber = std::function<sdk::Result<std::uint64_t>(std::string_view path)>;

    /// Fields in `unindexed` get no entries. Both must outlive the builder. The form is that of the
    /// record's stored bytes, so that what an update takes away is what was there.
    ImageBuilder(const FieldNumber& number, const std::vector<std::string>& unindexed,
                 EntryForm form)
        : number_(number), unindexed_(unindexed), form_(form) {}

    sdk::Result<void> scalar(std::string_view path, const WalkedValue& value) override;
    void structure(std::string_view, bool, bool) override {}

    sdk::Result<RecordImage> take();

private:
    /// A value of a field that may share its entry.
    struct Shared {
        std::size_t group;
        std::size_t deed;
        /// Kind and value.
        std::string content;
    };

    void count(std::string_view path, std::uint64_t field, IndexKind kind);
    void add(std::uint64_t field, std::string_view content);
    sdk::Result<void> add_shared();
    void sort_entries();
    void sort_counted();

    const FieldNumber& number_;
    const std::vector<std::string>& unindexed_;
    const EntryForm form_;
    RecordImage image_;
    std::vector<Shared> shared_;
    std::vector<std::string> shape_;
};

/// What a record's bytes say of its entries, all by themselves; `form` is the record's own for
/// most.
sdk::Result<RecordImage> image_of(const Record& record, EntryForm form,
                                  const ImageBuilder::FieldNumber& number,
                                  const std::vector<std::string>& unindexed);

/// Key of all entries of a field, without the kind.
std::string field_prefix(CollectionId collection, std::uint64_t field);
/// The element of an entry that holds a text; the beginning when it is too long.
std::string_view indexed_text(std::string_view text);
/// The same under `cut_text` and `cut_item`.
std::string_view cut_text(std::string_view text);

std::string record_counter(CollectionId collection);
std::string over_indexed_counter(CollectionId collection);
/// Key of one of `RecordImage::counted`.
std::string counter(CollectionId collection, std::string_view counted);
/// Number of records with a value of the kind (`text`, `number` and `flag` only) that are counted
/// by it alone.
std::string field_counter(CollectionId collection, std::uint64_t field, IndexKind kind);
/// What the counters of all fields of a collection begin with.
std::string field_counters(CollectionId collection);
/// What the counters begin with that count records by their shape: which of the server's members
/// they have, and of which kinds. What follows is for `is_in_shape`.
std::string shape_counters(CollectionId collection);
/// Whether records of a shape have a value of the kind.
bool is_in_shape(std::string_view shape, std::uint64_t field, IndexKind kind);
/// A shape without a field.
std::string shape_without(std::string_view shape, std::uint64_t field);

/// Makes the entries of a record those of `after`; an empty image stands for no record. Writes only
/// what differs.
void write_index_changes(sdk::Transaction& transaction, CollectionId collection,
                         std::string_view sequence, const RecordImage& before,
                         const RecordImage& after);

}  // namespace stele::kernel::storage
