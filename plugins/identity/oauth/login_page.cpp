#include "login_page.hpp"

#include <stele/sdk/html.hpp>

namespace stele::identity {

namespace {

constexpr char kStyle[] =
    "body{font-family:sans-serif;max-width:20em;margin:4em auto;padding:0 1em}"
    "label,input,button{display:block;width:100%;box-sizing:border-box;margin:.4em 0}"
    "input,button{padding:.5em;font:inherit}";

}  // namespace

sdk::Reply login_page(const std::string& client,
                      const std::vector<std::pair<std::string, std::string>>& hidden) {
    std::string page =
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">"
        "<meta name=\"viewport\" content=\"width=device-width\"><title>Log in</title><style>";
    page += kStyle;
    page += "</style></head><body><h1>Log in</h1><p><b>" + sdk::html_escaped(client) +
            "</b> will act in your name.</p><form method=\"post\" action=\"authorize\">";
    for (const auto& [name, value] : hidden) {
        if (value.empty()) continue;
        page += "<input type=\"hidden\" name=\"" + sdk::html_escaped(name) + "\" value=\"" +
                sdk::html_escaped(value) + "\">";
    }
    page +=
        "<label for=\"username\">User name</label>"
        "<input id=\"username\" name=\"username\" autocomplete=\"username\" required autofocus>"
        "<label for=\"password\">Password</label>"
        "<input id=\"password\" name=\"password\" type=\"password\" "
        "autocomplete=\"current-password\">"
        "<button>Log in</button></form></body></html>\n";
    sdk::Reply reply = sdk::Reply::text(std::move(page), "text/html;charset=UTF-8");
    reply.header("Content-Security-Policy",
                 "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
                 "frame-ancestors 'none'");
    reply.header("X-Frame-Options", "DENY");
    reply.header("Referrer-Policy", "no-referrer");
    reply.header("Cache-Control", "no-store");
    return reply;
}

}  // namespace stele::identity
