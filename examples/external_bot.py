"""A bot that needs nothing but Python: lines of JSON in, lines of JSON out (docs/bots.md).

tablee arena skyjo --seats 2 --bots first,random --outside "first=python3 examples/external_bot.py"
"""

import json
import sys


def main() -> None:
    """Play the first legal move, always."""
    for line in sys.stdin:
        question = json.loads(line)
        if "tablee" in question:  # the greeting: which game, how many seats; we may say what we want to see
            answer = {"wants": []}
        else:  # a decision: our seat, and the legal moves as text
            answer = {"move": question["moves"][0]}
        print(json.dumps(answer), flush=True)


main()
