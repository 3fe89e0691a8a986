#pragma once

namespace spmvgen {

/// What a GPU's kernel does for one apply, counted over the whole device unless it says otherwise.
struct GpuWork {
    double launches = 1;  ///< that follow one another
    double bytes = 0;     ///< of A's arrays, of scratch memory, of y and of the columns of x in use
    double in_parts = 0;  ///< of these, of y: written in two parts, one long after the other
    double near = 0;      ///< sectors of 32 bytes that warps ask for, of x and of A
    double far = 0;       ///< of these, sectors of x that no block of threads has asked for before
    bool in_step = false;  ///< whether neighbouring lanes take rows side by side, entry by entry
    double beside = 0;     ///< of these the share that follows another one in a line of 128 bytes
    double spread = 1;     ///< share of x over which the columns of neighbouring rows are spread
    double steps = 0;      ///< of all warps: an entry for each lane, idle lanes included
    double waits = 0;      ///< of all warps for loads; those under way together count once
    double depth = 0;      ///< of loads that wait for each other in the busiest thread
    double ahead = 0;  ///< of these, loads, and starts, that do not wait for a short launch ahead
    bool lets_begin = false;  ///< whether blocks let the next launch begin behind their loads
    double warps = 0;         ///< that are launched; where each takes several parts of A, these
    double blocks = 1;        ///< of threads
    double busiest = 1;  ///< work of the busiest block over the mean, of at most one for each unit
    double resident = 48;     ///< warps that the registers leave a multiprocessor room for
    double rows = 0;          ///< that are begun and ended
    double atomics = 0;       ///< additions to memory
    bool rows_apart = false;  ///< whether neighbouring lanes end rows that are no neighbours
    double apart = 0;         ///< sectors of an epilogue's vectors that lanes meet in no order
};

}  // namespace spmvgen
