"""Programs that play: any game, through the contract alone, from what a person at the seat would see."""
