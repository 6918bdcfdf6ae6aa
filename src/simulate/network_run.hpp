#pragma once
// The simulation on machines where every message has a price of its own (alpha-beta, LogP, LogGP). One rank at a time,
// the one whose next event is earliest. A rank may run ahead of the others where nothing they can still do would change
// what it does: while it works on tasks that no message can precede, when every message to it has been sent, or within
// the least time a message takes. That keeps its state in cache; results do not depend on it.

#include "kallima/simulate.hpp"
#include "simulate/agenda.hpp"
#include "simulate/common.hpp"
#include "simulate/processor.hpp"

namespace kallima {

// How far a rank may run ahead of the others is written in its script: as long as nothing a message leads to could have
// come first.
struct Foresight {
  int first_dependent = 0;       // lower compute tasks do not wait for messages
  bool prompt_receives = false;  // whether a receive may set off a send
};

class NetworkRun {
 public:
  NetworkRun(const Outline& outline, const Machine& machine, const SimulateOptions& options);
  Simulation run();

 private:
  // The loop: network.cpp
  void begin(Processor& p);
  void advance(Processor& p, double time, int turn);
  bool needs_turns(const Processor& p);
  bool take_turn(Processor& p, double time, int turn);
  void run_prefix(Processor& p);
  void act(Processor& p, double time);
  void depart(Processor& p, double time);
  void occupy(Processor& p, int task, double time, double duration);
  void start_compute(Processor& p, double time);
  void end_task(Processor& p, double time);
  void complete(Processor& p, int task, double time);
  void make_ready(Processor& p, int id, double time);
  double next_event(Processor& p);
  void check_done() const;

  // Messages: messages.cpp
  double least_flight();
  void send(Processor& p, double time);
  bool has_place(Processor& p, const OutlineTask& task, double time);
  void give_place(Processor& p, double time);
  void post(Processor& p, int id, double time, const MessageCost& cost);
  void deliver(Processor& to, const Mail& mail, const Processor& from);
  bool receive(Processor& p, double time);
  void take(Processor& p, const Mail& mail, double time, double overhead);
  void accept_unexpected(Processor& p, int task, double time);
  bool receives_while_busy(const Processor& p);
  Processor& receiver(Processor& p, int peer);
  int sender_of(const Processor& p, int peer) const;

  const MessageCost& price(Index words);  // remembers the last one: most messages of a schedule are alike
  bool recv_needs_processor() { return price(1).recv_busy > 0; }
  bool send_needs_processor() { return price(1).send_busy > 0; }
  const Foresight& foresight(const Processor& p) const;

  const Outline& outline_;
  const Machine& machine_;
  const SimulateOptions& options_;
  const bool one_rank_;
  const Index capacity_;
  const WorkCost work_;
  double lookahead_ = 0;
  std::vector<Foresight> foresight_;
  std::vector<Processor> processors_;
  Agenda agenda_;
  double now_ = 0;  // nobody is behind this time
  Index priced_words_ = -1;
  MessageCost price_;
  Recorder recorder_;
};

}  // namespace kallima
