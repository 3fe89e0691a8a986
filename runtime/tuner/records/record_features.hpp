#pragma once
#include <nlohmann/json_fwd.hpp>

#include "matrix/features/features.hpp"

namespace spmvgen {

/// The inverse of to_json(Features). A field that is missing keeps its initial value when it was
/// added after schema 1 of tuning_db's records (docs/reference/files.md)
/// — Presence::added_later in matrix/features/features_fields.hpp —, else that is an error, as is
/// one of another type or out of range. Throws Error(invalid_input) that names the field. Fields
/// that are not known are passed over.
Features parse_features(const nlohmann::ordered_json& object);

}  // namespace spmvgen
