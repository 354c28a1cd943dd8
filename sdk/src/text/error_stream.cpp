#include <ostream>

#include <stele/sdk/error.hpp>

namespace stele::sdk {

std::ostream& operator<<(std::ostream& stream, const Error& error) {
    return stream << error.code << ": " << error.message;
}

}  // namespace stele::sdk
