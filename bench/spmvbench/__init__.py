"""Tables, plots, records and fits from what spmvgen and its benchmarks measured: see bench/README.md."""
