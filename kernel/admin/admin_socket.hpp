#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include <stele/sdk/json.hpp>
#include <stele/sdk/result.hpp>

/// How `stele backup` and its like reach the server that has the store open: a socket in the data
/// folder, which only the owner of the folder can open (docs/decisions/0012). One line of JSON
/// asks; frames answer: kind (one byte), length (four bytes, little endian), content.
namespace stele::kernel::admin {

/// What a command sends before it ends; waits for the reader.
using Output = std::function<sdk::Result<void>(std::string_view bytes)>;

struct CommandCall {
    const sdk::Json& request;
    const Output& output;
    /// The server is about to end: return soon, with any failure.
    std::function<bool()> must_stop;
};

/// What it answers is the end of the conversation, an object.
using Command = std::function<sdk::Result<sdk::Json>(const CommandCall&)>;

/// Serves commands on a thread of its own, one at a time.
class AdminServer {
public:
    AdminServer(std::filesystem::path data, std::map<std::string, Command> commands);
    ~AdminServer();

    sdk::Result<void> start();
    /// Breaks off what is under way.
    void stop();

private:
    class Socket;

    void run();
    void serve(int descriptor);
    sdk::Result<sdk::Json> answer(const sdk::Json& request, const Output& output);

    const std::filesystem::path data_;
    const std::map<std::string, Command> commands_;
    std::unique_ptr<Socket> socket_;
};

/// Asks the server that serves the store of a data folder. `not_found` (`admin.not_served`) when
/// there is none. What the command sends goes to `output`.
sdk::Result<sdk::Json> ask_server(const std::filesystem::path& data, const sdk::Json& request,
                                  const Output& output);

}  // namespace stele::kernel::admin
