"""`python -m lictor.server.cli` is `lictor`."""

from lictor.server.cli import main

main()
