// bench_store_size <folder of the store>
//
// Of a store that is not being served: its entries and their bytes, then the entries that its log
// holds, replaced ones among them, and the log's bytes. So much must a benchmark of raw LevelDB
// write to write the same.

#include <leveldb/db.h>
#include <leveldb/dumpfile.h>
#include <leveldb/env.h>

#include <cstdio>
#include <filesystem>
#include <memory>

namespace {

/// Counts the entries of a log, whose dump has a line for each.
class EntryCounter final : public leveldb::WritableFile {
public:
    leveldb::Status Append(const leveldb::Slice& line) override {
        if (line.starts_with("  put '") || line.starts_with("  del '")) ++entries_;
        return leveldb::Status::OK();
    }
    leveldb::Status Close() override { return leveldb::Status::OK(); }
    leveldb::Status Flush() override { return leveldb::Status::OK(); }
    leveldb::Status Sync() override { return leveldb::Status::OK(); }
    unsigned long long entries() const { return entries_; }

private:
    unsigned long long entries_ = 0;
};

bool fails(const leveldb::Status& status) {
    if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return !status.ok();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: bench_store_size <folder of the store>\n", stderr);
        return 2;
    }
    // Whoever opens the store empties its log.
    EntryCounter logged;
    unsigned long long logged_bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(argv[1])) {
        if (file.path().extension() != ".log") continue;
        if (fails(DumpFile(leveldb::Env::Default(), file.path().string(), &logged))) return 1;
        logged_bytes += file.file_size();
    }
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open({}, argv[1], &opened);
    const std::unique_ptr<leveldb::DB> store(opened);
    if (fails(status)) return 1;
    unsigned long long entries = 0;
    unsigned long long bytes = 0;
    const std::unique_ptr<leveldb::Iterator> entry(store->NewIterator({}));
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
        ++entries;
        bytes += entry->key().size() + entry->value().size();
    }
    if (fails(entry->status())) return 1;
    std::printf("%llu %llu %llu %llu\n", entries, bytes, logged.entries(), logged_bytes);
    return 0;
}
