"""Statistics of people, models and items: agreement, classical item analysis, item response theory.

Functions take and return plain values and NumPy arrays; random draws have a seed. No Django here.
"""
