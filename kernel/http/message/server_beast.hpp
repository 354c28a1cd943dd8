#pragma once

// Asio and Beast are compiled once, in server_beast.cpp: every inclusion costs seconds. Every
// source that includes any of their headers includes this one first.
#define BOOST_ASIO_SEPARATE_COMPILATION
#define BOOST_BEAST_SEPARATE_COMPILATION

// The thread sanitizer does not know fences, and says so as a warning. Between threads only `post`
// carries anything, and that takes a lock.
#ifdef __SANITIZE_THREAD__
#define BOOST_ASIO_DISABLE_FENCED_BLOCK
#endif
