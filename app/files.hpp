#pragma once
// Files as the commands need them: results either replace the old file whole or leave it as it was.

#include <string>

#include "kallima/file.hpp"

namespace kallima::cli {

// Throws when a file of `bytes` could not be put there: no such directory, no permission, no room.
void check_writable(const std::string& path, Index bytes);

// What nobody can guess, for the name of a temporary file; below 2^53, so that a double holds it.
std::uint64_t random_token();

// A name beside `path`, on the same disk, that no other run uses if its token differs.
std::string temporary_name(const std::string& path, std::uint64_t token);

// Makes a temporary file and holds on to it: commit() puts it in the place of `target`, with the mode and the owner of
// what was there; anything else (an exception, Ctrl-C) removes it. One at a time in a process.
class Replacement {
 public:
  Replacement(std::string temporary, const std::string& target);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;
  int file() const { return file_; }  // to write to
  void commit(Flush flush = Flush::later);

 private:
  std::string temporary_;
  std::string target_;
  int file_ = -1;
  bool done_ = false;
};

std::string read_text(const std::string& path);  // the whole file

// Writes `text` to `path`, whole or not at all.
void write_text(const std::string& path, const std::string& text);

}  // namespace kallima::cli
