"""The pure model that feeds every face."""
