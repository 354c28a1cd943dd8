#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "kernel/http/connection/connection_context.hpp"
#include "kernel/http/connection/connection_stream.hpp"
#include "kernel/http/message/message.hpp"
#include "kernel/http/message/request_parser.hpp"
#include "kernel/http/message/stages.hpp"

namespace stele::sdk {
struct Error;
}

namespace stele::kernel::http {

struct HeadFacts;

/// One client's connection and, at the same time, the exchange of its present request: reads
/// requests, gives them to the handler strictly one after another, writes the answers. How bytes
/// travel (plain or TLS) is behind the protected virtual functions.
///
/// All of it runs on the context's thread, except `answer`.
class Connection : public Exchange {
public:
    Connection(std::shared_ptr<ConnectionContext> context, std::string remote_address);

    const Request& request() const final { return parser_.request(); }
    void answer(Response&& response) final;
    void accept_body() final;
    void note_route(const std::string& pattern) final { route_ = pattern; }

    /// The other end, which may be a proxy.
    const std::string& peer_address() const { return remote_address_; }
    /// Begins to serve; with `is_refused` every request is answered 503.
    void start(bool is_refused);
    /// Ends what has taken too long; called about once a second.
    void sweep(std::int64_t now);
    /// Closes when idle; a request that runs is still answered.
    void drain();
    /// Closes now.
    void abort();

protected:
    /// Pieces of one write, in order; some may be empty.
    using Pieces = std::array<std::string_view, 3>;

    std::shared_ptr<Connection> self();
    /// To be called once the transport is ready to carry requests.
    void on_open(bool is_open);
    void on_read(bool is_good, std::size_t count);
    void on_written(bool is_good, std::size_t count);

    virtual void open() = 0;
    virtual void read_into(std::span<char> space) = 0;
    /// Sends what goes without waiting; nothing when the connection broke. When `more_follows` at
    /// once, a small piece may wait for it.
    virtual std::optional<std::size_t> write_now(const Pieces& pieces, bool more_follows) = 0;
    virtual void write_later(const Pieces& pieces) = 0;
    /// Whether the bytes of files go out as they are, by the two below.
    virtual bool can_send_files() const = 0;
    /// Sends what goes without waiting for the peer; as sendfile(2) answers.
    virtual ssize_t write_from(int descriptor, std::uint64_t offset, std::size_t count) = 0;
    /// Leads to `on_written`, with no bytes.
    virtual void wait_until_writable() = 0;
    /// Whether the peer must be told that nothing more comes (TLS), also when it knows from HTTP.
    virtual bool needs_farewell() const = 0;
    /// Tells the peer that nothing more comes. False when the transport reads by itself what still
    /// arrives and reports the end by `on_read`.
    virtual bool end_sending() = 0;
    /// With `is_reset` the peer sees an error rather than an end.
    virtual void close_transport(bool is_reset) = 0;
    /// Whether the peer has ended or broken the connection, asked of the system without reading.
    virtual bool is_peer_gone() = 0;

private:
    enum class Phase {
        opening,
        receiving,
        admitting,
        waiting,
        storing,
        handling,
        streaming,
        ending,
        lingering,
        closed
    };
    static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

    // connection.cpp: reading, handling, ending
    void run();
    void run_phases();
    bool receive();
    bool on_header();
    void welcome_body();
    void begin_exchange();
    void dispatch();
    /// `stage` is the first one that the question leads to.
    void ask_handler(void (RequestHandler::*question)(Exchange&), const stages::Stage& stage);
    void notify_answered();
    bool take_answer();
    void begin_next();
    void start_read();
    void fail(int status, std::string code, std::string message);
    void fail(const sdk::Error& error, int status);
    bool end();
    void close(bool is_reset = false);
    void on_read_deadline();

    // connection_body.cpp: whose large bodies are read, and when there is memory for them
    void ask_admission();
    bool take_admission();
    void claim_room(std::size_t bytes);
    std::size_t upload_room();
    bool needs_more_room() const;
    bool take_room();
    void give_up_room();
    void release_body();
    bool waits_for_reader();
    void hold_reply();

    // connection_upload.cpp: bodies that are read piece by piece
    void begin_upload();
    bool take_piece();
    bool store_piece();
    void on_stored(sdk::Result<void> stored);

    // connection_log.cpp: the access log, and who the client is
    void note_reply(bool is_aborted);
    void find_client();
    std::string caller() const;

    // connection_reply.cpp: rendering and writing
    void deliver(Response&& response);
    void deliver_body(Response&& response, HeadFacts& facts);
    bool compress_elsewhere(Response& response);
    void begin_stream(Response&& response, const HeadFacts& facts);
    bool stream();
    bool pull_piece(StreamedReply& reply);
    void on_piece();
    bool send_piece(StreamedReply& reply);
    void append_stream_head(StreamedReply& reply);
    void end_stream_badly(const sdk::Error& error);
    void finish_reply();
    HeadFacts facts_of(const Response& response) const;
    bool has_pending_output() const;
    std::string_view body() const { return shared_body_ ? *shared_body_ : body_; }
    bool flush(bool more_follows = false);
    void await_reader();

    // connection_file.cpp: downloads that go out from their file
    bool send_file(StreamedReply& reply);
    bool on_file_not_sent(StreamedReply& reply, int error);

    std::shared_ptr<ConnectionContext> context_;
    std::string remote_address_;
    RequestParser parser_;
    Phase phase_ = Phase::opening;
    bool is_reading_ = false;
    bool is_writing_ = false;
    bool is_running_ = false;
    bool is_in_handler_ = false;
    bool is_refused_ = false;
    bool closes_after_reply_ = false;
    bool lingers_ = false;
    std::int64_t read_deadline_ = kNever;
    std::int64_t write_deadline_ = kNever;
    std::size_t discarded_ = 0;

    // What the access log says of the present request.
    std::string_view route_;
    sdk::SessionPtr session_;
    std::uint64_t reply_bytes_ = 0;
    std::uint64_t reply_head_bytes_ = 0;
    int reply_status_ = 0;
    bool is_unlogged_ = false;  ///< a request is here whose line is not written

    /// Memory that a large body counts for, until it is answered.
    std::unique_ptr<BodyMemory::Room> room_;
    /// The same of a reply that waits for its reader.
    std::unique_ptr<BodyMemory::Room> reply_room_;

    // The body that comes in pieces; a worker owns both while it stores a piece.
    std::shared_ptr<UploadSpool> upload_;
    /// When the wait for the present piece began, and how long it may take.
    std::int64_t piece_since_ = 0;
    std::int64_t upload_patience_ = 0;
    std::string piece_;
    bool is_storing_ = false;

    /// Set while the handler owes an answer; whoever clears it gives the answer.
    std::atomic<bool> awaits_answer_{false};
    /// Written by the answering thread before it posts, read by ours afterwards.
    std::optional<Response> answer_;
    bool is_answered_ = false;

    std::string out_;   ///< heads and small bodies
    std::string body_;  ///< a large body, sent from where it is
    /// In place of `body_`: one that others send, too.
    std::shared_ptr<const std::string> shared_body_;
    std::string_view tail_;  ///< what ends a chunk
    std::size_t sent_ = 0;   ///< bytes of what is to be sent that are gone
    std::unique_ptr<StreamedReply> stream_;
};

}  // namespace stele::kernel::http
