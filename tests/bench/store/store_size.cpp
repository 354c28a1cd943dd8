// bench_store_size <folder of the store>
//
// Entries of a store that is not being served, and their bytes: what a benchmark of raw LevelDB
// must write to write the same.

#include <leveldb/db.h>

#include <cstdio>
#include <memory>

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: bench_store_size <folder of the store>\n", stderr);
        return 2;
    }
    leveldb::DB* opened = nullptr;
    const leveldb::Status status = leveldb::DB::Open({}, argv[1], &opened);
    const std::unique_ptr<leveldb::DB> store(opened);
    if (!status.ok()) {
        std::fprintf(stderr, "%s\n", status.ToString().c_str());
        return 1;
    }
    unsigned long long entries = 0;
    unsigned long long bytes = 0;
    const std::unique_ptr<leveldb::Iterator> entry(store->NewIterator({}));
    for (entry->SeekToFirst(); entry->Valid(); entry->Next()) {
        ++entries;
        bytes += entry->key().size() + entry->value().size();
    }
    std::printf("%llu %llu\n", entries, bytes);
    return entry->status().ok() ? 0 : 1;
}
