// What a profile advises: what could be spared, the lines that have it, what to write instead, and how much time it is about.
#pragma once

#include <string>
#include <vector>

#include "frontend/cpp/inspect/profiled.h"
#include "frontend/cpp/weft/profile.h"

namespace weft::detail {

// The most time first; one for each cause and its lines.
std::vector<ProfileAdvice> advice_on(const Profiled& profiled);

// What a launch takes that joins the parts of a row, at most, in nanoseconds.
constexpr int64_t kSecondLaunch = 10'000;
// Sets which are small, and sorts them.
void rank(std::vector<ProfileAdvice>& advice);
// "advice: widened at blur.py:12: 31 %: 3.21 ms of 10.4 ms: …", and a line's end. No size where it is not known.
std::string advice_text(const ProfileAdvice& advice);

}  // namespace weft::detail
