"""`python3 bench/spmvbench VERB …`, from anywhere; also `python3 -m spmvbench` with bench/ in PYTHONPATH."""

import os
import sys

if not __package__:  # run as a folder: the package is found beside it
    sys.path[0] = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

from spmvbench.main import main

sys.exit(main(sys.argv[1:]))
