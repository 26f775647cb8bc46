#include "frontend/cpp/weft/interrupt.h"

#include "runtime/gate.h"
#include "runtime/interrupt.h"
#ifdef WEFT_CPU_JIT
#include "runtime/cpu/clang_jit.h"
#endif

void weft::on_interrupt(bool (*ask)()) { runtime::ask_for_interrupt = ask; }

void weft::stop_work_elsewhere() {
#ifdef WEFT_CPU_JIT
  runtime::working.close_to_others();
  runtime::stop_compiling_elsewhere();
#endif
}
