#pragma once
namespace spmvgen {

namespace cpu {
/// Bytes of A for each thread from which on it is taken to come from memory.
inline constexpr double from_memory = 8e6;
}  // namespace cpu

/// What a CPU's kernel does for one apply, counted over all threads unless it says otherwise. A
/// thread's first cache is taken to keep what 16 kB of entries touch of x, its second what 512 kB
/// of them touch.
struct CpuWork {
    double joins = 0;    ///< steps of one thread behind the team's
    double bytes = 0;    ///< of A's arrays as stored, of y twice (a line that is
                         ///< written is read, too), and of the columns of x in use
    double near = 0;     ///< loads of single elements of x, those of idle lanes included, of a
                         ///< register of neighbours that a block takes, and of dictionaries
    double middle = 0;   ///< of these, lines of 64 bytes that a thread's first cache lacks,
    double far = 0;      ///< and its second; without those that are read in order
    double steps = 0;    ///< of vector registers of products: entries loaded, multiplied, added
    double rows = 0;     ///< rows that are begun and ended; a slice counts two
    double turns = 0;    ///< of these, that end elsewhere than the one before: branches mistaken
    double busiest = 1;  ///< what the busiest thread has of all that, over an even share
};

}  // namespace spmvgen
