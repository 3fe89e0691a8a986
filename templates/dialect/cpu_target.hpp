// What a CPU kernel is made for. The generator puts the target's own values in place of this file;
// as it stands it serves to compile a template by hand.
#pragma once

constexpr bool gathers = true;  ///< elements of x are loaded by gather instructions, else singly
