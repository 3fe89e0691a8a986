#include "options/named_operands.hpp"

#include <cmath>
#include <cstring>

#include "matrix/csr_matrix.hpp"
#include "measure/random_vector.hpp"

namespace spmvgen::cli {
namespace {

constexpr std::uint64_t first_seed = 11;

Buffer random_numbers(ValueType type, std::int64_t count, std::uint64_t seed) {
    Buffer data(static_cast<std::size_t>(count) * size_of(type));
    fill_random(type, data.data(), count, seed);
    return data;
}

Buffer no_number(ValueType type) {
    Buffer data(size_of(type));
    std::memset(data.data(), 0xff, data.bytes());
    return data;
}

Buffer copy_of(const Buffer& from) {
    Buffer to(from.bytes());
    if (from.bytes() > 0) std::memcpy(to.data(), from.data(), from.bytes());
    return to;
}

}  // namespace

NamedOperands::NamedOperands(const std::string& epilogue, ValueType type, std::int64_t rows,
                             std::shared_ptr<Device> device)
    : program_(parse_epilogue(epilogue)), type_(type), device_(std::move(device)) {
    std::uint64_t seed = first_seed;
    for (auto& [name, role] : program_.names) {
        const bool random = is_vector(role) || role == OperandRole::scalar;
        initial_.push_back(random ? random_numbers(type, is_vector(role) ? rows : 1, seed++)
                                  : no_number(type));
        here_.push_back(copy_of(initial_.back()));
        if (device_ == nullptr) continue;
        there_.push_back(device_->allocate(here_.back().bytes()));
        device_->copy_to_device(there_.back()->data(), here_.back().data(), here_.back().bytes());
    }
}

std::vector<EpilogueOperand> NamedOperands::operands() const {
    std::vector<EpilogueOperand> all;
    for (std::size_t i = 0; i < program_.names.size(); ++i)
        all.emplace_back(program_.names[i].name, type_,
                         device_ != nullptr ? there_[i]->data() : here_[i].data(), true);
    return all;
}

Buffer NamedOperands::result(std::size_t number) const {
    Buffer now = copy_of(here_[number]);
    if (device_ != nullptr) device_->copy_to_host(now.data(), there_[number]->data(), now.bytes());
    return now;
}

std::int64_t NamedOperands::bytes() const {
    std::size_t all = 0;
    for (auto& operand : initial_) all += operand.bytes();
    return static_cast<std::int64_t>(all);
}

std::vector<std::pair<std::string, double>> NamedOperands::numbers() const {
    std::vector<std::pair<std::string, double>> all;
    if (is_complex(type_)) return all;
    for (std::size_t i = 0; i < program_.names.size(); ++i)
        if (is_written(program_.names[i].role) && !is_vector(program_.names[i].role))
            all.emplace_back(program_.names[i].name, as_doubles(result(i), type_).front());
    return all;
}

std::vector<double> as_doubles(const Buffer& data, ValueType type) {
    if (type == ValueType::f64) return {data.as<double>().begin(), data.as<double>().end()};
    return {data.as<float>().begin(), data.as<float>().end()};
}

}  // namespace spmvgen::cli
