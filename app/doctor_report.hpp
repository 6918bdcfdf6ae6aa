#pragma once
// What the doctor found, for people and for programs.

#include <cstdio>
#include <string>

#include "kallima/doctor.hpp"

namespace kallima::cli {

void print_diagnosis(std::FILE* to, const Diagnosis& diagnosis);
std::string doctor_json(const Findings& findings, const Diagnosis& diagnosis, const std::string& kept_in);

}  // namespace kallima::cli
