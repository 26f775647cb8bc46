#include "compiler/derive/traced.h"

#include <unordered_map>
#include <utility>

#include "compiler/base/error.h"
#include "compiler/ir/build.h"
#include "compiler/ir/make_loop.h"

namespace weft::derive {
namespace {

using ir::NodeRef;
using Map = std::function<std::vector<NodeRef>(std::span<const NodeRef>)>;

Traced::Rule traced_rule(const Map& rule, std::span<const NodeRef> like, const char* name) {
  Traced::Rule made;
  if (!rule) return made;
  for (size_t i = 0; i < like.size(); ++i)
    made.places.push_back(ir::input(like[i]->type, {nullptr, name + std::to_string(i), {}, 0}));
  made.results = rule(made.places);
  return made;
}

// Takes as many of the nodes as there are results.
std::vector<NodeRef> taken(const std::vector<NodeRef>& results, std::span<const NodeRef>& now) {
  std::vector<NodeRef> made(results.size());
  for (size_t i = 0; i < results.size(); ++i) {
    if (!results[i]) continue;
    made[i] = now.front();
    now = now.subspan(1);
  }
  return made;
}

Map rule_on(const std::vector<NodeRef>& places, const std::vector<NodeRef>& results,
            const std::weak_ptr<Customs>& customs) {
  ir::Graph graph{places, {}};
  for (const NodeRef& result : results)
    if (result) graph.outputs.push_back(result);
  return [graph, results, customs](std::span<const NodeRef> given) {
    const std::shared_ptr<Customs> all = customs.lock();
    std::span<const NodeRef> made;
    std::unordered_map<const ir::Node*, NodeRef> made_of;
    for (size_t i = 0; i < given.size(); ++i) made_of.emplace(graph.inputs[i].get(), given[i]);
    const std::vector<NodeRef> inlined =
        ir::inlined(graph, given, [&](const NodeRef& was, const NodeRef& now) {
          made_of.emplace(was.get(), now);
          const auto found = all ? all->find(was.get()) : Customs::iterator();
          if (!all || found == all->end()) return;
          std::vector<NodeRef> inputs = found->second->inputs;
          for (NodeRef& in : inputs)
            if (const auto place = made_of.find(in.get()); place != made_of.end()) in = place->second;
          all->emplace(now.get(), within_rule(*found->second, now, std::move(inputs)));
        });
    made = inlined;
    return taken(results, made);
  };
}

}  // namespace

std::shared_ptr<Custom> within_rule(const Custom& inner, const NodeRef& now, std::vector<NodeRef> inputs) {
  auto custom = std::make_shared<Custom>();
  custom->name = inner.name;
  custom->outputs = {now};
  if (inner.inputs.empty()) return custom;
  custom->inputs = std::move(inputs);
  custom->vjp = custom->jvp = [name = inner.name](std::span<const NodeRef>) -> std::vector<NodeRef> {
    throw Error(name +
                ": is called by a rule for a derivative (of custom_vjp, custom_jvp, or of what a library "
                "computes) inside of "
                "a loop's body, and so has no further derivative there: put the loop inside of the function, "
                "write that "
                "derivative out, or write the loop in Python");
  };
  return custom;
}

Traced traced(const std::shared_ptr<const Custom>& custom) {
  return {custom, traced_rule(custom->vjp, custom->outputs, "g"),
          traced_rule(custom->jvp, custom->inputs, "t")};
}

std::vector<NodeRef> closed_over(const Traced& traced) {
  std::vector<NodeRef> all;
  for (const auto* list :
       {&traced.custom->outputs, &traced.custom->inputs, &traced.vjp.results, &traced.jvp.results})
    for (const NodeRef& node : *list)
      if (node) all.push_back(node);
  return all;
}

std::vector<NodeRef> places_of(const Traced& traced) {
  std::vector<NodeRef> all = traced.vjp.places;
  all.insert(all.end(), traced.jvp.places.begin(), traced.jvp.places.end());
  return all;
}

void add_closed(const Traced& traced, std::span<const NodeRef> now, const std::shared_ptr<Customs>& customs) {
  auto custom = std::make_shared<Custom>();
  custom->name = traced.custom->name;
  custom->outputs = taken(traced.custom->outputs, now);
  custom->inputs = taken(traced.custom->inputs, now);
  const std::vector<NodeRef> back = taken(traced.vjp.results, now), forward = taken(traced.jvp.results, now);
  if (traced.custom->vjp) custom->vjp = rule_on(traced.vjp.places, back, customs);
  if (traced.custom->jvp) custom->jvp = rule_on(traced.jvp.places, forward, customs);
  for (const NodeRef& output : custom->outputs) customs->insert_or_assign(output.get(), custom);
}

}  // namespace weft::derive
