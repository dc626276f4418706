"""Packages of Parable that need neither models nor Django; an installed wheel contains only these."""
