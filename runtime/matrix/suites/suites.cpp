// Twins of the matrices of the papers: CSR-k (Lane & Booth, arXiv 2203.05096, Table 1), GOSpMV
// (Table 1) and LightSpMV (Liu & Schmidt, ASAP 2015). How each parameter was obtained: sizes from
// the tables; shares and tails so that the nonzeros come out.
#include "matrix/suites/suites.hpp"

#include <algorithm>

namespace spmvgen {
namespace {

constexpr std::string_view csr_k = "csr-k", gospmv = "gospmv", lightspmv = "lightspmv";

constexpr std::string_view road = "road", mesh = "mesh", stencil = "stencil", fem = "fem",
                           circuit = "circuit", graph = "graph", web = "web", band = "band";

constexpr std::string_view roads =
    "edges of a grid kept by chance: at most four edges at a junction, but for one; a few without "
    "any";
constexpr std::string_view meshes = "points of a jittered lattice, numbered along a Z curve";
constexpr std::string_view duals = "triangles of a mesh of jittered points";
constexpr std::string_view random_mesh = "the same model with other points";
constexpr std::string_view nets =
    "near couplings by chance; the pattern is symmetric, no two nets are alike";
constexpr std::string_view hubs =
    "near couplings by chance, and rows and columns of falling length instead of the circuit's own";
constexpr std::string_view grids = "the plain stencil without the original's borders and materials";
constexpr std::string_view solids = "a regular mesh of tetrahedra with some couplings left out";
constexpr std::string_view rmats = "R-MAT with nodes in random order: no communities";
constexpr std::string_view webs =
    "most links near, the rest to popular pages; no hosts that look alike";
constexpr std::string_view papers =
    "geometric lengths, of which ten are long; recent papers cited more often";
constexpr std::string_view bands = "couplings by chance around the diagonal; not symmetric";
constexpr std::string_view shells = "a plane grid of dense blocks, all of one size";

constexpr Twin all[] = {
    {"belgium_osm", csr_k, road, 1.44e6, 3.10e6, 10,
     "road:nx=1200,ny=1200,keep=0.5375,random_values=0,long_rows=1,longest=10", roads},
    {"netherlands_osm", csr_k, road, 2.22e6, 4.88e6, 7,
     "road:nx=1490,ny=1490,keep=0.55,seed=2,random_values=0,long_rows=1,longest=7", roads},
    {"roadNet-TX", csr_k, road, 1.39e6, 3.84e6, 12,
     "road:nx=1180,ny=1180,keep=0.69,seed=3,random_values=0,long_rows=1,longest=12", roads},
    {"roadNet-CA", csr_k, road, 1.97e6, 5.53e6, 12,
     "road:nx=1404,ny=1404,keep=0.7025,seed=4,random_values=0,long_rows=1,longest=12", roads},
    {"roadNet-PA", csr_k, road, 1.09e6, 3.08e6, 9,
     "road:nx=1044,ny=1044,keep=0.7075,seed=5,random_values=0,long_rows=1,longest=9", roads},
    {"hugetrace-00000", csr_k, mesh, 4.59e6, 13.76e6, 3, "dual:n=2296000,random_values=0", duals},
    {"hugetric-00000", csr_k, mesh, 5.82e6, 17.47e6, 3, "dual:n=2912000,seed=2,random_values=0",
     duals},
    {"debr", csr_k, graph, 1.05e6, 4.19e6, 4, "debruijn:k=20,random_values=0",
     "none: the same graph"},
    {"venturiLevel3", csr_k, mesh, 4.03e6, 16.11e6, 6,
     "road:nx=2007,ny=2007,keep=1,random_values=0,long_rows=1,longest=6",
     "a grid of squares, renumbered within windows; the original is refined in places"},
    {"rajat31", csr_k, circuit, 4.69e6, 20.32e6, 1200,
     "circuit:n=4690000,per_row=4.37,dense=64,dense_length=1200", hubs},
    {"G3_circuit", csr_k, circuit, 1.59e6, 7.66e6, 6,
     "road:nx=1261,ny=1261,keep=0.957,window=1,diagonal=1,long_rows=1,longest=6",
     "the plain stencil; the original has shorter rows here and there"},
    {"ecology1", csr_k, stencil, 1.00e6, 5.00e6, 5, "stencil5:nx=1000,ny=1000",
     "values a tenth of the original's"},
    {"333SP", csr_k, mesh, 3.71e6, 22.22e6, 28,
     "delaunay:n=3710000,lattice=0,diagonal=0,random_values=0,long_rows=1,longest=28",
     "uniform points instead of graded ones"},
    {"AS365", csr_k, mesh, 3.80e6, 22.74e6, 14,
     "delaunay:n=3800000,diagonal=0,seed=2,random_values=0,long_rows=1,longest=14", meshes},
    {"NACA0015", csr_k, mesh, 1.04e6, 6.23e6, 10,
     "delaunay:n=1040000,diagonal=0,seed=3,random_values=0,jitter=0.7", meshes},
    {"M6", csr_k, mesh, 3.50e6, 21.00e6, 10,
     "delaunay:n=3500000,diagonal=0,seed=4,random_values=0,jitter=0.7", meshes},
    {"NLR", csr_k, mesh, 4.16e6, 24.98e6, 20,
     "delaunay:n=4160000,diagonal=0,seed=5,random_values=0,long_rows=1,longest=20", meshes},
    {"delaunay_n20", csr_k, mesh, 1.05e6, 6.29e6, 23,
     "delaunay:n=1048576,lattice=0,spatial=0,diagonal=0,random_values=0", random_mesh},
    {"delaunay_n21", csr_k, mesh, 2.10e6, 12.58e6, 23,
     "delaunay:n=2097152,lattice=0,spatial=0,diagonal=0,seed=2,random_values=0", random_mesh},
    {"delaunay_n22", csr_k, mesh, 4.19e6, 25.17e6, 23,
     "delaunay:n=4194304,lattice=0,spatial=0,diagonal=0,seed=3,random_values=0", random_mesh},
    {"atmosmodl", csr_k, stencil, 1.49e6, 10.32e6, 7,
     "stencil7:nx=106,ny=118,nz=119,random_values=1", grids},
    {"atmosmodm", csr_k, stencil, 1.49e6, 10.32e6, 7,
     "stencil7:nx=106,ny=118,nz=119,random_values=1,seed=2", grids},
    {"atmosmodd", csr_k, stencil, 1.27e6, 8.81e6, 7, "stencil7:nx=88,ny=120,nz=120,random_values=1",
     grids},
    {"atmosmodj", csr_k, stencil, 1.27e6, 8.81e6, 7,
     "stencil7:nx=88,ny=120,nz=120,random_values=1,seed=2", grids},
    // The table says 1.28 million rows of thermal2, but the mean row that it gives fits 1.228
    // million.
    {"thermal2", csr_k, mesh, 1.228e6, 8.58e6, 11, "delaunay:n=1228000,seed=6,jitter=0.7", meshes},
    {"CurlCurl_3", csr_k, stencil, 1.22e6, 13.54e6, 13, "curl_curl:nx=74,ny=74,nz=74,keep=0.85",
     "edges of a regular grid with some couplings left out, instead of tetrahedra"},
    {"CurlCurl_4", csr_k, stencil, 2.38e6, 26.52e6, 13,
     "curl_curl:nx=93,ny=93,nz=92,keep=0.85,seed=2",
     "edges of a regular grid with some couplings left out, instead of tetrahedra"},
    {"StocF-1465", csr_k, fem, 1.47e6, 21.01e6, 189,
     "mesh3d:nx=114,ny=114,nz=113,dofs=1,keep=0.965,long_rows=12,longest=189", solids},
    {"Transport", csr_k, fem, 1.60e6, 23.48e6, 15, "mesh3d:nx=117,ny=117,nz=117,dofs=1,seed=2",
     solids},
    {"packing-500x100x100-b050", csr_k, fem, 2.15e6, 34.98e6, 18,
     "mesh3d:nx=500,ny=66,nz=65,points=19,dofs=1,diagonal=0,keep=0.922,random_values=0", solids},
    {"af_shell10", csr_k, fem, 1.51e6, 52.26e6, 35, "mesh3d:nx=549,ny=549,nz=1,dofs=5",
     "one shell instead of a formed sheet; the first row of a block is not shorter"},
    {"Hamrle3", csr_k, circuit, 1.45e6, 5.51e6, 9,
     "near:n=1450000,min_row=1,max_row=7,span=2000,long_rows=1,longest=9", bands},
    {"circuit5M_dc", csr_k, circuit, 3.52e6, 14.87e6, 24,
     "circuit:n=3520000,per_row=4.26,dense=0,seed=3,long_rows=1,longest=24", nets},
    {"memchip", csr_k, circuit, 2.71e6, 13.34e6, 27,
     "circuit:n=2710000,per_row=4.98,dense=0,seed=4,long_rows=1,longest=27", nets},
    {"Freescale1", csr_k, circuit, 3.43e6, 17.05e6, 25,
     "circuit:n=3430000,per_row=5.03,dense=0,seed=5,long_rows=1,longest=25", nets},
    {"com-Youtube", csr_k, graph, 1.13e6, 5.98e6, 28800,
     "rmat:scale=21,nodes=1130000,edges=3050000,symmetric=1,every=1,random_values=0,long_rows=1,"
     "longest=28800",
     rmats},
    {"kkt_power", csr_k, circuit, 2.06e6, 12.77e6, 90,
     "circuit:n=2060000,per_row=6.29,dense=400,dense_length=84,seed=6", hubs},
    {"FullChip", csr_k, circuit, 2.99e6, 26.62e6, 2.3e6,
     "circuit:n=2990000,per_row=6.45,dense=3,dense_length=800000,seed=7,long_rows=1,longest="
     "2300000",
     hubs},
    {"circuit5M", csr_k, circuit, 5.56e6, 59.52e6, 1.3e6,
     "circuit:n=5560000,per_row=9.1,dense=20,dense_length=1480000,seed=8", hubs},
    {"as-Skitter", csr_k, graph, 1.70e6, 22.19e6, 35500,
     "rmat:scale=21,nodes=1700000,edges=11500000,a=0.56,symmetric=1,every=1,seed=2,random_values=0,"
     "long_rows=1,longest=35500",
     rmats},
    {"rgg_n_2_20_s0", csr_k, mesh, 1.05e6, 13.78e6, 36,
     "rgg:n=1048576,degree=13.14,random_values=0,long_rows=1,longest=36", random_mesh},
    {"rgg_n_2_21_s0", csr_k, mesh, 2.10e6, 28.98e6, 37,
     "rgg:n=2097152,degree=13.82,seed=2,random_values=0,long_rows=1,longest=37", random_mesh},
    {"cage14", csr_k, band, 1.51e6, 27.13e6, 41,
     "near:n=1510000,min_row=2,max_row=35,span=30000,long_rows=1,longest=41", bands},
    {"dgreen", csr_k, band, 1.20e6, 26.61e6, 97,
     "near:n=1200000,min_row=4,max_row=41,span=3000,seed=2,long_rows=4,longest=97", bands},
    {"nv2", csr_k, band, 1.45e6, 37.48e6, 84,
     "near:n=1450000,min_row=4,max_row=49,span=2000,seed=3,long_rows=3,longest=84", bands},
    {"nlpkkt80", csr_k, stencil, 1.06e6, 28.19e6, 28,
     "stencil27:nx=102,ny=102,nz=102,random_values=1,long_rows=1,longest=28",
     "one stencil instead of the blocks of a saddle point"},
    {"Hook_1498", csr_k, fem, 1.50e6, 59.37e6, 93,
     "mesh3d:nx=80,ny=79,nz=79,dofs=3,keep=0.89,long_rows=2,longest=93", solids},
    {"dielFilterV2real", csr_k, fem, 1.16e6, 48.54e6, 110,
     "mesh3d:nx=73,ny=73,nz=73,dofs=3,keep=0.942,long_rows=2,longest=110,seed=2", solids},
    {"wiki-Talk", csr_k, graph, 2.39e6, 5.02e6, 3300,
     "rmat:scale=22,nodes=2390000,edges=5240000,a=0.63,b=0.105,c=0.21,random_values=0", rmats},
    {"wiki-talk-temporal", csr_k, graph, 1.14e6, 3.31e6, 3300,
     "rmat:scale=21,nodes=1140000,edges=3500000,a=0.635,b=0.105,c=0.21,seed=2,random_values=0",
     rmats},
    {"webbase-1M", csr_k, web, 1.00e6, 3.11e6, 28600,
     "web:n=1000000,min_row=1,max_row=28600,tail=0.374,long_rows=1,longest=28600", webs},
    {"patents", csr_k, graph, 3.77e6, 14.97e6, 762,
     "citations:n=3770000,per_row=3.97,random_values=0,long_rows=10,longest=762", papers},
    {"cit-Patents", csr_k, graph, 3.77e6, 16.52e6, 779,
     "citations:n=3770000,per_row=4.38,seed=2,random_values=0,long_rows=10,longest=779", papers},
    {"Freescale2", csr_k, circuit, 3.00e6, 14.31e6, 14900,
     "circuit:n=3000000,per_row=4.79,dense=20,dense_length=14900,seed=9", hubs},
    {"wikipedia-20051105", csr_k, web, 1.63e6, 19.75e6, 75500,
     "rmat:scale=21,nodes=1630000,edges=20300000,every=1,seed=3,random_values=0,long_rows=1,"
     "longest=75500",
     rmats},
    {"in-2004", csr_k, web, 1.38e6, 16.92e6, 21900,
     "web:n=1380000,min_row=4,max_row=21900,tail=0.36,seed=2,random_values=0,long_rows=1,longest="
     "21900",
     webs},
    {"wikipedia-20060925", csr_k, web, 2.98e6, 37.27e6, 159000,
     "rmat:scale=22,nodes=2980000,edges=38000000,every=1,seed=4,random_values=0,long_rows=1,"
     "longest=159000",
     rmats},
    {"wikipedia-20061104", csr_k, web, 3.15e6, 39.38e6, 168000,
     "rmat:scale=22,nodes=3150000,edges=40200000,every=1,seed=5,random_values=0,long_rows=1,"
     "longest=168000",
     rmats},
    {"wikipedia-20070206", csr_k, web, 3.57e6, 45.03e6, 187000,
     "rmat:scale=22,nodes=3570000,edges=46000000,every=1,seed=6,random_values=0,long_rows=1,"
     "longest=187000",
     rmats},
    {"sx-stackoverflow", csr_k, graph, 2.60e6, 36.23e6, 22300,
     "rmat:scale=22,nodes=2600000,edges=37200000,a=0.52,every=1,seed=8,random_values=0,long_rows=1,"
     "longest=22300",
     rmats},
    {"wiki-topcats", csr_k, web, 1.79e6, 28.51e6, 238000,
     "rmat:scale=21,nodes=1790000,edges=29000000,every=1,seed=9,random_values=0,long_rows=1,"
     "longest=238000",
     rmats},
    {"soc-Pokec", csr_k, graph, 1.63e6, 30.62e6, 230000,
     "rmat:scale=21,nodes=1630000,edges=30900000,a=0.47,b=0.2,c=0.2,every=1,seed=10,random_values="
     "0,long_rows=1,longest=230000",
     rmats},
    {"ss", csr_k, band, 1.65e6, 34.75e6, 27,
     "near:n=1650000,min_row=15,max_row=27,span=3000,seed=4", bands},
    {"vas_stokes_1M", csr_k, fem, 1.09e6, 34.77e6, 1000,
     "mesh3d:nx=82,ny=82,nz=81,points=19,dofs=2,keep=0.86,seed=4,long_rows=100,longest=1000",
     "a regular mesh with some couplings left out; the pattern is symmetric"},
    {"bcsstk17", gospmv, fem, 10974, 428650, 150,
     "mesh3d:nx=15,ny=15,nz=16,dofs=3,seed=3,long_rows=4,longest=150", solids},
    {"bcsstk28", gospmv, fem, 4410, 219024, 94, "fem:nx=27,ny=27,dofs=6,long_rows=4,longest=94",
     shells},
    {"epb1", gospmv, mesh, 14734, 95053, 7, "mesh3d:nx=121,ny=122,nz=1,dofs=1,keep=0.92",
     "a regular triangulation with some couplings left out"},
    {"fidap037", gospmv, fem, 3565, 67591, 0, "mesh3d:nx=34,ny=35,nz=1,dofs=3,keep=0.95",
     "a regular triangulation of dense blocks with some left out; the pattern is symmetric"},
    {"raefsky2", gospmv, fem, 3242, 294276, 108, "mesh3d:nx=9,ny=9,nz=10,points=27,dofs=4", solids},
    {"raefsky3", gospmv, fem, 21200, 1488768, 80, "fem:nx=51,ny=52,dofs=8,long_rows=2,longest=80",
     shells},
    {"twotone", gospmv, circuit, 120750, 1224224, 188,
     "circuit:n=120750,per_row=10.44,dense=30,dense_length=188,seed=10", hubs},
    {"venkat01", gospmv, fem, 62424, 1717792, 44,
     "delaunay:n=15606,dofs=4,seed=8,jitter=0.7,long_rows=1,longest=44",
     "dense 4×4 blocks over another mesh"},
    {"dblp-2010", lightspmv, graph, 326186, 1615400, 238,
     "rmat:scale=19,nodes=326186,edges=820000,a=0.4,b=0.22,c=0.22,symmetric=1,every=1,seed=7,"
     "random_values=0,long_rows=1,longest=238",
     rmats},
    {"uk-2002", lightspmv, web, 18520486, 298113762, 2450,
     "web:n=18520486,min_row=5,max_row=2450,tail=0.37,seed=3,random_values=0,long_rows=1,longest="
     "2450",
     webs},
    {"cop20k_A", lightspmv, fem, 121192, 2624331, 81,
     "mesh3d:nx=50,ny=50,nz=48,points=27,dofs=1,keep=0.82,long_rows=2,longest=81", solids},
    {"eu-2005", lightspmv, web, 862664, 19235140, 6985,
     "web:n=862664,min_row=7,max_row=6985,tail=0.36,seed=4,random_values=0,long_rows=1,longest="
     "6985",
     webs},
    {"indochina-2004", lightspmv, web, 7414866, 194109311, 6985,
     "web:n=7414866,min_row=8,max_row=6985,tail=0.37,seed=5,random_values=0,long_rows=1,longest="
     "6985",
     webs},
    {"nlpkkt120", lightspmv, stencil, 3542400, 95117792, 28,
     "stencil27:nx=152,ny=152,nz=153,random_values=1,long_rows=1,longest=28",
     "one stencil instead of the blocks of a saddle point"},
    {"qcd5_4", lightspmv, stencil, 49152, 1916928, 39, "curl_curl:nx=18,ny=17,nz=18,dofs=3",
     "rows of 39 as there, but from a grid with borders instead of a periodic lattice"},
    {"rma10", lightspmv, fem, 46835, 2329092, 145,
     "delaunay:n=6690,dofs=7,seed=9,long_rows=2,longest=145", shells},
    {"pwtk", lightspmv, fem, 217918, 11524432, 180,
     "fem:nx=190,ny=191,dofs=6,long_rows=3,longest=180", shells},
    {"shipsec1", lightspmv, fem, 140874, 7813404, 102,
     "fem:nx=153,ny=153,dofs=6,seed=2,long_rows=2,longest=102", shells},
};

}  // namespace

std::span<const Twin> twins() {
    return all;
}

const Twin* find_twin(std::string_view name) {
    const auto found = std::ranges::find(all, name, &Twin::name);
    return found == std::end(all) ? nullptr : found;
}

}  // namespace spmvgen
