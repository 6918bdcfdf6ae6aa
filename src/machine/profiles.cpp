// Machines that one need not have. Every figure stands with where it was published; what was found in no publication is
// a round number, which the profile says ("assumed"): what is left out would cost nothing, and that is wrong for
// certain. All times are in seconds, words are bytes.

#include <algorithm>
#include <array>

#include "base/check.hpp"
#include "kallima/machine.hpp"

namespace kallima {
namespace {

struct MachineProfile {
  std::string_view name;
  std::string_view summary;
  std::string_view json;
};

constexpr std::array profiles{
    MachineProfile{"hopper", "Cray XE6, 2010: the CPU machine of Czechowski et al. 2012", R"json({
  "model": "loggp", "word_bytes": 1,
  "parameters": {"L": 1.4e-6, "o": 1e-6, "g": 1e-6, "G": 1e-10, "r": 50.4e9, "m": 21.3e9},
  "topology": {"kind": "torus", "shape": [17, 8, 24], "G": 1e-10, "hop": 1e-7},
  "sources": {
    "r": "50.4 GF/s of a processor: Czechowski et al., ICS 2012, Table 1 (C_CPU, 2010)",
    "m": "21.3 GB/s: Table 1 (beta_CPU, 2010)",
    "G": "10 GB/s of a link: Table 1 (beta_link, 2010); a processor sends no faster than a link",
    "topology": "17 x 8 x 24 torus, Gemini: section 5.1",
    "ranks": "a rank is a processor as the paper counts them; its model has one of them on each node of the torus",
    "L": "0.7 to 1.4 us, depending on the kind of transfer: EuroBen, Overview of recent supercomputers 2010, www.euroben.nl/reports/web10/xe6.php",
    "o, g, hop": "assumed: 1 us, 0.1 us a router; not in the paper"
  }
})json"},
    MachineProfile{"keeneland", "HP SL390 with Tesla M2070, 2010: the GPU machine of Czechowski et al. 2012", R"json({
  "model": "loggp", "word_bytes": 1,
  "parameters": {"L": 2e-6, "o": 1e-6, "g": 1e-6, "G": 1e-10, "r": 515e9, "m": 144e9},
  "node": {"ranks": 3, "cards": 1, "card": 2.5e-10, "L": 5e-6, "o": 1e-6, "g": 1e-6, "G": 2e-10},
  "sources": {
    "r": "515 GF/s of an M2070: Czechowski et al., ICS 2012, Table 1 (C_GPU, 2010)",
    "m": "144 GB/s: Table 1 (beta_GPU, 2010)",
    "G": "10 GB/s: Table 1 (beta_link, 2010)",
    "node": "3 GPUs a node, single rail of QDR InfiniBand: section 5.1; QDR is 4 lanes of 8 Gbit/s of data, 4 GB/s: InfiniBand Trade Association, Architecture Specification 1.2.1 (10 Gbit/s a lane with 8b/10b coding); cited from memory, not looked up",
    "L, o, g": "assumed: 2 us, 1 us; not in the paper",
    "inside a node": "assumed: 5 GB/s through PCIe 2.0 and the host's memory, 5 us; not in the paper"
  }
})json"},
    MachineProfile{"frontier", "HPE Cray EX235a, 2022: 8 MI250X dies and 4 Slingshot-11 cards a node; a rank is a die",
                   R"json({
  "model": "loggp", "word_bytes": 1,
  "parameters": {"L": 2e-6, "o": 1e-6, "g": 1e-6, "G": 4e-11, "r": 22.4e12, "m": 1.6e12},
  "node": {"ranks": 8, "cards": 4, "card": 4e-11, "L": 2e-6, "o": 1e-6, "g": 1e-6, "G": 2e-11},
  "topology": {"kind": "dragonfly", "shape": [4, 32, 74], "taper": [1, 1.753], "G": 4e-11, "hop": 3.5e-7},
  "sources": {
    "r": "1.686 Eflop/s peak (TOP500, June 2022, as reported by HPCwire) of 37,632 MI250X with two dies each",
    "m": "3.2 TB/s of an MI250X, two dies: glennklockwood.com/garden/systems/frontier, after the OLCF user guide",
    "node": "4 x MI250X (8 dies) and 4 cards of 200 Gbit/s, 25 GB/s: same page",
    "topology": "128 nodes and 32 switches a group, 16 endpoints (4 nodes) a switch, 74 groups, 4 links of 200 Gbit/s between any two, so that 512 cards share 292 links (1.753): same page",
    "hop": "350 ns a switch: De Sensi et al., An In-Depth Analysis of the Slingshot Interconnect, SC 2020, arXiv:2008.08886",
    "G inside a node": "50 GB/s, the least of 50 to 100 GB/s between dies of different MI250X (200 GB/s between the two of one): OLCF, Frontier User Guide, docs.olcf.ornl.gov/systems/frontier_user_guide.html",
    "L, o, g": "assumed, between nodes and inside: 2 us, 1 us; no published figure found"
  }
})json"},
    MachineProfile{"fugaku", "Fujitsu A64FX with Tofu Interconnect D, 2020; a rank is a node", R"json({
  "model": "loggp", "word_bytes": 1,
  "parameters": {"L": 4.9e-7, "o": 1e-6, "g": 1e-6, "G": 1.4286e-10, "r": 3.072e12, "m": 1.024e12},
  "topology": {"kind": "torus", "shape": [2, 3, 2, 24, 23, 24], "G": 1.4286e-10, "hop": 1e-7},
  "sources": {
    "r": "3.072 Tflop/s in normal mode: RIKEN R-CCS, About Fugaku, www.r-ccs.riken.jp/en/fugaku/about",
    "m": "1024 GB/s: same page",
    "G": "a port has 2 lanes of 28 Gbit/s, 7 GB/s before coding: same page; one message at a time takes one port",
    "topology": "158,976 nodes (Okazaki et al., Fujitsu Technical Review 2020) in a six-dimensional mesh/torus (Ajima et al., IEEE Computer 42(11), 2009) of 24 x 23 x 24 x 2 x 3 x 2, which is that number; the extents are cited from memory, and taken as a torus in all six",
    "L": "0.49 us, one way, of an 8-byte put: Ajima et al., The Tofu Interconnect D, IEEE Cluster 2018, abstract",
    "o, g, hop": "assumed: 1 us of MPI, 0.1 us a router; no published figure found"
  }
})json"},
    MachineProfile{"infiniband-gpu", "DGX H100 nodes on Quantum-2 InfiniBand, as in Eos, 2022; a rank is a GPU",
                   R"json({
  "model": "loggp", "word_bytes": 1,
  "parameters": {"L": 2e-6, "o": 1e-6, "g": 1e-6, "G": 2e-11, "r": 34e12, "m": 3.35e12},
  "node": {"ranks": 8, "cards": 1, "card": 2e-11, "L": 2e-6, "o": 1e-6, "g": 1e-6, "G": 2.2222e-12},
  "sources": {
    "node": "8 H100 on an NVLink 4 switch, 900 GB/s in both directions, and InfiniBand of 400 Gbit/s a node: NVIDIA, How to scale fast Fourier transforms to exascale on modern NVIDIA GPU architectures, developer.nvidia.com/blog, which says a node; systems with a card for each GPU need cards=8",
    "r, m": "34 Tflop/s in double precision and 3.35 TB/s: NVIDIA H100 Tensor Core GPU datasheet (SXM); cited from memory, not looked up",
    "topology": "a full fat tree, in which messages spread over all links wait for none: left out",
    "L, o, g": "assumed, between nodes and inside: 2 us, 1 us; no published figure found"
  }
})json"},
    MachineProfile{"10gbe", "workstations of two Neoverse V1 cores on 10 Gbit/s Ethernet; a rank is a core", R"json({
  "model": "loggp", "word_bytes": 1,
  "parameters": {"L": 2e-5, "o": 5e-6, "g": 5e-6, "G": 8e-10, "r": 1.08e10, "m": 3e10},
  "node": {"ranks": 2, "cards": 1, "card": 8e-10, "L": 1e-6, "o": 4e-7, "g": 4e-7, "G": 6.6667e-11},
  "sources": {
    "r": "256^3 in 0.0936 s on two cores, 5 N log2 N operations: measured, README, table Speed",
    "m": "read and written by a core while both copy 256 MiB: measured with memcpy on two Neoverse V1 cores, 27 to 34 GB/s",
    "card": "10 Gbit/s, the rate of 10GBASE-T: IEEE 802.3an; cited from memory, not looked up",
    "G inside a node": "a copy: read and written at m",
    "L, o, g": "assumed: 20 us, 5 us of TCP, 1 us and 0.4 us inside a node; they depend on switch and kernel: measure yours with kallima calibrate"
  }
})json"},
};

const MachineProfile* find_profile(const std::string& name) {
  const auto found = std::ranges::find(profiles, name, &MachineProfile::name);
  return found == profiles.end() ? nullptr : &*found;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> machine_names() {
  std::vector<std::pair<std::string, std::string>> all;
  for (const MachineProfile& profile : profiles) all.emplace_back(profile.name, profile.summary);
  return all;
}

bool is_machine_name(const std::string& name) { return find_profile(name) != nullptr; }

std::string machine_profile(const std::string& name) {
  const MachineProfile* const profile = find_profile(name);
  std::string names;
  for (const MachineProfile& known : profiles) names += fmt::format("{}{}", names.empty() ? "" : ", ", known.name);
  require(profile != nullptr, "there is no machine named '{}': there are {}", name, names);
  return std::string(profile->json) + "\n";
}

}  // namespace kallima
