#include <nlohmann/json.hpp>

#include "matrix/features/features_fields.hpp"

namespace spmvgen {

std::string to_json(const Features& features) {
    nlohmann::ordered_json object;
    for_each_field(features, [&](const char* name, const auto& field, Presence) {
        if constexpr (requires { to_string(field); })
            object[name] = to_string(field);
        else
            object[name] = field;
    });
    return object.dump();
}

}  // namespace spmvgen
