"""The only code that reads or writes `.caesar/`."""
