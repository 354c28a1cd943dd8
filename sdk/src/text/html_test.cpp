#include <stele/sdk/html.hpp>

#include <catch2/catch.hpp>

using stele::sdk::html_escaped;

TEST_CASE("text in HTML opens no tag, ends no attribute and starts no entity") {
    CHECK(html_escaped("<b title=\"x\" id='y'>a & b</b>") ==
          "&lt;b title=&quot;x&quot; id=&#39;y&#39;&gt;a &amp; b&lt;/b&gt;");
    CHECK(html_escaped("plain, \u00e4") == "plain, \u00e4");
    CHECK(html_escaped("").empty());
}
