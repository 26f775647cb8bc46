// The parts of the module _core, one function for each topic.
#pragma once

#include <nanobind/nanobind.h>

namespace weft::python {

void bind_indexing(nanobind::module_& m);
void bind_operators(nanobind::module_& m);
void bind_map_functions(nanobind::module_& m);
void bind_creation(nanobind::module_& m);
void bind_memory(nanobind::module_& m);
void bind_buffers(nanobind::module_& m);
void bind_random(nanobind::module_& m);
void bind_reductions(nanobind::module_& m);
void bind_shaping(nanobind::module_& m);
void bind_fourier(nanobind::module_& m);
void bind_linear_algebra(nanobind::module_& m);
void bind_products(nanobind::module_& m);
void bind_compiled(nanobind::module_& m);
void bind_derivatives(nanobind::module_& m);
void bind_loops(nanobind::module_& m);
void bind_functions(nanobind::module_& m);
void bind_scans(nanobind::module_& m);
void bind_devices(nanobind::module_& m);
void bind_streams(nanobind::module_& m);
void bind_session(nanobind::module_& m);
void bind_arrow(nanobind::module_& m);
void bind_profile(nanobind::module_& m);
void bind_dlpack(nanobind::module_& m);

// The Python object of a device, a new reference; throws when there is none.
PyObject* device_object(const std::string& name);

}  // namespace weft::python
