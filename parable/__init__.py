"""Packages of Parable that do not need Django; an installed wheel contains only these."""
