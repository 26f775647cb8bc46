// Everything of Weft: arrays that are recorded lazily and computed in few fused kernels.
#pragma once

#include "frontend/cpp/weft/array.h"
#include "frontend/cpp/weft/compiled.h"
#include "frontend/cpp/weft/create.h"
#include "frontend/cpp/weft/derivatives.h"
#include "frontend/cpp/weft/distributions.h"
#include "frontend/cpp/weft/interrupt.h"
#include "frontend/cpp/weft/memory.h"
#include "frontend/cpp/weft/ops.h"
#include "frontend/cpp/weft/picking.h"
#include "frontend/cpp/weft/products.h"
#include "frontend/cpp/weft/random.h"
#include "frontend/cpp/weft/reductions.h"
#include "frontend/cpp/weft/scans.h"
#include "frontend/cpp/weft/session.h"
#include "frontend/cpp/weft/shaping.h"
#include "frontend/cpp/weft/stream.h"
