#pragma once
// How far a rank may run ahead of the others is written in its script: as long as nothing a message leads to could have
// come first.

#include "simulate/work.hpp"

namespace kallima {

struct Foresight {
  int first_dependent = 0;       // lower compute tasks do not wait for messages
  bool prompt_receives = false;  // whether a receive may set off a send
};

Foresight foresee(const Script& script, const WorkCost& cost);

}  // namespace kallima
