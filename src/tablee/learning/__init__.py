"""Networks that learn games by playing against themselves (docs/learning.md). Needs PyTorch: the extra `learn`."""
