#include "transport/doctor_cache.hpp"

#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "base/check.hpp"
#include "transport/cache_file.hpp"
#include "transport/host.hpp"

namespace kallima {
namespace {

using Json = nlohmann::json;

enum class Warn { no, once };

void warn(Warn how, const std::string& path, const std::string& why) {
  static std::atomic<bool> warned = false;
  if (how == Warn::no || warned.exchange(true)) return;
  std::fprintf(stderr, "kallima: %s is of no use (%s) run kallima doctor again, or remove it\n", path.c_str(),
               why.c_str());
}

// What was found, by key. Nothing where there is no file nor, after a warning, where it makes no sense.
Json read(const std::string& path, Warn how = Warn::once) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return Json::object();
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, error)) file.open(path);  // reading from a pipe might never end
  Json json = Json::parse(file, nullptr, false);
  if (json.is_object() && json.contains("entries") && json["entries"].is_object()) return json["entries"];
  warn(how, path, file.bad() || !file.is_open() ? "it cannot be read" : "it holds no findings of kallima doctor");
  return Json::object();
}

std::optional<Tuning> tuning_of(const Json& entry, const std::string& path, Warn how = Warn::once) {
  try {
    return tuned(entry.at("tuning").get<std::string>());
  } catch (const std::exception& error) {
    warn(how, path, error.what());
    return std::nullopt;
  }
}

void write(const std::string& path, const Json& entries) {
  const Json json{
      {"about", "what kallima doctor found, by MPI library, path and host; kallima doctor --forget removes it"},
      {"entries", entries}};
  write_beside(path, json.dump(2) + '\n');
}

}  // namespace

std::string CacheKey::text() const {
  return fmt::format("{}, {}, {}", library, several_hosts ? "several hosts" : "one node", host_family(host));
}

std::string DoctorCache::usual_path() { return cache_path("doctor.json"); }

bool DoctorCache::is_off() { return cache_is_off(); }

std::optional<Tuning> DoctorCache::find(const CacheKey& key) const {
  const Json entries = read(path_);
  const auto found = entries.find(key.text());
  return found == entries.end() ? std::nullopt : tuning_of(*found, path_);
}

// Every rank asks this, and one warning, of the rank that reads for all, is enough.
bool DoctorCache::asks_for_thread(const std::string& library) const {
  const Json entries = read(path_, Warn::no);
  for (const auto& [key, entry] : entries.items()) {
    const auto tuning = key.starts_with(library + ",") ? tuning_of(entry, path_, Warn::no) : std::nullopt;
    if (tuning && tuning->progress == ProgressBy::thread) return true;
  }
  return false;
}

void DoctorCache::save(const CacheKey& key, const Tuning& tuning, const std::string& found) const {
  Json entries = read(path_);
  entries[key.text()] = {{"tuning", text(tuning)}, {"found", found}};
  write(path_, entries);
}

bool DoctorCache::forget(const CacheKey& key) const {
  Json entries = read(path_);
  if (entries.erase(key.text()) == 0) return false;
  write(path_, entries);
  return true;
}

}  // namespace kallima
