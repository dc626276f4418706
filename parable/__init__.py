"""The plain packages of Parable, without models and Django; what an installed wheel contains."""
