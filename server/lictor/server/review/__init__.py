"""Why a match went as it did: what each choice of a seat cost, and what was luck."""
