#pragma once
/// spmvgen: parameters of kernels by name.
#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "spmvgen/error.hpp"

namespace spmvgen {

/// The name of a kernel's parameter, at most 15 characters: "threads_per_row". A choice looks up
/// thousands of them, so names are kept in place and compared as two numbers.
class ParamName {
  public:
    static constexpr std::size_t most = 15;  ///< characters

    /// Throws Error(invalid_argument) for a longer name, which no kernel has.
    constexpr ParamName(std::string_view name) {
        if (name.size() > most)
            throw Error(ErrorCode::invalid_argument,
                        "no kernel has a parameter '" + std::string(name) + "'");
        if (std::is_constant_evaluated())
            for (std::size_t i = 0; i < name.size(); ++i) text_[i] = name[i];
        else
            std::memcpy(text_, name.data(), name.size());
    }
    ParamName(const std::string& name) : ParamName(std::string_view(name)) {}
    constexpr ParamName(const char* name) : ParamName(std::string_view(name)) {}

    constexpr const char* c_str() const { return text_; }
    constexpr std::string_view view() const { return text_; }
    std::string str() const { return text_; }

    friend bool operator==(const ParamName& a, const ParamName& b) {
        return std::memcmp(a.text_, b.text_, sizeof a.text_) == 0;
    }
    /// In alphabetical order.
    friend std::strong_ordering operator<=>(const ParamName& a, const ParamName& b) {
        return std::memcmp(a.text_, b.text_, sizeof a.text_) <=> 0;
    }
    friend std::ostream& operator<<(std::ostream& out, const ParamName& name) {
        return out << name.view();
    }

  private:
    char text_[most + 1] = {};
};

/// Values of a kernel's parameters by name, in alphabetical order: "lanes" → 8. It is used like a
/// map, and can be made from one, but an insertion or a removal makes iterators and references
/// invalid.
class Params {
  public:
    using value_type = std::pair<ParamName, std::int64_t>;
    using iterator = std::vector<value_type>::iterator;
    using const_iterator = std::vector<value_type>::const_iterator;

    Params() = default;
    Params(std::initializer_list<value_type> params) { insert(params.begin(), params.end()); }
    /// Throws Error(invalid_argument), see ParamName.
    Params(const std::map<std::string, std::int64_t>& params)
        : params_(params.begin(), params.end()) {}

    iterator begin() { return params_.begin(); }
    iterator end() { return params_.end(); }
    const_iterator begin() const { return params_.begin(); }
    const_iterator end() const { return params_.end(); }
    std::size_t size() const { return params_.size(); }
    bool empty() const { return params_.empty(); }
    void clear() { params_.clear(); }

    iterator find(const ParamName& name) {
        return std::ranges::find(params_, name, &value_type::first);
    }
    const_iterator find(const ParamName& name) const {
        return std::ranges::find(params_, name, &value_type::first);
    }
    bool contains(const ParamName& name) const { return find(name) != end(); }
    std::size_t count(const ParamName& name) const { return contains(name) ? 1 : 0; }

    /// Throws std::out_of_range where it is absent.
    std::int64_t at(const ParamName& name) const {
        const auto found = find(name);
        if (found == end())
            throw std::out_of_range(std::string("no parameter '") + name.c_str() + "'");
        return found->second;
    }
    /// 0 where it was absent.
    std::int64_t& operator[](const ParamName& name) { return try_emplace(name, 0).first->second; }

    /// Leaves one that is there as it is; whether it was absent.
    std::pair<iterator, bool> try_emplace(const ParamName& name, std::int64_t value) {
        if (const auto found = find(name); found != end()) return {found, false};
        const auto place = std::ranges::lower_bound(params_, name, {}, &value_type::first);
        return {params_.insert(place, {name, value}), true};
    }
    std::pair<iterator, bool> insert(const value_type& param) {
        return try_emplace(param.first, param.second);
    }
    /// Those that are absent here.
    template <typename Iterator>
    void insert(Iterator first, Iterator last) {
        for (; first != last; ++first) try_emplace(first->first, first->second);
    }
    void insert(std::initializer_list<value_type> params) { insert(params.begin(), params.end()); }
    void merge(const Params& others) { insert(others.begin(), others.end()); }

    iterator erase(const_iterator place) { return params_.erase(place); }
    std::size_t erase(const ParamName& name) {
        return std::erase_if(params_, [&](const value_type& p) { return p.first == name; });
    }

    friend bool operator==(const Params&, const Params&) = default;
    friend auto operator<=>(const Params&, const Params&) = default;

  private:
    std::vector<value_type> params_;
};

}  // namespace spmvgen
