#include "frontend/cpp/weft/interrupt.h"

#include "runtime/cpu/clang_jit.h"
#include "runtime/gate.h"
#include "runtime/interrupt.h"

void weft::on_interrupt(bool (*ask)()) { runtime::ask_for_interrupt = ask; }

void weft::stop_work_elsewhere() {
  runtime::working.close_to_others();
  runtime::stop_compiling_elsewhere();
}
