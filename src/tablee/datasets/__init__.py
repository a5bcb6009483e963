"""Datasets of games: one row per move, in Parquet files."""
