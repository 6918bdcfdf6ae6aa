#pragma once
// What is done at a stop by itself: transforms that neither unpack nor pack, from where the array arrives to where it
// is ready to be packed or is the result.

#include "plan/exchange/arrays.hpp"
#include "plan/exchange/axes.hpp"

namespace kallima {

class LocalWork {
 public:
  LocalWork(const Path& path, const Messages& messages, Arrays& arrays)
      : path_(path), messages_(messages), arrays_(arrays) {}

  // With `back`, what unpacks the array comes first, and rows are transformed as they are made: false where that cannot
  // be.
  bool add(std::vector<Step>& steps, std::size_t stop, Index part, const PassStatement* back);

 private:
  struct Repeat {  // how far it moves on in the two arrays
    Index from, to;
  };
  struct ChangingWork {
    const Transform& change;            // between reals and half of their spectrum
    std::span<const Transform> others;  // of the spectrum: behind it, or before it
    const Area &from, &between, &to;    // the spectrum is `between`
    Scaling scaling;
  };

  bool add_planes(std::vector<Step>& steps, std::size_t i, Index part, const PassStatement& back);
  bool add_changing_planes(std::vector<Step>& steps, std::size_t i, Index part, const ChangingWork& work);
  bool are_apart(const Area& a, const Area& b) const;
  void add_special(std::vector<Step>& steps, std::size_t i, Index part, const Transform& t, const Area& from,
                   const Area& to, bool scaled);
  void add_in_array(std::vector<Step>& steps, std::size_t i, const Transform& t, const Area& from, const Area& to);
  void add_plain(std::vector<Step>& steps, std::size_t i, Index part, std::span<const Transform> some, const Area& from,
                 const Area& to, Scaling scaling, std::optional<Repeat> outer);

  const Path& path_;
  const Messages& messages_;
  Arrays& arrays_;
};

}  // namespace kallima
