#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <stele/sdk/result.hpp>

namespace stele::archives {

/// Room on disk for packages that are being made or downloaded. Each person has as much of it as
/// one package may have, and all of them together have four times as much. Outlives its shares. Any
/// thread.
class PackageRoom {
public:
    explicit PackageRoom(std::uint64_t most_of_one) : most_of_one_(most_of_one) {}

    /// What one package takes up, until it goes. One thread.
    class Share {
    public:
        Share(PackageRoom& room, std::string holder) : room_(&room), holder_(std::move(holder)) {}
        ~Share();
        Share(Share&& other) noexcept;
        Share& operator=(Share&&) = delete;

        /// `too_large` (`archives.package_too_large`) for more than one package may have, `limited`
        /// (`archives.packages_busy`) where others take up the rest.
        sdk::Result<void> take(std::uint64_t bytes);

    private:
        PackageRoom* room_;
        std::string holder_;
        std::uint64_t taken_ = 0;
    };

private:
    sdk::Result<void> take(const std::string& holder, std::uint64_t bytes, std::uint64_t of_share);
    void give_back(const std::string& holder, std::uint64_t bytes);

    const std::uint64_t most_of_one_;
    std::mutex mutex_;
    std::uint64_t taken_ = 0;
    std::map<std::string, std::uint64_t> taken_by_;
};

}  // namespace stele::archives
