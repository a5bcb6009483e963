"""The web server: REST for lobby and tables, WebSockets for play, bots, and the front end's files."""
