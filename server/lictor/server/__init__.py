"""The shell around the games: command line, and later matches, clocks, store and the wire."""
