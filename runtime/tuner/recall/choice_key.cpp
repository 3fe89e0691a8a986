#include "tuner/recall/choice_key.hpp"

#include <string_view>

#include "tuner/recall/digest.hpp"

namespace spmvgen {
namespace {

void add_features(Digest& digest, const RowFeatures& f) {
    for (const std::int64_t number : {f.rows, f.cols, f.nnz, f.min_row, f.max_row, f.empty_rows,
                                      f.row_p50, f.row_p90, f.row_p99})
        digest.add(number);
    digest.add(f.value_type);
    for (const double number : {f.mean_row, f.variance_row, f.ell_padding}) digest.add(number);
    digest.add(f.row_histogram);
    digest.add(f.sell_padding);
    digest.add(f.sell_sorted_padding);
}

void add_sample(Digest& digest, const CsrView& rows) {
    digest.add_bytes(rows.row_ptr,
                     static_cast<std::size_t>(rows.rows + 1) * size_of(rows.offset_type));
    digest.add_bytes(rows.col_idx, static_cast<std::size_t>(rows.nnz) * size_of(rows.index_type));
}

void add_target(Digest& digest, const Target& target) {
    for (const std::string& text : {target.arch, target.tune, target.features})
        digest.add(std::string_view(text));
    digest.add(target.wavefront);
    digest.add(target.device_memory);
}

void add_request(Digest& digest, const Request& r) {
    for (const std::string& text : {r.format, r.kernel, r.rule, r.epilogue, r.device})
        digest.add(std::string_view(text));
    add_target(digest, r.target);
    digest.add(r.without);
    digest.add(r.params);
    for (const int number : {r.num_rhs, r.threads, r.units}) digest.add(number);
    digest.add(r.smaller_teams);
    for (const bool asked :
         {r.deterministic, r.batch, r.look, r.encode, r.often_updated, r.in_order_only})
        digest.add(asked);
    digest.add(r.vectors);
    digest.add(r.storage);
    digest.add(r.accumulator);
    digest.add(r.applies);
    digest.add(r.exact);
    digest.add(r.op);
    digest.add(r.csr_index);
    digest.add(r.csr_offset);
}

}  // namespace

ChoiceKey choice_key(const CsrView& matrix, const RowFeatures& features, const SampledRows& sample,
                     const Request& request, std::uint64_t situation) {
    Digest digest;
    digest.add(situation);
    digest.add(matrix.index_type);
    digest.add(matrix.offset_type);
    add_features(digest, features);
    digest.add(sample.wanted());
    add_sample(digest, sample.view());
    add_request(digest, request);
    return {digest.bits()};
}

}  // namespace spmvgen
