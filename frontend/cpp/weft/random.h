// Random numbers as functions of a key: counter-based (Threefry-2x32-20), so that an element depends on the
// key, its row-major position and nothing else; not on threads, devices, fusion or what was drawn before.
// They are recorded like every other operation and fuse into what uses them. Another key or shape compiles
// nothing.
//
// The bits, integers and uniforms of a key are the same on every device; normals and exponentials to the
// accuracy of log, sqrt and cos there. Use a key once: split it, or fold a number into it, for more.
#pragma once

#include <cstdint>

#include "frontend/cpp/weft/create.h"

namespace weft::random {

// A key is an array of rank 0 of u64, or a number.
Array key(uint64_t seed, const Make& make = {}, Where at = Where::current());
// `count` keys, none of which gives what the key itself gives.
Array split(const Operand& key, int64_t count = 2);
// The key of number `data` among those that belong to this one.
Array fold_in(const Operand& key, const Operand& data);

// Uniform u64; narrower unsigned dtypes take their low bits.
Array bits(const Operand& key, const Shape& shape, const Make& make = {});
// Every multiple of 2^-53 (f64), 2^-24 (f32), 2^-11 (f16) or 2^-8 (bf16) in [0, 1) is equally probable. f64
// unless told.
Array uniform(const Operand& key, const Shape& shape, const Make& make = {});
// By Box and Muller's transform of two uniforms. f64 unless told.
Array normal(const Operand& key, const Shape& shape, const Make& make = {});
// With mean 1. f64 unless told.
Array exponential(const Operand& key, const Shape& shape, const Make& make = {});
// Integers from low to high, that one included: the high word of the product of 64 random bits and their
// number, so that probabilities differ by at most 2^-64. i64 unless told. Error when the dtype does not hold
// both or low exceeds high.
Array integers(const Operand& key, const Shape& shape, const Number& low, const Number& high,
               const Make& make = {});

}  // namespace weft::random
