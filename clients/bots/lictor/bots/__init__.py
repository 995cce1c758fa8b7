"""The house bots. Each runs as its own process and plays over the same wire as everybody else's."""
