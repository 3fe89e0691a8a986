#include <array>

#include "sets/manifest.hpp"

namespace spmvgen {
namespace {

struct Embedded {
    std::string_view name, text;
};

constexpr std::array manifests{Embedded{"default", R"({
  "manifest": 1,
  "name": "default",
  "sections": [
    {"choose": "rules", "values": ["f32", "f64", "c32", "c64"], "deterministic": [false, true]},
    {"choose": "rules", "values": ["f32", "f64", "c32", "c64"], "ops": ["T", "H"]},
    {"choose": "helpers", "values": ["f32", "f64", "c32", "c64"]},
    {"choose": "batches", "values": ["f32", "f64", "c32", "c64"], "on": ["cpu"]}
  ]
}
)"},
                               Embedded{"common", R"({
  "manifest": 1,
  "name": "common",
  "sections": [
    {"choose": "rules", "values": ["f32", "f64"], "indices": ["i32/i32", "i32/i64"]},
    {"choose": "helpers", "values": ["f32", "f64"]}
  ]
}
)"},
                               Embedded{"batches", R"({
  "manifest": 1,
  "name": "batches",
  "sections": [
    {"choose": "batches", "values": ["f32", "f64"], "indices": ["i32/i32"]}
  ]
}
)"}};

}  // namespace

std::optional<std::string_view> embedded_manifest(std::string_view name) {
    for (auto& manifest : manifests)
        if (manifest.name == name) return manifest.text;
    return std::nullopt;
}

std::string embedded_manifest_names() {
    std::string names;
    for (auto& manifest : manifests)
        names += (names.empty() ? "" : ", ") + std::string(manifest.name);
    return names;
}

}  // namespace spmvgen
