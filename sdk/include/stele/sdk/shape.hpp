#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace stele::sdk {

/// What a JSON value, or a body that is none, looks like: for the server's description
/// (`/openapi.json`), from which clients are generated. A value has what its shape names, and may
/// have more. Values; any thread.
struct Shape {
    /// A JSON Schema (2020-12) as JSON text, which may refer to `#/components/schemas/`; empty:
    /// nothing is told.
    std::string schema = {};
    /// Of a body.
    std::string media_type = "application/json";

    bool is_told() const { return !schema.empty(); }
};

/// A member of an object.
struct ShapeMember {
    std::string name;
    Shape shape;
    bool is_required = true;
};

/// Puts shapes together.
namespace shape {

Shape any();
Shape text();
/// One of these.
Shape text(const std::vector<std::string>& one_of);
Shape integer();
Shape number();
Shape boolean();
/// The moment as the server writes it (`ms`, `iso_8601` and more).
Shape time();
Shape null_or(const Shape& shape);
Shape either(const std::vector<Shape>& shapes);
/// Both of them hold.
Shape both(const Shape& one, const Shape& other);
Shape array(const Shape& items = any());
Shape object(const std::vector<ShapeMember>& members = {});
/// An object whose members have names that nobody declares, and values alike.
Shape map(const Shape& values = any());
ShapeMember optional(std::string name, Shape shape);

/// A record of the family of a type, as a read answers it.
Shape record(std::string_view type);
/// What a create or update of such a record answers: the record with `ok: true`, or with
/// `full=false` no more of it than `_doc`.
Shape written(std::string_view type);
/// `rows`, `size`, `total_rows`, `offset` (docs/specification/interface.md 3.5).
Shape page(const Shape& row = object());
/// `ok: true`, and these.
Shape status(const std::vector<ShapeMember>& members = {});
/// `ok: true`, and `_doc`: what was changed.
Shape changed();
/// A job of the server, begun or finished.
Shape job();
/// Bytes, not JSON.
Shape bytes(std::string_view media_type = "*/*");

}  // namespace shape

}  // namespace stele::sdk
