#include "../witness.hpp"

// A library, but no plugin: the export map finds no stele_plugin to export.
