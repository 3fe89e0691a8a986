// Choices that are recalled: by what, from where, and that a file with anything in it does no harm.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "../store/samples.hpp"
#include "matrix/suites/gallery.hpp"
#include "tuner/chooser/chooser.hpp"
#include "tuner/chooser/order_choice.hpp"
#include "tuner/profiles/device_profile.hpp"
#include "tuner/recall/situation.hpp"

namespace spmvgen {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

const char* const recalled_matrix = "random:seed=29,max_nnz=200000";

DeviceProfile h200() {
    return *find_device_profile("NVIDIA H200");
}

Request request_by(const DeviceProfile& profile) {
    Request request{.target = parse_target("sm_90"), .units = 132, .encode = true};
    request.device = profile.device;
    request.profile = &profile;
    return request;
}

struct RecalledOrNot {
    std::string kernel, reason;
    std::optional<Prediction> prediction;
};

/// A choice of level rule for a matrix, by a chooser of its own.
RecalledOrNot chosen_with(const CsrMatrix& matrix, Request request, ChoiceMemory* memory) {
    const RowFeatures features = analyse_row_lengths(matrix.view());
    Chooser chooser(matrix.view(), features, 1, nullptr, memory);
    const Choice choice = chooser.sampled(request);
    return {kernel_name(choice.signature), choice.reason,
            chooser.has_predicted() ? chooser.predict(choice.signature, request) : std::nullopt};
}

ChoiceKey key_of_number(std::uint64_t number) {
    return {{number, number + 1}};
}

SharedLines file_in(const TemporaryDirectory& directory, bool writable = true) {
    return {{directory.path().string(), true}, choices_name, writable};
}

TEST(ChoiceMemory, AnEqualMatrixHasTheChoiceOfTheFirst) {
    const DeviceProfile profile = h200();
    const CsrMatrix matrix = make_gallery_matrix(recalled_matrix);
    ChoiceMemory memory;
    const RecalledOrNot anew = chosen_with(matrix, request_by(profile), nullptr);
    const RecalledOrNot first = chosen_with(matrix, request_by(profile), &memory);
    EXPECT_EQ(first.kernel, anew.kernel);
    EXPECT_EQ(first.reason, anew.reason);
    const RecalledOrNot second = chosen_with(matrix, request_by(profile), &memory);
    EXPECT_EQ(second.kernel, anew.kernel);
    EXPECT_EQ(second.reason, anew.reason + "; recalled");
    ASSERT_TRUE(second.prediction && anew.prediction);
    EXPECT_EQ(second.prediction->us, anew.prediction->us);
    EXPECT_EQ(memory.size(), 1u);
}

TEST(ChoiceMemory, WhatIsKnownIsTakenThoughAnotherWouldBeChosen) {
    const DeviceProfile profile = h200();
    const CsrMatrix matrix = make_gallery_matrix(recalled_matrix);
    const RowFeatures features = analyse_row_lengths(matrix.view());
    ChoiceMemory memory;
    Request request = request_by(profile);
    request.exact = ExactValues{};
    const auto sample = SampledRows::of_choice(matrix.view(), gpu_sample);
    const ChoiceKey key =
        choice_key(matrix.view(), features, sample, request, situation_of(profile, false));
    Request named = request;
    named.kernel = "csr_light";
    memory.keep(key, {choose(features, named), Prediction{7, 0.5}});
    const RecalledOrNot found = chosen_with(matrix, request, &memory);
    EXPECT_THAT(found.kernel, testing::StartsWith("csr_light_"));
    EXPECT_THAT(found.reason, EndsWith("; recalled"));
    EXPECT_EQ(found.prediction.value_or(Prediction{}).us, 7);
}

TEST(ChoiceMemory, NothingIsRecalledOfOtherRowsColumnsOrTypes) {
    const DeviceProfile profile = h200();
    ChoiceMemory memory;
    CsrMatrix matrix = make_gallery_matrix(recalled_matrix);
    (void)chosen_with(matrix, request_by(profile), &memory);
    CsrMatrix moved = make_gallery_matrix(recalled_matrix);
    auto* columns = static_cast<std::int32_t*>(moved.col_idx.data());
    for (std::int64_t i = 0; i < moved.nnz; ++i)
        columns[i] = static_cast<std::int32_t>(moved.cols - 1 - columns[i]);
    const CsrMatrix narrow = convert_values(matrix.view(), ValueType::f32);
    const CsrMatrix other = make_gallery_matrix("random:seed=30,max_nnz=200000");
    for (const CsrMatrix* one : std::initializer_list<const CsrMatrix*>{&moved, &narrow, &other})
        EXPECT_THAT(chosen_with(*one, request_by(profile), &memory).reason,
                    Not(HasSubstr("recalled")));
    EXPECT_EQ(memory.size(), 4u);
}

// One request after the other, each with one thing changed.
TEST(ChoiceMemory, EverythingThatIsAskedIsPartOfTheKey) {
    const CsrMatrix matrix = make_gallery_matrix("stencil5:nx=40,ny=40");
    const RowFeatures features = analyse_row_lengths(matrix.view());
    const SampledRows sample(matrix.view(), 4000);
    const std::vector<void (*)(Request&)> changes{
        [](Request&) {},
        [](Request& r) { r.format = "csr"; },
        [](Request& r) { r.kernel = "ell"; },
        [](Request& r) { r.without = Format::strips; },
        [](Request& r) { r.rule = "ginkgo"; },
        [](Request& r) { r.params["block"] = 64; },
        [](Request& r) { r.params["block"] = 128; },
        [](Request& r) { r.target = parse_target("sm_80"); },
        [](Request& r) { r.target.features = ":xnack-"; },
        [](Request& r) { r.target.tune = "znver3"; },
        [](Request& r) { r.target.wavefront = 64; },
        [](Request& r) { r.target.device_memory = true; },
        [](Request& r) { r.num_rhs = 2; },
        [](Request& r) { r.threads = 3; },
        [](Request& r) { r.smaller_teams = {1}; },
        [](Request& r) { r.smaller_teams = {1, 2}; },
        [](Request& r) { r.units = 7; },
        [](Request& r) { r.deterministic = true; },
        [](Request& r) { r.batch = true; },
        [](Request& r) { r.vectors = ValueType::f32; },
        [](Request& r) { r.storage = ValueType::f32; },
        [](Request& r) { r.accumulator = ValueType::f32; },
        [](Request& r) { r.look = false; },
        [](Request& r) { r.applies = 100; },
        [](Request& r) { r.encode = true; },
        [](Request& r) { r.exact = ExactValues{}; },
        [](Request& r) { r.exact = ExactValues{ValueType::f64, 1}; },
        [](Request& r) { r.often_updated = true; },
        [](Request& r) { r.in_order_only = true; },
        [](Request& r) { r.epilogue = "value"; },
        [](Request& r) { r.op = Op::transpose; },
        [](Request& r) { r.device = "another"; },
        [](Request& r) { r.csr_index = IndexType::i32; },
        [](Request& r) { r.csr_offset = IndexType::i32; },
    };
    std::set<ChoiceKey> keys;
    for (const auto change : changes) {
        Request request{.target = parse_target("sm_90")};
        change(request);
        keys.insert(choice_key(matrix.view(), features, sample, request, 1));
    }
    EXPECT_EQ(keys.size(), changes.size());
    EXPECT_TRUE(keys.insert(choice_key(matrix.view(), features, sample, {}, 1)).second);
    EXPECT_TRUE(keys.insert(choice_key(matrix.view(), features, sample, {}, 2)).second);
}

TEST(ChoiceMemory, WhatIsNamedRuledOrDeterministicIsNotRecalled) {
    const DeviceProfile profile = h200();
    const CsrMatrix matrix = make_gallery_matrix(recalled_matrix);
    const std::vector<void (*)(Request&)> changes{
        [](Request& r) { r.kernel = "csr_classical"; },
        [](Request& r) { r.rule = "ginkgo"; },
        [](Request& r) { r.deterministic = true; },
        [](Request& r) { r.profile = nullptr; },
    };
    for (const auto change : changes) {
        ChoiceMemory memory;
        Request request = request_by(profile);
        change(request);
        (void)chosen_with(matrix, request, &memory);
        EXPECT_THAT(chosen_with(matrix, request, &memory).reason, Not(HasSubstr("recalled")));
        EXPECT_EQ(memory.size(), 0u);
    }
}

TEST(ChoiceMemory, OfACpuTheTeamIsRecalledAndTheSpeedOfItsCoresDoesNotMatter) {
    DeviceProfile profile = *find_device_profile("x86-64-v4");
    EXPECT_EQ(situation_of(profile, true), situation_of(with_faster_cores(profile, 2), true));
    EXPECT_NE(situation_of(profile, true), situation_of(h200(), false));
    profile.regions = {{16, 50, 0}};  // microseconds, which no small product repays
    const CsrMatrix matrix = make_gallery_matrix("stencil5:nx=60,ny=60");
    Request request{.target = parse_target("x86-64-v4"), .threads = 16, .smaller_teams = {1}};
    request.profile = &profile;
    ChoiceMemory memory;
    const RowFeatures features = analyse_row_lengths(matrix.view());
    const auto choose = [&] {
        return Chooser(matrix.view(), features, 1, nullptr, &memory)(request);
    };
    const Choice first = choose(), second = choose();
    EXPECT_EQ(first.threads, 1);
    EXPECT_EQ(second.threads, first.threads);
    EXPECT_EQ(kernel_name(second.signature), kernel_name(first.signature));
    EXPECT_THAT(second.reason, HasSubstr("; recalled"));
}

/// An order of the rows, and what was known of it before.
struct OrderOrNot {
    std::optional<OrderChoice> order;
    std::optional<KnownOrder> known;
};

OrderOrNot order_with(const CsrMatrix& matrix, const DeviceProfile& profile, ChoiceMemory& memory) {
    const RowFeatures features = analyse_row_lengths(matrix.view());
    Chooser chooser(matrix.view(), features, 1, nullptr, &memory);
    Request request = request_by(profile);
    std::optional<Choice> rule;
    OrderOrNot found;
    found.order = choose_order({.matrix = matrix.view(),
                                .features = features,
                                .request = request,
                                .threads = 1,
                                .chooser = chooser,
                                .rule = [&]() -> const Choice& {
                                    if (!rule) rule = chooser.sampled(request);
                                    return *rule;
                                }});
    if (const KnownOrder* const known = chooser.known_order()) found.known = *known;
    return found;
}

TEST(ChoiceMemory, RowsStayWhereNoOrderWasFound) {
    const DeviceProfile profile = h200();
    const CsrMatrix matrix = make_gallery_matrix("stencil27:nx=30,ny=30,nz=30");
    ChoiceMemory memory;
    const OrderOrNot first = order_with(matrix, profile, memory);
    EXPECT_FALSE(first.order || first.known);
    const OrderOrNot second = order_with(matrix, profile, memory);
    EXPECT_FALSE(second.order);
    EXPECT_EQ(second.known, KnownOrder{});
}

TEST(ChoiceMemory, RowsAreInClustersWhereThatPaid) {
    const DeviceProfile profile = h200();
    const CsrMatrix matrix = make_gallery_matrix("delaunay:n=120000,spatial=0");
    ChoiceMemory memory;
    const OrderOrNot first = order_with(matrix, profile, memory);
    ASSERT_TRUE(first.order);
    EXPECT_FALSE(first.known);
    const OrderOrNot second = order_with(matrix, profile, memory);
    ASSERT_TRUE(second.order && second.known);
    EXPECT_TRUE(second.known->in_clusters);
    EXPECT_EQ(second.order->order, first.order->order);
    EXPECT_EQ(second.order->bandwidth, first.order->bandwidth);
    EXPECT_EQ(second.order->us, first.order->us);
    EXPECT_EQ(second.order->plain_us, first.order->plain_us);
    EXPECT_EQ(second.order->reason, first.order->reason + "; recalled");
}

// Whether an order pays is not asked again: what is known is believed.
TEST(ChoiceMemory, RowsAreInClustersThoughTheyWouldStay) {
    const DeviceProfile profile = h200();
    const CsrMatrix matrix = make_gallery_matrix("stencil27:nx=30,ny=30,nz=30");
    const RowFeatures features = analyse_row_lengths(matrix.view());
    ChoiceMemory memory;
    Request request = request_by(profile);
    Chooser chooser(matrix.view(), features, 1, nullptr, &memory);
    (void)chooser.sampled(request);
    chooser.note_order({true, 1, 2, "clusters"});
    const OrderOrNot found = order_with(matrix, profile, memory);
    ASSERT_TRUE(found.order);
    EXPECT_EQ(found.order->order, reorder(matrix.view(), ReorderMethod::rows));
    EXPECT_EQ(found.order->reason, "clusters; recalled");
}

TEST(ChoiceMemory, ForgetsTheOldest) {
    ChoiceMemory memory({}, 2);
    for (const std::uint64_t key : {1, 2, 3}) memory.keep(key_of_number(key), {});
    EXPECT_EQ(memory.size(), 2u);
    EXPECT_FALSE(memory.find(key_of_number(1), {}));
    EXPECT_TRUE(memory.find(key_of_number(3), {}));
}

TEST(ChoiceMemory, AnotherProcessFindsWhatIsInTheFile) {
    const TemporaryDirectory directory;
    const DeviceProfile profile = h200();
    const CsrMatrix matrix = make_gallery_matrix(recalled_matrix);
    ChoiceMemory first(file_in(directory));
    const RecalledOrNot made = chosen_with(matrix, request_by(profile), &first);
    ChoiceMemory second(file_in(directory, false));
    const RecalledOrNot found = chosen_with(matrix, request_by(profile), &second);
    EXPECT_EQ(found.kernel, made.kernel);
    EXPECT_EQ(found.reason, made.reason + "; recalled");
    ASSERT_TRUE(found.prediction && made.prediction);
    EXPECT_EQ(found.prediction->us, made.prediction->us);
    EXPECT_EQ(found.prediction->error, made.prediction->error);
}

/// A choice that has a line.
KnownChoice a_choice() {
    const CsrMatrix matrix = make_gallery_matrix("stencil5:nx=40,ny=40");
    Request request{.kernel = "csr_classical", .target = parse_target("sm_90")};
    KnownChoice known{choose(analyse_row_lengths(matrix.view()), request), Prediction{1.5, 0.25}};
    known.choice.threads = 3;
    known.order = KnownOrder{true, 1.25, 2.5, "rows in clusters"};
    return known;
}

TEST(ChoiceLine, IsReadBack) {
    const KnownChoice known = a_choice();
    const std::string line = line_of(key_of_number(5), known);
    EXPECT_EQ(key_of_line(line), key_of_number(5));
    const auto read = parse_choice_line(line, known.choice.signature.target);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->choice.signature, known.choice.signature);
    EXPECT_EQ(read->choice.reason, known.choice.reason);
    EXPECT_EQ(read->choice.threads, 3);
    EXPECT_EQ(read->prediction.value_or(Prediction{}).us, 1.5);
    EXPECT_EQ(read->prediction.value_or(Prediction{}).error, 0.25);
    EXPECT_EQ(read->order, known.order);
}

TEST(ChoiceLine, HasWhatIsKnownOfAnOrder) {
    KnownChoice known = a_choice();
    for (const auto& order : {std::optional<KnownOrder>{}, std::optional(KnownOrder{})}) {
        known.order = order;
        const auto read =
            parse_choice_line(line_of(key_of_number(5), known), known.choice.signature.target);
        ASSERT_TRUE(read);
        EXPECT_EQ(read->order, order);
    }
}

TEST(ChoiceLine, IsNotMadeOfWhatALineCannotSay) {
    KnownChoice epilogue = a_choice(), text = a_choice(), warned = a_choice(), order = a_choice();
    epilogue.choice.signature.epilogue = "2 * value";
    order.order->reason = "two\tfields";
    text.choice.reason = "two\nlines";
    warned.choice.warning = "of a file";
    for (const KnownChoice& known : {epilogue, text, warned, order})
        EXPECT_EQ(line_of(key_of_number(1), known), "");
}

TEST(ChoiceLine, AnyChangeIsNoticed) {
    const std::string line = line_of(key_of_number(5), a_choice());
    for (std::size_t i = 0; i < line.size(); ++i) {
        std::string changed = line;
        changed[i] ^= 1;
        EXPECT_NE(key_of_line(changed), key_of_number(5)) << i;
        EXPECT_FALSE(key_of_line(line.substr(0, i))) << i;
    }
    EXPECT_FALSE(key_of_line(line + "x"));
}

TEST(ChoiceLine, OfAKernelThatIsNotThereIsNone) {
    const KnownChoice known = a_choice();
    const std::string line = line_of(key_of_number(5), known);
    const Target& target = known.choice.signature.target;
    ASSERT_TRUE(parse_choice_line(line, target));
    std::string other = line;
    other.replace(other.find("csr_classical"), 13, "csr_classicus");
    EXPECT_FALSE(parse_choice_line(other, target));
    EXPECT_FALSE(parse_choice_line("", target));
    for (std::size_t i = 0; i < line.find(known.choice.reason); ++i)
        EXPECT_FALSE(parse_choice_line(line.substr(0, i), target)) << i;
}

TEST(ChoiceMemory, LinesThatAreDamagedAreAMiss) {
    const TemporaryDirectory directory;
    const KnownChoice known = a_choice();
    std::string line = line_of(key_of_number(5), known) + "\n";
    line[40] ^= 1;
    write_file(directory.path() / choices_name, "\n\n\t\t\t\n" + line + "no end");
    ChoiceMemory memory(file_in(directory));
    EXPECT_FALSE(memory.find(key_of_number(5), known.choice.signature.target));
    memory.keep(key_of_number(5), known);  // behind the line that has no end
    ChoiceMemory other(file_in(directory));
    other.keep(key_of_number(6), known);
    ChoiceMemory third(file_in(directory));
    EXPECT_TRUE(third.find(key_of_number(6), known.choice.signature.target));
}

}  // namespace
}  // namespace spmvgen
