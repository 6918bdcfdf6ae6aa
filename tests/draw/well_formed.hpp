#pragma once
// Whether a text is well-formed enough for any XML parser: tags nest and close, attributes are quoted, and every & and
// < that is not markup is escaped. Says what is wrong; nothing if all is well.

#include <regex>
#include <string>
#include <vector>

namespace kallima {

// One tag, without the data of a path, which may be too long for a regular expression.
inline std::string tag_at(const std::string& text, std::size_t at) {
  std::string tag = text.substr(at, text.find('>', at) + 1 - at);
  const std::size_t data = tag.find(" d=\"");
  if (data != std::string::npos) tag.erase(data + 4, tag.find_first_of("\"<&", data + 4) - data - 4);
  return tag;
}

inline std::string xml_problem(const std::string& text) {
  static const std::regex tag(R"re(<(/?)([A-Za-z]+)((?: [A-Za-z0-9:-]+="[^"<]*")*)(/?)>)re");
  static const std::regex entity("&(amp|lt|gt|quot);.*");
  std::vector<std::string> open;
  for (std::size_t at = text.find_first_of("<&"); at != std::string::npos; at = text.find_first_of("<&", at + 1)) {
    if (text[at] == '&') {
      if (!std::regex_match(text.substr(at, 6), entity)) return "bad entity at " + text.substr(at, 60);
      continue;
    }
    std::smatch found;
    const std::string here = tag_at(text, at);
    if (!std::regex_match(here, found, tag)) return "bad tag at " + text.substr(at, 60);
    const bool ends = found[1].length() > 0, empty = found[4].length() > 0;
    if (ends && (open.empty() || open.back() != found[2])) return "unexpected end of " + found[2].str();
    if (ends) open.pop_back();
    if (!ends && !empty) open.push_back(found[2]);
  }
  return open.empty() ? "" : "never closed: " + open.back();
}

inline std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace kallima
