// CSR as it is, on the device that has it, for a kernel that reads it there.
//
// What:       nothing where values stay as they are; else they are rounded to the storage type. The
//             columns are looked at, for they were not on the host.
// Source:     ours.
// Parameters: block  128, 256, 512, 1024: threads of a block.
// Work:       entries shared out evenly.
// Reads:      columns once; values twice where they are rounded, which are written once.
#pragma once
#include "dialect/convert/gpu_convert_entries.hpp"
