#include "handle/plan/order.hpp"

namespace spmvgen {

bool may_get_order(const CsrView& matrix, const Options& options, KernelProvider& provider,
                   const Device* device) {
    if (options.reorder != "auto" || device == nullptr || options.op != "N" ||
        options.level == "exhaustive" || options.updates == "often")
        return false;
    return may_choose_order(matrix.rows, matrix.cols, matrix.nnz,
                            request_on(*device, matrix, options, provider, nullptr));
}

std::optional<OrderChoice> order_that_pays(const CsrView& matrix, const Options& options,
                                           PlannedMatrix& planned) {
    return choose_order({.matrix = matrix,
                         .features = planned.features(),
                         .request = planned.request(),
                         .expected_applies = options.expected_applies,
                         .threads = options.threads,
                         .chooser = planned.chooser(),
                         .rule = [&]() -> const Choice& { return planned.rule(); },
                         .source = planned.source()});
}

}  // namespace spmvgen
