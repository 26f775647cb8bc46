// Where the turns of a loop end, guessed from the lines that record: the one heuristic of the front end that has a
// memory. A thread remembers how often each line recorded something since it computed anything, and what its last
// statement wrote; computing forgets both, so that a program is cut at the same places whenever it runs. Only how often
// a range was written stays known.
#pragma once

#include <atomic>

#include "frontend/cpp/array/cell.h"

namespace weft::detail {

// The line has recorded something, in place where it writes.
void count_line(const ir::SourceLine& line, bool write);
// Lines that wrote a few elements at once, with nothing left to compute, are parts of turns, too.
void note_write(const ir::SourceLine& line);
// Whether the line has written so often since anything was computed that it is one of a loop.
bool is_written_in_turns(const ir::SourceLine& line);
// Whether a turn has ended with the line that was counted last, among lines that were counted `at_least` so often.
bool turn_ended(uint32_t at_least);
// Counts one more write of the line to these elements of an array. Whether there were so many that recording pays: the
// turns of such a loop become one program, which is compiled once and stays.
bool is_often_written(const ir::SourceLine& line, int64_t offset, int64_t count);
// The thread has recorded a matrix product. Those of many turns may become one product.
void note_product();
// Whether the line that was counted last is one of a loop without products, as far as can be told: another line recorded
// in between, or it recorded more than a statement does.
bool loop_turned();

// The cell is to be computed as soon as the statement of this line is done.
void set_due(Cell& cell, const ir::SourceLine& line);
// How many threads have a cell that is due: asking a thread for its own costs more than this where none has.
extern std::atomic<int> threads_with_due;
// The cell that is due now that `line` records, which is due no longer; none where that statement may still write.
Ref<Cell> take_due(const ir::SourceLine& line, bool write);

// The thread has computed what it recorded: what follows begins anew.
void flushed();

}  // namespace weft::detail
