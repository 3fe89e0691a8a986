#pragma once
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "devices/device.hpp"
#include "matrix/buffer.hpp"
#include "spmvgen/epilogue.hpp"

namespace spmvgen::cli {

/// The operands of an epilogue with random numbers, where a handle's device has them; sums, maxima
/// and written numbers begin as NaN.
class NamedOperands {
  public:
    /// Vectors have `rows` elements of the type. A null device is the host.
    NamedOperands(const std::string& epilogue, ValueType type, std::int64_t rows,
                  std::shared_ptr<Device> device);

    const EpilogueProgram& program() const { return program_; }
    /// What an apply takes.
    std::vector<EpilogueOperand> operands() const;
    /// What an operand holds now, in the order of the program.
    Buffer result(std::size_t number) const;
    /// The same before the first apply.
    const Buffer& initial(std::size_t number) const { return initial_[number]; }
    /// Sums, maxima and written numbers by name, as they are now.
    std::vector<std::pair<std::string, double>> numbers() const;

    /// Of all of them, each counted once.
    std::int64_t bytes() const;

  private:
    EpilogueProgram program_;
    ValueType type_;
    std::shared_ptr<Device> device_;
    std::vector<Buffer> initial_, here_;
    std::vector<std::unique_ptr<DeviceMemory>> there_;
};

/// The elements as f64; of f32 and f64.
std::vector<double> as_doubles(const Buffer& data, ValueType type);

}  // namespace spmvgen::cli
