"""One table as pure functions: commands in, events out, and a table from its events."""
