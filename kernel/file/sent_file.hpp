#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace stele::kernel::file {

/// Whether so many bytes of an open file from `offset` on can be had without waiting for its disk,
/// as far as some of them show.
bool is_in_memory(int descriptor, std::uint64_t offset, std::size_t count);

/// Waits until so many bytes of an open file are in memory. What cannot be read shows when it is
/// sent.
void bring_into_memory(int descriptor, std::uint64_t offset, std::size_t count);

/// Gives bytes of an open file to a socket that does not wait; answers as sendfile(2) does.
ssize_t send_from_file(int socket, int descriptor, std::uint64_t offset, std::size_t count);

/// Whether the `errno` of `send_from_file` is about the file rather than the socket.
bool is_failure_of_file(int error);

}  // namespace stele::kernel::file
