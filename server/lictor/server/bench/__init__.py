"""Figures of speed and size. Timing belongs here and never into tests."""
