// bench_log_size <folder of the store>
//
// Entries that the log of a store holds, replaced ones among them, and the log's bytes. So much
// must a benchmark of raw LevelDB write to write the same. Whoever opens the store empties its log.

#include <leveldb/dumpfile.h>
#include <leveldb/env.h>

#include <cstdio>
#include <filesystem>

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

}  // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: bench_log_size <folder of the store>\n", stderr);
        return 2;
    }
    EntryCounter logged;
    unsigned long long bytes = 0;
    for (const auto& file : std::filesystem::directory_iterator(argv[1])) {
        if (file.path().extension() != ".log") continue;
        const leveldb::Status status =
            DumpFile(leveldb::Env::Default(), file.path().string(), &logged);
        if (!status.ok()) {
            std::fprintf(stderr, "%s\n", status.ToString().c_str());
            return 1;
        }
        bytes += file.file_size();
    }
    std::printf("%llu %llu\n", logged.entries(), bytes);
    return 0;
}
