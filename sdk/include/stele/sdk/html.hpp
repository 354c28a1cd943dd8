#pragma once

#include <string>
#include <string_view>

namespace stele::sdk {

/// The text as it is written in HTML, between tags as well as in quoted attributes. Any thread.
std::string html_escaped(std::string_view text);

}  // namespace stele::sdk
