// options.updates = "often": the formats that are chosen, and what is ready for new values.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "any_matrix.hpp"
#include "formats/format_storage.hpp"
#include "handle/base/handle_impl.hpp"
#include "matrix/suites/gallery.hpp"
#include "registry.hpp"
#include "tuner/rules/choose.hpp"

namespace spmvgen {
namespace {

Options often_for(const std::string& device) {
    Options options = options_for(device);
    options.updates = "often";
    return options;
}

Request request_for(const std::string& arch) {
    Request request;
    request.target = parse_target(arch);
    request.often_updated = true;
    return request;
}

// What a descriptor says of all signatures is what it says of each.
TEST(OftenUpdated, FormatsSayWhetherValuesAreInOrder) {
    for (auto& storage : format_storages()) {
        EXPECT_GT(storage.update_products.cpu, 0) << to_string(storage.format);
        EXPECT_GT(storage.update_products.gpu, 0) << to_string(storage.format);
        for (auto& entry : kernel_registry()) {
            if (entry.format != storage.format || entry.batch || entry.transposes) continue;
            Request request;
            request.kernel = entry.id;
            request.target = parse_target(entry.gpu ? "sm_90" : "x86-64-v3");
            RowFeatures rows;
            rows.rows = rows.cols = rows.nnz = 100;
            const Signature signature = choose(rows, request).signature;
            EXPECT_EQ(storage.values_in_order, storage.places(signature) == ValuePlaces::in_order)
                << entry.id;
        }
    }
}

TEST(OftenUpdated, LeavesOnlyFormatsThatTakeNewValuesQuickly) {
    for (const char* arch : {"x86-64-v4", "sm_90", "gfx90a"}) {
        const bool gpu = std::string(arch) != "x86-64-v4";
        const auto among = candidates(request_for(arch));
        EXPECT_GT(among.size(), 3u);
        for (auto* entry : among) {
            const UpdateProducts& products = storage_of(entry->format).update_products;
            EXPECT_LE(gpu ? products.gpu : products.cpu, gpu ? 4 : 3) << entry->id;
        }
        Request seldom = request_for(arch);
        seldom.often_updated = false;
        EXPECT_LT(among.size(), candidates(seldom).size());
    }
}

// A map from places to entries is no part of what the limit counts, so that none is made.
TEST(OftenUpdated, WithAMemoryLimitValuesAreInOrder) {
    Request request = request_for("sm_90");
    request.in_order_only = true;
    for (auto* entry : candidates(request))
        EXPECT_TRUE(storage_of(entry->format).values_in_order) << entry->id;
}

TEST(OftenUpdated, RefusesWhatIsNamedAndDoesNotTakeThem) {
    const AnyMatrix<double> a;
    const auto refusal = [&](auto change, const char* device = "host") {
        Options options = often_for(device);
        change(options);
        return code_and_text([&] { const Handle handle(a.view(), options); });
    };
    EXPECT_EQ(refusal([](Options& o) { o.format = "strips"; }),
              "invalid_argument: options.updates is often, which is not for format strips: its "
              "new values may take more products than that; leave it to the choice, or leave "
              "updates seldom");
    EXPECT_EQ(refusal([](Options& o) { o.kernel = "ell_groups"; }, "simt:sm_90"),
              "invalid_argument: options.updates is often, which is not for kernel ell_groups: its "
              "new values may take more products than that; leave it to the choice, or leave "
              "updates seldom");
    EXPECT_EQ(refusal(
                  [](Options& o) {
                      o.format = "sell";
                      o.memory_limit = 1'000'000;
                  },
                  "simt:sm_90"),
              "invalid_argument: options.updates is often, which is not for format sell: with "
              "options.memory_limit new values must be stored in order; leave it to the choice, or "
              "leave updates seldom");
    EXPECT_EQ(refusal([](Options& o) { o.updates = "daily"; }),
              "invalid_argument: options.updates is 'daily': use seldom or often");
    EXPECT_EQ(refusal([](Options& o) { o.updatable = false; }),
              "invalid_argument: options.updates is often, but options.updatable is false: leave "
              "one of them out");
    EXPECT_EQ(refusal([](Options& o) { o.reorder = "rcm"; }),
              "invalid_argument: options.updates is often, but options.reorder is rcm, which puts "
              "new values in order first: leave one of them out");
    const CsrView system = a.view();
    EXPECT_EQ(
        code_and_text([&] { const BatchHandle batch(std::span(&system, 1), often_for("host")); }),
        "invalid_argument: options.updates is often, but batches take no new values: leave "
        "it seldom");
}

// Values that are all one would be stored once, and each row's columns as a pattern.
TEST(OftenUpdated, ValuesAreNotEncodedAndTheReasonSaysWhy) {
    const CsrMatrix a = make_gallery_matrix("stencil5:nx=250,ny=250");
    for (const char* device : {"host", "simt:sm_90"}) {
        Handle handle(a.view(), often_for(device));
        EXPECT_THAT(handle.info().reason,
                    testing::EndsWith("; among formats that take new values in few products "
                                      "(updates often)"));
        EXPECT_EQ(handle.info().storage, "f64");
        EXPECT_THAT(handle.info().kernel, testing::Not(testing::HasSubstr("value_code")));
        std::vector<double> fresh(static_cast<std::size_t>(a.nnz), 0.1);
        handle.update_values(fresh.data());
        EXPECT_EQ(handle.info().widened, 0);
    }
}

// The first new values find their places known: what is kept for them does not grow.
TEST(OftenUpdated, PlacesAreFoundByTheConstructor) {
    const AnyMatrix<double> a;
    for (const auto& [device, kernel] :
         {std::pair{"host", "sell"}, {"simt:sm_90", "sell_slices"}, {"simt:sm_90", "strips"}}) {
        Options options = often_for(device);
        options.kernel = kernel;
        Handle often(a.view(), options);
        const std::int64_t kept = often.info().update_bytes;
        EXPECT_GT(kept, 0) << kernel;
        const auto fresh = a.numbers(1);
        often.update_values(fresh.data());
        EXPECT_EQ(often.info().update_bytes, kept) << kernel;
        EXPECT_EQ(product_of(often, a), a.product(fresh)) << kernel;
        options.updates = "seldom";
        const Handle seldom(a.view(), options);
        EXPECT_LT(seldom.info().update_bytes, kept) << kernel;
    }
}

// Every op and every way of planning takes them.
TEST(OftenUpdated, OfEveryOpAndLevelTakeNewValues) {
    const AnyMatrix<double> a;
    for (const char* device : {"host", "simt:sm_90"})
        for (const char* level : {"rule", "lazy", "recorded", "measure"})
            for (const char* op : {"N", "T"}) {
                Options options = often_for(device);
                options.level = level;
                options.budget_ms = 5;
                options.op = op;
                Handle handle(a.view(), options);
                for (int salt = 1; salt < 3; ++salt) {
                    const auto fresh = a.numbers(salt);
                    handle.update_values(fresh.data());
                    EXPECT_EQ(product_of(handle, a), a.product(fresh, op)) << device << level << op;
                    handle.prepare(Scale::one, Scale::zero);
                }
            }
}

}  // namespace
}  // namespace spmvgen
