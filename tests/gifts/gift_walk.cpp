#include "tests/gifts/gift_walk.hpp"

#include <algorithm>

namespace stele::kernel::gifts {

namespace {

using Finding = std::optional<std::string>;

template <class Keys>
std::string place_in(const Keys& keys, const sdk::RecordKey& key) {
    return std::to_string(std::find(keys.begin(), keys.end(), key) - keys.begin());
}

/// After a step: everybody has at most what they had, and what the caller had.
Finding won(const GiftWorld& world, const GiftWorld::Table& before, const GiftWorld::Table& after,
            const sdk::RecordKey& caller) {
    for (const auto& [place, held] : after) {
        const sdk::PermissionSet allowed = before.at(place) | before.at({caller, place.second});
        if (allowed.contains(held)) continue;
        sdk::PermissionSet won = held;
        won -= allowed;
        return "principal " + place_in(world.principals, place.first) + " won " +
               std::to_string(won.bits()) + " on record " + place_in(world.records, place.second);
    }
    return std::nullopt;
}

/// Whoever acts as somebody has what that one has.
Finding taken_over(const GiftWorld& world, const GiftWorld::Table& before,
                   const sdk::RecordKey& caller, const sdk::RecordKey& taken) {
    for (const sdk::RecordKey& record : world.records) {
        if (before.at({caller, record}).contains(before.at({taken, record}))) continue;
        return "the caller took over principal " + place_in(world.principals, taken) +
               " with more rights on record " + place_in(world.records, record);
    }
    return std::nullopt;
}

/// A new principal is in groups by the caller's doing.
Finding given(const GiftWorld& world, const GiftWorld::Table& before, const sdk::RecordKey& caller,
              const sdk::RecordKey& made) {
    const auto reader = GiftServer::instance().services().engine->snapshot();
    for (const sdk::RecordKey& record : world.records) {
        if (before.at({caller, record}).contains(world.permissions(*reader, made, record)))
            continue;
        return "a new principal has more than who made it on record " +
               place_in(world.records, record);
    }
    return std::nullopt;
}

Finding found_by(const GiftWorld& world, const GiftWorld::Table& before,
                 const GiftWorld::Table& after, const sdk::RecordKey& caller, const Taken& taken) {
    Finding found = won(world, before, after, caller);
    if (!found) found = taken.wrong;
    for (const sdk::RecordKey& principal : taken.principals) {
        if (!found) found = taken_over(world, before, caller, principal);
    }
    for (const sdk::RecordKey& made : taken.made) {
        if (!found) found = given(world, before, caller, made);
    }
    return found;
}

}  // namespace

GiftWalk::GiftWalk() {
    server_.jobs().start_running();
}

GiftWalk::~GiftWalk() {
    server_.jobs().stop();
}

const GiftWorld& GiftWalk::cast(unsigned number) {
    if (cast_ && cast_number_ == number) {
        to_cast_.back();
        return *cast_;
    }
    if (cast_) {
        to_nothing_.back();
    } else {
        to_nothing_.mark();
    }
    std::mt19937 random(number);
    cast_.emplace(random);
    cast_number_ = number;
    to_cast_.mark();
    return *cast_;
}

std::optional<std::string> GiftWalk::sequence(unsigned number) {
    std::mt19937 random(number);
    GiftWorld world(cast(number / kSequencesByCast));
    world.deal(random);
    GiftSteps steps(world, random);
    GiftWorld::Table before = world.table();
    std::string story;
    for (int step = 0; step < kSteps; ++step) {
        const Person& caller = world.users[random() % 2 == 0 ? 0 : random() % world.actor_count()];
        const auto taken = steps.take(caller);
        if (!taken) continue;
        story += "\n  " + steps.told();
        GiftWorld::Table after = world.table();
        if (const Finding found = found_by(world, before, after, caller.key(), *taken))
            return "sequence " + std::to_string(number) + ": " + *found +
                   "; of the steps succeeded:" + story;
        before = std::move(after);
    }
    return std::nullopt;
}

}  // namespace stele::kernel::gifts
