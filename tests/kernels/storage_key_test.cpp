#include "formats/storage_key.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <map>

#include "formats/stored_matrix.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// The kernel with its presets, and with each other value of each parameter.
std::vector<Signature> variants_by_parameter(const KernelEntry& entry) {
    Signature preset;
    preset.kernel = entry.id;
    preset.target = parse_target(entry.gpu ? "sm_90" : "x86-64-v3");
    std::vector<Signature> found{complete(preset)};
    for (auto& parameter : entry.params)
        for (const std::int64_t value : parameter.allowed) {
            Signature s = preset;
            s.params[parameter.name] = value;
            try {
                found.push_back(complete(s));
            } catch (const Error&) {  // beyond the wavefront
            }
        }
    return found;
}

/// The same sizes, and the same bytes in what has no padding: what is there is left as it was.
bool same(const StoredMatrix& a, const StoredMatrix& b) {
    if (a.scalars != b.scalars || a.stored != b.stored || a.bytes != b.bytes) return false;
    if (a.arrays.size() != b.arrays.size() || a.owned.size() != b.owned.size()) return false;
    const bool padded = a.format == Format::ell || a.format == Format::sell ||
                        a.format == Format::hyb || a.format == Format::bcsr;
    for (std::size_t i = 0; i < a.owned.size(); ++i)
        if (a.owned[i].bytes() != b.owned[i].bytes() ||
            (!padded && std::memcmp(a.owned[i].data(), b.owned[i].data(), a.owned[i].bytes()) != 0))
            return false;
    return true;
}

TEST(StorageKey, SignaturesThatShareItShareTheStoredMatrix) {
    const CsrMatrix matrix = make_gallery_matrix("powerlaw:n=300,max_row=60");
    int shared = 0;
    std::map<std::string, std::pair<StoredMatrix, std::string>> stored;
    for (auto& entry : kernel_registry()) {
        if (!is_plain_product(entry)) continue;
        for (auto& s : variants_by_parameter(entry)) {
            StoredMatrix now;
            try {
                now = convert(matrix.view(), s, false);
            } catch (const Error&) {  // what the matrix decides is otherwise
                continue;
            }
            const auto before = stored.find(storage_key(s));
            if (before == stored.end()) {
                stored.emplace(storage_key(s), std::pair{std::move(now), kernel_name(s)});
                continue;
            }
            ++shared;
            EXPECT_TRUE(same(before->second.first, now))
                << kernel_name(s) << " is stored otherwise than " << before->second.second;
        }
    }
    EXPECT_GT(shared, 50);
    EXPECT_GT(stored.size(), 20u);
}

}  // namespace
}  // namespace spmvgen
