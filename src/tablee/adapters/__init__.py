"""Environments for PettingZoo, Gymnasium and OpenSpiel; they need `pip install 'tablee[research]'`.

Importing `tablee.adapters.pettingzoo`, `.gymnasium` or `.openspiel` registers every game with that library.
"""
