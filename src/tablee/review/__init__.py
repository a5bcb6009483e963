"""Review of finished games: each seat's chances, the moves that cost something, and luck (docs/review.md)."""
