// A last word of a program that crashes: what it had been asked to write, and did not.
#pragma once

#include <string>

namespace weft::python {

// From now on, where SIGABRT, SIGSEGV, SIGBUS, SIGILL or SIGFPE ends this process, "`before` SIGABRT `after`" goes to the
// standard error first. What handled the signal before does so then. Processes that are forked say nothing.
void say_at_crash(const std::string& before, const std::string& after);

}  // namespace weft::python
