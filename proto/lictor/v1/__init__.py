"""The wire: protos, with the stubs that `proto/generate.py` writes beside them."""
