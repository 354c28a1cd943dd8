#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <stele/sdk/result.hpp>

namespace stele::sdk {

/// Keys from `begin` up to, not including, `end`. An empty `end` means no upper bound.
struct KeyRange {
    std::string begin;
    std::string end;
};

/// The range of one key.
KeyRange only_key(std::string_view key);

enum class ScanDirection { forward, backward };

/// Walks the entries of a range in key order. One thread at a time. Keys and values are valid until
/// the next call. Must not outlive the reader that made it.
class Cursor {
public:
    virtual ~Cursor();
    virtual bool is_valid() const = 0;
    virtual std::string_view key() const = 0;
    virtual std::string_view value() const = 0;
    virtual void next() = 0;
    /// Moves to the first entry at or beyond `key` in scan direction, inside the range.
    virtual void seek(std::string_view key) = 0;
    /// The failure that made the cursor invalid before its end; success otherwise.
    virtual Result<void> status() const = 0;
};

class EngineBinaries;
class RoomKeeper;
class SharedEngine;
class Transaction;

/// A consistent picture of the store. One thread at a time; several readers may coexist.
class Reader {
public:
    virtual ~Reader();
    /// The value of `key`, or nothing. Fails with `unavailable` or `internal` when the store does.
    virtual Result<std::optional<std::string>> get(std::string_view key) const = 0;
    /// Like `get`, into a buffer that the caller reuses; answers whether the key exists.
    virtual Result<bool> get_into(std::string_view key, std::string& value) const = 0;
    virtual std::unique_ptr<Cursor> scan(KeyRange range, ScanDirection direction) const = 0;
    /// How many entries the range has. `step` is called for each that is counted; its failure ends
    /// the count and is the answer. Who remembers the number calls it not at all.
    virtual Result<std::uint64_t> count(const KeyRange& range,
                                        const std::function<Result<void>()>& step) const;
    /// Gets without the promise of serializability: a later change of `key` is no conflict of the
    /// transaction that this is or reads for. For what only chooses a way, and changes nothing that
    /// is answered or written.
    virtual Result<std::optional<std::string>> peek(std::string_view key) const { return get(key); }
    /// The number of the state that it shows, for whoever remembers what was read: two readers of
    /// one engine with the same number show the same. Nothing from engines that do not number
    /// their states, and from transactions that have written.
    virtual std::optional<std::uint64_t> state() const { return std::nullopt; }
    /// For whoever knows what a key or a range shows here: in a transaction a later change there is
    /// a conflict, as if it had been read; elsewhere nothing happens.
    virtual Result<void> note_get(std::string_view /*key*/) const { return {}; }
    virtual Result<void> note_scan(KeyRange /*range*/) const { return {}; }
    /// Whether a look may take a round trip to another machine, so that it is better told before.
    virtual bool is_distant() const { return false; }
    /// What will be read soon, keys (`only_key`) and the first entries of ranges: what is
    /// `is_distant` looks for all of it at once. No more than a hint: nothing counts as read, and
    /// what fails shows when it is read.
    virtual void expect(const std::vector<KeyRange>& /*ranges*/) const {}
    /// The transaction that it is; null for a snapshot. What a transaction has written others do
    /// not see, and may never see: whoever remembers what was read asks for it.
    virtual const Transaction* as_transaction() const { return nullptr; }
};

/// Eight bytes of a key or value in which a commit writes the number that it gives, big-endian.
struct StampPlace {
    std::size_t offset = 0;
    /// The complement of the number: what was committed last sorts first.
    bool is_descending = false;
};

/// An entry that holds a number which only its commit knows. What stands in the places before does
/// not matter.
struct StampedPut {
    std::string_view key;
    std::string_view value;
    std::optional<StampPlace> in_key = {};
    std::optional<StampPlace> in_value = {};
    /// Added to the stamp, for whoever needs several numbers of a counter in one transaction.
    std::uint64_t step = 0;
};

/// Reads at a snapshot, sees its own writes, commits all or nothing. Serializable: a commit fails
/// with `conflict` and code `engine.conflict` when a key or range that the transaction has read was
/// changed by another since. One thread at a time. Destroying it without a commit drops it.
class Transaction : public Reader {
public:
    virtual void put(std::string_view key, std::string_view value) = 0;
    virtual void remove(std::string_view key) = 0;
    /// Removes every key of the range that exists at commit.
    virtual void remove_range(KeyRange range) = 0;
    /// Adds to a counter (eight bytes, see `read_counter`) without reading it: two transactions
    /// that add to the same counter never conflict.
    virtual void add(std::string_view key, std::int64_t delta) = 0;
    /// The same, but where that makes the counter greater than `most`, the commit fails with
    /// `conflict`, or this does when the transaction sees it already. Whoever repeats after a
    /// conflict sees the counter as it is and decides. Transactions that stay within their bounds
    /// do not conflict; the default body reads the counter, and so conflicts with everybody who
    /// adds to it. What does not grow is not bounded. Not for a counter that this transaction has
    /// put.
    virtual Result<void> add_within(std::string_view key, std::int64_t delta, std::int64_t most);
    /// The commit adds 1 to `counter` and puts the entry with the sum, the stamp, in its places.
    /// Stamps of a counter follow the order of the commits, without gaps, and transactions that
    /// take them do not conflict. A transaction takes one stamp of a counter for all its puts, and
    /// the numbers up to the highest step of theirs, which the commit adds, too; until the commit
    /// it sees them with numbers above all that were given, each step with one of its own.
    /// `add_within` with a delta of 0 bounds the last number. Not for a counter that this
    /// transaction puts or removes.
    virtual void put_stamped(std::string_view counter, const StampedPut& put) = 0;
    /// The stamp that the commit gave, that of step 0: from when `done` is called with success;
    /// otherwise nothing.
    virtual std::optional<std::uint64_t> stamp(std::string_view counter) const = 0;
    Result<std::optional<std::string>> peek(std::string_view key) const override = 0;
    /// The default bodies read.
    Result<void> note_get(std::string_view key) const override;
    Result<void> note_scan(KeyRange range) const override;
    const Transaction* as_transaction() const final { return this; }

    virtual bool has_writes() const = 0;
    /// Keys that will be put or removed soon, for a transaction that looks at them first: a hint,
    /// as `expect` is.
    virtual void expect_writes(const std::vector<std::string>& /*keys*/) {}

    /// Before the commit: it may use what the engine holds back on its disk. For what must go on
    /// when the disk is full, which is whatever makes room, and the way to it. Of engines that hold
    /// nothing back nothing is wanted.
    virtual void set_urgent() {}

    using Done = std::function<void(Result<void>)>;

    /// Commits; `done` is called exactly once, on a thread of the engine, when everything is on
    /// disk and visible to every later reader, or nothing is. `done` must be short and must not
    /// block. The transaction must stay alive until then and must not be used afterwards, but for
    /// `stamp`.
    virtual void commit(Done done) = 0;
};

/// Called once a commit is visible and before it is acknowledged, with the keys that it wrote under
/// the observed prefix. No reader or transaction that shows the commit is handed out before the
/// observers have returned; an engine that several servers share tells each of them what the others
/// have committed. Runs on the engine's thread, or on the one that begins to read: short, no
/// blocking, no engine calls.
struct CommitNotice {
    /// Valid during the call.
    const std::vector<std::string_view>& keys;
    /// Any key may have been written, and `keys` is empty: the engine has lost track of what other
    /// servers committed. Whoever remembers something of the store must forget it.
    bool is_everything = false;
};
using CommitObserver = std::function<void(const CommitNotice&)>;

/// An ordered key-value store with serializable transactions (docs/specification/architecture.md
/// 4). Any thread.
class Engine {
public:
    virtual ~Engine();
    /// Both show the state of this very moment, not that of the first read.
    virtual std::unique_ptr<Reader> snapshot() = 0;
    virtual std::unique_ptr<Transaction> begin() = 0;
    /// True when reads and commits never wait for another machine, so that short operations may run
    /// on the thread that serves the connection.
    virtual bool is_local() const = 0;
    /// Observes commits under `prefix`, until the engine ends. Only before serving begins.
    virtual void observe(std::string prefix, CommitObserver observer) = 0;
    /// Estimated bytes on disk of a range.
    virtual std::uint64_t approximate_size(const KeyRange& range) = 0;
    /// Success while the store can be reached; otherwise why not. Does not wait.
    virtual Result<void> status() const;

    /// What an engine can do beyond that; null where it cannot.
    virtual SharedEngine* as_shared() { return nullptr; }
    virtual EngineBinaries* binaries() { return nullptr; }
    virtual RoomKeeper* room_keeper() { return nullptr; }
};

/// An engine that keeps the room of removed entries until it gets round to it.
class RoomKeeper {
public:
    virtual ~RoomKeeper();
    /// Gives the disk back what was removed since the last call. Reads and writes a multiple of it;
    /// waits. `must_stop` is asked between steps.
    virtual void give_back_room(const std::function<bool()>& must_stop) = 0;
    /// Whether somebody waits for it.
    virtual bool is_room_wanted() const = 0;
};

/// The number in a counter's stored bytes; 0 for an absent one.
std::int64_t read_counter(const std::optional<std::string>& bytes);
/// The stored bytes of a counter.
std::string counter_bytes(std::int64_t value);

/// Writes a stamp into its place.
void stamp_bytes(std::string& bytes, const StampPlace& place, std::uint64_t stamp);
/// `bytes` with a stamp in its place, if it has one.
std::string stamped_bytes(std::string_view bytes, const std::optional<StampPlace>& place,
                          std::uint64_t stamp);

/// Commits and waits. Never call it on a thread that serves connections.
Result<void> commit_and_wait(Transaction& transaction);

/// Runs `work` in a new transaction and commits, again from the start after a conflict, at most
/// `attempts` times; then `unavailable` with code `engine.busy`. Waits: not on a serving thread.
Result<void> write_with_retry(Engine& engine, const std::function<Result<void>(Transaction&)>& work,
                              int attempts = 64);

}  // namespace stele::sdk
