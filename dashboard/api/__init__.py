"""The programming interface of what spans several apps."""
