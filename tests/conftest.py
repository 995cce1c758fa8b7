"""What holds for all tests."""

import signal

# In the background of a shell SIGINT is ignored, and so it would be by every process that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
