#include "capture_transport.hpp"

#include <fstream>

#include <unistd.h>

#include <stele/sdk/time.hpp>

namespace stele::email_providers {

namespace {

sdk::Error failed(const std::filesystem::path& path, const std::string& problem) {
    return sdk::make_error(sdk::ErrorKind::unavailable, "email_providers.capture_failed",
                           "the folder that captures mails cannot be written",
                           path.string() + ": " + problem);
}

std::string envelope_of(const MailMessage& message) {
    std::string lines = "X-Stele-Envelope-From: " + message.sender + "\r\n";
    for (const std::string& recipient : message.recipients)
        lines += "X-Stele-Envelope-To: " + recipient + "\r\n";
    return lines;
}

}  // namespace

sdk::Result<void> CaptureTransport::prepare() const {
    std::error_code problem;
    std::filesystem::create_directories(folder_, problem);
    if (problem) return failed(folder_, problem.message());
    if (::access(folder_.c_str(), W_OK | X_OK) != 0) {
        return failed(folder_, std::generic_category().message(errno));
    }
    return {};
}

sdk::Result<Delivery> CaptureTransport::deliver(const MailAccount&, const MailMessage& message) {
    const std::string local_id = message.id.substr(0, message.id.find('@'));
    Delivery delivery;
    delivery.captured_as = std::to_string(sdk::now_ms()) + "-" + local_id + ".eml";
    const std::filesystem::path file = folder_ / delivery.captured_as;
    const std::filesystem::path unfinished = folder_ / ("." + delivery.captured_as);
    std::ofstream stream(unfinished, std::ios::binary);
    stream << envelope_of(message) << message.bytes;
    stream.close();
    if (!stream) return failed(unfinished, "writing failed");
    std::error_code problem;
    // Who watches the folder never sees half a mail.
    std::filesystem::rename(unfinished, file, problem);
    if (problem) return failed(file, problem.message());
    return delivery;
}

}  // namespace stele::email_providers
