#pragma once
// Products of two Indices that must not overflow before they are divided again.

namespace kallima {

__extension__ typedef __int128 Int128;

}  // namespace kallima
