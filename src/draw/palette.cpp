// One table of colours for two themes. Rules are scoped by the theme's name, so that pictures of different themes can
// stand in one page. `automatic` writes the light rules and then the dark ones inside a media query; viewers that do
// not know media queries are left with the light ones.

#include "base/text.hpp"
#include "draw/svg.hpp"

namespace kallima {
namespace {

struct Colour {
  std::string_view name;
  std::string_view light;
  std::string_view dark;
};

constexpr std::array<Colour, 8> hue_colours{{{"blue", "#0072b2", "#3f9fe0"},
                                             {"vermilion", "#d55e00", "#f47a32"},
                                             {"green", "#009e73", "#1fbf8f"},
                                             {"orange", "#e69f00", "#f0b429"},
                                             {"purple", "#cc79a7", "#e097c1"},
                                             {"sky", "#56b4e9", "#a5dbfa"},
                                             {"olive", "#8f8500", "#e5d94a"},
                                             {"grey", "#737b86", "#9aa3ae"}}};

// Selector and property first, then the colours.
constexpr std::array<Colour, 16> plain_colours{
    {{".bg{fill:", "#ffffff", "#14171c"},
     {"text{fill:", "#1a1d21", "#e9ecf0"},
     {".muted{fill:", "#565d66", "#a9b1bb"},
     {".axis{fill:none;stroke:", "#6b737d", "#8a929c"},
     {".grid{stroke:", "#e1e4e8", "#2b3038"},
     {".edge{stroke:", "#8b939d", "#69717c"},
     {".mark{fill:none;stroke-width:1.5;stroke:", "#1a1d21", "#e9ecf0"},
     {".solid{fill:", "#1a1d21", "#e9ecf0"},
     {".node{stroke-width:1.2;stroke:", "#1a1d21", "#e9ecf0"},
     {".panel{fill:", "#eff1f4", "#20252c"},
     {".halo{paint-order:stroke;stroke-width:4px;stroke:", "#ffffff", "#14171c"},
     {".hatch-bg{fill:", "#f4f1ea", "#22262d"},
     {".hatch-line{stroke-width:1.4;stroke:", "#c3bba9", "#5a626d"},
     {".overhead{fill:", "#3b4048", "#d4d9df"},
     {".hidden{fill:", "#009e73", "#1fbf8f"},
     {".exposed{fill:", "#d55e00", "#f47a32"}}};

constexpr std::string_view shapes = R"(
text{font:12px system-ui,"Segoe UI","Helvetica Neue",Arial,"DejaVu Sans",sans-serif}
text.title{font-size:16px;font-weight:600}
text.head{font-size:13px;font-weight:600}
text.strong{font-weight:600}
text.small{font-size:10px}
text.tiny{font-size:8px}
path.hair{stroke-width:1.25}
path.bold{stroke-width:4.5;stroke-linejoin:round}
path.lead{stroke-width:.75}
.thin{stroke-width:.75}
.dash{stroke-dasharray:5 4})";

std::string rules(std::string_view scope, bool dark) {
  std::string all;
  for (const Colour& c : plain_colours) all += fmt::format(".k-{} {}{}}}\n", scope, c.name, dark ? c.dark : c.light);
  for (const Colour& c : hue_colours) {
    const std::string_view value = dark ? c.dark : c.light;
    all += fmt::format(".k-{0} .f-{1}{{fill:{2}}}\n.k-{0} .t-{1}{{fill:{2};fill-opacity:.3}}\n", scope, c.name, value);
    all += fmt::format(".k-{0} .l-{1}{{fill:none;stroke-width:2;stroke:{2}}}\n", scope, c.name, value);
  }
  return all;
}

std::string scoped_shapes(std::string_view scope) {
  std::string all;
  for (const char c : shapes) all += c == '\n' ? fmt::format("\n.k-{} ", scope) : std::string(1, c);
  return all.substr(1) + "\n";
}

}  // namespace

std::string_view theme_name(Theme theme) { return word_for(theme, {"auto", "light", "dark"}); }

std::string style_sheet(Theme theme) {
  const std::string_view scope = theme_name(theme);
  const std::string first = scoped_shapes(scope) + rules(scope, theme == Theme::dark);
  return theme == Theme::automatic ? first + "@media (prefers-color-scheme: dark){\n" + rules(scope, true) + "}\n"
                                   : first;
}

std::string hatching(Theme theme) {
  return fmt::format(
      "<pattern id=\"hatch-{}\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\">"
      "<rect class=\"hatch-bg\" width=\"6\" height=\"6\"/>"
      "<path class=\"hatch-line\" d=\"M-1 1L1 -1M-1 7L7 -1M5 7L7 5\"/></pattern>",
      theme_name(theme));
}

}  // namespace kallima
