"""What `lictor bench server` measures with: the real server, a bare echo, the load on both. Each its own process."""
