#include "tests/resource/resource_fixture.hpp"

#include <algorithm>

#include "kernel/resource/registration/registration.hpp"
#include "sdk/testing/memory_engine.hpp"

namespace stele::kernel::resource::testing {

namespace {

/// A family of which only the place is of interest.
class PlacedFamily final : public sdk::Resource {
public:
    explicit PlacedFamily(sdk::ResourceDescriptor descriptor)
        : descriptor_(std::move(descriptor)) {}
    sdk::ResourceDescriptor describe() const override { return descriptor_; }
    sdk::Result<void> present(const sdk::Call& call, sdk::Json& record) override {
        record["shouted"] = call.parameter("shout").value_or("");
        if (const auto carved = call.parameter("carve")) {
            sdk::Context& context = call.context();
            context.transaction().put(context.key_space("libraries.carved"), *carved);
        }
        return {};
    }

private:
    sdk::ResourceDescriptor descriptor_;
};

sdk::ResourceDescriptor family(std::string type, std::string container, std::string path) {
    sdk::ResourceDescriptor descriptor;
    descriptor.type = type;
    descriptor.container = std::move(container);
    descriptor.path = std::move(path);
    descriptor.placeholder = type + "Id";
    descriptor.presented_by = {"shout", "carve"};
    if (descriptor.container != kPlatformType)
        descriptor.container_member = descriptor.container + "Id";
    return descriptor;
}

std::vector<std::string> segments_of(std::string_view path) {
    std::vector<std::string> segments;
    while (!path.empty()) {
        path.remove_prefix(1);
        const std::size_t slash = std::min(path.find('/'), path.size());
        segments.emplace_back(path.substr(0, slash));
        path.remove_prefix(slash);
    }
    return segments;
}

TestRequest::Parameters parameters_of(std::string_view query) {
    TestRequest::Parameters parameters;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        const std::size_t equals = pair.find('=');
        parameters.emplace_back(pair.substr(0, equals), pair.substr(equals + 1));
        query.remove_prefix(std::min(pair.size() + 1, query.size()));
    }
    return parameters;
}

/// The values of the placeholders; false when the path is another one.
bool matches(const Route& route, std::string_view path, std::vector<std::string>& values) {
    const std::vector<std::string> wanted = segments_of(route.path);
    const std::vector<std::string> sent = segments_of(path);
    if (wanted.size() != sent.size()) return false;
    values.clear();
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        if (wanted[i].front() == '{') {
            values.push_back(sent[i]);
        } else if (wanted[i] != sent[i]) {
            return false;
        }
    }
    return true;
}

}  // namespace

void expect(const sdk::Result<void>& result) {
    if (!result) throw std::runtime_error(result.error().code + ": " + result.error().message);
}

sdk::Result<sdk::Principal> TestDirectory::find(sdk::Context&, std::string_view form,
                                                std::string_view) {
    for (const sdk::Principal& principal : principals) {
        if (principal.id == form) return principal;
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "principal.unknown", "no such principal");
}

sdk::Result<sdk::Principal> TestDirectory::describe(sdk::Context&, const sdk::RecordKey& key) {
    for (const sdk::Principal& principal : principals) {
        if (principal.key == key) return principal;
    }
    return sdk::make_error(sdk::ErrorKind::not_found, "principal.unknown", "no such principal");
}

sdk::Result<bool> TestDirectory::can_log_in(sdk::Context&, const sdk::Principal& user) {
    return user.enabled && !locked_out.contains(user.key);
}

TestRequest::TestRequest(Services& services, const Route& route, std::vector<std::string> values,
                         Parameters parameters, sdk::SessionPtr session, sdk::Json body)
    : raw_body_(sdk::dump_json(body)), context_(services, session), call_(context_, input_) {
    input_.route = &route;
    input_.values = std::move(values);
    input_.parameters = std::move(parameters);
    input_.raw_body = raw_body_;
    input_.header = [](std::string_view) { return std::optional<std::string_view>(); };
    input_.method = route.method;
    input_.session = std::move(session);
}

void TestRequest::send(std::string body, std::string content_type) {
    raw_body_ = std::move(body);
    content_type_ = std::move(content_type);
    input_.raw_body = raw_body_;
    input_.header = [this](std::string_view name) {
        return name == "Content-Type" ? std::optional<std::string_view>(content_type_)
                                      : std::nullopt;
    };
}

sdk::Result<sdk::Reply> TestRequest::run() {
    std::optional<sdk::Reply> reply;
    if (auto done = execute(call_, reply); !done) return done.error();
    return *std::move(reply);
}

sdk::Result<void> TestRequest::commit() {
    return sdk::commit_and_wait(context_.transaction());
}

ResourceFixture::ResourceFixture(std::vector<std::unique_ptr<sdk::Resource>> more)
    : services(std::make_unique<sdk::testing::MemoryEngine>(),
               sdk::Sealer(std::string(sdk::Sealer::kKeySize, 'k'))) {
    add_kernel_families(services.registry);
    const auto add = [this](sdk::ResourceDescriptor descriptor) {
        expect(add_family(services.registry, "libraries",
                          std::make_unique<PlacedFamily>(std::move(descriptor))));
    };
    add(family("reader", kPlatformType, "readers"));
    add(family("library", kPlatformType, "libraries"));
    add(family("shelf", "library", "shelves"));
    add(family("book", "shelf", "books"));
    for (std::unique_ptr<sdk::Resource>& one : more)
        expect(add_family(services.registry, "more", std::move(one)));
    expect(freeze(services.registry));
    expect(sdk::write_with_retry(*services.engine, [this](sdk::Transaction& transaction) {
        auto made = services.platforms.create(transaction, "Test");
        return made ? sdk::Result<void>() : sdk::Result<void>(made.error());
    }));
    system_ =
        std::make_shared<const sdk::Session>(system_session(value_of(services.platforms.root())));
    services.principals = &directory;
}

sdk::SessionPtr ResourceFixture::make_user(const std::string& id) {
    sdk::Session session;
    session.platform = platform();
    session.principal.key = create({"reader", ""}, {{"_doc", id}});
    session.principal.id = id;
    session.principal.name = "name of " + id;
    session.principal.email = id + "@example.org";
    session.principal.domain_id = "default";
    directory.principals.push_back(session.principal);
    const auto shared = std::make_shared<const sdk::Session>(std::move(session));
    grant(platform().root, shared, "connector");
    return shared;
}

void ResourceFixture::as_system(const std::function<sdk::Result<void>(sdk::Context&)>& work) {
    expect(run_as_system(services, platform(), work));
}

sdk::RecordKey ResourceFixture::create(const sdk::CollectionName& collection, sdk::Json fields) {
    sdk::RecordKey key;
    as_system([&](sdk::Context& context) -> sdk::Result<void> {
        auto created = context.documents().create(collection, fields);
        if (!created) return created.error();
        key = created->key;
        return {};
    });
    return key;
}

void ResourceFixture::grant(const sdk::RecordKey& record, const sdk::SessionPtr& user,
                            std::string_view role, bool is_deep) {
    as_system([&](sdk::Context& context) {
        return context.authorities().grant(record, user->principal.key, role, is_deep);
    });
}

void ResourceFixture::revoke(const sdk::RecordKey& record, const sdk::SessionPtr& user,
                             std::string_view role) {
    as_system([&](sdk::Context& context) {
        return context.authorities().revoke(record, user->principal.key, role);
    });
}

std::unique_ptr<TestRequest> ResourceFixture::begin(const sdk::SessionPtr& session,
                                                    std::string_view method, std::string_view path,
                                                    sdk::Json body) {
    const std::size_t end = std::min(path.find('?'), path.size());
    const std::string_view query = path.substr(std::min(end + 1, path.size()));
    std::vector<std::string> values;
    for (const Route& route : services.registry.routes()) {
        if (route.method != method || !matches(route, path.substr(0, end), values)) continue;
        return std::make_unique<TestRequest>(services, route, std::move(values),
                                             parameters_of(query), session, std::move(body));
    }
    throw std::logic_error("no route for " + std::string(path));
}

sdk::Result<sdk::Reply> ResourceFixture::request(const sdk::SessionPtr& session,
                                                 std::string_view method, std::string_view path,
                                                 sdk::Json body) {
    const auto request = begin(session, method, path, std::move(body));
    auto reply = request->run();
    if (!reply) return reply;
    if (auto committed = request->commit(); !committed) return committed.error();
    request->complete(*reply);
    return reply;
}

sdk::Json ResourceFixture::json(const sdk::SessionPtr& session, std::string_view method,
                                std::string_view path, sdk::Json body) {
    sdk::Reply reply = value_of(request(session, method, path, std::move(body)));
    return value_of(sdk::parse_json(reply.take_body()));
}

}  // namespace stele::kernel::resource::testing
