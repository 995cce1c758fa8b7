"""The edge: the only code that knows the wire."""
