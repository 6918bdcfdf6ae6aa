#pragma once
// A file descriptor that closes itself and whose every failure is an Error with path, place and the system's text.

#include <span>
#include <string>

#include "kallima/types.hpp"

namespace kallima {

class File {
 public:
  static File open_for_reading(const std::string& path);
  static File open_for_writing(const std::string& path);
  static File create(const std::string& path);  // or cut short what is there
  File(File&& other) noexcept;
  File& operator=(File&&) = delete;
  ~File();

  Index size() const;
  void read_at(Index offset, std::span<std::byte> to) const;
  void write_at(Index offset, std::span<const std::byte> from) const;
  void reserve(Index bytes) const;  // makes it so long, and takes the disk blocks now where the file system can
  void sync() const;

 private:
  File(std::string path, int flags, const char* purpose);
  std::string path_;
  int descriptor_;
};

// Throws Error unless the file has at least `needed` bytes.
void check_length(const std::string& path, Index size, Index needed);

// Creates the file with its header and reserves `bytes` in all, so that a full disk is found before anything is sent.
void create_with_header(const std::string& path, std::span<const std::byte> header, Index bytes);

}  // namespace kallima
