"""Matches: everything that has time or a lifetime. On trio, without sockets and without protobuf."""
