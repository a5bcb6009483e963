"""A bot that needs only Python: it reads and writes lines of JSON (docs/bots.md).

tablee arena skyjo --seats 2 --bots first,random --external "first=python3 examples/external_bot.py"
"""

import json
import sys


def main() -> None:
    """Play the first legal move, always."""
    for line in sys.stdin:
        question = json.loads(line)
        if "tablee" in question:  # the greeting: game, seats, options; the reply says what the bot wants to see
            reply = {"wants": []}
        else:  # a decision: the bot's seat, and the legal moves as text
            reply = {"move": question["moves"][0]}
        print(json.dumps(reply), flush=True)


main()
