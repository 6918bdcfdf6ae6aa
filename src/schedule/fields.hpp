#pragma once
// Every member of a Schedule by name, listed once: the JSON writer and the reader are both visitors of these lists, so
// neither can forget what the other knows. A visitor is called with a member's name and the member itself.

#include <concepts>

#include "kallima/schedule.hpp"

namespace kallima {

template <class T, class U>
concept Like = std::same_as<std::remove_const_t<T>, U>;

template <class V>
void fields(V&& visit, Like<Range> auto& r) {
  visit("buffer", r.buffer);
  visit("offset", r.offset);
  visit("count", r.count);
  visit("real", r.real);
}

template <class V>
void fields(V&& visit, Like<Piece> auto& p) {
  visit("buffer", p.buffer);
  visit("recv", p.recv);
  visit("offset", p.offset);
  visit("first", p.first);
  visit("count", p.count);
  visit("every", p.every);
  visit("stride", p.stride);
  visit("strides", p.strides);
  visit("real", p.real);
}

template <class V>
void fields(V&& visit, Like<Twiddle> auto& t) {
  visit("modulus", t.modulus);
  visit("shift", t.shift);
  visit("step", t.step);
  visit("loop", t.loop);
}

template <class V>
void fields(V&& visit, Like<Wire> auto& w) {
  visit("format", w.format);
  visit("bits", w.bits);
}

template <class V>
void fields(V&& visit, Like<Pass> auto& p) {
  visit("action", p.action);
  visit("kind", p.kind);
  visit("length", p.length);
  visit("sources", p.sources);
  visit("targets", p.targets);
  visit("loops", p.loops);
  visit("twiddle", p.twiddle);
  visit("scaled", p.scaled);
  visit("conjugated", p.conjugated);
  visit("reversed", p.reversed);
  visit("wire", p.wire);
}

template <class V>
void fields(V&& visit, Like<Step> auto& s) {
  visit("repeat", s.repeat);
  visit("body", s.body);
  visit("pass", s.pass);
}

template <class V>
void fields(V&& visit, Like<Task> auto& t) {
  visit("kind", t.kind);
  visit("label", t.label);
  visit("chunk", t.chunk);
  visit("peer", t.peer);
  visit("tag", t.tag);
  visit("range", t.range);
  visit("start", t.start);
  visit("after", t.after);
  visit("steps", t.steps);
  visit("flops", t.flops);
  visit("elements", t.elements);
}

template <class V>
void fields(V&& visit, Like<RankSchedule> auto& r) {
  visit("rank", r.rank);
  visit("sizes", r.sizes);
  visit("data_in", r.data_in);
  visit("data_out", r.data_out);
  visit("padding_out", r.padding_out);
  visit("tasks", r.tasks);
}

template <class V>
void fields(V&& visit, Like<Purpose> auto& p) {
  visit("shape_in", p.shape_in);
  visit("shape_out", p.shape_out);
  visit("layout_in", p.layout_in);
  visit("layout_out", p.layout_out);
  visit("precision", p.precision);
  visit("scale", p.scale);
}

template <class V>
void fields(V&& visit, Like<Schedule> auto& s) {
  visit("name", s.name);
  visit("direction", s.direction);
  visit("exchanges", s.exchanges);
  visit("purpose", s.purpose);
  visit("ranks", s.ranks);
}

}  // namespace kallima
