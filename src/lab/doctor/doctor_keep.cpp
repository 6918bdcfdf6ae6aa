// What the doctor found, kept in the file that every MPI run looks into.

#include "kallima/doctor.hpp"
#include "transport/doctor_cache.hpp"
#include "transport/host.hpp"

namespace kallima {

std::string keep(const Findings& findings, const Diagnosis& diagnosis) {
  if (DoctorCache::is_off()) return "";
  const DoctorCache cache(DoctorCache::usual_path());
  cache.save({findings.library, findings.hosts > 1, host_name()}, diagnosis.tuning, diagnosis.found);
  return cache.path();
}

bool forget(const std::string& library) {
  const DoctorCache cache(DoctorCache::usual_path());
  bool any = false;
  for (const bool several : {false, true}) any = cache.forget({library, several, host_name()}) || any;
  return any;
}

}  // namespace kallima
