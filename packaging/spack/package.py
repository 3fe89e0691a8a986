# For Spack 1.0 or later. The sources are a tarball of a checkout, no download:
#
#   git archive --prefix=spmvgen-0.2.0/ -o build/spmvgen-0.2.0.tar.gz HEAD
#
# SPMVGEN_TARBALL names it once this file is copied to packages/spmvgen/ of a Spack repository; in the checkout it is
# found without. A tarball that you make has no checksum here: spack install --no-checksum spmvgen.
import os

from spack_repo.builtin.build_systems.cmake import CMakePackage, generator

from spack.package import *

CHECKOUT = os.path.normpath(os.path.join(os.path.dirname(__file__), "..", ".."))
TARBALL = os.environ.get("SPMVGEN_TARBALL", os.path.join(CHECKOUT, "build", "spmvgen-0.2.0.tar.gz"))


class Spmvgen(CMakePackage):
    """A kernel compiler for sparse matrix-vector products on CPUs and GPUs."""

    license("BSD-3-Clause")

    version("0.2.0", url=f"file://{os.path.abspath(TARBALL)}")

    generator("ninja")

    depends_on("cxx", type="build")
    depends_on("cmake@3.25:", type="build")
    depends_on("ninja", type="build")

    # libclang-cpp must use the same libLLVM as the kernel compiler, not a copy of its own.
    depends_on("llvm@19.1 +clang +lld +llvm_dylib +link_llvm_dylib +zstd")
    depends_on("zstd")
    depends_on("zlib-api")
    depends_on("libmd")
    depends_on("fmt")
    depends_on("nlohmann-json")
    depends_on("cli11")
    depends_on("boost")

    depends_on("googletest+gmock", type="test")
    depends_on("benchmark", type="test")

    def cmake_args(self):
        return [
            self.define("SPMVGEN_TESTS", self.run_tests),
            self.define("SPMVGEN_BENCH", self.run_tests),
        ]
