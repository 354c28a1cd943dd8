#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <stele/sdk/unnamed_file.hpp>

namespace stele::sdk::zip {

/// Pairs of numbers that are sorted when all of them are known: where a folder for files without
/// names is given, some 64,000 of them in memory and the others there. One thread; failures are
/// those of `UnnamedFile`.
class SortedRows {
public:
    struct Row {
        std::uint64_t first = 0;
        std::uint64_t second = 0;

        auto operator<=>(const Row&) const = default;
    };

    /// An empty folder: all are in memory. `has_each_once`: of those with one first number only the
    /// lowest is kept.
    explicit SortedRows(std::filesystem::path folder, bool has_each_once = false)
        : folder_(std::move(folder)), has_each_once_(has_each_once) {}

    Result<void> add(const Row& row);
    /// How many were added, and not dropped by a sorting since.
    std::uint64_t size() const { return spilled_ + waiting_.size(); }
    /// To be called before anything is asked for; more may be added then and sorted again.
    Result<void> sort();

    /// One after another, in their order; the rows outlive it and stay as they are.
    class Reading {
    public:
        /// Nothing at the end.
        Result<std::optional<Row>> next();

    private:
        friend class SortedRows;
        Reading(const UnnamedFile* file, std::uint64_t begin, std::uint64_t end, std::size_t piece)
            : file_(file), begin_(begin), end_(end), piece_bytes_(piece) {}

        const UnnamedFile* file_;
        /// Of what is still to be read.
        std::uint64_t begin_;
        std::uint64_t end_;
        std::size_t piece_bytes_;
        std::string piece_;
        std::size_t at_ = 0;
        /// Where nothing is in a file.
        const std::vector<Row>* rows_ = nullptr;
    };
    Reading read() const;

    /// In their order, until `visit` answers false.
    Result<void> for_each(const std::function<Result<bool>(const Row& row)>& visit) const;
    /// The same of those that are this one or come behind it.
    Result<void> for_each_from(const Row& row,
                               const std::function<Result<bool>(const Row& row)>& visit) const;
    /// The first of these.
    Result<std::optional<Row>> first_from(const Row& row) const;

private:
    /// Rows of the file that lie in their order.
    struct Run {
        std::uint64_t begin = 0;
        std::uint64_t end = 0;
    };
    void sort_waiting();
    Result<void> spill();
    Result<void> merge();
    Result<void> keep(UnnamedFile& file, const Row& row);
    /// Place among the rows of a page.
    static std::size_t first_in(const std::string& page, const Row& row);

    std::filesystem::path folder_;
    bool has_each_once_;
    std::vector<Row> waiting_;
    std::optional<UnnamedFile> file_;
    std::vector<Run> runs_;
    std::uint64_t spilled_ = 0;
    /// The first row of each page of the sorted file.
    std::vector<Row> pages_;
};

}  // namespace stele::sdk::zip
