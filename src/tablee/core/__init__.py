"""The contract between games and everything else. Names no game."""
