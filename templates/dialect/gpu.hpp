// The GPU dialect: what kernel templates for NVIDIA's and AMD's GPUs may use beside the builtins of
// gpu_builtins.hpp. What differs between the vendors is decided here.
#pragma once
#include "dialect/common.hpp"
#include "dialect/epilogue.hpp"
#include "dialect/target.hpp"

// Launches that follow each other on a stream overlap where the device can, and the host asks for
// it (the step's `overlaps`): a launch begins while the one ahead ends, and waits itself before it
// reads or writes anything that launches ahead might write. Until then it may read what says where
// entries are, for that never changes; values may.

/// Waits until the launches ahead on the stream have ended and what they wrote is there. Every
/// thread that stores anything calls it, and some thread of every launch. Where blocks are few, the
/// next launch may then begin (emission/gpu_instructions.cpp).
[[gnu::always_inline]] inline void await_launches_ahead() {
    if constexpr (launches_overlap) {
        griddepcontrol_wait();
    }
}

/// Lets the next launch on the stream begin when every block has come here or ended. Called after
/// await_launches_ahead(), behind the last loads of x: the next launch's blocks then find places
/// beside blocks that still add up and store. Does nothing in launches of so many blocks that
/// telling it is what they take (emission/gpu_instructions.cpp).
[[gnu::always_inline]] inline void let_next_launch_begin() {
    if constexpr (launches_overlap) {
        griddepcontrol_launch_dependents();
    }
}

/// *p, of a number that is read once: a hint to keep other data in the caches.
template <typename Number>
[[gnu::always_inline]] inline Number load_stream(const Number* p) {
    if constexpr (nvidia) {
        return __ldcs(p);
    } else {
        return __builtin_nontemporal_load(p);
    }
}

/// *p, not from a multiprocessor's own cache, which may hold it as it was before others wrote it.
template <typename Number>
[[gnu::always_inline]] inline Number load_past_l1(const Number* p) {
    if constexpr (nvidia) {
        return __ldcg(p);
    } else {
        return __builtin_nontemporal_load(p);
    }
}

/// *p, of shared memory, where the same number may come from device memory instead: AMD's compiler
/// else makes one load of both, of a pointer to either, which is slower than each.
template <typename Number>
[[gnu::always_inline]] inline Number load_shared(const Number* p) {
    if constexpr (nvidia) {
        return *p;
    } else if constexpr (is_complex<Number>) {
        return {load_shared(&p->re), load_shared(&p->im)};
    } else if constexpr (sizeof(Number) == 4) {
        return load_lds_f32(p);
    } else {
        return load_lds_f64(p);
    }
}

/// The number whose IEEE half precision form is `bits`.
[[gnu::always_inline]] inline float widened_f16(unsigned bits) {
    const unsigned magnitude = bits & 0x7fffu;
    // The exponent's bias grows by 112; infinities and NaNs have the largest exponent of each type.
    const unsigned rebased = (magnitude << 13) + (magnitude < 0x7c00u ? 0x38000000u : 0x70000000u);
    // Subnormals count units of 2^-24.
    const float value =
        magnitude < 0x400u ? static_cast<float>(magnitude) * 0x1p-24f : __uint_as_float(rebased);
    return (bits & 0x8000u) != 0 ? -value : value;
}

/// A value of A as it is stored, read once.
template <typename Storage>
[[gnu::always_inline]] inline Storage load_stored(const Storage* p) {
    if constexpr (is_complex<Storage>) {
        return {load_stream(&p->re), load_stream(&p->im)};
    } else if constexpr (is_f16<Storage> || is_bf16<Storage>) {
        return {load_stream(&p->bits)};
    } else {
        return load_stream(p);
    }
}

/// A stored value as the type that is computed with.
template <typename Value, typename Storage>
[[gnu::always_inline]] inline Value widened(Storage stored) {
    if constexpr (is_complex<Value>) {
        return converted<Value>(stored);
    } else if constexpr (is_f16<Storage>) {
        return static_cast<Value>(widened_f16(stored.bits));
    } else if constexpr (is_bf16<Storage>) {
        return static_cast<Value>(__uint_as_float(static_cast<unsigned>(stored.bits) << 16));
    } else {
        return static_cast<Value>(stored);
    }
}

/// A value of A, read once, as the type that is computed with.
template <typename Value, typename Storage>
[[gnu::always_inline]] inline Value load_value(const Storage* p) {
    return widened<Value>(load_stored(p));
}

/// The value that the lane `delta` above has, in groups of `width` lanes; a lane whose partner lies
/// outside its group gets one that means nothing. All lanes of the warp take part.
template <int width = warp_size, typename Value>
[[gnu::always_inline]] inline Value shuffle_down(Value value, int delta) {
    if constexpr (is_complex<Value>) {
        return {shuffle_down<width>(value.re, delta), shuffle_down<width>(value.im, delta)};
    } else if constexpr (nvidia) {
        return __shfl_down_sync(0xffffffffu, value, static_cast<unsigned>(delta), width);
    } else {
        return __shfl_down(value, static_cast<unsigned>(delta), width);
    }
}

/// The value that the lane `delta` below has, in groups of `width` lanes; a lane whose partner lies
/// outside its group gets one that means nothing. All lanes of the warp take part.
template <int width = warp_size, typename Value>
[[gnu::always_inline]] inline Value shuffle_up(Value value, int delta) {
    if constexpr (is_complex<Value>) {
        return {shuffle_up<width>(value.re, delta), shuffle_up<width>(value.im, delta)};
    } else if constexpr (nvidia) {
        return __shfl_up_sync(0xffffffffu, value, static_cast<unsigned>(delta), width);
    } else {
        return __shfl_up(value, static_cast<unsigned>(delta), width);
    }
}

/// The value of the group's lane number `lane`.
template <int width = warp_size, typename Value>
[[gnu::always_inline]] inline Value shuffle(Value value, int lane) {
    if constexpr (is_complex<Value>) {
        return {shuffle<width>(value.re, lane), shuffle<width>(value.im, lane)};
    } else if constexpr (nvidia) {
        return __shfl_sync(0xffffffffu, value, lane, width);
    } else {
        return __shfl(value, lane, width);
    }
}

/// How many lanes of the warp say yes. All lanes take part.
[[gnu::always_inline]] inline int count_lanes(bool yes) {
    if constexpr (nvidia) {
        return __popc(__ballot_sync(0xffffffffu, yes));
    } else {
        return __builtin_popcountll(__ballot(yes));
    }
}

/// Whether a lane of the warp says yes. All lanes take part.
[[gnu::always_inline]] inline bool any_lane(bool yes) {
    if constexpr (nvidia) {
        return __ballot_sync(0xffffffffu, yes) != 0;
    } else {
        return __ballot(yes) != 0;
    }
}

/// Number of bits that are 1.
[[gnu::always_inline]] inline int count_bits(unsigned bits) {
    if constexpr (nvidia) {
        return __popc(bits);
    } else {
        return __builtin_popcount(bits);
    }
}

/// Makes what the warp's lanes wrote to shared memory known to all of them. All lanes take part.
[[gnu::always_inline]] inline void warp_barrier() {
    if constexpr (nvidia) {
        __syncwarp();
    } else {
        // The lanes run in step; what is left is that the compiler must move nothing across.
        __builtin_amdgcn_fence(3u, "wavefront");  // release
        __builtin_amdgcn_wave_barrier();
        __builtin_amdgcn_fence(2u, "wavefront");  // acquire
    }
}

// Where `apart` neighbouring lanes share an entry, each has a sum of its own: over every lane that
// lies a multiple of that behind it.

/// The sum over each group of `width` lanes, a power of two, in its first lane. All lanes of the
/// warp take part.
template <int width, int apart = 1, typename Value>
[[gnu::always_inline]] inline Value subwarp_sum(Value value) {
    for (int delta = width / 2; delta >= apart; delta /= 2) {
        value = add(value, shuffle_down<width>(value, delta));
    }
    return value;
}

/// *p += value, whoever else adds to it.
template <typename Value>
[[gnu::always_inline]] inline void atomic_add(Value* p, Value value) {
    if constexpr (is_complex<Value>) {
        atomicAdd(&p->re, value.re);
        atomicAdd(&p->im, value.im);
    } else {
        atomicAdd(p, value);
    }
}

/// sum = α·sum + β·y[i]; y is not read when β = 0.
template <scale alpha_mode, scale beta_mode, typename Value, typename Vector>
[[gnu::always_inline]] inline void scale_sum(Value& sum, const Vector* y, long i, Vector alpha,
                                             Vector beta) {
    if constexpr (alpha_mode == scale::general) {
        sum = multiply(converted<Value>(alpha), sum);
    }
    if constexpr (beta_mode == scale::one) {
        sum = add(converted<Value>(y[i]), sum);
    } else if constexpr (beta_mode == scale::general) {
        sum = multiply_add(converted<Value>(beta), converted<Value>(y[i]), sum);
    }
}

/// y[i] = epilogue(α·sum + β·y[i]) for an element of row `row`; y is not read when β = 0.
template <scale alpha_mode, scale beta_mode, bool has_epilogue, typename Value, typename Vector>
[[gnu::always_inline]] inline void store(Vector* y, long i, Value sum, Vector alpha, Vector beta,
                                         long row) {
    scale_sum<alpha_mode, beta_mode>(sum, y, i, alpha, beta);
    if constexpr (has_epilogue) {
        y[i] = epilogue(converted<Vector>(sum), row);
    } else {
        y[i] = converted<Vector>(sum);
    }
}

/// The same with what the epilogue reads for row `row`, which is loaded.
template <scale alpha_mode, scale beta_mode, typename Value, typename Vector>
[[gnu::always_inline]] inline void store_loaded(Vector* y, long i, Value sum, Vector alpha,
                                                Vector beta, const row_operands<Vector>& operands,
                                                long row) {
    scale_sum<alpha_mode, beta_mode>(sum, y, i, alpha, beta);
    y[i] = epilogue_of(converted<Vector>(sum), operands, row);
}

/// Where in y the thread's group of right-hand sides begins in row `row`; in x likewise.
template <int num_rhs, int rhs_group>
[[gnu::always_inline]] inline long element_of(long row) {
    if constexpr (num_rhs == rhs_group) {
        return row * num_rhs;
    } else {
        return row * num_rhs + static_cast<long>(blockIdx.y) * rhs_group;
    }
}

/// Where number `rhs` of the thread's group is in row `row` of vectors of a form with ld.
template <vector_form form, int num_rhs, int rhs_group>
[[gnu::always_inline]] inline long element_apart(long row, int rhs, long ld) {
    if constexpr (form == vector_form::rows) {
        return row * ld + element_of<num_rhs, rhs_group>(0) + rhs;
    } else {
        return row + (element_of<num_rhs, rhs_group>(0) + rhs) * ld;
    }
}

/// Where number `rhs` of the thread's group is in row `row` of vectors of any form.
template <vector_form form, int num_rhs, int rhs_group>
[[gnu::always_inline]] inline long element_in(long row, int rhs, long ld) {
    if constexpr (form == vector_form::dense) {
        return element_of<num_rhs, rhs_group>(row) + rhs;
    } else {
        return element_apart<form, num_rhs, rhs_group>(row, rhs, ld);
    }
}

/// y = epilogue(α·sum + βy) for the thread's group of right-hand sides in row `row`.
template <scale alpha_mode, scale beta_mode, int num_rhs, int rhs_group, bool has_epilogue,
          vector_form y_form = vector_form::dense, typename Value, typename Vector>
[[gnu::always_inline]] inline void store_row(Vector* y, long row, const Value* sum, Vector alpha,
                                             Vector beta, long ld_y = 0) {
    for (int rhs = 0; rhs < rhs_group; ++rhs) {
        if constexpr (y_form == vector_form::dense) {
            store<alpha_mode, beta_mode, has_epilogue>(y, element_of<num_rhs, rhs_group>(row) + rhs,
                                                       sum[rhs], alpha, beta, row);
        } else {
            store<alpha_mode, beta_mode, has_epilogue>(
                y, element_apart<y_form, num_rhs, rhs_group>(row, rhs, ld_y), sum[rhs], alpha, beta,
                row);
        }
    }
}

/// *p += α·sum, atomically.
template <scale alpha_mode, typename Value, typename Vector>
[[gnu::always_inline]] inline void atomic_add_scaled(Vector* p, Value sum, Vector alpha) {
    if constexpr (alpha_mode == scale::general) {
        sum = multiply(converted<Value>(alpha), sum);
    }
    atomic_add(p, converted<Vector>(sum));
}

/// y = βy for the thread's group of right-hand sides in row `row`: what comes before sums are added
/// atomically.
template <scale beta_mode, int num_rhs, int rhs_group, typename Vector>
[[gnu::always_inline]] inline void scale_row(Vector* y, long row, Vector beta) {
    if constexpr (beta_mode != scale::one) {
        const long first = element_of<num_rhs, rhs_group>(row);
        for (int rhs = 0; rhs < rhs_group; ++rhs) {
            if constexpr (beta_mode == scale::zero) {
                y[first + rhs] = Vector{};
            } else {
                y[first + rhs] = multiply(beta, y[first + rhs]);
            }
        }
    }
}
