// Each file is written whole or not at all. Pixels are rsvg-convert's business; where it is missing, that is said.

#include "app/hide_files.hpp"

#include <filesystem>

#include "app/check.hpp"
#include "app/files.hpp"
#include "app/hide_page.hpp"
#include "app/process.hpp"

namespace kallima::cli {

namespace fs = std::filesystem;

namespace {

// The picture as pixels; false where there is no program for it.
bool write_png(const std::string& svg, const std::string& path) {
  const std::string converter = find_program("rsvg-convert");
  if (converter.empty()) return false;
  const Outcome done = run_tool({converter, "--zoom", "2", "--format", "png"}, svg);
  require(done.status == 0, "cannot make {} (rsvg-convert: {}) hide.svg holds the same picture", path, done.err);
  write_text(path, done.out);
  return true;
}

}  // namespace

void prepare_hide_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  require(!error, "cannot make the directory {} ({}) choose another with --out", folder, error.message());
  check_writable(fs::path(folder) / "hide.json", 0);
}

void write_hide_files(const HideSweep& sweep, const std::string& folder) {
  const auto path = [&](const char* name) { return (fs::path(folder) / name).string(); };
  write_text(path("hide.json"), json_text(sweep));
  write_text(path("hide.csv"), csv_text(sweep));
  write_text(path("hide.html"), hide_html(sweep));
  const std::string svg = hide_svg(sweep);
  if (svg.empty()) return fmt::print("no figure: there is no rate to draw it over\n");
  write_text(path("hide.svg"), svg);
  const bool pixels = write_png(hide_svg(sweep, Theme::light), path("hide.png"));
  if (!pixels) fmt::print("no hide.png: rsvg-convert is not on the PATH (Debian: librsvg2-bin)\n");
  fmt::print("wrote hide.json, hide.csv, hide.svg, {}hide.html in {}\n", pixels ? "hide.png, " : "", folder);
}

}  // namespace kallima::cli
