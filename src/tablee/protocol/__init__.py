"""Every message, shown structure, REST body and stored summary, declared once.

`tools/protocol.py` generates `web/types.d.ts`, a chapter of `docs/protocol.md` and golden JSON files from them.
"""
