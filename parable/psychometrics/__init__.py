"""Statistics of people, models and items: agreement, classical item analysis, item response theory.

Plain values and arrays in and out, seeded, no Django.
"""
