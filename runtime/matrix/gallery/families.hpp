#pragma once
#include "matrix/gallery/arguments.hpp"

namespace spmvgen::generators {

// grids.cpp
CsrMatrix stencil5(const Arguments&);
CsrMatrix stencil7(const Arguments&);
CsrMatrix stencil9(const Arguments&);
CsrMatrix stencil27(const Arguments&);
CsrMatrix curl_curl(const Arguments&);

// meshes.cpp
CsrMatrix fem(const Arguments&);
CsrMatrix fem_tri(const Arguments&);
CsrMatrix mesh3d(const Arguments&);
CsrMatrix road(const Arguments&);

// graphs.cpp
CsrMatrix rmat(const Arguments&);
CsrMatrix debruijn(const Arguments&);
CsrMatrix circuit(const Arguments&);

// triangulations.cpp
CsrMatrix delaunay(const Arguments&);
CsrMatrix dual(const Arguments&);

// networks.cpp
CsrMatrix rgg(const Arguments&);
CsrMatrix web(const Arguments&);
CsrMatrix citations(const Arguments&);
CsrMatrix near(const Arguments&);

// shapes.cpp
CsrMatrix random_rows(const Arguments&);
CsrMatrix powerlaw(const Arguments&);
CsrMatrix banded(const Arguments&);
CsrMatrix arrow(const Arguments&);
CsrMatrix diagonal(const Arguments&);

}  // namespace spmvgen::generators
