#include "app/device.hpp"

#include <charconv>

#include "app/check.hpp"
#include "app/options.hpp"
#include "kallima/cuda.hpp"

namespace kallima::cli {
namespace {

// The number behind "cuda:"; -1: none.
int device_number(const std::string& device) {
  const std::string kind = device.substr(0, device.find(':'));
  if (kind != "cuda")
    throw UsageError(
        fmt::format("--device {} is not known (there is only cuda) write --device cuda or cuda:0", device));
  if (device == kind) return -1;
  int number = -1;
  const char* const begin = device.data() + kind.size() + 1;
  const auto [end, error] = std::from_chars(begin, device.data() + device.size(), number);
  if (error != std::errc{} || end != device.data() + device.size() || number < 0)
    throw UsageError(fmt::format("--device {} is not understood ('{}' is no number of a device) write --device cuda:0",
                                 device, begin));
  return number;
}

}  // namespace

void add_device_flag(CLI::App& app, std::string& device) {
  app.add_option("--device", device,
                 "Compute on a device: cuda (ranks take those there are in turns) or cuda:N; default: the processor")
      ->type_name("cuda[:N]");
}

int first_device(const std::string& device) { return std::max(0, device_number(device)); }

void check_device_name(const std::string& device) { device_number(device); }

std::shared_ptr<const Backend> device_backend(const std::string& device, Precision precision, int rank, Place place) {
  if (device.empty()) return {};
  const int number = device_number(device);
  const int count = static_cast<int>(cuda_devices().size());
  return cuda_backend(precision, {.device = number >= 0 ? number : count > 0 ? rank % count : 0, .place = place});
}

}  // namespace kallima::cli
