"""The rules: games as pure modules, chance, records. No clock, no network, no threads."""
