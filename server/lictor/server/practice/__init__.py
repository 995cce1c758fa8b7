"""Practice: two bots as processes, a server of their own, and a table of the results. One seed, the same games."""
