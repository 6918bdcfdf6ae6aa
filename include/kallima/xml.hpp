#pragma once
// Texts of others (labels, titles) inside XML.

#include <string>
#include <string_view>

namespace kallima {

// With markup characters escaped; what no XML file may hold (control characters, broken UTF-8) becomes U+FFFD.
std::string escaped(std::string_view text);

}  // namespace kallima
