// A file that is taken away says how large each of its grids is: in what its arguments tell.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "formats/stored_matrix.hpp"
#include "handle/kernels/kernel_sources.hpp"
#include "modes.hpp"
#include "registry.hpp"
#include "registry_convert.hpp"
#include "registry_permute.hpp"
#include "spmvgen/error.hpp"

namespace spmvgen {
namespace {

/// Rows of 1 to 5 entries, every seventh empty, and one of 300, which is long to every kernel.
struct Uneven {
    std::vector<int> row_ptr{0}, col_idx;
    std::vector<double> values;
    explicit Uneven(bool gaps) {
        for (int row = 0; row < 301; ++row) {
            const int entries = row == 150 ? 300 : gaps && row % 7 == 3 ? 0 : 1 + row % 5;
            for (int k = 0; k < entries; ++k) col_idx.push_back(k);
            row_ptr.push_back(static_cast<int>(col_idx.size()));
        }
        values.assign(col_idx.size(), 1.5);
    }
    CsrView view() const {
        return csr_view(301, 301, row_ptr.data(), col_idx.data(), values.data());
    }
};

/// What a formula of numbers, scalars, +, *, ceil(a / b) and max(a, …) comes to.
class Formula {
  public:
    Formula(std::string text, const std::map<std::string, std::int64_t>& scalars)
        : text_(std::move(text)), scalars_(scalars) {
        std::erase(text_, ' ');
    }
    std::int64_t value() {
        const std::int64_t result = sum();
        EXPECT_EQ(at_, text_.size()) << text_;
        return result;
    }

  private:
    bool take(std::string_view word) {
        if (text_.compare(at_, word.size(), word) != 0) return false;
        at_ += word.size();
        return true;
    }
    std::int64_t sum() {
        std::int64_t total = product();
        while (take("+")) total += product();
        return total;
    }
    std::int64_t product() {
        std::int64_t total = factor();
        while (take("*")) total *= factor();
        return total;
    }
    std::int64_t factor() {
        if (take("ceil(")) {
            const std::int64_t items = sum();
            EXPECT_TRUE(take("/")) << text_;
            const std::int64_t each = sum();
            EXPECT_TRUE(take(")")) << text_;
            return (items + each - 1) / each;
        }
        if (take("max(")) {
            std::int64_t most = sum();
            while (take(",")) most = std::max(most, sum());
            EXPECT_TRUE(take(")")) << text_;
            return most;
        }
        const auto end = std::find_if(text_.begin() + static_cast<std::ptrdiff_t>(at_), text_.end(),
                                      [](unsigned char c) { return c != '_' && !std::isalnum(c); });
        const std::string word(text_.begin() + static_cast<std::ptrdiff_t>(at_), end);
        at_ += word.size();
        if (!word.empty() && std::isdigit(static_cast<unsigned char>(word[0])))
            return std::stoll(word);
        EXPECT_TRUE(scalars_.contains(word)) << word << " in " << text_;
        return scalars_.contains(word) ? scalars_.at(word) : 1;
    }

    std::string text_;
    const std::map<std::string, std::int64_t>& scalars_;
    std::size_t at_ = 0;
};

/// Those that compute a grid's size in their arguments.
const std::set<std::string> computed_scalars{"csr_by_length.grid_blocks", "ell_groups.num_parts",
                                             "strips.num_warps", "tiles.grid_blocks",
                                             "tiles_hubs.gather_items"};

/// The kernel with its presets, and with each end of each parameter's range: of a kernel that
/// computes no size in the long tests only.
std::vector<Signature> variants(const KernelEntry& entry) {
    const std::string prefix = std::string(entry.id) + ".";
    const bool all_ends = fixtures::is_every_mode_wanted() ||
                          std::ranges::any_of(computed_scalars, [&](const std::string& name) {
                              return name.starts_with(prefix);
                          });

    Signature s;
    s.kernel = entry.id;
    s.target = parse_target("sm_90");
    std::vector<Signature> all;
    const auto add = [&](const Signature& one) {
        try {
            all.push_back(complete(one));
        } catch (const Error&) {  // parameters that do not go together
        }
    };
    add(s);
    if (!all_ends) return all;
    for (auto& p : entry.params)
        for (const auto value : {p.allowed.front(), p.allowed.back()}) {
            Signature other = s;
            other.params[p.name] = value;
            add(other);
        }
    return all;
}

/// What the text says of a scalar: behind "/// NAME", at the first place; "" where it says nothing.
std::string said_of(const std::string& text, const std::string& name) {
    for (const std::string mark : {": ", " = ", "["}) {
        const std::string begin = "/// " + name + mark;
        const auto at = text.find(begin);
        if (at == text.npos) continue;
        const auto from = at + 4 + name.size();
        return text.substr(from, text.find('\n', from) - from);
    }
    return "";
}

/// Whether a formula stands for the scalar and, where the matrix can be stored so, is right.
void check_formula(const Signature& s, const std::string& name, std::string said,
                   std::set<std::string>& computed) {
    if (!said.starts_with(" = ")) return;
    for (const bool gaps : {true, false}) {
        const Uneven matrix(gaps);
        StoredMatrix stored;
        try {
            stored = convert(matrix.view(), s, true, 0);
        } catch (const Error&) {  // the signature does not suit the matrix
            continue;
        }
        EXPECT_EQ(Formula(said.substr(3), stored.scalars).value(), stored.scalars.at(name)) << said;
        computed.insert(s.kernel + "." + name);
    }
}

TEST(GridScalars, EachIsSaidToBeWhatItIs) {
    std::set<std::string> computed;
    std::vector<KernelEntry> entries(kernel_registry().begin(), kernel_registry().end());
    for (auto& entry : conversion_kernels()) entries.push_back(entry);
    for (auto& entry : helper_kernels()) entries.push_back(entry);
    for (auto& entry : entries) {
        if (!entry.gpu) continue;
        for (auto& s : variants(entry)) {
            SCOPED_TRACE(to_string(s));
            const KernelSource source = load_generator().emit(s, "");
            for (auto& step : source.launch.steps) {
                const std::string said = said_of(source.text, step.grid.items);
                EXPECT_NE(said, "") << step.grid.items << "\n" << source.text;
                check_formula(s, step.grid.items, said, computed);
            }
        }
    }
    EXPECT_EQ(computed, computed_scalars);
}

}  // namespace
}  // namespace spmvgen
