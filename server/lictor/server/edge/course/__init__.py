"""A course for bots: a real server, a wire that can break, an opponent, and lessons that a robust bot passes."""
