// The least of spmvgen.h that Python needs. What people call is in the package around it.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <deque>
#include <string>
#include <vector>

#include "direct.hpp"
#include "errors.hpp"
#include "gil.hpp"
#include "handle.hpp"
#include "text.hpp"
#include "vectors.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace spmvgen_python {
namespace {

nb::bytes emit(nb::dict options) {
    std::deque<std::string> texts;
    std::vector<const char*> names, values;
    for (const auto& [name, value] : options) {
        names.push_back(texts.emplace_back(option_text(name, name)).c_str());
        values.push_back(texts.emplace_back(option_text(name, value)).c_str());
    }
    spmvgen_blob* blob = nullptr;
    spmvgen_status status;
    {
        const WithoutGil free;
        status = spmvgen_emit(names.data(), values.data(), names.size(), &blob);
    }
    check(status);
    const std::string text = taken(blob);
    return nb::bytes(text.data(), text.size());
}

}  // namespace
}  // namespace spmvgen_python

NB_MODULE(_core, m) {
    using namespace spmvgen_python;
    // Daemon threads keep what their modules hold, and nobody has lost a reference then.
    nb::set_leak_warnings(false);
    m.attr("CSR") = static_cast<int>(SPMVGEN_CSR);
    m.attr("COO") = static_cast<int>(SPMVGEN_COO);
    m.attr("CSC") = static_cast<int>(SPMVGEN_CSC);
    m.attr("BSR") = static_cast<int>(SPMVGEN_BSR);
    nb::class_<Arrays>(m, "Arrays")
        .def(nb::init<std::int32_t, std::int64_t, std::int64_t, nb::handle, nb::handle, nb::handle,
                      std::int32_t, std::int32_t, nb::handle>(),
             "layout"_a, "num_rows"_a, "num_cols"_a, "rows"_a, "columns"_a, "values"_a,
             "block_rows"_a = 0, "block_cols"_a = 0, "listed"_a = nb::none())
        .def("with_values", &Arrays::with_values, "values"_a);
    nb::class_<Handle>(m, "Handle", nb::is_weak_referenceable())
        .def(nb::init<const Arrays&, nb::dict>(), "arrays"_a, "options"_a)
        .def("apply", &Handle::apply, "x"_a, "y"_a, "alpha"_a = 1.0, "beta"_a = 0.0,
             "alpha_imag"_a = 0.0, "beta_imag"_a = 0.0, "stream"_a = 0, "columns"_a = 1)
        .def("apply_with", &Handle::apply_with, "x"_a, "y"_a, "operands"_a, "alpha"_a = 1.0,
             "beta"_a = 0.0, "alpha_imag"_a = 0.0, "beta_imag"_a = 0.0, "stream"_a = 0)
        .def("update", &Handle::update, "arrays"_a, "stream"_a = 0)
        .def("explain", &Handle::explain, "arrays"_a, "options"_a)
        .def("info", &Handle::info)
        .def("source", &Handle::source)
        .def("row_order", &Handle::row_order)
        .def_prop_ro("device", &Handle::device)
        .def_prop_ro("vector_type", &Handle::vector_type);
    nb::class_<Vectors>(m, "Vectors");
    nb::class_<TorchVectors, Vectors>(m, "TorchVectors")
        .def(nb::init<nb::object, int, nb::object>(), "dtype"_a, "device"_a, "current_stream"_a);
    nb::class_<CuPyVectors, Vectors>(m, "CuPyVectors")
        .def(nb::init<nb::object, int, nb::object, nb::object>(), "dtype"_a, "device"_a, "empty"_a,
             "current_stream"_a);
    nb::class_<Direct>(m, "Direct")
        .def(nb::init<nb::object, nb::object>(), "handle"_a, "vectors"_a)
        .def("multiply", &Direct::multiply)
        .def("apply", &Direct::apply, "x"_a, "out"_a, "alpha"_a, "beta"_a, "stream"_a.none());
    m.def("emit", &emit, "options"_a);
    m.def("version", [] { return std::string(spmvgen_version()); });
    m.def("counters", [] {
        return text_of([](char* buffer, std::size_t size, std::size_t* needed) {
            return spmvgen_counters(buffer, size, needed);
        });
    });
    m.def("option_names", [] {
        return text_of([](char* buffer, std::size_t size, std::size_t* needed) {
            return spmvgen_options_names(buffer, size, needed);
        });
    });
}
