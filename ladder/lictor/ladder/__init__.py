"""Ratings, pairing, formats, SPRT: pure functions over results."""
