// A folder that only this user can change, for what is run without being read: compiled kernels.
#pragma once

#include <sys/stat.h>

#include <string>

namespace weft::runtime {

// Makes it and the folders above it. False with errno where that cannot be.
bool make_directory(const std::string& path);
// Why a directory must not be used; empty when it is private to this user.
std::string directory_problem(const std::string& path);
// Why a file of a private directory is not one that this user alone wrote there; empty when it is. It may
// have been moved there, or lie elsewhere too, under a name that others can open.
std::string file_problem(const struct stat& status);

}  // namespace weft::runtime
