#pragma once

namespace stele::node_rules {

inline constexpr char kBranch[] = "branch";
inline constexpr char kNode[] = "node";
inline constexpr char kRepository[] = "repository";

inline constexpr char kType[] = "_type";
inline constexpr char kQName[] = "_qname";
inline constexpr char kParent[] = "_parent";
inline constexpr char kFeatures[] = "_features";
inline constexpr char kSystem[] = "_system";
inline constexpr char kIsAssociation[] = "_is_association";

inline constexpr char kHasBehavior[] = "a:has_behavior";
inline constexpr char kBehaviorBinding[] = "f:behavior-binding";
inline constexpr char kRuleType[] = "n:rule";
inline constexpr char kDefinedType[] = "d:type";
inline constexpr char kAfterTouch[] = "p:afterTouchNode";

inline constexpr char kSyncNode[] = "syncNode";
inline constexpr char kPropertyEquals[] = "propertyEquals";

/// What clients see of the job's type.
inline constexpr char kRuleJob[] = "rule";

}  // namespace stele::node_rules
