#pragma once
// In what form numbers travel between ranks (Wire itself is in schedule.hpp). As computed, unless the caller asks for
// fewer bytes: by naming a format, or by saying what error the result may have. What is chosen, what it promises and
// what it did can be asked for.

#include "kallima/plan.hpp"

namespace kallima {

// Throws Error for bits that are out of range or nobody's, for a tolerance that is no number from 0 to below 1, and for
// a format together with a tolerance.
void check(const Wire& wire);

// What so many reals take in a format other than same, whatever precision they have.
std::size_t encoded_bytes(const Wire& wire, std::size_t reals);

// A wire without tolerance, what it promises and, where it is not what was asked for, why.
struct WireChoice {
  Wire wire = {};
  double limit = 0;         // on the relative L2 error of the result, as far as the wire causes it
  std::string reason = {};  // empty: as asked
};

// A format that would save nothing becomes same. Pure, as planning is; throws as check() does.
WireChoice choose_wire(const Wire& asked, const Plan& plan);

// What an Fft has sent since it was made, on all ranks, in whole transforms. A number that is relayed counts each
// time, and one that is read in place as if it were sent.
struct WireReport {
  WireChoice choice = {};
  Index transforms = 0;
  Index bytes_plain = 0;  // as computed it would have been so many
  Index bytes_sent = 0;
  double error = 0;  // relative L2, of all numbers sent; infinite where a finite one arrived as infinity or NaN
};

std::string text(const Wire& wire);          // same, single, shared:24, tolerance:1e-10
Wire wire_named(const std::string& words);   // its inverse; throws Error for what is not understood
std::string text(const WireReport& report);  // a sentence, without the name of what it is about
std::string_view name(Wire::Format format);  // same, single, shared exponent

}  // namespace kallima
