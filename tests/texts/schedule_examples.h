// The common shapes whose schedules docs/schedules_chosen.md lists.
#pragma once

#include <string>
#include <vector>

namespace weft::test {

struct ScheduleExample {
  std::string name;
  std::string graph;  // its text
};

std::vector<ScheduleExample> schedule_examples();

}  // namespace weft::test
