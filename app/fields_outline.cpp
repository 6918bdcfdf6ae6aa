// A task's number is its priority. With F what leads to a send and R the rest, the order F0 F1 R0 F2 R1 ... gives that
// of the pipeline; the third field and those after it wait for the end of the last but one.

#include "app/fields_outline.hpp"

#include <algorithm>

namespace kallima::cli {

namespace {

// Whether a message waits for it.
std::vector<bool> feeding_tasks(const Script& script) {
  std::vector<bool> feeds(script.size());
  for (int task = static_cast<int>(script.size()); task-- > 0;) {
    if (script[task].kind == TaskKind::send_start) feeds[at(task)] = true;
    if (feeds[at(task)])
      for (const int earlier : script.after(task)) feeds[at(earlier)] = true;
  }
  return feeds;
}

struct FieldTask {
  int field = 0;
  int task = 0;
};

std::vector<FieldTask> order_of(const Script& script, int fields) {
  const std::vector<bool> feeds = feeding_tasks(script);
  std::vector<FieldTask> order;
  const auto add = [&](int field, bool feeding) {
    for (int task = 0; field >= 0 && field < fields && task < static_cast<int>(script.size()); ++task)
      if (feeds[at(task)] == feeding) order.push_back({field, task});
  };
  for (int field = 0; field <= fields; ++field) {
    add(field, true);
    add(field - 1, false);
  }
  return order;
}

// [field][task]: its number in the whole.
std::vector<std::vector<int>> numbers_of(const Script& script, const std::vector<FieldTask>& order, int fields) {
  std::vector<std::vector<int>> numbers(at(fields), std::vector<int>(script.size()));
  for (std::size_t i = 0; i < order.size(); ++i) numbers[at(order[i].field)][at(order[i].task)] = static_cast<int>(i);
  return numbers;
}

std::vector<int> last_tasks(const Script& script) {
  std::vector<int> last;
  for (int task = 0; task < static_cast<int>(script.size()); ++task)
    if (script.followers(task).empty()) last.push_back(task);
  return last;
}

using Numbers = std::vector<std::vector<int>>;  // [field][task]

// What a task waits for: the same as in its own field and, where that is nothing, the end of an earlier one.
std::vector<int> waits_for(const Script& script, const Numbers& numbers, const FieldTask& place, int at_once) {
  std::vector<int> after;
  for (const int earlier : script.after(place.task)) after.push_back(numbers[at(place.field)][at(earlier)]);
  if (after.empty() && place.field >= at_once)
    for (const int last : last_tasks(script)) after.push_back(numbers[at(place.field - at_once)][at(last)]);
  return after;
}

}  // namespace

Outline fields_outline(const Outline& one, int fields, int at_once) {
  Outline all{.name = one.name, .ranks = one.ranks, .peers = one.peers, .scripts = {}, .stages = one.stages};
  std::vector<std::vector<FieldTask>> orders;
  std::vector<Numbers> numbers;
  for (int rank = 0; rank < one.ranks; ++rank) {
    orders.push_back(order_of(one.script(rank), fields));
    numbers.push_back(numbers_of(one.script(rank), orders.back(), fields));
  }
  for (int rank = 0; rank < one.ranks; ++rank) {
    Script& script = all.scripts.emplace_back();
    for (const FieldTask& place : orders[at(rank)]) {
      OutlineTask task = one.script(rank)[place.task];
      const int owner = task.kind == TaskKind::send_start ? one.peer_of(rank, task.peer) : rank;
      if (task.match >= 0) task.match = numbers[at(owner)][at(place.field)][at(task.match)];
      script.add(task, waits_for(one.script(rank), numbers[at(rank)], place, at_once));
    }
    script.close();
  }
  return all;
}

}  // namespace kallima::cli
