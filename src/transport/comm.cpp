// What reductions over ranks have in common, whatever they add or compare: ranks say what they do, and that their
// arrays are equally long, before anything of unequal length could travel.

#include "kallima/comm.hpp"

#include "base/check.hpp"

namespace kallima {

void Comm::begin_reduction() const {
  static const std::string* const call = call_name("a reduction over ranks");
  transport_->announce({call});
}

void Comm::begin_reduction(std::size_t length) const {
  begin_reduction();
  agree(*transport_, {{"length of the array that is reduced", fmt::format("{}", length)}});
}

}  // namespace kallima
