"""Bots against bots: duplicate deals, ratings with intervals, reports."""
