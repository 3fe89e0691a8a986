// Stand-ins for rooms that are not merged yet, just enough to drive the CLI. Dropped at merge.
#include <dirent.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

#include "handle/jit_loader.hpp"
#include "matrix/features.hpp"
#include "matrix/gallery.hpp"
#include "matrix/reader.hpp"
#include "registry.hpp"
#include "spmvgen/spmvgen.hpp"
#include "store/store.hpp"
#include "tuner/choose.hpp"

namespace spmvgen {

Buffer::Buffer(std::size_t bytes)
    : data_(bytes > 0 ? std::aligned_alloc(64, (bytes + 63) / 64 * 64) : nullptr), bytes_(bytes) {
    if (bytes > 0 && !data_) throw std::bad_alloc();
}
void Buffer::shrink(std::size_t bytes) {
    bytes_ = bytes;
}
void Buffer::Free::operator()(void* p) const noexcept {
    std::free(p);
}

namespace {

struct Triplet {
    std::int64_t row, col;
    double value;
};

CsrMatrix assemble(std::int64_t rows, std::int64_t cols, std::vector<Triplet> entries) {
    std::ranges::sort(entries, {}, [](auto& t) { return std::pair(t.row, t.col); });
    CsrMatrix m;
    m.rows = rows;
    m.cols = cols;
    m.nnz = static_cast<std::int64_t>(entries.size());
    m.row_ptr = make_buffer<std::int32_t>(rows + 1);
    m.col_idx = make_buffer<std::int32_t>(m.nnz);
    m.values = make_buffer<double>(m.nnz);
    auto ptr = m.row_ptr.as<std::int32_t>();
    std::ranges::fill(ptr, 0);
    for (std::size_t k = 0; k < entries.size(); ++k) {
        ++ptr[static_cast<std::size_t>(entries[k].row) + 1];
        m.col_idx.as<std::int32_t>()[k] = static_cast<std::int32_t>(entries[k].col);
        m.values.as<double>()[k] = entries[k].value;
    }
    for (std::size_t i = 1; i < ptr.size(); ++i) ptr[i] += ptr[i - 1];
    return m;
}

constexpr std::array entries_of_gallery{
    std::pair{std::string_view("stencil5"), std::string_view("5-point stencil")}};

std::string value_text(const CsrView& m, std::int64_t k) {
    char text[64];
    std::snprintf(text, sizeof text, "%.17g", m.values_as<double>()[k]);
    return text;
}

void write_text(const std::string& path, const std::string& text) {
    std::ofstream file(path);
    file << text;
    file.close();
    if (!file) throw Error(ErrorCode::io, path + ": cannot write: " + std::strerror(errno));
}

}  // namespace

CsrMatrix convert_values(const CsrView& m, ValueType type) {
    if (type == ValueType::f64) return assemble(m.rows, m.cols, {});
    throw Error(ErrorCode::unsupported, "stand-in: f64 only");
}

CsrMatrix read_matrix(const std::string& path, FileHeader* header, const ReadOptions&) {
    std::ifstream file(path);
    if (!file) throw Error(ErrorCode::io, path + ": " + std::strerror(errno));
    std::string line;
    std::getline(file, line);
    if (!line.starts_with("%%MatrixMarket"))
        throw Error(ErrorCode::invalid_input, path + ":1: not a matrix");
    std::int64_t rows = 0, cols = 0, nnz = 0;
    file >> rows >> cols >> nnz;
    std::vector<Triplet> entries(static_cast<std::size_t>(nnz));
    for (auto& t : entries) {
        if (!(file >> t.row >> t.col >> t.value))
            throw Error(ErrorCode::invalid_input, path + ":3: too few entries");
        --t.row, --t.col;
    }
    if (header) *header = {"matrix market", "coordinate", "real", "general", nnz};
    return assemble(rows, cols, entries);
}

void write_matrix_market(const std::string& path, const CsrView& m) {
    std::ostringstream text;
    text << "%%MatrixMarket matrix coordinate real general\n"
         << m.rows << " " << m.cols << " " << m.nnz << "\n";
    for (std::int64_t i = 0; i < m.rows; ++i)
        for (std::int64_t k = m.row_begin(i); k < m.row_begin(i + 1); ++k)
            text << i + 1 << " " << m.col(k) + 1 << " " << value_text(m, k) << "\n";
    write_text(path, text.str());
}
void write_csr_binary(const std::string& path, const CsrView& m) {
    write_matrix_market(path, m);
}

Buffer read_vector(const std::string& path, ValueType type, std::int64_t elements, int columns) {
    std::ifstream file(path);
    if (!file) throw Error(ErrorCode::io, path + ": " + std::strerror(errno));
    std::string line;
    std::getline(file, line);
    std::getline(file, line);
    if (type != ValueType::f64) throw Error(ErrorCode::unsupported, "stand-in: f64 only");
    Buffer b = make_buffer<double>(elements * columns);
    for (double& d : b.as<double>()) file >> d;
    return b;
}
void write_vector(const std::string& path, ValueType, const void* data, std::int64_t elements,
                  int columns) {
    std::ostringstream text;
    text << "%%MatrixMarket matrix array real general\n" << elements << " " << columns << "\n";
    for (int c = 0; c < columns; ++c)
        for (std::int64_t i = 0; i < elements; ++i)
            text << static_cast<const double*>(data)[i * columns + c] << "\n";
    write_text(path, text.str());
}

Features analyse(const CsrView& m, int) {
    Features f;
    f.rows = m.rows;
    f.cols = m.cols;
    f.nnz = m.nnz;
    f.value_type = m.value_type;
    return f;
}
std::string sheet(const Features& f) {
    return "size " + std::to_string(f.rows) + " x " + std::to_string(f.cols) + "\n";
}
std::string density_plot(const CsrView&, int, int) {
    return "density\n";
}
std::string to_json(const Features& f) {
    return "{\"rows\": " + std::to_string(f.rows) + ", \"cols\": " + std::to_string(f.cols) +
           ", \"nnz\": " + std::to_string(f.nnz) + "}";
}

std::span<const GalleryEntry> gallery() {
    static const std::vector<GalleryEntry> list{
        {entries_of_gallery[0].first, entries_of_gallery[0].second, {{"nx", 1000}, {"ny", 1000}}}};
    return list;
}
CsrMatrix make_gallery_matrix(std::string_view spec) {
    std::int64_t nx = 1000, ny = 1000;
    const std::string text(spec);
    if (!text.starts_with("stencil5"))
        throw Error(ErrorCode::invalid_argument,
                    "gallery: no generator '" + text + "'; there are stencil5");
    if (auto at = text.find("nx="); at != std::string::npos) nx = std::stoll(text.substr(at + 3));
    if (auto at = text.find("ny="); at != std::string::npos) ny = std::stoll(text.substr(at + 3));
    std::vector<Triplet> t;
    for (std::int64_t y = 0; y < ny; ++y)
        for (std::int64_t x = 0; x < nx; ++x) {
            const std::int64_t i = y * nx + x;
            t.push_back({i, i, 4});
            if (x > 0) t.push_back({i, i - 1, -1});
            if (x + 1 < nx) t.push_back({i, i + 1, -1});
            if (y > 0) t.push_back({i, i - nx, -1});
            if (y + 1 < ny) t.push_back({i, i + nx, -1});
        }
    return assemble(nx * ny, nx * ny, std::move(t));
}

Store::Store(std::string directory, bool writable)
    : directory_(std::move(directory)), writable_(writable) {
    const char* env = std::getenv("SPMVGEN_CACHE_DIR");
    if (directory_.empty()) directory_ = env ? env : "/tmp/spmvgen-standin";
}
std::vector<Store::Entry> Store::list() const {
    std::vector<Entry> entries;
    if (DIR* dir = opendir(directory_.c_str())) {
        while (dirent* e = readdir(dir))
            if (std::string(e->d_name).ends_with(".spmv"))
                entries.push_back({directory_ + "/" + e->d_name, e->d_name, "x86-64-v2", 10, ""});
        closedir(dir);
    }
    return entries;
}
int Store::clear() {
    int n = 0;
    for (auto& e : list()) n += std::remove(e.path.c_str()) == 0;
    return n;
}

Choice choose(const Features& f, const Request& r) {
    Signature s;
    s.kernel = r.kernel == "auto" ? "csr_rows" : r.kernel;
    s.value = f.value_type;
    s.params = r.params;
    s.target = r.target;
    s.num_rhs = r.num_rhs;
    return {complete(s), "stand-in"};
}

Generator& load_generator() {
    throw Error(ErrorCode::unsupported, "stand-in: no generator");
}
std::string generator_path() {
    return "";
}

struct Handle::Impl {
    CsrView m;
    Info info;
    int k;
};
Handle::Handle(const CsrView& m, const Options& o) : impl_(new Impl{m, {}, o.num_rhs}) {
    impl_->info = {.kernel = "generic_csr",
                   .format = "csr",
                   .target = "any",
                   .reason = "stand-in",
                   .origin = "generic",
                   .source_path = "",
                   .warning = "",
                   .prepare_ms = 1,
                   .kernel_ms = 0.5,
                   .rows = m.rows,
                   .cols = m.cols,
                   .nnz = m.nnz,
                   .stored = m.nnz,
                   .matrix_bytes = 12 * m.nnz + 4 * m.rows,
                   .bytes = 12 * m.nnz + 4 * m.rows + 8 * (m.rows + m.cols)};
}
Handle::Handle(Handle&&) noexcept = default;
Handle& Handle::operator=(Handle&&) noexcept = default;
Handle::~Handle() = default;
void Handle::apply(ValueType type, const void* alpha, const void* x, const void* beta,
                   void* y) const {
    const CsrView& m = impl_->m;
    dispatch(type, [&](auto zero) {
        using V = decltype(zero);
        const V a = *static_cast<const V*>(alpha), b = *static_cast<const V*>(beta);
        for (std::int64_t i = 0; i < m.rows; ++i)
            for (int r = 0; r < impl_->k; ++r) {
                V sum = 0;
                for (std::int64_t k = m.row_begin(i); k < m.row_begin(i + 1); ++k)
                    sum += m.values_as<V>()[k] * static_cast<const V*>(x)[m.col(k) * impl_->k + r];
                V& out = static_cast<V*>(y)[i * impl_->k + r];
                out = b == V(0) ? a * sum : a * sum + b * out;
            }
    });
}
const Info& Handle::info() const {
    return impl_->info;
}
std::string Handle::source() const {
    return "";
}
std::string to_string(const Info& info) {
    return info.kernel;
}

}  // namespace spmvgen
