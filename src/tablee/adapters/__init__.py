"""The games as the environments researchers already use; needs `pip install 'tablee[research]'`.

Importing `tablee.adapters.pettingzoo`, `.gymnasium` or `.openspiel` registers every game there.
"""
