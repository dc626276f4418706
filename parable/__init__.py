"""The plain packages of Parable: no models, no Django; what an installed wheel holds."""
