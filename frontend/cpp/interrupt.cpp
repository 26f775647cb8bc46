#include "frontend/cpp/weft/interrupt.h"

#include "runtime/interrupt.h"

void weft::on_interrupt(bool (*ask)()) { runtime::ask_for_interrupt = ask; }
