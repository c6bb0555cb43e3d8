// What an instruction is to the checks: columns of its row in a family's table (decode/Table.h).
#pragma once

#include <cstdint>

namespace mxc::sim {

/// How it treats operands that nobody wrote: memory/UnwrittenValues.h.
enum class Unwritten : uint8_t {
  Lanewise, // a lane's result is unwritten if one of its operands is
  Select,   // .. if what the predicate chose is, or the predicate
  Pack,     // .. but where they may be parts of a struct, if all of them are
  Mask, // and, or of bits: .. but where they may be parts of a bit-field in local memory, if all of them are
  And,  // .. unless a written predicate among them is false: it decides alone
  Or,   // .. unless a written predicate among them is true
  Shuffle, // .. if the first operand of the lane that it reads is
  Warp,    // .. if an operand of any lane is
  Move,    // loads and stores: no addresses may be; they look after their data themselves
  Use,     // none may be
};

/// What it may order: memory/SharedRaces.h (warps), memory/LaneMeetings.h (lanes of a warp).
enum class Order : uint8_t {
  None,
  Warp,    // its warp gives away what it did before, and learns what all others gave away; but no lane meets
           // another one: fences
  Lanes,   // .. and every executing lane gives away what it did: atomics, strong accesses
  Own,     // its warp gives away, and learns what the barrier for which it waits tells, or nothing:
           // waits, what is asynchronous, fences between proxies
  Arrival, // .. and every executing lane gives away what it did
  Barrier, // .. all lanes of the warp at once
  RelaxedArrival, // every executing lane gives away what it did, but its warp nothing
  ClusterWait,    // all lanes of the warp meet, and learn what the barrier tells
};

constexpr bool mayOrder(Order order) { return order != Order::None; }
constexpr bool mayGiveAway(Order order) {
  return order != Order::None && order != Order::RelaxedArrival && order != Order::ClusterWait;
}
constexpr bool mayLearnAll(Order order) { return order == Order::Warp || order == Order::Lanes; }
constexpr bool mayMeet(Order order) {
  return order != Order::None && order != Order::Warp && order != Order::Own;
}
constexpr bool isWhole(Order order) { return order == Order::Barrier || order == Order::ClusterWait; }

} // namespace mxc::sim
