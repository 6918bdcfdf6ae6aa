#include "cuda/device_views.hpp"

#include "cuda/device.cuh"
#include "transport/adopts_memory.hpp"
#include "transport/host.hpp"

namespace kallima::cuda {
namespace {

// What is smaller would share what is shown with other allocations of this process.
constexpr std::size_t unit = std::size_t{2} << 20;
std::size_t rounded(std::size_t bytes) { return std::max<std::size_t>(1, (bytes + unit - 1) / unit) * unit; }

std::shared_ptr<std::byte> open(const cudaIpcMemHandle_t& handle) {
  void* at = nullptr;
  check(cudaIpcOpenMemHandle(&at, handle, cudaIpcMemLazyEnablePeerAccess), "opening another process's memory");
  return {static_cast<std::byte*>(at), [](std::byte* p) { cudaIpcCloseMemHandle(p); }};
}

}  // namespace

// A rank's own memory, and what it has opened of others', which is closed before their owners may free it.
class DeviceViews::Shown final : public SharedMemory {
 public:
  Shown(std::unique_ptr<SharedMemory> adopted, std::vector<Memory> others, std::size_t bytes, decltype(shown_) shown)
      : adopted_(std::move(adopted)), others_(std::move(others)), bytes_(bytes), shown_(std::move(shown)) {
    (*shown_)[adopted_->bytes().data()] = bytes_;
  }
  ~Shown() override {
    shown_->erase(adopted_->bytes().data());
    others_.clear();
    adopted_.reset();
  }
  std::span<std::byte> bytes() override { return adopted_->bytes().first(bytes_); }

 private:
  std::unique_ptr<SharedMemory> adopted_;
  std::vector<Memory> others_;
  std::size_t bytes_;
  decltype(DeviceViews::shown_) shown_;
};

DeviceViews::DeviceViews(Transport& host) : host_(host), shown_(std::make_shared<decltype(shown_)::element_type>()) {
  bool all = true, some = false;
  for (int peer = 0; peer < host_.size(); ++peer) some = some || (peer != host_.rank() && host_.sees(peer));
  enum : int { no, alone, yes };
  const int mine = environment("KALLIMA_CUDA_IPC") == "off" || dynamic_cast<AdoptsMemory*>(&host_) == nullptr ? no
                   : some                                                                                     ? yes
                                                                                                              : alone;
  bool seen = false;
  for (const int each : gathered(host_, mine)) {
    all = all && each != no;
    seen = seen || each == yes;
  }
  if (!all || !seen) return;
  for (const int each : gathered(host_, tried())) all = all && each != 0;
  works_ = all;
}

// With memory that is given up again, by its owner last.
int DeviceViews::tried() {
  bool works = true;
  Memory mine;
  try {
    mine = device_memory(unit);
  } catch (const Error&) {
    works = false;
  }
  try {
    opened(mine);
  } catch (const Error&) {
    works = false;
    cudaGetLastError();
  }
  host_.barrier();
  return works ? 1 : 0;
}

std::vector<DeviceViews::Memory> DeviceViews::opened(const Memory& mine) const {
  struct Card {
    bool there = false;
    cudaIpcMemHandle_t handle = {};
  } card;
  card.there = mine && cudaIpcGetMemHandle(&card.handle, mine.get()) == cudaSuccess;
  cudaGetLastError();
  const std::vector<Card> all = gathered(host_, card);
  std::vector<Memory> result(all.size());
  for (int peer = 0; peer < host_.size(); ++peer) {
    if (!host_.sees(peer)) continue;
    require(all[at(peer)].there, "rank {} has no memory of its device to show", peer);
    result[at(peer)] = peer == host_.rank() ? mine : open(all[at(peer)].handle);
  }
  return result;
}

std::unique_ptr<SharedMemory> DeviceViews::allocate(std::size_t bytes) {
  const std::size_t all = rounded(bytes);
  Memory mine;
  std::vector<Memory> others;
  together(host_, [&] {
    mine = device_memory(all);
    check(cudaMemset(mine.get(), 0, all), "clearing memory");
    check(cudaStreamSynchronize(nullptr), "clearing memory");
  });
  std::string trouble;
  try {
    others = opened(mine);
  } catch (const Error& error) {
    trouble = error.what();
  }
  together(host_, [&] { require(trouble.empty(), "{}", trouble); });
  std::vector<std::byte*> there;
  for (const Memory& other : others) there.push_back(other.get());
  others[at(host_.rank())].reset();
  auto adopted = dynamic_cast<AdoptsMemory&>(host_).adopt(std::move(mine), all, there);
  return std::make_unique<Shown>(std::move(adopted), std::move(others), bytes, shown_);
}

bool DeviceViews::holds(std::span<const std::byte> block) const {
  if (block.empty()) return false;
  const auto after = shown_->upper_bound(block.data());
  if (after == shown_->begin()) return false;
  const auto& [begin, bytes] = *std::prev(after);
  return block.data() + block.size() <= begin + bytes;
}

}  // namespace kallima::cuda
