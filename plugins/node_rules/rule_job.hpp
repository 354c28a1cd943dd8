#pragma once

#include "services.hpp"

namespace stele::node_rules {

/// The kind of job that does what a rule says with some nodes. Once, while the plugin is opened.
/// The services outlive it.
///
/// A job acts as whoever changed the rule last, and does what whoever changed the binding last
/// could do as well. It looks at a node as it is now, whatever has become of it since the job was
/// started, so it can be repeated, and two jobs about a node agree.
void define_rule_job(const RuleServices& services);

}  // namespace stele::node_rules
