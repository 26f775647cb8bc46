// Derivatives that authors say of values inside of bodies. A rule is called once, while the body is recorded, with
// places for the cotangents or tangents; what it gives is closed over as the body is.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "compiler/derive/derive.h"

namespace weft::derive {

struct Traced {
  // What one rule gives of places; null where that is zero.
  struct Rule {
    std::vector<ir::NodeRef> places, results;
  };
  std::shared_ptr<const Custom> custom;
  Rule vjp, jvp;  // without places where there is none
};

Traced traced(const std::shared_ptr<const Custom>& custom);
// All nodes of it that are closed over; its places are inputs there.
std::vector<ir::NodeRef> closed_over(const Traced& traced);
std::vector<ir::NodeRef> places_of(const Traced& traced);
// Of the custom at a node inside of a rule, where that is `now` and its inputs are these: further derivatives of it are an error.
std::shared_ptr<Custom> within_rule(const Custom& inner, const ir::NodeRef& now,
                                    std::vector<ir::NodeRef> inputs);
// Adds the same of the nodes that stand for closed_over() in the body.
void add_closed(const Traced& traced, std::span<const ir::NodeRef> now,
                const std::shared_ptr<Customs>& customs);

}  // namespace weft::derive
