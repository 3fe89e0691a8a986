#pragma once
#include "matrix/gallery/arguments.hpp"

namespace spmvgen::generators {

// grids.cpp
CsrMatrix stencil5(const Arguments&);
CsrMatrix stencil7(const Arguments&);
CsrMatrix stencil9(const Arguments&);
CsrMatrix stencil27(const Arguments&);

// meshes.cpp
CsrMatrix fem(const Arguments&);
CsrMatrix fem_tri(const Arguments&);
CsrMatrix road(const Arguments&);

// graphs.cpp
CsrMatrix rmat(const Arguments&);
CsrMatrix debruijn(const Arguments&);
CsrMatrix circuit(const Arguments&);

// shapes.cpp
CsrMatrix random_rows(const Arguments&);
CsrMatrix powerlaw(const Arguments&);
CsrMatrix banded(const Arguments&);
CsrMatrix arrow(const Arguments&);
CsrMatrix diagonal(const Arguments&);

}  // namespace spmvgen::generators
