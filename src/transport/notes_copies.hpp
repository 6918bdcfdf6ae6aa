#pragma once
// A transport whose messages go through copies of its own, between a device and the host, and which can say when these
// were made: as events of a trace that belong to a message, and are no work of the rank's.

#include "kallima/trace.hpp"

namespace kallima {

class NotesCopies {
 public:
  virtual ~NotesCopies() = default;
  virtual void note_copies(Trace* trace) = 0;  // from now on; null: no more
};

}  // namespace kallima
