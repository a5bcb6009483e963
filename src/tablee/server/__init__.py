"""Tables over the network: REST for the lobby, one socket per person, bots, and the front end's files."""
