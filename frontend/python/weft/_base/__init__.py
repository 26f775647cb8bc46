"""What everything else stands on: what functions take, where results go, how NumPy is asked. It imports no other room."""
