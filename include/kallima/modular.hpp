#pragma once
// Whole numbers modulo a prime as elements: a Backend for them, so that every schedule transforms residues as it does
// complex numbers, exactly. A residue is held in a double, as a whole number: any of magnitude up to p goes in, and
// what comes out is at most 3/4 p from zero. Primes are below 2^50, for which products are exact in pairs of doubles
// (docs/exact.md), and a length can be transformed modulo p where it divides p - 1.

#include <array>
#include <memory>

#include "kallima/backend.hpp"

namespace kallima {

// Primes p with 15 * 2^40 dividing p - 1, largest first: lengths 2^a, 3 * 2^a, 5 * 2^a and 15 * 2^a with a up to 40.
inline constexpr std::array<std::uint64_t, 4> ntt_primes{1072023837081601, 1022545813831681, 940082441748481,
                                                         841126395248641};

// Throws Error unless p is an odd prime below 2^50.
std::shared_ptr<const Backend> modular_backend(std::uint64_t p);

// Between residues and numbers from 0 to p-1. Numbers may be any, residues of magnitude up to p.
double residue(std::uint64_t number, std::uint64_t p);
std::uint64_t number_of(double residue, std::uint64_t p);

}  // namespace kallima
