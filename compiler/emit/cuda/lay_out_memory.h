// The memory of a kernel: what is in shared memory and how large it is, the temporary for parts of rows,
// counters.
#pragma once

#include "compiler/emit/cuda/layout.h"

namespace weft::emit {

SharedLayout shared_of(const plan::RowProgram& program, const plan::CudaSchedule& schedule,
                       const CudaLayout& layout);
// Words, before the tickets, in which blocks publish the states of parts of rows.
int64_t words_of_parts(const plan::RowProgram& program, const CudaLayout& layout);
// A look-back scan's parts lie behind the ticket that blocks take.
constexpr int64_t kTicketWords = 2;
// Bytes of the temporary that parts of rows lie in.
int64_t partial_bytes(const plan::RowProgram& program, const CudaLayout& layout);
// How the kernel is launched, when all else is laid out.
Launch launch_of(const plan::RowProgram& program, const CudaLayout& layout);

// Whether an access passes through shared memory with the other rows of its block.
bool is_bundled(const plan::RowProgram& program, const CudaLayout& layout, const plan::Stmt& stmt);

}  // namespace weft::emit
