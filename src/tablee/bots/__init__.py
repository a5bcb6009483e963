"""Programs that play any game through the contract, from what a person in the same seat would see."""
